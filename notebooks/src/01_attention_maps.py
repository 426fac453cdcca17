# %% [markdown]
# # 01 · Attention maps
#
# **What exactly is an attention map, and what becomes of it when words are cut into pieces?**
# (Clark et al. 2019, sections 2 and 4.1, figure 1)
#
# After this notebook you can
# - say what a row and a column of a map mean, and why rows sum to 1 and columns do not;
# - tell a broad head from a narrow one by eye;
# - merge pieces into words by the paper's rule, and say what another rule would change;
# - name the special tokens of the model you run.
#
# *Prerequisites:* [00](00_start_here.ipynb). *Time:* ten minutes, less than one of them for the computer (two cores).

# %%
from bertattn import exercises, plots, surface, views, words
from bertattn.model import load
import numpy as np

plots.set_theme()

# %% [markdown]
# ## The parameters

# %% tags=["parameters"]
MODEL = "minilm"
FIRST = "The violinmaker's daughter mistrusted the varnish, so she scraped it off."
SECOND = "It had never dried."

# %% [markdown]
# ## What would you expect?
#
# A sentence goes in; every head of every layer decides for every token how much to take from every other. Before you
# look: would you expect a head to look at *all* tokens a little, at a *few* much, or at *one* only? Would heads
# of one layer do the same thing? And where should a head look when there is nothing for it to find?

# %% [markdown]
# How sharp are heads? A row is sharp if more than half of it goes to one token. What share of all rows, over all heads and
# tokens of the pair of texts below, is sharp? Guess between 0 and 1. Put a number in place of the dots, and run the cell: it is noted, and held against what comes out
# at the end.
#
# <details><summary>Hint</summary>Think of kinds of heads: those that look at one neighbour, those that look at one special token, and those that look at everything a little.</details>

# %% tags=["exercise"]
guess = ...
### BEGIN SOLUTION
guess = 0.3
### END SOLUTION
exercises.predict("share of rows with more than half of their weight on one token", guess)

# %% [markdown]
# ## The definition
#
# Each head turns the vector of token *i* into a query q[i] and that of token *j* into a key k[j], of
# *d* numbers each. The attention of *i* to *j* is
#
# > a[i, j] = exp(q[i] · k[j] / √d) / Σ exp(q[i] · k[j'] / √d), the sum over all j'
#
# so each row sums to 1: a head *must* put its attention somewhere. A toy of three tokens, whose queries and keys
# are chosen by hand so that each token looks for the one before it:

# %%
queries = np.array([[4.0, 0, 0], [4, 0, 0], [0, 4, 0]])
keys = np.eye(3)
scores = np.exp(queries @ keys.T)
(scores / scores.sum(axis=1, keepdims=True)).round(2)

# %% [markdown]
# Row 2 looks at token 1, row 3 at token 2. The first token has nobody before it and must look somewhere: here,
# at itself. The *columns* sum to nothing in particular; token 1 is looked at twice, token 3 hardly.

# %% [markdown]
# ## A real one
#
# The model's own tokenizer cuts the text. Two texts go in as a pair, with the special tokens that this tokenizer
# adds; where it adds none between them, they are run on as one text.

# %%
model = load(MODEL)
attention = model.attention(FIRST, SECOND)
print(" ".join(attention.tokens.pieces))
print("special:", model.encoder.special_names or "none")

# %% [markdown]
# The map has four axes: layer, head, *from*, *to*. Every row sums to 1 (up to rounding):

# %%
sums = attention.weights.sum(axis=-1)
print(attention.weights.shape, sums.min().round(4), sums.max().round(4))

# %% [markdown]
# ## The picture
#
# The paper's figure 1 shows four heads of BERT-base side by side, each of another kind. Here are the broadest head of
# this model on this input and the three narrowest, by how large the largest weight of a row is on average.

# %% tags=["docs:figure_1"]
ordered = surface.by_breadth(attention)
plots.show(plots.figure_1(attention, [ordered[-1], *ordered[:3]]))

# %% [markdown]
# All heads at once, small; choose one to see it large, as lines or as a matrix. Read a row of a matrix from left to right: it is where
# that token looks.

# %%
views.ModelView(attention, level="piece", opened=ordered[0])

# %% [markdown]
# ## From pieces to words
#
# A rare word is cut into several pieces, and a reader wants to know about words. The paper's rule (section 4.1):
#
# > attention **to** a split word is the **sum** over its pieces; attention **from** it is their **mean**.
#
# So each row still sums to 1. A toy: tokens 2 and 3 are one word.

# %%
toy = np.array([[0.2, 0.3, 0.5], [0.0, 0.4, 0.6], [1.0, 0.0, 0.0]])
words.unit_weights(toy, np.array([0, 1, 1]))

# %% [markdown]
# The first row gives the word 0.3 + 0.5. The second is the mean of two rows that disagree: one piece looked at its
# own word, the other at token 1. The same for the real map:

# %%
merged = words.merge(attention)
print(" ".join(merged.words), "|", " ".join(merged.specials))
print(merged.weights.shape, merged.weights.sum(axis=-1).max().round(4))

# %% [markdown]
# Now the lines are between words, and can be read. Choose heads, and go back and forth between words and pieces:

# %%
views.HeadView(attention, [ordered[0]])

# %% [markdown]
# ## The rule moves numbers
#
# The released code of the paper takes the row of the *first* piece by default, not the mean. How much does that
# change on this input? For each layer, the largest difference in any head between the two rules:

# %%
by_first = words.merge(attention, from_word="first")
abs(by_first.weights - merged.weights).max(axis=(1, 2, 3)).round(2)

# %% [markdown]
# ## Reading it
#
# A difference of 0 would mean that no word was split; anything else comes from the rows of split words alone. A
# large value means that the pieces of one word look at different things, and then "where the word looks" is a matter
# of definition. The other axis, attention *to* a word, is a sum under both rules.
#
# What one input does not show: whether a head does the same on other text. A head that looks sharply at one word here
# may do so because of the word, of its position, or of nothing. The next notebooks count over many inputs.

# %% [markdown]
# ## Beside the paper
#
# Figure 1 of the paper shows, of BERT-base, head 1-1 (attends broadly), 3-1 (to the next token), 8-7 (to [SEP]) and
# 11-6 (to full stops). Heads of other models have other numbers: look for the *kinds*. Two remarks on how the paper
# was made. Its maps gave all tokens the same type, also in pairs; here a token has the type that its tokenizer gives
# it, and `load(MODEL, type_ids="zero")` does as the paper did. (No change at all means a model without types, or a
# tokenizer that gives none.)

# %%
zero = load(MODEL, type_ids="zero").attention(FIRST, SECOND)
print(
    "largest change by layer:", abs(zero.weights - attention.weights).max(axis=(1, 2, 3)).round(2)
)

# %% [markdown]
# And text is text here: a "[SEP]" that stands in a sentence is cut up like any other word, and is no separator.

# %%
literal = model.encoder.text("A [SEP] in the text.")
print(literal.pieces, literal.special.sum(), "special")

# %% [markdown]
# ## Exercises
#
# Your guess, beside what came out (nothing is said to who made none):

# %% tags=["exercise"]
sharp = (attention.weights.max(axis=-1) > 0.5).mean().item()
exercises.reveal("share of rows with more than half of their weight on one token", round(sharp, 2))

# %% [markdown]
# **1.** Write a function that takes one head's map and says, for each token, the number of the token it attends to
# most.
#
# <details><summary>Hint</summary>One call of numpy; the question is along which axis.</details>


# %% tags=["exercise"]
def most_attended(weights):
    ### BEGIN SOLUTION
    return [row.tolist().index(max(row)) for row in weights]
    ### END SOLUTION


exercises.check("most attended", most_attended)

# %% [markdown]
# **2.** Write the merging rule: `unit_of` gives the number of each piece's word, counting from 0 without gaps.
#
# <details><summary>Hint</summary>
# Sum columns with <code>np.add.reduceat</code>, or build a matrix with a 1 where piece and word belong together, and
# multiply with it from both sides; for the mean, divide each of its rows by its sum first.
# </details>


# %% tags=["exercise"]
def merge_words(weights, unit_of):
    ### BEGIN SOLUTION
    n_words = unit_of[-1] + 1
    member = np.array([unit_of == word for word in range(n_words)], dtype=float)
    mean = member / member.sum(axis=1, keepdims=True)
    return mean @ weights @ member.T
    ### END SOLUTION


exercises.check("merge words", merge_words)

# %% [markdown]
# **3.** Attention *to* a word could also be the mean over its pieces. What would go wrong?
#
# <details><summary>Answer</summary>
# Rows would no longer sum to 1, and a word cut into three pieces would get a third of the attention that the same
# word gets when it is in the vocabulary whole. Rare words would look unattended only because they are rare.
# </details>

# %% [markdown]
# **4.** (Open) Set `FIRST` to a sentence in a language, or a trade, that the tokenizer hardly knows. Into how many pieces do its words fall? Merge by
# the mean of the pieces' rows and by the first piece, and find the head and the word for which the two differ most. What do that word's pieces look
# at, one by one? Write down which rule you would use for a study of that language, and what it would hide.

# %% [markdown]
# ## In short
#
# - Rows sum to 1: a head cannot look at nothing.
# - *To* a split word sums, *from* it averages; another rule gives other numbers.
# - One input shows what a head *can* do, not what it does.
#
# Next: [02 Surface patterns](02_surface_patterns.ipynb).
