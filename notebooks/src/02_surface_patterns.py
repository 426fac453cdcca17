# %% [markdown]
# # 02 · Surface patterns
#
# **Before any grammar: where does attention go by position, and by kind of token?**
# (Clark et al. 2019, section 3.1, figure 2)
#
# After this notebook you can
# - define attention to the previous token, the next, a separator, a mark, as one average;
# - say what chance would give, and why it depends on the length of the input;
# - read an interval whose unit is the document;
# - find the positional heads of any model.
#
# *Prerequisites:* [01](01_attention_maps.ipynb). *Time:* ten minutes, less than one of them for the computer (two cores).

# %%
from bertattn import corpora, exercises, measure, plots, readings, surface, tables, views
from bertattn.model import load
from bertattn.segments import Segments
import numpy as np

plots.set_theme()

# %% [markdown]
# ## The parameters
#
# The paper took 1,000 segments of Wikipedia. The bundled sample has fewer; on another corpus, set `SEGMENTS = 1000`.

# %% tags=["parameters"]
MODEL = "minilm"
CORPUS = "sample"
LAYOUT = None
SEGMENTS = 200

# %% [markdown]
# ## What would you expect?
#
# Guess, and write your guesses down. Of all heads, how many put more than half of their attention on the token just
# before? On the token just after? On the token itself? Do such heads sit in early or in late layers? How much goes
# to commas and full stops?

# %% [markdown]
# The first of these guesses is noted: how many *heads* put more than half of their attention on the token just before? Put a number in place of the dots, and run the cell: it is noted, and held against what comes out
# at the end.
#
# <details><summary>Hint</summary>BERT-base has 144 heads, and the default model 72 (`model.shape` tells). A head that did nothing else would count as one; a layer of them as twelve.</details>

# %% tags=["exercise"]
guess = ...
### BEGIN SOLUTION
guess = 5
### END SOLUTION
exercises.predict("heads that look back by one", guess)

# %% [markdown]
# ## The definition
#
# For one head and an input of *n* tokens, the attention to the previous token is
#
# > (1/n) Σ a[i, i-1], the sum over all i
#
# and so on for the next token (a[i, i+1]), the token itself (a[i, i]), and for a kind of token (the sum
# over all columns of that kind). Then the mean over inputs. A toy in which each of four tokens attends to the one
# before it, except the first, which cannot:

# %%
toy = np.eye(4, k=-1)
toy[0, 0] = 1
{offset: surface.at_offset(toy, offset).item() for offset in (-1, 0, 1)}

# %% [markdown]
# Three of four rows: 0.75, not 1, since the first token counts in *n*. So no head can reach 1 here.

# %% [markdown]
# ## The run
#
# The text is cut by the paper's rule: whole sentences until a segment is full, split in two after a random sentence,
# what is too long trimmed at the ends. Maps are counted up and dropped as they come.

# %%
model = load(MODEL)
text = corpora.load(CORPUS, LAYOUT)
segments = Segments(text, model.encoder, n=SEGMENTS)
sums = surface.SurfaceSums.empty(*model.shape)
n_inputs = measure.measure(segments, model, sums, total=SEGMENTS)
print(n_inputs, "segments;", tables.left_out(segments.left_out))

# %% [markdown]
# The sums become a tidy table: one row a head and measure, with an interval and with what *chance* would give, that
# is, a head that attends to all tokens alike. Its signature says how it was made.

# %%
table = tables.surface(sums.result(), tables.manifest(model, text, segments))
print(table.attrs["signature"])
tables.top(table, "to_previous").round(3)

# %% [markdown]
# ## The picture: positions
#
# A point is a head, a line joins the means of the layers, dots are chance.

# %%
plots.show(plots.figure_2_positions(table))

# %% [markdown]
# The same sentence for every model, with this model's numbers in it:

# %%
print(readings.positions(table))

# %% [markdown]
# ## Reading it
#
# A layer's mean hides its heads: one point near the top among many at the bottom still makes a low mean, so read the
# points first. A head whose value is near 1 does one simple thing on nearly every token, whatever the text says, and
# hardly cares which text it is: its interval is narrow. A head near the dots is not specialised in this way. The
# intervals take the *article* as the unit (`groups` says how many, up to 50), since segments of one article resemble
# each other; a single article gives no interval. They speak of other articles like these, not of other kinds of text.
#
# What this does not show: that a positional head is *only* positional, or that the model needs it. It also says
# nothing about offsets of two and more.

# %% [markdown]
# ## The picture: special tokens and marks
#
# The first panel of the paper's figure 2 (`plots.figure_2` draws all three).

# %%
plots.show(plots.figure_2_marks(table))

# %% [markdown]
# Chance differs between the lines: a kind of token that is frequent, as commas and full stops are, gets more from a head
# that attends to all alike. So the height of a point means nothing before it is held against chance for its own
# kind, the column `uniform` of the table. Four measures, for every head:

# %%
views.HeadMap(table, ["to_previous", "to_next", "to_self", "to_punctuation"])

# %% [markdown]
# ## Beside the paper

# %%
tables.beside_paper(table).set_index("finding").head(3)

# %% [markdown]
# The paper's column is BERT-base on Wikipedia. If you run another model, agreement in *kind* (a few heads that watch a
# neighbour, most of them early; little attention to the token itself) is what a comparison can carry; which head it
# is, and how many, belongs to the model. In the paper's released code the figure's legend had next and previous
# swapped; here both were tested on a matrix whose answer is known, the toy above.

# %% [markdown]
# ## Exercises
#
# Your guess, beside what came out (nothing is said to who made none):

# %% tags=["exercise"]
exercises.reveal("heads that look back by one", len(tables.strong_heads(table, "to_previous")))

# %% [markdown]
# **1.** By chance, how much attention goes to separators when two of 128 tokens are separators?
#
# <details><summary>Hint</summary>Every token gets the same share, and two of them are separators.</details>

# %% tags=["exercise"]
chance = ...
### BEGIN SOLUTION
chance = 1 / 128 + 1 / 128
### END SOLUTION
exercises.check("chance", chance)

# %% [markdown]
# **2.** Write the attention to the previous token, for one head's map.
#
# <details><summary>Hint</summary>Row <i>i</i>, column <i>i - 1</i>: <code>np.trace</code> takes an offset. Divide by
# the number of tokens, not by the number of pairs.</details>


# %% tags=["exercise"]
def to_previous(weights):
    ### BEGIN SOLUTION
    return sum(weights[i, i - 1] for i in range(1, len(weights))) / len(weights)
    ### END SOLUTION


exercises.check("to previous", to_previous)

# %% [markdown]
# **3.** Write the attention to a set of columns, given as an array of true and false.
#
# <details><summary>Hint</summary>Choose the columns, sum, divide by the number of rows.</details>


# %% tags=["exercise"]
def to_columns(weights, columns):
    ### BEGIN SOLUTION
    return np.mean([row[columns].sum() for row in weights])
    ### END SOLUTION


exercises.check("to columns", to_columns)

# %% [markdown]
# **4.** A friend says: "Head *x* puts 10 % of its attention on commas and full stops, so it is a punctuation head." What do you
# ask?
#
# <details><summary>Answer</summary>
# How many of the tokens are commas and full stops. If one in ten is, 10 % is what a head gives them that knows
# nothing. The dots in the figure are there for this.
# </details>

# %% [markdown]
# **5.** (Open) Run this notebook on another kind of text (`CORPUS`): verse, minutes, a manual, source code. Which heads are positional on both? Which
# measure moves by more than the two intervals allow, and does chance move with it? Write one paragraph that a reader could check: what is
# the same, what differs, and what you would have to run to know why.

# %% [markdown]
# ## In short
#
# - Each measure is an average over rows, then over inputs, beside what chance gives.
# - A positional head is known by its point, not by the mean of its layer.
# - The unit of the interval is the document.
#
# Next: [03 Separators and gradients](03_separators_and_gradients.ipynb).
