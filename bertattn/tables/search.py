"""What a search found, as tables: hits of a query, and the inputs that surprise heads."""

from collections.abc import Mapping

import pandas as pd

from bertattn.attention import Kind
from bertattn.heads import AttentionHead
from bertattn.search import Example, Found, Surprise
from bertattn.tables.manifest import Manifest, kind_name, signed

HIT_COLUMNS = ["weight", "from", "to", "sentence", "source"]
SURPRISE_COLUMNS = ["head", "rank", "nats", "part", "share", "usual", "text", "source"]


def hits(found: Found, made: Manifest) -> pd.DataFrame:
    """The clearest hits of a query, a row each.

    Columns: ``weight`` (of 1), ``from`` and ``to`` (words; "" for a special token or a mark),
    ``sentence`` with *the word that looks* and [the word it looks at], ``source``. How many there
    are in all is in ``.attrs``: ``n_hits`` of ``n_asked`` pairs of words.
    """
    rows = [
        {
            "weight": hit.weight,
            "from": hit.words[hit.from_word],
            "to": "" if hit.to_word is None else hit.words[hit.to_word],
            "sentence": marked(hit),
            "source": hit.source,
        }
        for hit in found.examples
    ]
    table = signed(pd.DataFrame(rows, columns=HIT_COLUMNS), made, found.n_sentences)
    counts = {n: v for n, v in vars(found).items() if n not in ("query", "examples")}
    table.attrs |= {"query": str(found.query), **counts}
    return table


def marked(example: Example, around: int | None = None) -> str:
    """A sentence with *the word that looks* and [the word it looks at].

    Args:
        example: The example.
        around: How many words before and after each of them are shown; None: all.

    Example:
        >>> marked(Example(("so", "it", "fed", "her"), 2, 3, 0.9))
        'so it *fed* [her]'
        >>> marked(Example(("so", "it", "fed", "her"), 2, 3, 0.9), around=1)
        '… it *fed* [her]'
    """
    words = list(example.words)
    words[example.from_word] = f"*{words[example.from_word]}*"
    if example.to_word is not None:
        words[example.to_word] = f"[{words[example.to_word]}]"
    shown = around_of(example, len(words) if around is None else around)
    return " ".join("…" if place is None else words[place] for place in shown)


def around_of(example: Example, around: int) -> list[int | None]:
    """The places of the words near the two of an example; None where others are left out.

    Example:
        >>> around_of(Example(("a",) * 9, 0, 6, 0.5), around=1)
        [0, 1, None, 5, 6, 7, None]
    """
    ends = {example.from_word, example.to_word} - {None}
    near = [any(abs(place - end) <= around for end in ends) for place in range(len(example.words))]
    shown: list[int | None] = []
    for place, kept in enumerate(near):
        if kept:
            shown.append(place)
        elif not shown or shown[-1] is not None:
            shown.append(None)
    return shown


def surprises(
    found: Mapping[AttentionHead, tuple[Surprise, ...]], made: Manifest, n_inputs: int
) -> pd.DataFrame:
    """The inputs in which each head does least what it usually does, the largest surprise first.

    Columns: ``head``, ``rank`` 1 for its largest; ``nats`` (over all rows of the input, see
    ``search.surprises``); ``part``, where attention goes instead, with its ``share`` there and its
    ``usual`` share; ``text`` and ``source``.
    """
    rows = [
        {
            "head": str(attn_head),
            "rank": rank,
            **{name: getattr(one, name) for name in SURPRISE_COLUMNS[2:6]},
            "text": " ".join(one.words),
            "source": one.source,
        }
        for attn_head, kept in found.items()
        for rank, one in enumerate(kept, start=1)
    ]
    table = pd.DataFrame(rows, columns=SURPRISE_COLUMNS)
    table = table.sort_values("nats", ascending=False, kind="stable").reset_index(drop=True)
    return signed(table, made, n_inputs)


def part_name(made: Manifest, part: str) -> str:
    """A part of a head's attention in words, special tokens by this model's own names.

    Example:
        >>> part_name({"specials": {"start": "<s>"}}, "to_start"), part_name({}, "to_next")
        ('to <s>', 'to the next token')
    """
    match part.removeprefix("to_"):
        case "start" | "separator" as kind:
            return f"to {kind_name(made, Kind[kind.upper()])}"
        case "self":
            return "to the token itself"
        case "punctuation":
            return 'to "." and ","'
        case "other":
            return "to other tokens"
        case place:
            return f"to the {place} token"
