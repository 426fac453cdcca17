# %% [markdown]
# # 08 · Explore your own text
#
# **What does one head do, in which sentences does it fail, and would anybody miss it?**
# (Beyond the paper, on the heads of its sections 3 and 4.2)
#
# After this notebook you can
# - type a text and see every head of a model on it, and of the same model with random layers;
# - read a head's card: what it does on average, and the sentences in which it does so most and least;
# - search a corpus for sentences in which a head gives much, or little, attention along a relation;
# - find the inputs in which a head does something else than usual;
# - take a head away, and say whether that matters more than taking away any other.
#
# *Prerequisites:* [02](02_surface_patterns.ipynb) and [05](05_syntax_heads.ipynb). *Time:* half an hour, a minute of it for the computer (two cores).

# %%
from bertattn import (
    cards,
    clusters,
    corpora,
    exercises,
    explore,
    measure,
    plots,
    readings,
    search,
    surface,
    syntax,
    tables,
)
from bertattn.heads import AttentionHead, all_heads
from bertattn.segments import Trees
from bertattn.views import HeadMap, menus
import numpy as np

plots.set_theme()

# %% [markdown]
# ## The parameters
#
# `TEXT` is yours. `CORPUS` has trees, as in notebook 05: the bundled sample (silver), a treebank, or any text, which spaCy parses while you wait.
# `HEAD`, such as `"3-1"`, and `QUERY`, such as `"3-1 dobj dependent->governor > 0.5"`, may stay empty: the head that is furthest over a fixed offset in some
# relation is then taken, and that relation.

# %% tags=["parameters"]
MODEL = "minilm"
CORPUS = "sample"
SENTENCES = None
MIN_COUNT = 50
TEXT = "The keeper fed the octopus because it was hungry."
QUERY = ""
HEAD = ""

# %% [markdown]
# ## What would you expect?
#
# Take a head that finds a verb for its object. In which sentences would it fail: long ones, questions, rare words? When it fails, where does it look
# instead? And if that head is taken away, does a sentence's vector move more than without a head of no known use? Write your guesses down.

# %% [markdown]
# Note one as a number: how many of the model's heads have *some* relation of syntax in which they are surely better than the best fixed offset? Put a number in place of the dots, and run the cell: it is noted, and held against what comes out
# at the end.
#
# <details><summary>Hint</summary>The default model has 72 heads and the sample some thirty relations. With so many relations to try, is it hard for a head to be good at one of them?</details>

# %% tags=["exercise"]
guess = ...
### BEGIN SOLUTION
guess = 20
### END SOLUTION
exercises.predict("heads with a relation in which they beat an offset", guess)

# %% [markdown]
# ## The definition
#
# *Best and worst.* Of each sentence the pair of words counts that a head is asked about and gives most attention (or least); the sentences with the largest
# such weights (or smallest) are kept, in one pass, a few for each head.
#
# *Surprise.* A head's attention in an input falls into parts: to the start token, the separator, the token itself, its neighbours, marks, the first token where there is no start token, others. Let p be the parts in this
# input of n tokens, and u their means over inputs of about the same length (within a factor of two). Then
#
# > surprise = n · Σ p ln(p / u)
#
# in nats: 0 if the head does what it always does.
#
# *Change.* A head is taken away by making all its weights 0, so that it moves nothing. How far does a final vector h move, to h'?
#
# > change = 1 - cos(h, h')
#
# A toy of the second: a head that usually gives half of its attention to one part and half to the other, in an input of ten tokens where it gives all to the first.

# %%
here, usual = np.array([1.0, 0.0]), np.array([0.5, 0.5])
print((10 * search.divergence_terms(here, usual).sum()).round(1))

# %% [markdown]
# Nearly 10 · ln 2 = 6.9: each of ten looks was twice as likely to go where it went as usual. (Parts are mixed with a little of an even share before, so that nothing is
# endless.)

# %% [markdown]
# ## The run
#
# Two passes over the corpus. The first measures what every head usually does and finds: averages (02), relations (05), parts of attention, and which heads are alike (04).

# %%
model = explore.model(MODEL)
treebank = corpora.treebank(CORPUS, skip=True)
trees = Trees(treebank, model.encoder, n=SENTENCES)
inputs = list(trees)
counts = syntax.SyntaxCounts.empty(*model.shape, treebank.relations)
averages = surface.SurfaceSums.empty(*model.shape)
usual = search.Shares.empty(*model.shape)
apart = clusters.DistanceSums.empty(*model.shape, clusters.Options(rows=0.125))
n_inputs = measure.measure(inputs, model, counts, averages, usual, apart)
print(f"{n_inputs} sentences; {tables.left_out(trees.left_out + counts.left_out)}")

# %% [markdown]
# From that follows what each head is to be shown in examples of: the relation in which it is furthest over the best fixed offset, if the whole interval of its accuracy is above
# the offset's; else what it gives most attention to. The choice looks at all relations, so the first number on a card flatters; notebook 05 has held-out ones.

# %%
made = tables.manifest(model, treebank, trees, counts.left_out, min_count=MIN_COUNT)
averaged = tables.surface(averages.result(), made)
found = cards.finds(counts, min_count=MIN_COUNT)
asked = cards.topics(averaged, found)
print(readings.topics(asked))

# %% [markdown]
# The second pass keeps each head's best and worst sentences, and those that surprise it. What is kept does not grow with the corpus.

# %%
examples = search.Examples.empty(*model.shape, asked)
surprises = search.Surprises.empty(usual)
n_inputs = measure.measure(inputs, model, examples, surprises)
print(f"{n_inputs} sentences; surprises: {tables.left_out(surprises.left_out)}")

# %% [markdown]
# ## The picture: every head, and its card
#
# Choose a measure; choose a cell to read that head's card. Where it says "worst", look at what the sentences have in common.

# %%
near = tables.nearest_heads(apart.result(), made)
of_heads = cards.cards(averaged, found, examples.result(), asked, near)
HeadMap(averaged, ["to_previous", "to_next", "to_start", "entropy"], of_heads)

# %% [markdown]
# ## Your own text
#
# Type a text, and choose a head and a form in the view; it begins with the head of `HEAD`, or the one that is furthest over its offset. The other model is the paper's control: its embeddings are trained, its layers random. What you see in both is
# no work of the layers' training; it may come from the embeddings, which are trained.

# %%
chosen = AttentionHead.parse(HEAD) if HEAD else cards.furthest(found, asked)
menus(explore.head_view, chosen, text=TEXT, model_name=explore.choices(MODEL))

# %% [markdown]
# ## Reading it: one head, at its best and at its worst
#
# The same head. In each sentence *the word that looks* is between stars, and [the one that it is asked about] in brackets.

# %%
card = of_heads[all_heads(*model.shape).index(chosen)]
print(f"Head {chosen}: {card.about}.")
print(cards.in_print(card))

# %% [markdown]
# With three sentences on a side you have a guess, and no more: a rule that fits six sentences fits many. Turn the guess into a query, and count. What a mean hides is
# there too: a head with a high accuracy may fail on one kind of sentence each time.
#
# A longer sentence has more pairs to be worst in and less attention for each, so the worst are longer than the rest by construction and length is no finding; weights that print
# as 0.00 are as good as equal.

# %% [markdown]
# ## Search
#
# Type a query: a head, a relation (or `to_next` and its kin), who attends to whom, a limit, and, if you like, parts of speech: `from verb`, `to PRP,noun`. For `poss` the possessive
# after the possessor is asked, if there is one, as in notebook 05 and on the card. All sentences are counted; the clearest are shown.

# %%
query = QUERY or str(search.Query.of(chosen, asked[chosen]))
sentences = explore.Searched(inputs, model)
menus(sentences.hits, query=query)

# %% [markdown]
# In words:

# %%
print(readings.hits(tables.hits(sentences.found(query), made)))

# %% [markdown]
# Look at how many were asked, not only at those that were found: the clearest ten of a thousand always look convincing. The same with `<` in place of `>` shows where the head gives little.

# %% [markdown]
# ## Where is a head surprised?
#
# The inputs in which heads do least what they usually do, the largest surprises of all heads first:

# %%
surprised = tables.surprises(surprises.result(), made, surprises.n_asked)
print(readings.surprises(surprised))
print(readings.surprising(surprised))

# %% [markdown]
# Read the texts: is there something in them that the head could be about, or are they only odd in length or marks? If many heads share a surprise, the input is odd; if one head stands
# alone, the input may say something about that head. Long inputs have more rows to be surprised in, so they come first somewhat more often.

# %% [markdown]
# ## Without a head
#
# Type a text and choose a head to take away. On the left, a point is a head: how far the vector of the whole text moves without it, on a scale of powers of ten.

# %%
menus(explore.without, model, text=TEXT, attn_head=[chosen, *all_heads(*model.shape)])

# %% [markdown]
# In words:

# %%
print(readings.without(explore.changes(model, TEXT), chosen))

# %% [markdown]
# A head of a late layer has few layers after it that could make up for it, so compare within a layer first. A small change is not proof that a head is of no use: other heads may do the same, and
# this is one text. A large change is not proof that it is needed for what its card says: a head that rests on one token all the time moves something all the time.

# %% [markdown]
# ## Beside the paper
#
# The paper shows sentences for the heads it names (figure 5), picked by its authors; it does not search for sentences in which they fail, and takes no head away. What it asks about use, it asks by
# gradients (figure 3, notebook [03](03_separators_and_gradients.ipynb)), of kinds of token and not of a head. Here examples are picked by a rule, with the worst beside the best. What both share: a head is named by
# looking at many heads, so what is best about the best one is partly luck.
#
# How far the relations of this model's heads are over a fixed offset is in notebook [05](05_syntax_heads.ipynb), beside the paper's numbers.

# %% [markdown]
# ## Exercises
#
# Your guess, beside what came out (nothing is said to who made none):

# %% tags=["exercise"]
n_heads = sum(topic.direction is not None for topic in asked.values())
exercises.reveal("heads with a relation in which they beat an offset", n_heads)

# %% [markdown]
# **1. The largest of a stream.** `values` is read once, from the first to the last, and there may be more than memory holds. Return the `n` largest, the largest first, and never hold more than `n + 1` of them.
#
# <details><summary>Hint</summary><code>heapq.heappushpop</code> puts one in and takes the smallest out; <code>sorted</code> comes last.</details>


# %% tags=["exercise"]
def largest_of_a_stream(values, n):
    ### BEGIN SOLUTION
    import heapq

    kept = []
    for value in values:
        if len(kept) < n:
            heapq.heappush(kept, value)
        else:
            heapq.heappushpop(kept, value)
    return sorted(kept, reverse=True)
    ### END SOLUTION


exercises.check("largest of a stream", largest_of_a_stream)

# %% [markdown]
# **2. The change.** Given the final vectors of a text's tokens before and after, a row a token, return 1 - cosine for each token.
#
# <details><summary>Hint</summary>The dot products of the rows are <code>(before * after).sum(axis=1)</code>; each is divided by both rows' lengths.</details>


# %% tags=["exercise"]
def change(before, after):
    ### BEGIN SOLUTION
    cosines = [
        b @ a / (np.sqrt(b @ b) * np.sqrt(a @ a)) for b, a in zip(before, after, strict=True)
    ]
    return 1 - np.array(cosines)
    ### END SOLUTION


exercises.check("change", change)

# %% [markdown]
# **3. The surprise.** Given the parts of an input's attention, the usual ones, and the number of tokens, return the surprise, without mixing anything in. A part that is 0 here adds nothing.
#
# <details><summary>Hint</summary><code>np.where(here > 0, here, usual)</code> makes a ratio of 1, whose logarithm is 0, where there is nothing.</details>


# %% tags=["exercise"]
def surprise(here, usual, n):
    ### BEGIN SOLUTION
    there = here > 0
    return n * (here[there] * (np.log(here[there]) - np.log(usual[there]))).sum()
    ### END SOLUTION


exercises.check("surprise", surprise)

# %% [markdown]
# **4.** Your query asks for one relation with a limit of `> 0.9`; its ten clearest hits are all just what you hoped for. A friend wants to print them as evidence. What is
# missing?
#
# <details><summary>Answer</summary>
# How many pairs were asked, and what share of them are hits: whatever the head does, its clearest hits are clear. Then the other side, `< 0.1`: what do the misses have in
# common? And whether the head gives as much to pairs that are <i>not</i> in the relation: a head that looks at the word before hits every relation between neighbours.
# </details>

# %% [markdown]
# **5.** (Open) A head and its rivals. From the worst sentences of your head's card, make a guess about when it fails, and write a query whose hits would show that you are wrong. Then
# take away all heads that are best for some relation, one by one and together (`importance.without_heads` from `bertattn`): is the change the sum of the single ones? Write a page: what the
# head does, when it fails, who steps in.

# %% [markdown]
# ## In short
#
# - Look at a head's worst sentences as well as its best, and count before you believe.
# - Surprise is measured against what the same head does in inputs of about the same length.
# - Whether a head *knows* something and whether anything *changes* without it are two questions.
#
# Back to [07](07_probing.ipynb), or to the [start](00_start_here.ipynb).
