# %% [markdown]
# # 00 · Start here
#
# **The question of this series: what does a language model look at?** Clark, Khandelwal, Levy and Manning
# asked it of BERT in 2019 (*What Does BERT Look At? An Analysis of BERT's Attention*, BlackboxNLP). These
# notebooks ask it again, section by section, of any model and any text that you choose, and say honestly how
# sure one may be of each answer.
#
# This first notebook shows what the series holds, draws a first attention map, explains the words, and tells
# you what a full run will cost on your machine.
#
# After this notebook you can
# - say what is in each notebook of the series, and which to take first;
# - draw an attention map of a sentence of your own;
# - use the words of the series, and read names of heads such as 8-10;
# - say what a run on your text will cost, and what these notebooks do not reproduce.
#
# *Prerequisites:* some Python; what a neural network is. *Time:* a quarter of an hour, on two cores a few seconds of it for the
# computer.

# %% [markdown]
# ## The series
#
# | notebook | asks | section of the paper |
# |---|---|---|
# | [00 Start here](00_start_here.ipynb) | what is this, and what will it cost? | |
# | [01 Attention maps](01_attention_maps.ipynb) | what is an attention map, in pieces and in words? | 2, 4.1 |
# | [02 Surface patterns](02_surface_patterns.ipynb) | where does attention go by position and by kind of token? | 3.1 |
# | [03 Separators and gradients](03_separators_and_gradients.ipynb) | which token takes the attention that has nowhere to go, does that change anything, and how broadly do heads look? | 3.2, 3.3 |
# | [04 Clusters of heads](04_clustering.ipynb) | which heads do the same thing? | 6 |
# | [05 Syntax heads](05_syntax_heads.ipynb) | does a head know what a word depends on, and is it more than position? | 4.2 |
# | [06 Coreference](06_coreference.ipynb) | does a head look from *she* to the woman who is meant? | 4.3 |
# | [07 Probing](07_probing.ipynb) | how much of a tree can be read off all heads together, and how much of that is the probe's own work? | 5 |
# | [08 Explore your own text](08_explore_your_own_text.ipynb) | what does one head do, in which sentences does it fail, and would anybody miss it? | |
#
# Each has one shape: a question, a guess, a definition with a toy, a run, a picture, a reading, the paper's
# number beside yours, exercises.

# %%
from itertools import islice

from bertattn import corpora, exercises, measure, plots, surface, views
from bertattn.heads import AttentionHead
from bertattn.model import load
from bertattn.segments import Segments

plots.set_theme()

# %% [markdown]
# ## Your model, your text
#
# The next cell, and the one like it in every notebook, is all you need to change. `MODEL` is `"minilm"` (a real,
# small model that was installed along with the package, so that nothing has to be downloaded), a name from the
# Hugging Face hub such as `"bert-base-uncased"`, or a folder. `CORPUS` is `"sample"` or the path of a text file, and
# `LAYOUT` says how the file is written where that cannot be told (`"paragraphs"`: one paragraph a line).
# From the command line, `make notebooks MODEL=bert-base-uncased CORPUS=my.txt` does the same for the whole series.

# %% tags=["parameters"]
MODEL = "minilm"
CORPUS = "sample"
LAYOUT = None
SEGMENTS = 1000
SENTENCE = "The keeper fed the octopus because it was hungry."

# %% [markdown]
# ## What would you expect?
#
# Every head shares out, for each token, one whole among all tokens of the sentence. How much of it goes to the *one* token that gets
# most, on average over all tokens of `SENTENCE` and all heads? Put a number in place of the dots, and run the cell: it is noted, and held against what comes out
# at the end.
#
# <details><summary>Hint</summary>0 and 1 are the ends. If a head looked at a dozen tokens alike, each would get about 0.08.</details>

# %% tags=["exercise"]
guess = ...
### BEGIN SOLUTION
guess = 0.4
### END SOLUTION
exercises.predict("weight of the token that a token attends to most", guess)

# %% [markdown]
# ## A first attention map
#
# Loading tries one text, to make sure that this model's attention can be read at all; the packaged model is checked
# against its published checksum, too.

# %%
model = load(MODEL)
model

# %% [markdown]
# For every layer and every head there is one table of numbers: row *i*, column *j* says how much token *i* attends
# to token *j*. A line in the picture is one such number, the stronger the larger. Choose a layer and a head, point at a
# token or move to it with the arrow keys, and read its numbers: this works in a saved page, too.

# %%
attention = model.attention(SENTENCE)
views.HeadView(attention)

# %% [markdown]
# That is the ten lines it takes. A head may look at everything a little, or always at one neighbour, or at the same
# token from everywhere. Notebook 01 says what exactly is drawn here; the others count what is seen.

# %% [markdown]
# ## The words
#
# | word | means |
# |---|---|
# | *piece* | what the tokenizer cuts text into; rare words become several |
# | *token* | a position in the model's input: a piece, or a special token |
# | *special token* | one that the tokenizer adds: the start (BERT's [CLS]), the separator (BERT's [SEP]) |
# | *word* | what a reader calls a word; the pieces of a word are merged before words are compared |
# | *attention head* | one of the tables above; "8-10" is head 10 of layer 8, both counted from 1 as in the paper |
# | *i attends to j* | row *i*, column *j*: the model, when working on *i*, takes in that much of *j* |
# | *segment* | a stretch of consecutive text of at most 128 pieces, in two parts, as in BERT's training |
# | *governor* | in syntax, the word that another depends on; never just "head", which here is an attention head |
#
# In code, layers and heads count from 0, as arrays do; in print they count from 1, as the paper does. `AttentionHead`
# is where the two meet:

# %%
print(AttentionHead(7, 9), AttentionHead.parse("8-10"))

# %% [markdown]
# ## What will it cost?
#
# Two batches of your text are run and timed, and what `SEGMENTS` such inputs would take is worked out from them: the
# default, 1000, is what the paper ran. (What is printed differs from machine to machine, so it is rounded.)

# %%
# NBVAL_IGNORE_OUTPUT
text = corpora.load(CORPUS, LAYOUT)
segments = list(islice(Segments(text, model.encoder), 24))
sums = surface.SurfaceSums.empty(*model.shape)
print(measure.cost(segments, model, sums, n_inputs=SEGMENTS))

# %% [markdown]
# As a rule of thumb, the work grows with the number of segments and with the size of the model, and the memory
# stays the same however many segments there are, since each layer's maps are counted up and dropped at once.

# %% [markdown]
# ## What these notebooks are, and are not
#
# They *reimplement* the paper's analysis for any model. They *reproduce* the paper's numbers only where somebody
# runs `bert-base-uncased` on the paper's data. The default model is not BERT-base: it is six of the twelve layers
# of a smaller, distilled model, afterwards trained to make sentence vectors. It has the same kind of heads, but it
# has other habits. So compare patterns, not decimals; and where the two disagree, that is a finding, not an error.
#
# An attention map is not an explanation. It says how much of a token's value a head takes in, not how much that
# changes what comes out. Notebook 03 comes back to this.

# %% [markdown]
# ## Exercises
#
# Your guess, beside what came out (nothing is said to who made none):

# %% tags=["exercise"]
largest = attention.weights.max(axis=-1).mean().item()
exercises.reveal("weight of the token that a token attends to most", round(largest, 2))

# %% [markdown]
# **1.** What would the paper call the head that code writes as `AttentionHead(2, 10)`? Put your answer, a text,
# in place of the dots.
#
# <details><summary>Hint</summary>Code counts from 0, the paper from 1, the layer comes first.</details>

# %% tags=["exercise"]
answer = ...
### BEGIN SOLUTION
answer = f"{2 + 1}-{10 + 1}"
### END SOLUTION
exercises.check("head name", answer)

# %% [markdown]
# **2.** Each row of an attention map is what a softmax made. What do the numbers of one row add up to?
#
# <details><summary>Hint</summary>Sum a row: <code>attention.weights[0, 0, 0].sum()</code>.</details>

# %% tags=["exercise"]
total = ...
### BEGIN SOLUTION
total = sum([0.7, 0.2, 0.1])
### END SOLUTION
exercises.check("row sum", total)

# %% [markdown]
# **3.** You change `SENTENCE` to one in which a pronoun could mean two things, and find a head that attends from the pronoun to one of
# them. Would you believe such a head after one sentence? What would convince you?
#
# <details><summary>Answer</summary>
# With dozens of heads, some head will do almost anything on a single sentence. You would want the same head to do it
# on many sentences that were not used to pick it, and to do it more often than something simple, such as "the
# nearest noun", would.
# </details>

# %% [markdown]
# **4.** (Open) Think of something that a head might do: look from an opening bracket to its closing one, from a number to its unit. Write ten
# sentences in which it would have to, and look at all heads on the first five. Which one would you bet on? Now count on the other five, and
# on five sentences where there is nothing to find. Write half a page: your bet, what came out, what simpler habit would have done as well.

# %% [markdown]
# ## In short
#
# - A head is a table: row *i*, column *j*, how much *i* attends to *j*.
# - `MODEL` and `CORPUS` are yours to change; everything else follows.
# - Reimplemented for any model; reproduced only where BERT-base was run.
#
# Next: [01 Attention maps](01_attention_maps.ipynb).
