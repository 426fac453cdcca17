# %% [markdown]
# # 03 · Separators, gradients and breadth
#
# **Where does attention go when it has nowhere to go, does that change anything, and how broadly do heads look?**
# (Clark et al. 2019, sections 3.2 and 3.3, figures 2, 3 and 4)
#
# After this notebook you can
# - tell a *sink* from a token that is attended to for what it says;
# - separate attention *from* separators and attention *to* them;
# - test the paper's no-op hypothesis: by gradients, by what is moved, by taking attention away;
# - say why a small gradient alone proves nothing;
# - say in nats how broadly a head looks, and what the most possible is.
#
# *Prerequisites:* [02](02_surface_patterns.ipynb). *Time:* half an hour, less than a minute of it for the computer (two cores).

# %%
from bertattn import corpora, exercises, importance, measure, plots
from bertattn import readings, surface, syntax, tables, views
from bertattn.model import load
from bertattn.segments import Segments, Sentences, Trees
from bertattn.views import menus
import numpy as np

plots.set_theme()

# %% [markdown]
# ## The parameters
#
# `OBJECTIVE` says what gradients are of: `"masked LM"`, `"contrastive"` or `"projections"`; None takes the masked LM, the paper's,
# where the checkpoint has a head for it, and else the contrastive one. Gradients cost more than attention, so they are taken on
# fewer texts: `GRADIENTS` inputs (pairs of sentences, for the contrastive objective). Attention is taken away in `ABLATED`
# sentences, and `SENTENCES` parsed ones are asked where heads look at the sink (relations with fewer than `MIN_COUNT` words are
# left out, and if none is left there is nothing to be seen of them).

# %% tags=["parameters"]
MODEL = "minilm"
CORPUS = "sample"
LAYOUT = None
SEGMENTS = 200
OBJECTIVE = None
GRADIENTS = 32
ABLATED = 8
SENTENCES = 200
MIN_COUNT = 50

# %% [markdown]
# ## What would you expect?
#
# A row must sum to 1 even where a head finds nothing to do. Which token would you use as a rubbish bin: one that is in
# every input, at a known place, and says little? Guess which one this model uses, and in which layers. If you took that
# attention away, how far would the output move: not at all, or a lot? And guess: does a head look more broadly in the
# first layer, or in the last?

# %% [markdown]
# The last of these guesses is noted: which layer, counted from 1, looks most broadly, by the mean entropy of its heads? Put a number in place of the dots, and run the cell: it is noted, and held against what comes out
# at the end.
#
# <details><summary>Hint</summary>Before the first layer has done its work a token knows little more than its own piece and place. What would you look at?</details>

# %% tags=["exercise"]
guess = ...
### BEGIN SOLUTION
guess = 1
### END SOLUTION
exercises.predict("layer that looks most broadly", guess)

# %% [markdown]
# ## The definitions
#
# Attention **to** separators is averaged over all rows; split by where it comes **from**, it is averaged over the
# rows of the separators alone, and of all other tokens alone. How *broadly* a row looks is its entropy,
#
# > H[i] = - Σ a'[i, j] ln a'[i, j], the sum over all j, with a' = 0.9999 a + 0.0001 / n
#
# in nats. A toy: the first row looks at one token of four, the second at two alike, the third at all alike.

# %%
toy = np.array([[1, 0, 0, 0], [0.5, 0.5, 0, 0], [0.25, 0.25, 0.25, 0.25], [0, 0, 0, 1]])
print(surface.entropy(toy).round(3).tolist(), "most possible:", np.log(4).round(3))

# %% [markdown]
# e to the power of the entropy is a number of tokens: 1, 2 and 4 (the small part of the uniform distribution that is mixed
# in makes the first a little more than 1).

# %% [markdown]
# ## The run
#
# Pairs of texts, as in the paper; and then single sentences, since a model may treat the two differently.

# %%
model = load(MODEL)
text = corpora.load(CORPUS, LAYOUT)
segments = Segments(text, model.encoder, n=SEGMENTS)
in_pairs = surface.SurfaceSums.empty(*model.shape)
n_pairs = measure.measure(segments, model, in_pairs, total=SEGMENTS)
table = tables.surface(in_pairs.result(), tables.manifest(model, text, segments))

# %% [markdown]
# The same for as many single sentences, one in five of the text, so that they reach over as much of it:

# %%
sentences = Sentences(text, model.encoder, n=SEGMENTS, every=5)
alone = surface.SurfaceSums.empty(*model.shape)
n_alone = measure.measure(sentences, model, alone, total=SEGMENTS)
table_alone = tables.surface(alone.result(), tables.manifest(model, text, sentences))
print(f"{n_pairs} segments ({tables.left_out(segments.left_out)}) and {n_alone} sentences")

# %% [markdown]
# ## The picture: the sink
#
# Mean over the heads of each layer. A model without one of these tokens has no column for it.

# %%
sinks = tables.present(table, ["to_start", "to_separator", "to_first", "to_punctuation"])
tables.by_layer(table)[sinks].round(3)

# %% [markdown]
# In words, for pairs and then for single sentences:

# %%
print(readings.sink(table))
print(readings.sink(table_alone))

# %% [markdown]
# The paper's second panel of figure 2: does the separator look at separators more than others do? (A model without
# one has nothing to draw here.)

# %%
plots.show(plots.figure_2_separator(table))

# %% [markdown]
# Each head's share of each possible sink:

# %%
views.HeadMap(table, sinks)

# %% [markdown]
# ## The picture: breadth
#
# Figure 4 of the paper: the average entropy of all rows, and of the start token's row alone. The dots at the top are
# the most possible: attending alike to all tokens that may be seen.

# %%
plots.show(plots.figure_4(table))

# %% [markdown]
# In words:

# %%
print(readings.breadth(table))

# %% [markdown]
# An entropy is an average over rows: a head of which half of the rows look at one token and half at all has the same
# entropy as one that always looks at a few. And a low entropy says *that* a head looks narrowly, not *at what*: a
# positional head and a sink head both lie at the bottom.

# %% [markdown]
# ## Reading it
#
# In BERT-base, layers 6 to 10 give more than half of their attention to [SEP], and [SEP] itself gives it over 90 %.
# The paper's reading: a head that finds nothing of its kind looks at [SEP], where it does no harm, a *no-op*. Hold
# that against the two sentences printed above. If this model's sink is another token, then the no-op, if there
# is one, sits there, and what the paper says of [SEP] does not carry over by name. If no token takes over half of
# any layer, there may be no sink of that kind at all.
#
# What this does not show: that attention to the sink changes nothing. A large weight on a token whose value vector
# is small does little; a large weight on one that gathers the whole text may do much. Shares of attention cannot
# tell the two apart. The next sections ask in four ways.

# %% [markdown]
# ## Gradients: the definition
#
# Take a loss L of the model's output. How much would it move if head *h*, in row *i*, gave token *j* a little more weight?
#
# > g[i, j] = ∂L / ∂a[i, j], and of the logit z whose softmax a is: ∂L / ∂z[i, j] = a[i, j] (g[i, j] - Σ a[i, k] g[i, k], the sum over all k)
#
# The paper shows the mean of |g|. But a row sums to 1: no weight can grow alone. The gradient by the *logit* stays among rows that
# sum to 1: what one token gets, the others lose. A toy: one row, 0.9 on a sink whose value is 0, 0.1 on a word whose value is 1, and
# the loss is what the row takes in, 0.9 × 0 + 0.1 × 1.

# %%
row, values = np.array([0.9, 0.1]), np.array([0.0, 1.0])
print(
    "by the weights:",
    values.tolist(),
    "by the logits:",
    importance.by_logit(row, values).round(2).tolist(),
)

# %% [markdown]
# By the weight, the sink has a gradient of exactly 0: it moves nothing. By the logit it has as large a one as the word: the more
# the sink takes, the less is left. Both are right. They answer two questions.

# %% [markdown]
# ## Gradients: the run
#
# The paper's L is BERT's masked-LM loss. A checkpoint without a trained head for it, as the default model is, has no such loss; the
# *contrastive* objective stands in its place, not for it: of several pairs of neighbouring sentences, which belong together, by
# their mean-pooled vectors? It is of the kind that sentence encoders are trained on. All rows of an input count, but in the last
# layer only those whose output the loss reads.

# %%
objective = importance.objective(model, MODEL, OBJECTIVE)
inputs = objective.inputs(text, model.encoder, GRADIENTS)
sums = importance.ImportanceSums.empty(*model.shape, objective.n_losses)
n_read = importance.differentiate(inputs, model, objective, sums)
made = tables.manifest(model, text, inputs, sums.left_out, **objective.options)
gradients = tables.importance(sums.result(), made)
print(f"{n_read} inputs, {tables.left_out(made['left_out'])}; objective: {objective.name}")

# %% [markdown]
# ## Gradients: the picture
#
# Figure 3 of the paper, for this model and this objective: a point is a head, a line joins the means of the layers; mind the
# logarithmic axis. Its height depends on the objective (and on its temperature, for instance), so only kinds of token within a layer can be
# compared. Choose the gradient by the weight, as in the paper, by the logit, or the weight itself.

# %%
menus(plots.figure_3, gradients, form=["gradient", "logit", "weight"])

# %% [markdown]
# As numbers: the mean gradient by weights to each kind of token over that to ordinary tokens, and the same by the logits.

# %%
tables.against_others(gradients).round(2)

# %% [markdown]
# By the logits:

# %%
tables.against_others(gradients, "logit").round(2)

# %% [markdown]
# And in words, for the token that takes the most attention in single sentences:

# %%
sink = tables.sink_of(table_alone)
print(readings.gradients(gradients, sink))

# %% [markdown]
# A small gradient by the weight says that a *little* more or less attention to the token would hardly move this loss. It does not say
# that nothing happens there: a gradient is small also where a loss is flat or a head is saturated, and it knows nothing of large
# changes. So here is what is moved, and what happens when attention to the token is taken away altogether.

# %% [markdown]
# ## What is moved, and what is missed
#
# A head moves a[i, j] v[j], a weight times a value vector. If the vector is short, much attention moves little. And if a layer may
# not look at the token at all, there are two ways to do without: *drop* what it would have moved, or scale the
# other weights up so that the row sums to 1 again. (A third way, `"mean"`, puts each weight's mean over the rows in its place, so that
# only *when* a row looks there is lost; ask for it with `ways` of `importance.take_away`.) How far do the final states move? One ordinary token of each
# sentence, drawn at random, is the control. The unit of the intervals is the document.

# %%
few = Sentences(text, model.encoder, n=ABLATED, every=100)
taken = importance.take_away(few, model, sink)
evidence = tables.no_op(gradients, taken, tables.manifest(model, text, few))
tables.no_op_in_print(evidence)

# %% [markdown]
# Side by side, by layer:

# %%
plots.show(plots.no_op(evidence))

# %% [markdown]
# In words, and how many rows stayed as they were because they look at nothing else:

# %%
print(readings.evidence(evidence))
print(tables.left_out(evidence.attrs["manifest"]["left_out"]))

# %% [markdown]
# Read the two ways apart. If dropping changes little and scaling up changes much, then *what* the token says hardly matters, but
# *how much* attention it takes does: it works as a tap that turns the rest of the head down. That is a no-op of a kind, and a gradient by
# the weight alone would not have shown the second half. Mind that the sink takes much more attention than one ordinary token does, so that its
# removal is the larger intervention, and that one layer at a time was changed: what later layers make good is in these numbers.

# %% [markdown]
# ## Where a relation does not apply
#
# The paper's other sign: head 8-10 looks from objects at their verbs, and from words that are no objects at [SEP]. So for each
# relation, its best head: how much of its attention goes to the sink from words that the relation applies to, and from others? Punctuation is
# left out on both sides.
#
# Such a difference needs a control. In a short sentence any head gives more to the sink, and so it does early in a text if it sees only what is
# before it; and words of one relation stand in other sentences and other places than the rest. A head that attends to all tokens alike
# would show a difference, too. So `all_heads` is the same difference averaged over all heads of the model, which meet the same words, and `excess` is what the
# best head has over that. It takes out the length of sentences and the place of words, as far as they act on all heads alike.

# %%
treebank = corpora.treebank(CORPUS, skip=True)
trees = Trees(treebank, model.encoder, n=SENTENCES)
parsed = list(trees)
relations = sorted({relation for tokens in parsed for relation in tokens.source.relations})
counts = syntax.SyntaxCounts.empty(*model.shape, relations)
shares = importance.SinkShares.empty(*model.shape, relations)
measure.measure(parsed, model, counts, shares)
scores = list(syntax.scores(counts, min_count=MIN_COUNT, at_least_one=False))
of_trees = tables.manifest(model, treebank, trees, counts.left_out, min_count=MIN_COUNT)
where = tables.sink_where(shares, scores, sink, of_trees)
where.drop(columns=["direction", "sink"]).round(2)

# %% [markdown]
# As a picture: the further to the right of the ring the square lies, the more the head spends on the sink where it has nothing to find; the bar
# is where the square would lie if the head were as all heads are on average.

# %%
plots.show(plots.sink_where(where))

# %% [markdown]
# In words:

# %%
print(readings.sink_where(where))

# %% [markdown]
# ## What the evidence says
#
# Four signs, and they need not agree: a small gradient by the weight; short value vectors; little change when the token's part is dropped;
# more attention to it where a head's relation does not apply, by more than in heads on average. Each alone has another explanation. The last one, for example: words that
# a relation applies to have a neighbour worth looking at, and a head that follows positions or parts of speech would show the same: the excess takes out
# only what moves all heads. Each row is a relation's best head, so one head may stand in several rows. And
# gradients, as removal, say something of *this* objective, on *this* text.

# %% [markdown]
# ## Beside the paper

# %%
tables.beside_paper(table).set_index("finding").tail(4)

# %% [markdown]
# And on no-ops (the paper's figure 3 is of BERT-base's masked LM; it is marked as not run here until someone runs it):

# %%
tables.beside_figure_3(gradients, sink, where, MODEL).set_index("finding")

# %% [markdown]
# Where the two columns differ, ask first whether the models are comparable. BERT-base was trained on pairs with a
# separator between them and a start token that had to tell whether they belong together; a model trained on single
# texts, or to average its tokens into one vector, has no reason to use these tokens in the same way. The exact
# entropies also depend on the length of the inputs, through the ln n of the dotted line.

# %% [markdown]
# ## Exercises
#
# Your guess, beside what came out (nothing is said to who made none):

# %% tags=["exercise"]
broadest = int(tables.by_layer(table)["entropy"].idxmax())
exercises.reveal("layer that looks most broadly", broadest)

# %% [markdown]
# **1.** Write the entropy of every row, without smoothing. Zero times ln 0 counts as 0.
#
# <details><summary>Hint</summary><code>np.where(weights > 0, weights, 1)</code> has a logarithm everywhere.</details>


# %% tags=["exercise"]
def entropy(weights):
    ### BEGIN SOLUTION
    logarithms = np.log(weights, where=weights > 0, out=np.zeros_like(weights))
    return -(weights * logarithms).sum(axis=1)
    ### END SOLUTION


exercises.check("entropy", entropy)

# %% [markdown]
# **2.** Write the attention from all tokens that are *not* separators to those that are. `columns` says which are.
# If every token is a separator, the answer is 0.
#
# <details><summary>Hint</summary>Rows by <code>~columns</code>, then columns; divide by the number of those
# rows.</details>


# %% tags=["exercise"]
def from_others(weights, columns):
    ### BEGIN SOLUTION
    shares = [
        row[columns].sum() for row, is_one in zip(weights, columns, strict=True) if not is_one
    ]
    return sum(shares) / len(shares) if shares else 0.0
    ### END SOLUTION


exercises.check("from others", from_others)

# %% [markdown]
# **3.** Given one head's weights and a loss's gradients by them, return the gradients by the logits.
#
# <details><summary>Hint</summary>For each row, the sum of weights times gradients; <code>keepdims=True</code> keeps it a
# column.</details>


# %% tags=["exercise"]
def logit_gradient(weights, gradients):
    ### BEGIN SOLUTION
    rows = zip(weights, gradients, strict=True)
    return np.array([(np.diag(row) - np.outer(row, row)) @ by_weight for row, by_weight in rows])
    ### END SOLUTION


exercises.check("logit gradient", logit_gradient)

# %% [markdown]
# **4.** Take one column of a map away: its weights become 0, and the rest of each row is scaled up to sum to 1. A row that has nothing
# else stays as it is.
#
# <details><summary>Hint</summary>Copy first. <code>np.where(rest > 0, ..., weights)</code> chooses by row if <code>rest</code> is a
# column.</details>


# %% tags=["exercise"]
def taken_away(weights, column):
    ### BEGIN SOLUTION
    others = np.delete(weights, column, axis=1)
    rest = others.sum(axis=1, keepdims=True)
    scaled = np.insert(others / np.maximum(rest, 1e-12), column, 0, axis=1)
    return np.where(rest > 0, scaled, weights)
    ### END SOLUTION


exercises.check("taken away", taken_away)

# %% [markdown]
# **5.** Given a map and each token's value vector (a row each), return how long the vector is that each weight moves.
#
# <details><summary>Hint</summary>The length of a[i, j] v[j] is a[i, j] times that of v[j]: <code>np.linalg.norm(values, axis=1)</code>.
# </details>


# %% tags=["exercise"]
def moved(weights, values):
    ### BEGIN SOLUTION
    return np.linalg.norm(weights[:, :, None] * values[None], axis=-1)
    ### END SOLUTION


exercises.check("moved", moved)

# %% [markdown]
# **6.** Two heads have the same entropy. One is a previous-token head, one a sink head. Which single number from
# notebook 02 tells them apart?
#
# <details><summary>Answer</summary>
# The attention to the previous token: near 1 for the one, near chance for the other. Entropy says how many tokens, the
# other measures say which.
# </details>

# %% [markdown]
# **7.** (Open) Is the sink the model's or the training's? Run this notebook with the control whose weights are random (`random_init(MODEL)` from
# `bertattn.model` in place of `load(MODEL)`), then with another `OBJECTIVE`. Which ratios within a layer stay, and which do not? Write a page: the
# claim about the sink that all your runs support, and one that the first run seemed to support and the others do not.

# %% [markdown]
# ## In short
#
# - Attention has to go somewhere; which token is the sink belongs to the model.
# - A share of attention is not an effect, and a small gradient is no proof of a no-op.
# - Gradients by the weight ask what a token gives; by the logit, also what it takes from the others.
# - Say what the gradients are of, and compare kinds of token within a layer, never levels across objectives.
# - Entropy says how many tokens a head looks at, in nats, against ln n.
#
# On to [04](04_clustering.ipynb): which heads are alike. Back to the [start](00_start_here.ipynb).
