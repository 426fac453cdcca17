"""Texts, maps and views of which one knows what they must show.

Head 1-1 looks to the next token, 1-2 to the previous one, 1-3 to itself with weight .6 and
to [CLS] with .4; layer 2 looks at all tokens alike.
"""

from collections.abc import Callable
from functools import cache

import numpy as np
import pandas as pd

from bertattn.attention import AttentionMap, Kind, Tokens
from bertattn.cards import Card, Example
from bertattn.coref import DIRECTIONS, Guesses, Window
from bertattn.corpora import Mention, ParsedSentence
from bertattn.heads import all_heads
from bertattn.views import ClusterView, CorefView, HeadMap, HeadView, ModelView, TreeView, View

PIECES = ("[CLS]", "the", "keep", "##er", "fed", "it", ".", "[SEP]", "did", "she", "[SEP]")
WORDS = ("the", "keeper", "fed", "it", ".", "did", "she")
UNIT_OF = (7, 0, 1, 1, 2, 3, 4, 8, 5, 6, 9)
KINDS = {0: Kind.START, 6: Kind.PUNCTUATION, 7: Kind.SEPARATOR, 10: Kind.SEPARATOR}


def tokens(pieces=PIECES, words=WORDS, unit_of=UNIT_OF, kinds=KINDS):
    n = len(pieces)
    return Tokens(
        pieces=tuple(pieces),
        ids=np.arange(n),
        type_ids=np.zeros(n, dtype=int),
        unit_of=np.array(unit_of),
        kinds=np.array([kinds.get(i, Kind.ORDINARY) for i in range(n)]),
        words=tuple(words),
    )


def attention(of=None):
    """The map described above, of this text or another."""
    of = of or tokens()
    n = len(of)
    weights = np.full((2, 3, n, n), 1 / n)
    weights[0] = 0
    every = np.arange(n)
    weights[0, 0, every, np.minimum(every + 1, n - 1)] = 1
    weights[0, 1, every, np.maximum(every - 1, 0)] = 1
    weights[0, 2, every, every] = 0.6
    weights[0, 2, every, 0] += 0.4
    return AttentionMap(of, weights)


def plain(labels):
    """A text of these tokens and nothing else."""
    return tokens(labels, labels, range(len(labels)), {})


def heads(**options):
    return HeadView(attention(), **options)


def model():
    return ModelView(attention())


def sentence():
    return ParsedSentence(
        "planted",
        ("the", "keeper", "fed", "it", "."),
        ("DT", "NN", "VBD", "PRP", "."),
        (1, 2, None, 2, 2),
        ("det", "nsubj", "root", "dobj", "punct"),
    )


def tree():
    return TreeView(sentence(), {"right": (1, 2, None, 2, 2), "next": (1, 2, 3, 4, -1)})


STORY = (
    "Ann",
    "saw",
    "the",
    "old",
    "dog",
    ".",
    "It",
    "knew",
    "her",
    "and",
    "she",
    "fed",
    "it",
    ".",
)
MENTIONS = (
    Mention(0, 1, "ann", 0, "proper"),
    Mention(2, 5, "dog", 4, "nominal"),
    Mention(6, 7, "dog", 6, "pronoun"),
    Mention(8, 9, "ann", 8, "pronoun"),
    Mention(10, 11, "ann", 10, "pronoun"),
    Mention(12, 13, "dog", 12, "pronoun"),
)


def coref():
    """Head 1-1 finds every antecedent, 1-2 takes the word before."""
    right = ((4,), (0,), (0, 8), (4, 6))
    chosen = np.zeros((len(DIRECTIONS), 1, 2, 4), dtype=int)
    chosen[:, 0, 0] = [4, 0, 8, 6]
    chosen[:, 0, 1] = [5, 7, 9, 11]
    window = Window("a story", STORY, ("X",) * len(STORY), MENTIONS)
    asked = np.array([6, 8, 10, 12])
    guesses = Guesses(window, asked, np.zeros(4, dtype=int), right, chosen, 0)
    return CorefView(guesses, all_heads(1, 2))


def coref_of(words):
    """A text whose last word means the same as its first, and a head that finds it."""
    n = len(words)
    mentions = (Mention(0, 1, "one", 0), Mention(n - 1, n, "one", n - 1))
    window = Window(words[0], tuple(words), ("X",) * n, mentions)
    chosen = np.zeros((len(DIRECTIONS), 1, 1, 1), dtype=int)
    asked = np.array([n - 1])
    return CorefView(Guesses(window, asked, np.zeros(1, int), ((0,),), chosen, 0), all_heads(1, 1))


def cards(words=("she", "fed", "it")):
    """A card for each of six heads, with an example from its second word to its third."""
    example = Example(words, 1, 2, 0.9, "dobj", "planted")
    return [
        Card(
            attn_head,
            (("to next", f".{10 + number}"), ("entropy", "1.2 nats")),
            (("dobj", "81 % [70, 90]"),),
            (example,),
            (Example(("it", "fed", "her"), 0, None, 0.01),),
            ((all_heads(2, 3)[number - 1], 0.25),),
            "the next token",
        )
        for number, attn_head in enumerate(all_heads(2, 3))
    ]


def head_map(with_cards=True, words=("she", "fed", "it")):
    """Two measures of six heads: of one 2-3 has most, of the other 1-1; 1-2 lacks the other."""
    values = {"to_next": np.arange(6) / 10, "entropy": np.array([3.0, np.nan, 2.0, 1.0, 0.5, 0.0])}
    rows = [
        {
            "layer": attn_head.layer + 1,
            "head": str(attn_head),
            "measure": measure,
            "value": of[i],
            "low": of[i] - 0.05,
            "high": of[i] + 0.05,
            "uniform": 0.1,
            "n": 10,
            "groups": 5,
        }
        for measure, of in values.items()
        for i, attn_head in enumerate(all_heads(2, 3))
    ]
    table = pd.DataFrame(rows)
    table.attrs["signature"] = "planted"
    return HeadMap(table, ["to_next", "entropy"], cards(words) if with_cards else ())


def shades():
    """A hundred heads, one of each hundredth."""
    heads = all_heads(10, 10)
    rows = [
        {
            "layer": h.layer + 1,
            "head": str(h),
            "measure": "to_next",
            "value": i / 100,
            "uniform": 0.1,
        }
        for i, h in enumerate(heads)
    ]
    table = pd.DataFrame(rows)
    table.attrs["signature"] = "planted"
    return HeadMap(table, "to_next")


def clusters():
    """Six heads on two lines, layer 1 on the left; each one's nearest is the next below."""
    names = [str(attn_head) for attn_head in all_heads(2, 3)]
    heads = pd.DataFrame(
        {
            "head": names,
            "layer": [1, 1, 1, 2, 2, 2],
            "x": [0.0, 0.0, 0.0, 1.0, 1.0, 1.0],
            "y": [2.0, 1.0, 0.0, 2.0, 1.0, 0.0],
            "cluster": [1, 1, 1, 2, 2, 2],
            "behaviour": ["next", "previous", "none of these"] * 2,
            "roles": ["dobj", "", "", "", "nsubj", ""],
        }
    )
    heads.attrs["signature"] = "planted"
    near = pd.DataFrame({"head": names, "rank": 1, "nearest": names[1:] + names[:1]})
    return ClusterView(heads, near, cards())


VIEWS: dict[str, Callable[[], View]] = {  # each drawn once
    "heads": cache(heads),
    "model": cache(model),
    "map": cache(head_map),
    "tree": cache(tree),
    "coref": cache(coref),
    "clusters": cache(clusters),
}


def only_special():
    return tokens(("[CLS]", "[SEP]"), (), (0, 1), {0: Kind.START, 1: Kind.SEPARATOR})


def large(n, n_layers=12, n_heads=12, alike=False, seed=0):
    """Maps of a long text: drawn at random, or (alike) sparse as real ones are."""
    rng = np.random.default_rng(seed)
    shape = (n_layers, n_heads, n, n)
    if alike:
        far = np.abs(np.arange(n)[:, None] - np.arange(n) + rng.integers(-2, 3, (12, 12, 1, 1)))
        weights = np.exp(-far / rng.uniform(0.3, 4, (n_layers, n_heads, 1, 1)))
        weights *= rng.exponential(1, shape)
        weights[..., 0] += rng.uniform(0, 3, (n_layers, n_heads, 1))
        weights /= weights.sum(-1, keepdims=True)
    else:
        weights = rng.dirichlet(np.full(n, 0.3), size=shape[:3])
    return ModelView(AttentionMap(plain(tuple(f"w{i}" for i in range(n))), weights), "piece")
