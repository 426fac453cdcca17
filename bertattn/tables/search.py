"""What a search found, as tables: hits of a query, and the inputs that surprise heads."""

from collections.abc import Mapping

import pandas as pd

from bertattn.attention import Kind
from bertattn.heads import AttentionHead
from bertattn.search import Example, Found, Surprise
from bertattn.tables.manifest import Manifest, kind_name, passed_on, signed

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


def marked(example: Example) -> str:
    """A sentence with *the word that looks* and [the word it looks at].

    Example:
        >>> marked(Example(("it", "fed", "her"), 1, 2, 0.9))
        'it *fed* [her]'
    """
    words = list(example.words)
    words[example.from_word] = f"*{words[example.from_word]}*"
    if example.to_word is not None:
        words[example.to_word] = f"[{words[example.to_word]}]"
    return " ".join(words)


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


def surprises_in_print(table: pd.DataFrame) -> pd.DataFrame:
    """Surprises for reading: where attention goes instead, in words and two digits."""
    made = table.attrs["manifest"]
    names = [part_name(made, part) for part in table["part"]]
    shares = zip(names, table["share"], table["usual"], strict=True)
    columns = {
        "head": table["head"],
        "nats": [f"{nats:.1f}" for nats in table["nats"]],
        "instead": [f"{name} {share:.2f}, usually {usual:.2f}" for name, share, usual in shares],
        "text": table["text"],
    }
    return passed_on(pd.DataFrame(columns), table)


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
