# %% [markdown]
# # 06 · Coreference
#
# **Does some attention head look from *she* to the woman who is meant?**
# (Clark et al. 2019, section 4.3, table 2)
#
# After this notebook you can
# - say what an antecedent is, and when a head has found one;
# - see how far the answer depends on which words a head may choose among;
# - put the nearest mention, the same head word and four sieves beside it;
# - read accuracy by kind of mention and by distance.
#
# *Prerequisites:* [05](05_syntax_heads.ipynb), for choosing on some documents and scoring on others. *Time:* half an hour, less
# than a minute of it for the computer (two cores). The paper's authors never released code for this part.

# %%
from bertattn import coref, corpora, exercises, measure, plots, readings, tables, views
from bertattn.heads import all_heads
from bertattn.model import load, random_init
from bertattn.views import menus

plots.set_theme()

# %% [markdown]
# ## The parameters
#
# `COREF` is the bundled sample; `ontogum` after `make data ONLY=ontogum`; or your own files in the layout of CoNLL-2012. `CUT` is
# "first" (the first 128 pieces of each document, as in the paper) or "tiled" (windows of whole sentences: more mentions).

# %% tags=["parameters"]
MODEL = "minilm"
COREF = "sample"
CUT = "first"
DOCUMENTS = None

# %% [markdown]
# ## What would you expect?
#
# For a pronoun, how often is the nearest mention before it the right one? Will a head do better than that? On which kind of mention will
# it be best: pronouns, names, or other nouns? Write your guesses down.

# %% [markdown]
# Note the first as a number: for how many mentions in a hundred (of those that have an antecedent) is the *nearest* mention before it an
# antecedent? Put a number in place of the dots, and run the cell: it is noted, and held against what comes out
# at the end.
#
# <details><summary>Hint</summary>Pronouns come soon after whom they mean; but between *the keeper* and *she* there may be an octopus.</details>

# %% tags=["exercise"]
guess = ...
### BEGIN SOLUTION
guess = 40
### END SOLUTION
exercises.predict("per cent of mentions for which the nearest one before is right", guess)

# %% [markdown]
# ## The definition
#
# A mention is a stretch of words that means someone or something; mentions that mean the same corefer, and those before are its
# antecedents. A head is asked at the *head word* of each mention that has an antecedent in the window, and is right if the word it
# attends to most is the head word of one of them:
#
# > mentions whose most attended word is an antecedent's head word / mentions that have an antecedent
#
# A toy: *Ann met Bo ; she left him*, six words and a mark.

# %%
toy = [
    corpora.Mention(0, 1, "ann", 0, "proper"),
    corpora.Mention(2, 3, "bo", 2, "proper"),
    corpora.Mention(4, 5, "ann", 4, "pronoun"),
    corpora.Mention(6, 7, "bo", 6, "pronoun"),
]
window = coref.Window(
    "toy",
    ("Ann", "met", "Bo", ";", "she", "left", "him"),
    ("NNP", "VBD", "NNP", ":", "PRP", "VBD", "PRP"),
    tuple(toy),
)
{rule: [guess(window, m) for m in window.asked] for rule, guess in coref.rules.RULES.items()}

# %% [markdown]
# Two mentions are asked, *she* (the answer is 0, *Ann*) and *him* (2, *Bo*). The nearest mention is wrong both times; the same head word finds
# none (-1); the sieves know that *she* is a woman and *him* a man, and that *Ann* and *Bo* could be either.

# %% [markdown]
# ## The run

# %%
model = load(MODEL)
corpus = corpora.coreference(COREF, skip=True)
windows = coref.Windows(corpus, model.encoder, CUT, n=DOCUMENTS)
counts = coref.CorefCounts.empty(*model.shape, keep=500)
measure.measure(windows, model, counts)
print(
    f"{counts.n_windows} windows, {counts.total.sum()} mentions asked; left out: "
    f"{tables.left_out(windows.left_out + counts.left_out)}"
)

# %% [markdown]
# First mentions have no antecedent and are not asked. (The sample's mentions were marked by a language model, and their head words come from
# trees that a parser drew; [its page](../data/README.md) says how far two readings agree.) Now the control, a model whose layers are random:

# %%
control = random_init(MODEL)
at_random = coref.CorefCounts.empty(*control.shape)
n_control = measure.measure(windows, control, at_random)

# %% [markdown]
# And a test: antecedents are shuffled among the mentions of one kind and about one distance, to see what a head finds by kind and distance
# alone.

# %%
null = coref.shuffle_entities(counts.guesses)

# %% [markdown]
# All of it as a table:

# %%
made = tables.manifest(model, corpus, windows, counts.left_out, from_word=counts.from_word)
table = tables.table_2(counts, made, random=at_random, null=null)
tables.table_2_in_print(table)

# %% [markdown]
# Four rows are the best head among four sets of words that it may choose from: all other words (as the paper does), words before, heads of other
# mentions, heads of mentions before. *Candidates* is their mean number, *chance* the mean share of them that are right. The head of each row is chosen
# on all kinds together.
#
# What heads have over the rules on the same documents, which did not choose them:

# %%
tables.over_rules(table)

# %% [markdown]
# ## The picture

# %%
plots.show(plots.table_2(table))

# %% [markdown]
# By distance: how many words back is the nearest antecedent?

# %%
plots.show(plots.by_distance(tables.by_distance(counts, made)))

# %% [markdown]
# ## Reading it

# %%
print(readings.coreference(table))
print(readings.kinds(table))

# %% [markdown]
# A head that may choose among all words must first find that it is a mention it looks for; among mentions that is given. So the rows with mentions
# as candidates are easier, and stand beside the rules, which choose among mentions too; the first row is the one beside the paper's 65. What
# this does not show: that the model resolves anything. A head may look at the subject of the text, who is meant most of the time.

# %% [markdown]
# ## Every head, by kind
#
# Choose a kind of mention and a direction.

# %%
heads = tables.coref_heads(counts, made)
ways = list(heads["direction"].unique())
views.HeadMap.of_relations(heads, list(heads["relation"].unique()), ways)

# %% [markdown]
# ## In a text
#
# Mentions of one entity have one number. Those that are asked stand in a frame: choose one, and its antecedents are bold and underlined; the arrow leads to the word
# that the head chooses. The first head in the menu is the best one among all words. Go through the mentions of a text: what does it choose when it errs?

# %%
best = coref.score(counts)
attn_head, direction = best.head(best.best)
menus(
    views.guessed_antecedents,
    list(dict.fromkeys([attn_head, *all_heads(*model.shape)])),
    guesses=counts.guesses[:40],
    direction=list(dict.fromkeys([direction, *ways])),
)
# %% [markdown]
# ## Beside the paper
#
# The paper's model is BERT-base, its text OntoNotes, of which this is not a part. On other text the rules move as much as the heads do: the nearest mention is right more often
# where a text has one hero. So compare the head with the rules of the same text.

# %%
tables.beside_table_2(table)

# %% [markdown]
# ## Exercises
#
# Your guess, beside what came out (nothing is said to who made none):

# %% tags=["exercise"]
nearest = table.query("way == 'nearest before' and kind == 'all'")["value"].iloc[0]
exercises.reveal(
    "per cent of mentions for which the nearest one before is right", round(100 * nearest)
)

# %% [markdown]
# **1. The nearest mention.** Given the entity of each mention in a text, in order, return the share of those with an antecedent for which the mention just before is one.


# %% tags=["exercise"]
def nearest_mention(entities):
    ### BEGIN SOLUTION
    seen, right, asked = set(), 0, 0
    for place, entity in enumerate(entities):
        if entity in seen:
            asked += 1
            right += entity == entities[place - 1]
        seen.add(entity)
    return right / asked if asked else 0.0
    ### END SOLUTION


exercises.check("nearest mention", nearest_mention)

# %% [markdown]
# <details><summary>Hint</summary>
#
# Mention *i* has an antecedent if its entity is among `entities[:i]`; the one just before is `entities[i - 1]`.
#
# </details>
#
# **2. A head for names.** Given two tables of accuracies, on proper names and on all mentions, return layer and head (from 0) of the head that gains most on
# names. Then find it here: `heads` has both tables, one below the other.


# %% tags=["exercise"]
def better_on_names(on_names, on_all):
    ### BEGIN SOLUTION
    place = (on_names - on_all).argmax()
    return divmod(place, on_all.shape[1])
    ### END SOLUTION


exercises.check("better on names", better_on_names)

# %% [markdown]
# <details><summary>Hint</summary>
#
# The largest entry of the difference; `np.unravel_index` makes layer and head of its place.
#
# </details>

# %% [markdown]
# **3.** Suppose that a head finds more antecedents when it may choose only among mentions than when it may choose among all words. Has it become better at
# coreference?
#
# <details><summary>Answer</summary>
# No: it is the same head with the same weights; the question became easier. Somebody else has already found the mentions, and with few candidates chance is higher. So hold each
# row against the chance and the rules of the same row, never a row against another.
# </details>

# %% [markdown]
# **4.** (Open) Twenty errors. Find twenty mentions above for which the best head is wrong, and sort them: wrong kind or number? The nearest mention? The subject of the
# text? No mention at all? Look whether the four sieves would have erred too. Then write a rule of one sentence that predicts what the head chooses when it errs, and count how often
# the rule is right on twenty errors in other documents.

# %% [markdown]
# ## In short
#
# - A head finds an antecedent if, from a mention's head word, it attends most to one; what it may choose among decides what chance is.
# - The nearest mention, the same head word and four sieves are what it must beat, on the same text.
# - Kinds and distances differ: a mean over mentions hides that.
#
# On to [07](07_probing.ipynb): all heads together. Back to [05](05_syntax_heads.ipynb); the start is [00](00_start_here.ipynb).
