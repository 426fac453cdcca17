# %% [markdown]
# # 07 · Probing
#
# **How much of a sentence's tree can be read off all heads together?**
# (Clark et al. 2019, section 5, table 3)
#
# After this notebook you can
# - write a probe as a softmax over candidate governors, and say what it is trained on and what is frozen;
# - read off a trained probe which heads it relies on;
# - put beside a score what words alone, distances alone, and a model with random layers would reach;
# - tell a probe that reads from one that learns: the control task and selectivity;
# - say what a probe's score shows, and what it does not.
#
# *Prerequisites:* [05](05_syntax_heads.ipynb). *Time:* forty minutes, two of them for the computer (two cores).

# %%
from bertattn import corpora, exercises, measure, plots, probes, readings, syntax, tables, vectors
from bertattn import views
from bertattn.model import load, random_init
from bertattn.segments import Trees
from bertattn.views import menus
import numpy as np

plots.set_theme()

# %% [markdown]
# ## The parameters
#
# `CORPUS` is a treebank, as in [05](05_syntax_heads.ipynb): the sample with silver trees, `gum-sd` with gold ones, one of your own, or any text,
# which spaCy parses. `VECTORS` are word vectors: the packaged GloVe, a file of GloVe's text format, or a spaCy model that has vectors.
# `SEEDS` is how many models with random layers are probed.

# %% tags=["parameters"]
MODEL = "minilm"
CORPUS = "sample"
SENTENCES = None
VECTORS = "glove-6b-50d"
SEEDS = 5
EPOCHS = 8

# %% [markdown]
# ## What would you expect?
#
# In [05](05_syntax_heads.ipynb) each relation had a head of its own. A probe may combine all heads. Write down: what share of all words will get the
# right governor from a weighted sum of heads? And from a network that sees no attention at all, but the two words and how far apart
# they stand?

# %% [markdown]
# Note the first as a number: for how many words in a hundred does the weighted sum of heads find the governor, on sentences it was not trained
# on? Put a number in place of the dots, and run the cell: it is noted, and held against what comes out
# at the end.
#
# <details><summary>Hint</summary>The paper's best single head is right for about a third of all words over all relations. A sum may use each relation's head, if the others do not drown it.</details>

# %% tags=["exercise"]
guess = ...
### BEGIN SOLUTION
guess = 60
### END SOLUTION
exercises.predict("per cent of governors found by a weighted sum of heads", guess)

# %% [markdown]
# ## The definition
#
# With a[k, i, j] the attention of word i to word j in head k, the probability that j governs i is
#
# > p(j | i) = softmax over j of Σ w[k] a[k, i, j] + u[k] a[k, j, i], the sum over all heads k
#
# with a number w and a number u for each head: this is *attention only*. *Attention and words* lets these numbers depend on the words:
# w[k] becomes W[k] · (v[i] ++ v[j]), with v a frozen vector of each word and ++ for one after the other. ROOT is a candidate too; its
# attention is that to [CLS] and [SEP]. The model stays as it is: only w and u, or W and U, are trained.
#
# A toy: one head, three words, which look at their governors. With w = 5 and u = 0 the second row says how sure the probe is.

# %%
toy = np.array([[0.1, 0.8, 0.1], [0.2, 0.2, 0.6], [0.1, 0.1, 0.8]])
odds = np.exp(5 * toy)
(odds / odds.sum(axis=1, keepdims=True)).round(2)

# %% [markdown]
# The larger w, the more the probe trusts the head. Training finds how much each deserves.

# %% [markdown]
# ## The run
#
# The model runs once; every head's attention between words is kept in a cache on disk, which all probes read and the next run finds
# again.

# %%
model = load(MODEL)
treebank = corpora.treebank(CORPUS, skip=True)
inputs = Trees(treebank, model.encoder, n=SENTENCES)
sentences = list(inputs)
maps = probes.word_maps(model, sentences)

# %% [markdown]
# Sentences are dealt out, whole documents where there are at least ten: most to train on, some to choose the best epoch by, the rest to test on, which
# nothing sees before the end.

# %%
words = vectors.load(VECTORS)
data = probes.ProbeData.of(sentences, maps, words, probes.parts(sentences))
print([f"{name} {len(part)} sentences" for name, part in data.parts._asdict().items()])
print(f"{words.unknown.total()} of {data.n_words} words have no vector")
print(tables.left_out(inputs.left_out))

# %% [markdown]
# The probes of the paper. Those that see words are also trained on a *control task* (Hewitt and Liang 2019): every word type is dealt a
# governor at random (itself, the first, or the last word), which can only be learned by heart.

# %%
options = {"n_epochs": EPOCHS, "control": True}
only = probes.evaluated("attention only", probes.AttentionOnly, data, n_epochs=EPOCHS)
both = probes.evaluated("attention and words", probes.AttentionAndWords, data, **options)
distances = probes.evaluated("words and distances", probes.WordsAndDistances, data, **options)

# %% [markdown]
# What words do by themselves in the same formula: attention that is the same everywhere. And what is left where the model's layers are random, its
# embeddings kept. Such attention is nearly uniform, so the probe is given what differs from that (n a - 1), and for both of these the learning rate is searched for.

# %%
flat = probes.uniform(data, n_epochs=EPOCHS)
controls = (random_init(MODEL, seed=seed) for seed in range(SEEDS))
at_random = probes.random_init(controls, data, n_epochs=EPOCHS)

# %% [markdown]
# Last, a probe of another kind on the same sentences: the structural probe (Hewitt and Manning 2019), which reads no attention but the words' vectors in
# a layer, and predicts how far apart words are in the tree.

# %% tags=["nbval-ignore-output"]
structural = probes.structural(model, data)
results = [both, only, distances, flat, at_random, *probes.baselines(data), structural]
unknown = {"words_without_vector": words.unknown.total()}
made = tables.manifest(model, treebank, inputs, unknown, **probes.settings(data, results))
table = tables.table_3(results, data, made)
tables.table_3_in_print(table)

# %% [markdown]
# *UAS*: the share of words, without punctuation, whose governor is right when every word chooses for itself. *UAS of trees*: in the most probable
# tree, where one word is under ROOT and there is no circle. *UUAS*: edges of a tree without direction, as the structural probe has them. In
# brackets 95 % intervals, resampling sentences. (Training adds rounding errors up, so on another processor the last digits may differ.)

# %% [markdown]
# ## The picture

# %% tags=["nbval-ignore-output"]
plots.show(plots.table_3(table))

# %% [markdown]
# ## Reading it

# %% tags=["nbval-ignore-output"]
print(readings.probes(table, tables.over_others(results, table)))
print(readings.random_probe(table))
print(readings.selectivity(table))
print(readings.structure(table))
print(readings.trees(table))

# %% [markdown]
# A probe is trained, so a high score may be the probe's own work. Three things keep it honest. A control that sees no attention: what it reaches, words
# and distances do. A model with random layers: what a probe reaches there, it reaches without anything that layers have learned. And the control
# task: a probe that learns word types by heart has little *selectivity*, the difference of the two scores. (Words that only the test part has cannot be
# learned by heart, so that a small corpus makes probes look a little more selective.)
#
# What the score shows: how much of the tree is *there* to be read, by a reader of this power. What it does not show: that the model uses it; or that
# another reader would not find more.

# %% [markdown]
# ## Which heads carry the weight
#
# The trained w and u of the probe that sees attention only, beside what each head finds alone in the test part (all governors, as in [05](05_syntax_heads.ipynb)).

# %% tags=["nbval-ignore-output"]
counts = syntax.SyntaxCounts.empty(*model.shape, treebank.relations)
measure.measure([sentences[i] for i in data.parts.test], model, counts)
carried = tables.head_weights(only, probes.spread(data), counts, model.shape, table)
print(readings.weights(carried))
plots.show(plots.head_weights(carried))

# %% [markdown]
# Weights alone mislead: a head that spreads its attention thin needs a large weight to say anything, one that looks at single words a small one. So the middle
# row has the weight times how much the head's attention differs between candidates. A head that is good alone and moves little says what others say already. A
# negative weight is evidence against a candidate: a head that looks at a neighbour may tell which word is *not* the governor.

# %% [markdown]
# ## How it was learned

# %% tags=["nbval-ignore-output"]
curves = tables.learning_curves(results, table)
plots.show(plots.learning_curves(curves))

# %% [markdown]
# The epoch that does best in development is kept. A probe that is best in its last epoch might do better still with more of them (`EPOCHS`):

# %% tags=["nbval-ignore-output"]
print(readings.learning(curves))
curves.loc[curves.groupby("probe", sort=False)["dev_uas"].idxmax()].round(3).reset_index(drop=True)

# %% [markdown]
# ## Where it errs
#
# By relation, for relations with at least twenty words in the test part:

# %% tags=["nbval-ignore-output"]
asked = tables.probe_words([distances, only, both], data, table)
by_relation = tables.probe_by_relation(asked)
plots.show(plots.probe_by_relation(by_relation))

# %% [markdown]
# And by how far away the governor is:

# %% tags=["nbval-ignore-output"]
by_distance = tables.probe_by_distance(asked)
print(readings.distance(by_distance))
plots.show(plots.probe_by_distance(by_distance))

# %% [markdown]
# ## A sentence
#
# The treebank's tree above, the probe's most probable tree below: whole lines are right, dashed ones wrong. Choose another probe for the same sentence.

# %% tags=["nbval-ignore-output"]
menus(views.probe_trees, data, [both, only, distances, at_random], sentence=list(range(1, 31)))
# %% [markdown]
# ## Beside the paper
#
# The paper's model is BERT-base, its text the Wall Street Journal: 36,160 sentences to train on, with gold trees and GloVe vectors of 100 numbers. The structural
# probe's number is an UUAS, and of vectors.

# %% tags=["nbval-ignore-output"]
tables.beside_table_3(table)

# %% [markdown]
# Compare the order, and what attention adds to words, rather than the numbers: a smaller model, fewer sentences and another kind of text move them all.

# %% [markdown]
# ## Exercises
#
# Your guess, beside what came out (nothing is said to who made none):

# %% tags=["exercise"]
by_probe = table.set_index("probe")["uas"]
exercises.reveal(
    "per cent of governors found by a weighted sum of heads",
    round(100 * by_probe["attention only"]),
)

# %% [markdown]
# **1. The probe's scores.** Given maps (heads, words, words), w and u, return the score of each word i and candidate j, without ROOT.
#
# <details><summary>Hint</summary><code>np.tensordot(w, maps, axes=1)</code> sums over heads; the second term needs rows and columns exchanged.</details>


# %% tags=["exercise"]
def probe_scores(maps, w, u):
    ### BEGIN SOLUTION
    to_candidate = sum(weight * head_map for weight, head_map in zip(w, maps, strict=True))
    from_candidate = sum(weight * head_map.T for weight, head_map in zip(u, maps, strict=True))
    return to_candidate + from_candidate
    ### END SOLUTION


exercises.check("probe scores", probe_scores)

# %% [markdown]
# **2. UAS.** Given governors and guesses by number and which words are punctuation, return the share of the other words that are right; 0 if there is none.
#
# <details><summary>Hint</summary>Choose the words with <code>~punctuation</code> first, then compare.</details>


# %% tags=["exercise"]
def uas(governors, guesses, punctuation):
    ### BEGIN SOLUTION
    asked = [word for word in range(len(governors)) if not punctuation[word]]
    right = [word for word in asked if governors[word] == guesses[word]]
    return len(right) / len(asked) if asked else 0.0
    ### END SOLUTION


exercises.check("uas", uas)

# %% [markdown]
# **3. UUAS.** Given governors and guesses by number, -1 for the root, return the share of the tree's arcs that the guesses have too when direction is dropped.
#
# <details><summary>Hint</summary>An arc without direction is a <code>frozenset</code> of two numbers, or a sorted pair.</details>


# %% tags=["exercise"]
def uuas(governors, guesses):
    ### BEGIN SOLUTION
    edges = [(word, governor) for word, governor in enumerate(governors) if governor >= 0]
    found = [guesses[word] == governor or guesses[governor] == word for word, governor in edges]
    return sum(found) / len(found) if found else 0.0
    ### END SOLUTION


exercises.check("uuas", uuas)

# %% [markdown]
# **4.** A colleague adds a hidden layer of a thousand units to the probe, and its UAS rises by four points. Does the model know more syntax than you thought?
#
# <details><summary>Answer</summary>
# Not by that number alone. A stronger probe can learn more by itself: train it on the control task too. If its accuracy there rises as much, selectivity has
# not moved, and the gain is the probe's memory, not the model's knowledge.
# </details>

# %% [markdown]
# **5.** (Open) Where in the model is syntax easiest to read? Train the probe that sees attention only with the heads of one layer at a time: keep the columns of `maps`
# that belong to it. Draw the scores by layer beside what a model with random layers gives for the same layer. Write a page: where the curve rises, whether the control follows it, and what the
# sum of all layers has that the best one lacks.

# %% [markdown]
# ## In short
#
# - A probe combines frozen heads; its weights say which it relies on.
# - Its score means something only beside what words, distances and random layers reach.
# - Selectivity tells reading from learning.
# - What can be read need not be what the model uses.
#
# On to [08](08_explore_your_own_text.ipynb): your own text. Back to [06](06_coreference.ipynb); the start is [00](00_start_here.ipynb).
