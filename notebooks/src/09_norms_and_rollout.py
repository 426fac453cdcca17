# %% [markdown]
# # 09 · Norms and rollout
#
# **A weight says how much a token is looked at. How much of it is taken, where does that go through the layers, and which findings of the
# series hold if one asks so?**
# (Beyond Clark et al. 2019, whose sections 3, 4 and 6 are asked again: Kobayashi et al. 2020, "Attention is Not Only a Weight"; Abnar and
# Zuidema 2020, "Quantifying Attention Flow in Transformers")
#
# After this notebook you can
# - say what a head moves, and why a large weight may move little;
# - put norms in the place of weights in any measure of this series, and say what that changes and what it cannot change;
# - judge whether a finding survives, by a rule that was stated before;
# - roll attention out through the layers, and say what the method takes for granted;
# - hold maps against an experiment: who misses whom.
#
# *Prerequisites:* [02](02_surface_patterns.ipynb), [03](03_separators_and_gradients.ipynb) and [05](05_syntax_heads.ipynb); for one row each
# [04](04_clustering.ipynb) and [06](06_coreference.ipynb). *Time:* an hour, a minute of it for the computer (two cores).

# %%
from bertattn import clusters, coref, corpora, exercises, measure, norms, plots, probes
from bertattn import readings, surface, syntax, tables, vectors, views
from bertattn.model import load
from bertattn.segments import Segments, Sentences, Trees
import numpy as np

plots.set_theme()

# %% [markdown]
# ## The parameters
#
# The series' own measures on less text than there: `SEGMENTS` for sections 3 and 6 (of which `ROWS` is the share of rows compared), `SENTENCES` with trees
# (relations with fewer than `MIN_COUNT` words are left out; on them a probe is trained for `EPOCHS`), `DOCUMENTS` for coreference. `ROLLED` sentences are rolled out, and of
# `MISSED` sentences each token is hidden in turn. The model must let its values be read: `norms.NormModel` says so if it does not.

# %% tags=["parameters"]
MODEL = "minilm"
CORPUS = "sample"
LAYOUT = None
SEGMENTS = 40
ROWS = 0.125
SENTENCES = 400
MIN_COUNT = 50
EPOCHS = 6
COREF = "sample"
DOCUMENTS = 36
ROLLED = 100
MISSED = 12

# %% [markdown]
# ## What would you expect?
#
# In notebook 03 one token, the *sink*, took much of all attention, and the question was whether that does anything. Now count not how much it is
# looked at but how much of it is *moved*. Guess before you run: of the sink's share of attention, what part is left?
#
# <details><summary>Hint</summary>1 means that what is moved from the sink is as large as its weights say; 0 that nothing is. In notebook 03 its value vectors
# were compared with those of other tokens: a head that wants to do nothing would look at a token that says little.</details>


# %% tags=["exercise"]
guess = ...
### BEGIN SOLUTION
guess = 0.5
### END SOLUTION
exercises.predict("the part of the sink's share that is left by norms", guess)

# %% [markdown]
# And write down: will the heads that know a relation know it by norms, too? Better or worse? Of a token of the last layer, how much comes from the
# token at the same place, if each layer mixes its tokens?

# %% [markdown]
# ## The definition: norms
#
# A head makes a token's new state by adding up what it takes from all tokens: for each of them its weight times a vector f(x[j]), which is its value vector
# times the head's part of the layer's output matrix,
#
# > a[i, j] f(x[j]), with f(x) = (x W_V + b_V) W_O, whose length is a[i, j] ‖f(x[j])‖
#
# That length, the *norm*, stands in the place of the weight; divided by its row's sum it is a share again, so that all measures
# read it as they read weights. The bias b_V of the values is in f, as in Kobayashi et al.; the bias of the output is no token's and is in
# nothing here. A toy: one row, most of it on a token whose vector is short.

# %%
toy_row, toy_vectors = np.array([0.9, 0.1]), np.array([[0.1, 0.0], [3.0, 4.0]])
moved = toy_row * np.linalg.norm(toy_vectors, axis=1)
print("moved:", moved.round(2).tolist(), "as shares:", (moved / moved.sum()).round(2).tolist())

# %% [markdown]
# Nine tenths of the attention go to the first token, and most of what is moved comes from the second. Three things this number does not see: vectors that
# point against each other, so that two long ones add up to nothing; the residual connection, by which a token keeps its old state; and
# what the next layers make of it.

# %% [markdown]
# ## The definition: rollout
#
# A layer's maps say where its tokens look among the tokens of the layer *below*, which are mixtures themselves. Rollout takes a token to be made half of
# itself (the residual connection) and half of what its heads look at on average, and multiplies through the layers:
#
# > R[l] = ½ (A[l] + I) R[l - 1], with A[l] the mean of the layer's heads, and R[0] = I
#
# Row i of R says of which *input* tokens a token of layer l is made; it sums to 1. A toy: two tokens that look at each other, in two layers.

# %%
swap = np.array([[[[0.0, 1.0], [1.0, 0.0]]]] * 2)
norms.rollout(swap).tolist()

# %% [markdown]
# After one layer a token is half itself, half the other; so it is after two, since half of the other is itself by then.
#
# ## The run
#
# `NormModel` is the model with norms for maps. Whatever takes a model takes it, so every reducer of the series counts norms with the very same
# lines as weights. Here the sums of notebooks 02, 03 and 04, each twice:

# %%
model = load(MODEL)
by_norm = norms.NormModel(model)
text = corpora.load(CORPUS, LAYOUT)
segments = Segments(text, model.encoder, n=SEGMENTS)
options = clusters.Options(rows=ROWS)
weighted = surface.SurfaceSums.empty(*model.shape)
normed = surface.SurfaceSums.empty(*model.shape)
apart = clusters.DistanceSums.empty(*model.shape, options)
apart_by_norm = clusters.DistanceSums.empty(*model.shape, options)
n_segments = measure.measure(segments, model, weighted, apart)
n_again = measure.measure(segments, by_norm, normed, apart_by_norm)
lost = segments.left_out + by_norm.left_out
print(f"{n_segments} segments; {tables.left_out(lost)}")

# %% [markdown]
# A table of each head, both ways; the change is paired, of one document at a time, and its interval is by documents:

# %%
made = tables.manifest(model, text, segments, by_norm.left_out)
both = tables.both_ways(weighted, normed, made)
sink = norms.sink_of(weighted)
tables.by_layer_both(both, [sink, "to_punctuation", "to_self"]).round(3)

# %% [markdown]
# ## The picture: looked at, and moved

# %%
plots.show(plots.moved_by_layer(both, [sink, "to_punctuation"]))

# %% [markdown]
# In words:

# %%
print(readings.moved(both, sink))
print(readings.moved(both, "to_punctuation"))
print(readings.moved_breadth(both))

# %% [markdown]
# Head by head: on the line, a head moves as much as it looks; far under it, it looks and takes nothing.

# %%
plots.show(plots.both_ways(both, ["to_previous", "to_next", sink, "to_punctuation"]))

# %% [markdown]
# Each head's share of the sink by weights, by norms, and the difference:

# %%
ways = {"weights": "by weights", "norms": "by norms", "change": "norms less weights"}
views.HeadMap.of_columns(both[both["measure"] == sink], ways)

# %% [markdown]
# The part of the sink's share that is left, beside your guess:

# %% tags=["exercise"]
of_sink = both[both["measure"] == sink][["norms", "weights"]].mean()
exercises.reveal(
    "the part of the sink's share that is left by norms", of_sink["norms"] / of_sink["weights"]
)

# %% [markdown]
# Do the heads that lie near each other by weights lie near by norms?

# %%
print(readings.same_distances(norms.same_distances(apart, apart_by_norm)))

# %% [markdown]
# ## The run: syntax and coreference
#
# The same reducers as in notebooks 05 and 06, the same sentences and windows, twice. One thing to mind: of *one* word, every word that looks at it has its
# weight multiplied by the same length. So in the direction governor->dependent, where words compete in looking at one word, lengths would change
# nothing but for split words; it is the division by each row's own sum that does. In the direction dependent->governor, where one word chooses among many,
# it is the other way round.

# %%
treebank = corpora.treebank(CORPUS, skip=True)
parsed = Trees(treebank, model.encoder, n=SENTENCES)
arcs = syntax.SyntaxCounts.empty(*model.shape, treebank.relations)
arcs_by_norm = arcs.fresh()
measure.measure(parsed, model, arcs)
n_parsed = measure.measure(parsed, by_norm, arcs_by_norm)
print(f"{n_parsed} sentences; {tables.left_out(parsed.left_out + arcs.left_out)}")

# %% [markdown]
# And mentions:

# %%
documents = corpora.coreference(COREF, skip=True)
windows = coref.Windows(documents, model.encoder, n=DOCUMENTS)
mentions = coref.CorefCounts.empty(*model.shape)
mentions_by_norm = mentions.fresh()
measure.measure(windows, model, mentions)
n_windows = measure.measure(windows, by_norm, mentions_by_norm)
print(f"{n_windows} windows; {tables.left_out(windows.left_out + mentions.left_out)}")

# %% [markdown]
# ## Does the finding survive?
#
# The rule, before the result. A finding is a number and a bar: a head's share of the next token must be over half, for example, or what a head has over the best offset
# above 0. It *is there* if the whole 95 % interval, by documents, lies above the bar. What is there by weights *survives* if it is there by norms, is *lost* if
# the whole interval by norms lies below the bar, and is *unclear* if that interval holds the bar. What is not there by weights is there *by norms only* or
# *in neither*. Where the best of many is asked for, it is chosen on half of the documents and scored on the others, for weights and norms apart but on the same halves,
# so that their difference is paired. *Kept* is the part of what weights have over the bar that norms have.

# %%
findings = [
    *norms.of_surface(weighted, normed),
    norms.of_clusters(apart, apart_by_norm),
    *norms.of_syntax(arcs, arcs_by_norm, min_count=MIN_COUNT),
    *norms.of_coreference(mentions, mentions_by_norm),
]
made_of_trees = tables.manifest(model, treebank, parsed, arcs.left_out, min_count=MIN_COUNT)
made_of_mentions = tables.manifest(model, documents, windows, mentions.left_out)
sources = [(made, n_segments), (made_of_trees, n_parsed), (made_of_mentions, n_windows)]
survival = tables.survival(findings, sources)
tables.survival_in_print(survival)

# %% [markdown]
# Numbers are per cent, or nats where it says so; behind them stands the head, or the layer, that is chosen most often. With so many verdicts some will be wrong by chance.

# %%
tables.verdicts(survival)

# %% [markdown]
# And the probe of notebook 07 that sees attention only, trained on maps of either kind, the same sentences in the same parts: does it find more governors than
# right-branching, which gives every word the next one? (Training adds rounding errors up, so on another processor the last digits may differ.)

# %% tags=["nbval-ignore-output"]
sentences = list(parsed)
parts, words = probes.parts(sentences), vectors.load()
ways = {"weights": model, "norms": by_norm}
maps = {way: probes.word_maps(of, sentences) for way, of in ways.items()}
data = {way: probes.ProbeData.of(sentences, maps[way], words, parts) for way in ways}
options = {"make": probes.AttentionOnly, "n_epochs": EPOCHS}
only = {way: probes.evaluated("attention only", data=data[way], **options) for way in ways}
chain = probes.baselines(data["weights"])[0]
by_probe = norms.of_probe(only["weights"], only["norms"], chain, data["weights"])
tables.survival_in_print(tables.survival([by_probe], [(made_of_trees, len(parts.test))]))

# %% [markdown]
# What heads say together of a tree is a matter of shares, not of their order alone: here lengths could count for more than for single heads.
#
# ## The picture: heads that know something

# %%
plots.show(plots.survival(survival))

# %% [markdown]
# ## Rollout: the run
#
# `Rollout` shows any reducer a layer's rollout as if it were the map of one head: so the sums of section 3 count here, too, and beside them how far the rows of an
# input lie apart (0: all tokens are made of the same).

# %%
sentences = Sentences(text, model.encoder, n=ROLLED, every=7)
rolled = surface.SurfaceSums.empty(model.n_layers, 1)
rolled_norms = surface.SurfaceSums.empty(model.n_layers, 1)
alike = norms.ApartSums.empty(model.n_layers, 1)
alike_norms = norms.ApartSums.empty(model.n_layers, 1)
measure.measure(sentences, model, norms.Rollout(rolled, alike))
measure.measure(sentences, by_norm, norms.Rollout(rolled_norms, alike_norms))
rollouts = {
    "rollout of weights": (rolled.result(), alike.result()),
    "rollout of norms": (rolled_norms.result(), alike_norms.result()),
}
of_rollout = tables.rollout(rollouts, tables.manifest(model, text, sentences))
tables.rollout_by_layer(of_rollout, "apart").round(3)

# %% [markdown]
# ## Rollout: the picture

# %%
plots.show(plots.rollout(of_rollout, sink))

# %% [markdown]
# In words:

# %%
print(readings.rollout(of_rollout))
print(readings.itself(of_rollout, sink))

# %% [markdown]
# ## Who misses whom?
#
# A rollout claims something that can be tried: that token j is in token i. So hide one token at a time: no token may look at j, in any head or
# layer, and the other weights of each row are scaled up. How far does the final state of i move? For each i, the order of all j by that is held against the order by a map, by
# Spearman's rank correlation; mean over tokens, then sentences. Beside the rollouts stand the last layer's mean head, the mean head of all layers, and *nearness*,
# which knows nothing but places.

# %%
few = Sentences(text, model.encoder, n=MISSED, every=40)
agreed = norms.Agreement.empty()
n_agreed = norms.agree(few, model, by_norm, agreed)
of_missed = tables.agreement(agreed, tables.manifest(model, text, few, agreed.left_out))
print(f"{n_agreed} sentences; {tables.left_out(few.left_out + agreed.left_out)}")
of_missed.drop(columns="n").round(2)

# %% [markdown]
# The picture of it:

# %%
plots.show(plots.agreement(of_missed))

# %% [markdown]
# ## Reading it

# %%
print(readings.survival(survival))
print(readings.same_heads(survival))
print(readings.agreement(of_missed))

# %% [markdown]
# Read *survives* with the column *kept*: a number may lie above its bar by norms and be a small part of what it was. A bar at an even share is low, and passing it says only that
# the token is not avoided. What a head *knows* is a matter of order, of which word comes first in a row; a length that a word has for all who look at it turns an order
# over only where two words were close. What a head gives to special tokens and marks is a matter of size, and there the lengths say most.
#
# What the trial of removal does not show: it takes attention away and scales the rest up, so it is kin to the maps that it judges, and a change of one
# token's state by a cosine says nothing of what the state is used for. What rollout does not know: that half of a token is itself is an assumption, the same for every
# layer and token; heads are averaged before they are multiplied; and layers in between have more than attention. Norms know the length of what is moved, not its direction.

# %% [markdown]
# ## Beside the paper
#
# Two papers, both later than the one that this series follows, and both of other models:

# %%
tables.beside_norms(both, sink, of_missed).set_index("finding")

# %% [markdown]
# Kobayashi et al. read BERT-base and a model that translates; Abnar and Zuidema judge their method by the removal of input tokens and by gradients by the input, on tasks that have an answer.
# Here it is removal from attention alone, and what moves are all tokens' states. Where the answers differ, look first at the sink: where much attention goes to one token that
# gives little, a rollout of weights carries that token through all layers and multiplies it.

# %% [markdown]
# ## Exercises
#
# **1.** You noted a guess at the top; what came of it stands under the map of all heads.
#
# **2. Shares of norms.** Given one head's weights (a row a token), its value vectors (a row a token) and its part of the output matrix, return the norms as
# shares: each row sums to 1.
#
# <details><summary>Hint</summary><code>values @ output</code> has a row f(x[j]) for each token; <code>np.linalg.norm(..., axis=1)</code> is their length; dividing rows by their sums
# needs <code>keepdims=True</code>.</details>


# %% tags=["exercise"]
def norm_shares(weights, values, output):
    ### BEGIN SOLUTION
    vectors = values @ output
    lengths = weights * np.sqrt((vectors**2).sum(axis=1))
    return lengths / lengths.sum(axis=1, keepdims=True)
    ### END SOLUTION


exercises.check("norm shares", norm_shares)

# %% [markdown]
# **3. Rollout.** Given a map for each layer, heads averaged already, return the rollout of the last layer.
#
# <details><summary>Hint</summary>Begin with <code>np.eye(n)</code>. Each layer's half of itself and half of its map is multiplied on from the <em>left</em>: it looks at what the layers below have made.
# <code>functools.reduce</code> or a loop will do.</details>


# %% tags=["exercise"]
def rollout(maps):
    ### BEGIN SOLUTION
    made = maps[0] / 2 + np.eye(maps.shape[-1]) / 2
    for layer in maps[1:]:
        made = (layer @ made + made) / 2
    return made
    ### END SOLUTION


exercises.check("rollout", rollout)

# %% [markdown]
# **4. Rows apart.** Given a map, return how far its rows lie apart: for each row the half of the sum of absolute differences to the mean row, averaged over rows.
#
# <details><summary>Hint</summary>The mean row is <code>weights.mean(axis=0)</code>, and it is subtracted from every row by broadcasting.</details>


# %% tags=["exercise"]
def rows_apart(weights):
    ### BEGIN SOLUTION
    middle = np.mean(weights, axis=0)
    return np.mean([np.abs(row - middle).sum() / 2 for row in weights])
    ### END SOLUTION


exercises.check("rows apart", rows_apart)

# %% [markdown]
# **5.** A head puts 90 % of its attention on one token whose vector f(x) is a tenth as long as the others'. A friend says: "By norms it looks at the others." Is that so, and what would change if the token's weight
# were taken away and the others scaled up?
#
# <details><summary>Hint</summary>Write down the lengths of what is moved from the token and from all others together, before any row is divided by its sum; then again with the weight given to the others.</details>
#
# <details><summary>Answer</summary>
# By norms about half of what is moved comes from the token (0.9 × 0.1 against 0.1 × 1), and the whole is small: the head moves a fifth or so of what it could. Shares hide that, since each row is divided by its own sum.
# If the weight were given to the others, the head would move ten times as much of them. So the token does have an effect: it turns the head down. Notebook 03 saw the same from the other side, when dropping the sink and giving its weight
# to the others had different effects.
# </details>

# %% [markdown]
# **6.** (Open) Does the probe of attention *and words* of [07](07_probing.ipynb) gain by norms? Train it on `by_norm` and on `model`, with the same sentences and seeds, and compare with an interval by document. Then say which of the two maps you would trust more, and
# what you would need to know of the model's residual stream to settle it.

# %% [markdown]
# ## In short
#
# - A weight is half of the matter: what is moved is the weight times the length of a vector.
# - A share over a bar is not the same as the same share: state the rule first, then read what was kept.
# - Whatever reads maps reads norms; a measure of order changes less than a measure of size.
# - Rollout multiplies averages, and takes the residual connection for one half; an experiment says how far that holds.
#
# Back to the [start](00_start_here.ipynb); [03](03_separators_and_gradients.ipynb) asks what the sink does, [05](05_syntax_heads.ipynb) what heads know.
