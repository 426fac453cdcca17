"""The tables of data/README.md that are counted from the sample; ``--write`` renews them.

Without ``--write`` it says whether README.md has them as they come out now.
"""

import argparse
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from bertattn.corpora.coreference import CorefDocument
from bertattn.corpora.trees import ParsedSentence
from bertattn.model import load
from bertattn.tokens import Encoder
from data import reliability
from data.agreement import (
    Entity,
    Score,
    arcs,
    attachment,
    b_cubed,
    by_relation,
    ceaf,
    entities,
    mentions,
    muc,
)
from data.build import SAMPLE, Trees, documents, read, treebank

README = Path(__file__).resolve().parent / "README.md"
WINDOW = 128
MEASURES: dict[str, Callable[[Sequence[Entity], Sequence[Entity]], Score]] = {
    "mentions": mentions,
    "MUC": muc,
    "B-cubed": b_cubed,
    "CEAF": ceaf,
}


def tree_tables(trees: Trees) -> str:
    """Silver against the checked sentences, and the first reading against the second."""
    silver = [sentence for document in trees.values() for sentence in document]
    checked = read(SAMPLE / "checked" / "trees.conll", trees)
    second = read(SAMPLE / "second" / "trees.conll", trees)
    pairs = [(_same(silver, checked), checked), (_same(checked, second), second)]
    lines = ["| | sentences | words | UAS | LAS |", "|---|---|---|---|---|"]
    names = ["silver, against the checked part", "first reading, against the second"]
    for name, (here, there) in zip(names, pairs, strict=True):
        uas, las = attachment(arcs(here), arcs(there))
        n_words = len(arcs(there))
        lines.append(f"| {name} | {len(there)} | {n_words:,} | {uas:.1f} | {las:.1f} |")
    return "\n".join([*lines, "", *_relation_rows(*pairs)])


def coreference_tables(trees: Trees, encoder: Encoder) -> str:
    """How much is marked, and how far the two annotators agree."""
    first = list(documents(sorted(SAMPLE.glob("coreference/*.txt")), trees))
    second = list(documents([SAMPLE / "second" / "coreference.txt"], trees))
    again = {document.id for document in second}
    here, there = entities(d for d in first if d.id in again), entities(second)
    scores = " | ".join(f"{measure(here, there).f1:.1f}" for measure in MEASURES.values())
    return "\n".join(
        [
            *_counts(first, encoder),
            "",
            f"| | articles | {' | '.join(MEASURES)} |",
            f"|---|---|{'---|' * len(MEASURES)}",
            f"| first annotation, against the second (F1) | {len(second)} | {scores} |",
        ]
    )


def _counts(marked: Sequence[CorefDocument], encoder: Encoder) -> Iterator[str]:
    cut = sum(with_antecedent(d, first_window(d, encoder)) for d in marked)
    tiled = sum(with_antecedent(d, tiles(d, encoder)) for d in marked)
    yield "| | |\n|---|---|"
    yield f"| articles | {len(marked)} |"
    yield f"| entities | {sum(len(d.sizes) for d in marked):,} |"
    yield f"| mentions | {sum(len(d.mentions) for d in marked):,} |"
    yield f"| mentions with an antecedent in the first {WINDOW} pieces of their article | {cut:,} |"
    yield f"| mentions with an antecedent in their window of whole sentences, tiled | {tiled:,} |"


def first_window(document: CorefDocument, encoder: Encoder) -> list[range]:
    """The words that are whole in the first 128 pieces, specials included."""
    sizes = [encoder.n_pieces(word) for word in document.words]
    n_words, left = 0, WINDOW - encoder.n_special()
    while n_words < len(sizes) and sizes[n_words] <= left:
        left -= sizes[n_words]
        n_words += 1
    return [range(n_words)]


def tiles(document: CorefDocument, encoder: Encoder) -> list[range]:
    """Windows of as many whole sentences as 128 pieces hold, one after another."""
    windows, begin, end, used = [], 0, 0, 0
    for sentence in document.sentences:
        size = sum(encoder.n_pieces(word) for word in sentence.words)
        if used and used + size > WINDOW - encoder.n_special():
            windows.append(range(begin, end))
            begin, used = end, 0
        end, used = end + len(sentence), used + size
    return [*windows, range(begin, end)]


def with_antecedent(document: CorefDocument, windows: Sequence[range]) -> int:
    """How many mentions have one of the same entity before them in their window."""
    found = 0
    for window in windows:
        inside = [m for m in document.mentions if m.start in window and m.stop - 1 in window]
        found += len(inside) - len({m.entity for m in inside})
    return found


def _same(
    sentences: Sequence[ParsedSentence], wanted: Sequence[ParsedSentence]
) -> list[ParsedSentence]:
    names = {sentence.id for sentence in wanted}
    return [sentence for sentence in sentences if sentence.id in names]


def _relation_rows(*pairs: tuple[list[ParsedSentence], list[ParsedSentence]]) -> Iterator[str]:
    silver, second = (by_relation(arcs(here), arcs(there)) for here, there in pairs)
    yield "| relation | checked | silver | F1 | second reading | F1 |"
    yield "|---|---|---|---|---|---|"
    for relation, score in silver.items():
        other = second.get(relation)
        again = f"{other.there:.0f} | {other.f1:.1f}" if other else "0 | -"
        yield (
            f"| `{relation}` | {score.there:.0f} | {score.here:.0f} | {score.f1:.1f} | {again} |"
        )


def renewed(text: str) -> str:
    """README.md with its counted tables as they come out now."""
    trees = treebank()
    tables = {
        "trees": tree_tables(trees),
        "coreference": coreference_tables(trees, load("minilm").encoder),
    }
    for name, table in tables.items():
        begin, end = f"<!-- counted: {name} -->", f"<!-- end: {name} -->"
        pattern = re.compile(f"{begin}.*?{end}", re.DOTALL)
        if len(pattern.findall(text)) != 1:
            sys.exit(f"{README}: wanted one place between {begin!r} and {end!r}")
        text = pattern.sub(lambda _, t=table, b=begin, e=end: f"{b}\n\n{t}\n\n{e}", text)
    return text


def checked_scores(trees: Trees) -> dict[str, Score]:
    """The score of each relation of silver, against the checked sentences."""
    silver = [sentence for document in trees.values() for sentence in document]
    checked = read(SAMPLE / "checked" / "trees.conll", trees)
    return by_relation(arcs(_same(silver, checked)), arcs(checked))


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="renew the tables in README.md")
    write = parser.parse_args().write
    before = README.read_text(encoding="utf-8")
    after = renewed(before)
    table = reliability.renewed("checked", checked_scores(treebank()))
    if write:
        README.write_text(after, encoding="utf-8")
        reliability.write(table)
    elif after != before or table != reliability.PATH.read_text(encoding="utf-8"):
        sys.exit(f"{README}: the counted tables are old; renew them: make sample")
    print("the tables of data/README.md are as they are counted")


if __name__ == "__main__":
    main()
