# %% [markdown]
# # 04 · Clusters of heads
#
# **Which heads do the same thing, and do those of one layer?**
# (Clark et al. 2019, section 6, figure 6)
#
# After this notebook you can
# - say how far apart two heads are, in nats, from the rows of their maps alone;
# - draw all heads on a map, and say how far the map may be believed;
# - tell a group of heads from a heap that merely has a middle;
# - ask whether heads are alike in what they look for, or only in the token they look at when they look for nothing.
#
# *Prerequisites:* [02](02_surface_patterns.ipynb), for what heads are called after. The roles at the end come from [05](05_syntax_heads.ipynb)
# and [06](06_coreference.ipynb), measured here on less text. *Time:* half an hour, less than a minute of it for the computer (two cores).

# %%
from bertattn import cards, clusters, coref, corpora, exercises, measure
from bertattn import plots, readings, surface, syntax, tables, views
from bertattn.heads import all_heads
from bertattn.model import load
from bertattn.segments import Segments, Trees
from bertattn.views import menus
import numpy as np

plots.set_theme()

# %% [markdown]
# ## The parameters
#
# `ROWS` is the share of each segment's rows that are compared; 1.0 takes them all, for more of your time; how far off the sampled
# ones are is printed below. `SINK` is whose columns are removed when we ask again without the sink: "start", "separator", "both", or "first" for a model that has
# no start token. `SENTENCES`, `MIN_COUNT`, `COREF` and `DOCUMENTS` are for the roles: their trees come from `CORPUS`, as in notebook 05.

# %% tags=["parameters"]
MODEL = "minilm"
CORPUS = "sample"
LAYOUT = None
SEGMENTS = 100
ROWS = 0.125
SINK = "both"
SENTENCES = 300
MIN_COUNT = 20
COREF = "sample"
DOCUMENTS = 36
SENTENCE = "The keeper fed the octopus because it was hungry."

# %% [markdown]
# ## What would you expect?
#
# Take two heads of one layer, and two of different layers. Which two attend more alike? Is a head more like the others of its layer, or more like
# heads anywhere that share its habit (looking at the next token, say)? Write your guesses down.

# %% [markdown]
# Note one as a number: the mean distance of two heads of *different* layers, over that of two heads of *one* layer. 1 would mean that
# layers do not matter. Put a number in place of the dots, and run the cell: it is noted, and held against what comes out
# at the end.
#
# <details><summary>Hint</summary>2 would mean that heads of different layers are twice as far apart as those of one. Is a head of layer 3 nearer to the others of its layer, or to heads of its own habit?</details>

# %% tags=["exercise"]
guess = ...
### BEGIN SOLUTION
guess = 1.5
### END SOLUTION
exercises.predict("distance between layers over distance within", guess)

# %% [markdown]
# ## The definition
#
# Each row of a map is a distribution. Two rows p and q of the same token are as far apart as both are, on average, from the row halfway between
# them, which is their *Jensen-Shannon divergence*:
#
# > JS(p, q) = ½ Σ p ln(p / m) + ½ Σ q ln(q / m), with m = (p + q) / 2
#
# in nats: 0 if they are the same, ln 2 = 0.693 if they share no token. Two heads are as far apart as their rows are on average, over all tokens
# of a text. (The paper sums over tokens; a mean compares between texts.) Before, each row is mixed with a little of the uniform one, 0.999 p + 0.001 / n,
# as in the paper. A toy: three heads' rows of one token.

# %%
toy = np.array([[1.0, 0.0, 0.0], [0.5, 0.5, 0.0], [0.0, 0.0, 1.0]])
clusters.divergence(toy[:, None], toy[None]).round(3)

# %% [markdown]
# The first two share a token, so they are nearer than either is to the third, which shares none with them.

# %% [markdown]
# ## The run
#
# All pairs of heads at once, twice in one pass: as it is, and with the sink's columns removed and the rest made to sum to 1 again (rows are
# smoothed first, so that one that puts everything on the sink is defined: what is left of it is uniform). The averages of notebook 02 come along, to say what each head does.

# %%
model = load(MODEL)
text = corpora.load(CORPUS, LAYOUT)
segments = Segments(text, model.encoder, n=SEGMENTS)
as_it_is, sinkless = clusters.Options(rows=ROWS), clusters.Options(rows=ROWS, without=SINK)
sums = clusters.DistanceSums.empty(*model.shape, as_it_is)
sums_without = clusters.DistanceSums.empty(*model.shape, sinkless)
averages = surface.SurfaceSums.empty(*model.shape)
n_inputs = measure.measure(segments, model, sums, sums_without, averages, total=SEGMENTS)
lost = sums.left_out + sums_without.left_out
print(f"{n_inputs} segments; {tables.left_out(segments.left_out + lost)}")
print(readings.removed(sums_without))

# %% [markdown]
# What came of it:

# %%
distances = sums.result()
variants = {"as it is": distances, "without the sink": sums_without.result()}
made = tables.manifest(model, text, segments, sums.left_out, **vars(sums.options))
of_both = tables.manifest(model, text, segments, lost, **vars(sums.options), sink_removed=SINK)
print(made["model"], readings.alike(distances), sep=": ")

# %% [markdown]
# ### Some rows or all?
#
# On a few segments, all rows beside the sampled ones. The error of sampling is to be held against how much distances differ from one document to another.

# %%
few = Segments(text, model.encoder, n=min(12, SEGMENTS))
of_all = clusters.DistanceSums.empty(*model.shape)
of_some = clusters.DistanceSums.empty(*model.shape, as_it_is)
measure.measure(few, model, of_all, of_some)
print(readings.sampling(tables.sampling(of_some.result(), of_all.result())))

# %% [markdown]
# ### What heads do, and what they know
#
# Heads are marked by what they do, at the paper's limits: over half of their attention on the next or the previous token; over 0.6 on the
# start token, the separator, or full stops and commas; *broad* if their rows' entropy is over 3.8 nats, which at the paper's 120 tokens or so is 79 % of the most possible, and
# that share is what is asked here.

# %%
averaged = tables.surface(averages.result(), tables.manifest(model, text, segments))
behaviours = tables.behaviours(averaged)
behaviours["behaviour"].value_counts().to_dict()

# %% [markdown]
# And by what they know: the best head for each of the six linguistic roles of the paper's figure, found as in notebooks 05 and 06, on fewer
# sentences and documents than there; so the best heads here may not be those found there.

# %%
treebank = corpora.treebank(CORPUS, skip=True)
parsed = Trees(treebank, model.encoder, n=SENTENCES)
arcs = syntax.SyntaxCounts.empty(*model.shape, treebank.relations)
measure.measure(parsed, model, arcs)
documents = corpora.coreference(COREF, skip=True)
windows = coref.Windows(documents, model.encoder, n=DOCUMENTS)
mentions = coref.CorefCounts.empty(*model.shape)
n_windows = measure.measure(windows, model, mentions)

# %% [markdown]
# Their tables, of which only the best heads are wanted here:

# %%
arcs_made = tables.manifest(model, treebank, parsed, arcs.left_out, min_count=MIN_COUNT)
by_relation = tables.table_1(
    list(syntax.scores(arcs, min_count=MIN_COUNT, at_least_one=False)),
    arcs_made,
    arcs.n_sentences,
)
mentions_made = tables.manifest(model, documents, windows, mentions.left_out)
roles = tables.roles(by_relation, tables.table_2(mentions, mentions_made))
tables.roles_in_print(roles)

# %% [markdown]
# In words:

# %%
print(readings.roles(roles))

# %% [markdown]
# ## The picture
#
# Multidimensional scaling lays the heads out in the plane so that distances there come near to the real ones. A point is a head, its number
# the layer. Directions mean nothing: a map may be turned and mirrored.

# %%
layout, tree = clusters.layout(distances.matrix), clusters.Tree.of(distances.matrix)
heads = tables.head_map(distances, layout, tree, behaviours, roles, made)
plots.show(plots.figure_6(heads))

# %% [markdown]
# The same map to look around in: choose what marks mean (behaviours, the best heads for the six roles, layers), and a head, to see its card and the heads nearest to it.

# %%
near = tables.nearest_heads(distances, made)
of_heads = cards.cards(averaged, cards.finds(arcs, min_count=MIN_COUNT), nearest=near)
views.ClusterView(heads, near, of_heads)

# %% [markdown]
# How true is the map? *Stress* is the part of the distances on the map that is wrong. The root of the divergence is a metric (no detour is shorter
# than the direct way), the divergence itself is not; the paper lays out the divergence.

# %%
quality = tables.map_quality(variants, of_both)
print(readings.map_quality(quality))
quality.round(3)

# %% [markdown]
# And how much of it is chance? Other seeds start the scaling elsewhere; halves of the documents are other text. Coordinates are never
# compared, only distances on the maps, and what is left after turning one map onto the other.

# %%
seeds, halves = clusters.over_seeds(distances.matrix, layout), clusters.over_halves(distances)
print(readings.stability(tables.stability(seeds, halves)))
plots.show(plots.stability(seeds, halves))

# %% [markdown]
# ## Heads in a tree
#
# A map throws much away. A tree throws away other things: the two nearest heads are joined, then the next two, groups by the mean distance of their heads.

# %%
plots.show(plots.heads_in_tree(tree, heads))

# %% [markdown]
# How true is the tree? Heads that are far apart should be joined late.

# %%
print(readings.tree_quality(tree))

# %% [markdown]
# Cut into any number of clusters, are these set apart? The *silhouette* compares a head's distance to its own cluster with that to the
# nearest other: near 1, yes; near 0, they overlap. A cut that leaves heads alone may have a large one and say little: look at the last two columns.

# %%
tables.cuts(tree).round(3)

# %% [markdown]
# ## One head's card
#
# Choose a head: what it does on average, with chance as a line, and its map of one sentence beside those of its two nearest heads.

# %%
attention = model.attention(SENTENCE)
menus(plots.behaviour_card, heads, near, attention, attn_head=all_heads(*model.shape))
# %% [markdown]
# ## Reading it: layers
#
# Distances within and between layers, and between heads the more layers apart.

# %%
apart = tables.by_layers_apart(variants, of_both)
plots.show(plots.layers_apart(apart))

# %% [markdown]
# In words. The *Mantel test* asks whether the number of layers between two heads goes with their distance. Pairs share heads, so they are no
# independent cases: heads are shuffled between the layers, and one counts how often the shuffled ones correlate as much.

# %%
grouped = tables.groupings(variants, heads, of_both)
gradients = tables.gradients(variants, of_both)
print(readings.layers(grouped, gradients))

# %% [markdown]
# Where the two variants differ, the sink is part of why: heads that rest on one token in most of their rows are alike in that, and a layer of such heads
# is alike as a layer. Look at *r* as well as *p*: with many heads a weak trend is found. The intervals are over documents, so they say what other text like this would give; the Mantel test is over heads, and says
# whether layers matter for heads like these.
#
# The matrix behind all this, ordered by the tree (`order="layer"` orders it by layer):

# %%
plots.show(plots.distance_matrix(tables.head_pairs(distances, made), heads, order="tree"))

# %% [markdown]
# ## Reading it: groups
#
# A mean within that is smaller than the mean between does not make groups: it may be a heap with a dense middle. So silhouettes, beside those of
# groups of the same sizes dealt out at random:

# %%
print(readings.groups(grouped))
grouped.drop(columns=["low", "high"]).round(3)

# %% [markdown]
# A silhouette may be above chance (*p*) and still near 0: layers then matter a little for what a head does, and are no groups. As for behaviours, beware of
# a circle: two heads with over 0.6 of their attention on one token *must* be near. What is not so by definition is that heads marked *broad* are alike, since one can look
# broadly in many ways; and that heads without a mark, which are in no group here, are like nothing or like everything.
#
# What none of this shows: that heads that attend alike do the same work. They may carry other things from the same token, since what a head moves is
# decided by its values, and those are not looked at here.

# %% [markdown]
# ## Beside the paper

# %%
tables.beside_figure_6(grouped, heads, roles, averaged).set_index("finding")

# %% [markdown]
# The paper's column is BERT-base, read from a picture whose scaling was unseeded; it gives no number for how well heads of a kind lie together. Its
# six heads are best heads on other text. That other heads have the roles here is no disagreement: names of heads are arbitrary. What can be compared is
# whether heads with related roles lie together, and whether a role's head lies apart from the heap.

# %% [markdown]
# ## Exercises
#
# Your guess, beside what came out (nothing is said to who made none):

# %% tags=["exercise"]
as_is = grouped.query("by == 'layer' and variant == 'as it is'")
ratio = (as_is["between"] / as_is["within"]).item()
exercises.reveal("distance between layers over distance within", round(ratio, 2))

# %% [markdown]
# **1. The divergence.** Write it for two rows, without smoothing. Zero times ln 0 counts as 0.
#
# <details><summary>Hint</summary>The entropy of the row halfway between, less the mean of both rows' entropies; and
# <code>np.where(row > 0, row, 1)</code> has a logarithm everywhere.</details>


# %% tags=["exercise"]
def divergence(first, second):
    ### BEGIN SOLUTION
    middle = (first + second) / 2
    total = 0.0
    for row in (first, second):
        there = row > 0
        total += (row[there] * np.log(row[there] / middle[there])).sum() / 2
    return total
    ### END SOLUTION


exercises.check("divergence", divergence)

# %% [markdown]
# **2. Within less between.** Given distances between heads and the layer of each, return the mean distance of two heads of one layer, less that of two
# heads of different layers. Then try it on `distances.matrix` and `distances.layers`.
#
# <details><summary>Hint</summary><code>np.triu_indices(n, 1)</code> has each pair once, and the layers of a pair are equal or not.</details>


# %% tags=["exercise"]
def within_less_between(distances, layers):
    ### BEGIN SOLUTION
    within, between = [], []
    for one in range(len(layers)):
        for other in range(one):
            side = within if layers[one] == layers[other] else between
            side.append(distances[one, other])
    return np.mean(within) - np.mean(between)
    ### END SOLUTION


exercises.check("within less between", within_less_between)

# %% [markdown]
# **3. The nearest head.** Given distances and the place of a head, return the place of the head nearest to it.
#
# <details><summary>Hint</summary>Copy the row before you change it, and put infinity where the head meets itself.</details>


# %% tags=["exercise"]
def nearest_head(distances, place):
    ### BEGIN SOLUTION
    others = [other for other in range(len(distances)) if other != place]
    return min(others, key=lambda other: distances[place, other])
    ### END SOLUTION


exercises.check("nearest head", nearest_head)

# %% [markdown]
# **4.** Two friends read the map. One says: "This head lies far left and that one far right, so the one looks left and the other right." The other
# says: "These two lie on top of each other, so one of them can go." What do you say to each?
#
# <details><summary>Answer</summary>
# To the first: directions mean nothing, since the map may be turned and mirrored; only distances do. To the second: distances on the map are wrong by the
# stress, so look up the real one; and two heads that attend alike may move different things from the same token. Whether one can go is found by taking it
# away (notebook 08), and if both do the same, taking one away shows little <i>because</i> the other is there.
# </details>

# %% [markdown]
# **5.** (Open) What did training do to the map? Take the control whose weights are random: `random_init(MODEL)` from `bertattn.model` in place of
# `load(MODEL)`. Are its heads nearer to one another or farther apart? Is there a gradient over layers before anything was learned? Groups? Write a
# page with both maps, both silhouettes and what each is by chance, and name one thing that you took for learned and that is there at random.

# %% [markdown]
# ## In short
#
# - Two heads are as far apart as their rows diverge, from 0 to ln 2 nats; a map of that in the plane is a picture with a stress.
# - Nearer within than between is not yet a group: ask the silhouette, and chance.
# - Ask again without the sink: heads that do nothing at the same place look alike.
#
# On to [05](05_syntax_heads.ipynb): grammar. Back to [03](03_separators_and_gradients.ipynb); the start is [00](00_start_here.ipynb).
