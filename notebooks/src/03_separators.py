# %% [markdown]
# # 03 · Separators, sinks and breadth
#
# **Where does attention go when it has nowhere to go, and how broadly do heads look?**
# (Clark et al. 2019, sections 3.2 and 3.3, figures 2 and 4)
#
# After this notebook you can
# - tell a *sink* from a token that is attended to for what it says;
# - separate attention *from* separators and attention *to* them;
# - say in nats how broadly a head looks, and what the most possible is;
# - state the paper's no-op hypothesis, and what evidence would speak for it.
#
# *Prerequisites:* [02](02_surface_patterns.ipynb). *Time:* fifteen minutes, less than one of them for the computer.

# %%
from bertattn import corpora, exercises, measure, plots, readings, surface, tables
from bertattn.model import load
from bertattn.segments import Segments, Sentences
from bertattn.views import menus
import numpy as np

plots.set_theme()

# %% [markdown]
# ## The parameters

# %% tags=["parameters"]
MODEL = "minilm"
CORPUS = "sample"
LAYOUT = None
SEGMENTS = 200

# %% [markdown]
# ## What would you expect?
#
# A row must sum to 1 even where a head finds nothing to do. Which token would you use as a rubbish bin: one that is in
# every input, at a known place, and says little? Guess which one this model uses, and in which layers. And guess: does
# a head look more broadly in the first layer, or in the last?

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
menus(plots.head_grid, table, measure=sinks)
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
# tell the two apart; gradients can, and so can taking the attention away.

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
# ## Beside the paper

# %%
tables.beside_paper(table).set_index("finding").tail(4)

# %% [markdown]
# Where the two columns differ, ask first whether the models are comparable. BERT-base was trained on pairs with a
# separator between them and a start token that had to tell whether they belong together; a model trained on single
# texts, or to average its tokens into one vector, has no reason to use these tokens in the same way. The exact
# entropies also depend on the length of the inputs, through the ln n of the dotted line.

# %% [markdown]
# ## Exercises
#
# **1.** Write the entropy of every row, without smoothing. Zero times ln 0 counts as 0.
#
# <details><summary>Hint</summary><code>np.where(weights > 0, weights, 1)</code> has a logarithm everywhere.</details>


# %% tags=["exercise"]
def entropy(weights):
    return ...


exercises.check("entropy", entropy)

# %% [markdown]
# **2.** Write the attention from all tokens that are *not* separators to those that are. `columns` says which are.
# If every token is a separator, the answer is 0.
#
# <details><summary>Hint</summary>Rows by <code>~columns</code>, then columns; divide by the number of those
# rows.</details>


# %% tags=["exercise"]
def from_others(weights, columns):
    return ...


exercises.check("from others", from_others)

# %% [markdown]
# **3.** Two heads have the same entropy. One is a previous-token head, one a sink head. Which single number from
# notebook 02 tells them apart?
#
# <details><summary>Answer</summary>
# The attention to the previous token: near 1 for the one, near chance for the other. Entropy says how many tokens, the
# other measures say which.
# </details>
#
# **4.** (Open) Run this notebook with the control whose weights are random: `random_init(MODEL)` from `bertattn.model` in
# place of `load(MODEL)`. Which of the patterns are left? What does that say about the rest?

# %% [markdown]
# ## In short
#
# - Attention has to go somewhere; which token is the sink belongs to the model.
# - A share of attention is not an effect.
# - Entropy says how many tokens a head looks at, in nats, against ln n.
#
# On to [05](05_syntax_heads.ipynb): grammar. Back to the [start](00_start_here.ipynb).
