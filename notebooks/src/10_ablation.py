# %% [markdown]
# # 10 · Taking heads away
#
# **Do the heads that know syntax matter to what the model does?**
# (Beyond Clark et al. 2019; on the heads of its section 4.2)
#
# After this notebook you can
# - take heads away in two ways, and say which of them breaks more than it should;
# - tell what a head *knows* from what its removal *costs*, and both from what a gradient says;
# - choose heads on some documents and score the choice on others;
# - hold a choice against random heads of the same layers, and say what each of two intervals is about;
# - say what a cost of nothing does not prove.
#
# *Prerequisites:* [05](05_syntax_heads.ipynb), and of [03](03_separators_and_gradients.ipynb) the gradients. *Time:* forty minutes, one of them for the computer (two cores).

# %%
from bertattn import (
    corpora,
    exercises,
    importance,
    measure,
    plots,
    probes,
    readings,
    surface,
    syntax,
    tables,
    vectors,
)
from bertattn.model import load
from bertattn.segments import Trees
from bertattn.views import menus
import numpy as np

plots.set_theme()

# %% [markdown]
# ## The parameters
#
# Heads are chosen on one half of the treebank's documents. Of the other half `DOCUMENTS` documents are scored, the first `EACH` sentences of each. `OBJECTIVE` says of what the loss is:
# `"masked LM"` or `"contrastive"`; None takes the masked LM where the checkpoint has a trained head for it, and else the contrastive one. `K` heads are taken away together, beside `DRAWS` random
# choices of as many; `SIZES` are those of the curve. A probe is trained for `EPOCHS` on the choosing half.

# %% tags=["parameters"]
MODEL = "minilm"
CORPUS = "sample"
SENTENCES = None
OBJECTIVE = None
MIN_COUNT = 50
DOCUMENTS = 12
EACH = 4
K = 8
DRAWS = 10
EPOCHS = 4
SIZES = [1, 4, 8, 16, 32]

# %% [markdown]
# ## What would you expect?
#
# Three choices of heads: those that find a syntactic relation best (*syntax*), those by whose output a loss has the largest gradient (*gradients*), and those that look at the next or the previous token most (*positions*).
# Which of them costs the text's vector most when it is taken away? Write one of the three words.
#
# <details><summary>Hint</summary>A vector of the whole text is read off the last layer. Which of the three choices may know in which layer a head stands?</details>

# %% tags=["exercise"]
guess = ...
### BEGIN SOLUTION
guess = "gradients"
### END SOLUTION
exercises.predict("which choice costs the text's vector most", guess)

# %% [markdown]
# And how many of every hundred arcs that heads find will be lost with the `K` heads that are best at finding them?
#
# <details><summary>Hint</summary>A head that is taken away still looks where it looked: its own map is made before its output is. What changes is what the layers above it read.</details>

# %% tags=["exercise"]
lost = ...
### BEGIN SOLUTION
lost = 10
### END SOLUTION
exercises.predict("arcs lost of a hundred, without the heads best at syntax", lost)

# %% [markdown]
# ## The definition
#
# Head *h* gives token *i* the output o[h, i] = Σ a[h, i, j] v[h, j], the sum over all j, and the layer adds W[h] o[h, i] for each of its heads. To take a head away,
#
# > *zero*: o[h, i] becomes 0 &nbsp;&nbsp;&nbsp; *mean*: o[h, i] becomes the mean of o[h] over the tokens of other text
#
# What a head always gives, whatever the text, works as a bias, and later layers have been trained with it. Zero takes that away too, and so breaks more than what the head says of *this* text; the mean leaves it. A toy: the
# outputs of one head for three tokens, and how much of each is lost in the two ways.

# %%
toy = np.array([[5.1, 0.0], [4.9, 0.0], [5.0, 0.3]])
print("zero:", np.linalg.norm(toy - 0, axis=1).round(2).tolist())
print("mean:", np.linalg.norm(toy - toy.mean(axis=0), axis=1).round(2).tolist())

# %% [markdown]
# By zero all three tokens lose as much. By the mean it is the third that loses most: it is the one of which the head said something.
#
# What the removal *costs* is how much worse four numbers get: how far the *text's vector* (the mean of its final states) and its *tokens'* final states turn, as 1 - cosine; how much larger the *loss* is; and of the arcs that
# heads find, how many are lost (*syntax*): each relation is asked of the head that found it best in the choosing half, in the maps that are left. Further down a fifth is asked apart: of all governors that a *probe* finds, how many are lost.

# %% [markdown]
# ## The run: choosing heads
#
# On the choosing half: how far each head is over the best fixed offset in the relation where it is furthest; and how much it looks at a neighbour.

# %%
model = load(MODEL)
treebank = corpora.treebank(CORPUS, skip=True)
trees = Trees(treebank, model.encoder, n=SENTENCES)
choosing, scored = importance.halves(list(trees))
counts = syntax.SyntaxCounts.empty(*model.shape, treebank.relations)
averages = surface.SurfaceSums.empty(*model.shape)
n_choosing = measure.measure(choosing, model, counts, averages)
print(f"{n_choosing} sentences to choose by; {tables.left_out(trees.left_out + counts.left_out)}")

# %% [markdown]
# The gradients: put a gate of 1 on each head's output. How large is the loss's gradient by the gate? It is |Σ a[i, j] g[i, j]| over a head's map, with g the gradients by its weights as in notebook 03: the first term of what shutting the gate costs (Michel et al. 2019).

# %%
objective = importance.objective(model, MODEL, OBJECTIVE)
few = importance.a_few_of_each(choosing, EACH)
gates = importance.head_importance(few, model, objective)
print("objective:", objective.name)

# %% [markdown]
# Three scores a head, and the best heads by each, the best first:

# %%
shares = averages.result()
positions = np.maximum(shares["to_next"], shares["to_previous"])
scores = {"syntax": syntax.gains(counts, MIN_COUNT), "gradients": gates, "positions": positions}
chosen = importance.chosen(scores, K)
tables.chosen_heads(chosen, scores)

# %% [markdown]
# Look at the layers. A choice that takes heads of one layer only may say more about the layer than about its heads; and heads that stand in two of the choices are counted twice.

# %% [markdown]
# ## The run: one head at a time
#
# The scored texts are of documents that had no part in any choice. Each head's mean output is that of the choosing half.

# %%
texts = importance.a_few_of_each(scored, EACH, DOCUMENTS)
finders = importance.finders(syntax.scores(counts, min_count=MIN_COUNT))
outcomes = [importance.Change(), importance.Loss(objective), importance.Syntax(finders)]
outlets = importance.Outlets(model)
means = importance.mean_outputs(few, outlets)
each = importance.remove_heads(texts, outlets, importance.each_head(*model.shape), outcomes, means)
made = tables.manifest(
    model, treebank, trees, each.left_out, scored=len(texts), **objective.options
)
alone = tables.with_scores(tables.removals(each, made), scores)
tables.intact(alone)

# %% [markdown]
# These are the numbers of the model as it is. Now what each head's removal costs:

# %%
print(readings.one_by_one(alone))

# %% [markdown]
# ## The picture: one head at a time
#
# A point is a head, with its interval by document. Choose what it costs, and a score to hold it against.

# %%
asked = alone["outcome"].unique().tolist()
menus(plots.one_by_one, alone, outcome=asked, score=list(scores))

# %% [markdown]
# Does a score say which heads cost most? Rank correlations, over all heads and within layers (mean over layers):

# %%
agreement = tables.score_agreement(alone, list(scores))
print(readings.score_agreement(agreement))
agreement.round(2)

# %% [markdown]
# A score that agrees over all heads and not within layers knows the layer and nothing of its heads. What is taken out of a late layer cannot be made good any more, and it is the last states that are compared.
# And mind of what the gradients are: of the loss. Where they agree with how far vectors move and not with the loss, the size of a gradient says that a head moves much, and not whether it moves for better or for worse.

# %% [markdown]
# ## The run: heads together, beside random ones
#
# The `K` best by each score; for each of the three, random heads of *the same layers*, of each layer as many; and growing sets, beside heads drawn from all layers.

# %%
together = importance.remove_heads(
    texts, outlets, importance.beside(chosen, model.n_heads, DRAWS), outcomes, means
)
beside = tables.beside_random(together, made)
costs = tables.removals(together, made)
tables.beside_random_in_print(beside)

# %% [markdown]
# *Difference* is the choice's cost less the mean of its draws, on the same texts, with an interval by document, for these draws; *as much* is how many of the draws cost at least as much. The first is about which texts were read, the second about
# which heads were drawn. Neither is corrected for the number of rows.

# %% [markdown]
# ## The picture: the choice beside random heads

# %%
plots.show(plots.beside_random(beside, costs))

# %% [markdown]
# ## The run: the probe
#
# One head was asked for each relation. A *probe* asks all heads at once for every word's governor: the one of notebook 07 that sees attention only, trained on the maps of the whole model over the choosing half.
# Now it reads the maps that are left. It is not trained anew, so what it loses it had relied on. (Training adds rounding errors up, so on another processor the last digits may differ.)

# %% tags=["nbval-ignore-output"]
words = vectors.load()
maps = probes.word_maps(model, choosing)
data = probes.ProbeData.of(choosing, maps, words, probes.parts(choosing))
trained = probes.train(probes.AttentionOnly, data, learning_rate=0.1, n_epochs=EPOCHS)
picks = importance.beside(chosen, model.n_heads, DRAWS)
reads = [importance.Probe(trained.probe, words)]
probed = importance.remove_heads(texts, outlets, picks, reads, means)
of_probe = tables.beside_random(probed, made | {"way": probed.way, "epochs": EPOCHS})
print(f"whole model: {tables.intact(tables.removals(probed, made))['intact'].item():.3f}")
tables.beside_random_in_print(of_probe)

# %% [markdown]
# *Cost* is the share of words whose governor is no longer found; below 0 more are found. In words:

# %% tags=["nbval-ignore-output"]
print(readings.beside_random(of_probe))

# %% [markdown]
# ## The picture: more and more heads
#
# The best heads by each score first; in grey, heads drawn from all.

# %%
growing = importance.growing(scores, SIZES, n_draws=5)
many = importance.remove_heads(texts, outlets, growing, outcomes, means)
curve = tables.removals(many, made)
menus(plots.more_and_more, curve, outcome=asked)

# %% [markdown]
# As words:

# %%
print(readings.more_and_more(curve))

# %% [markdown]
# ## Zero or mean?
#
# The same choices with 0 in the place of their outputs:

# %%
by_zero = importance.remove_heads(texts, outlets, chosen, outcomes)
zeroed = tables.removals(by_zero, made)
print(readings.ways(costs, zeroed))
tables.ways(costs, zeroed).round(3)

# %% [markdown]
# Where 0 costs much more, a good part of what one would have called the heads' importance was their constant part, which a bias could have given as well. Where the two agree, heads have little of such a part, or later layers do not rest on it.

# %% [markdown]
# ## Reading it
#
# Compared with random heads of their own layers:

# %%
print(readings.beside_random(beside))

# %% [markdown]
# And your guesses:

# %% tags=["exercise"]
dearest = tables.dearest(beside, "text")
exercises.reveal("which choice costs the text's vector most", dearest)

# %% [markdown]
# <details><summary>Hint</summary>Before you explain it, look at the layers of the choice, and at the costs of its layer-matched draws.</details>
#
# And the arcs:

# %% tags=["exercise"]
share_lost = tables.cost_of(beside, "syntax", "syntax")
exercises.reveal("arcs lost of a hundred, without the heads best at syntax", 100 * share_lost)

# %% [markdown]
# <details><summary>Hint</summary>A negative number is a gain: a few arcs more were found than before.</details>
#
# If the heads that know syntax cost no more than random heads of their layers, then this model, on this text, does not *need* what they know for what was asked here. That is less than it sounds. Other heads, or the words themselves, may say the same; the text's
# vector may be the wrong thing to ask (a vector of the topic needs little syntax); and single sentences of edited prose are easy text. If they cost more, it is not yet the syntax that is missed: a head does more than its best relation.
#
# The arcs are asked of heads whose own maps stay as they are: only what is *below* them was changed, so heads of the last layer cannot cost an arc. A head that still finds its arcs when others are gone does so from what is left: words, positions, the other heads.

# %% [markdown]
# ## Beside the paper
#
# Clark et al. take no head away. What they say of use, they say by gradients (figure 3) of kinds of token. Michel et al. 2019 take heads away from BERT and translation models, by zero, and find that most of them can go one at a time, and that a gradient by a gate tells which cannot; they
# scale the gradients within each layer first; the table of agreement above says what such a score knows within layers. Voita et al. 2019 prune heads of a translation model in training: positional, syntactic and rare-word heads are those that stay. Both score on the task that the model was trained on. A sentence encoder's
# task is its vector; a masked language model's is its loss: see above which of the two was asked here.

# %% [markdown]
# ## Exercises
#
# **1. Knock out.** Given the outputs of a layer's heads ("token head dimension"), the number of one head, and its mean output elsewhere, return the outputs without that head.
#
# <details><summary>Hint</summary>Copy first. <code>changed[:, index] = mean</code> gives every token the same.</details>


# %% tags=["exercise"]
def knock_out(outputs, index, mean):
    ### BEGIN SOLUTION
    keep = (np.arange(outputs.shape[1]) != index)[:, None]
    return np.where(keep, outputs, mean)
    ### END SOLUTION


exercises.check("knock out", knock_out)

# %% [markdown]
# **2. The gate.** Given the maps of some heads on one input, and a loss's gradients by their weights ("head from to"), return the size of the gradient by each head's gate.
#
# <details><summary>Hint</summary>Sum over a whole map first, and take the absolute value of the sum. Why not the other way round?</details>


# %% tags=["exercise"]
def gate(weights, gradients):
    ### BEGIN SOLUTION
    return np.abs(np.einsum("hij,hij->h", weights, gradients))
    ### END SOLUTION


exercises.check("gate", gate)

# %% [markdown]
# **3. As much.** If a choice of heads were one more random draw, how likely would it be to cost as much as it does? Given the draws' costs and the choice's, return the share of those that cost at least as much among the draws *and the choice itself*.
#
# <details><summary>Hint</summary>One more than the number of draws that cost as much, over one more than the number of draws.</details>


# %% tags=["exercise"]
def as_much(draws, cost):
    ### BEGIN SOLUTION
    every = np.append(draws, cost)
    return (every >= cost).mean()
    ### END SOLUTION


exercises.check("as much", as_much)

# %% [markdown]
# **4.** Suppose that the heads with the largest gradients cost more than heads drawn from all layers, but not more than heads of their own layers. What did the gradient know?
#
# <details><summary>Answer</summary>
# In which layer a head stands. That is worth knowing if one wants to cut heads, but it says nothing about the heads themselves; scaled within layers, such a score might have nothing left to say.
# </details>

# %% [markdown]
# **5.** (Open) Take away the heads that are best for *one* relation only, on text in which that relation matters: sentences whose meaning turns on who did what to whom. Can you find an outcome for which they cost more than their layer-matched draws? Choose on some documents, and score on others.

# %% [markdown]
# ## In short
#
# - What a head knows, what a gradient says of it, and what its removal costs are three questions.
# - Put a head's mean in its place, not 0; hold a choice against random heads of the same layers; choose and score on different documents.
# - A small cost says that something else is enough for what was asked, not that the head is of no use.
#
# Back to [08](08_explore_your_own_text.ipynb), or to the [start](00_start_here.ipynb).
