"""How right converted labels are: English Universal Dependencies against gold Stanford ones.

Give a folder with documents that have both, under the same names: ``sd_v5/NAME.conll10`` (people
drew them) and ``dep/NAME.conllu``, as in GUM's releases 5 and 11. The rules were made by looking at
every other document, from the first on; what counts is how they do on the others.

Releases cut words differently, so words are aligned by document. A word is scored where it and its
gold governor stand in both; what does not is counted. Punctuation is left out. ``vmod``, the later
name of ``partmod`` and ``infmod`` together, counts as these.
"""

import argparse
import sys
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from difflib import SequenceMatcher
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from bertattn.corpora import conllu, conllx
from bertattn.corpora.trees import ParsedSentence
from bertattn.corpora.universal import converted
from bertattn.files import replacing
from data.accuracy import ONE_NAME
from data.agreement import Arc, Score, attachment, by_relation

ROOT = Path(__file__).resolve().parents[1]
TABLE = ROOT / "data" / "converted" / "stanford.csv"
DOCUMENT = ROOT / "docs" / "UD_LABELS.md"
LEAST_F1 = 90.0
LEAST_COUNT = 10


class Word(NamedTuple):
    """A word of a document, its governor by place in the document."""

    text: str
    governor: int | None
    relation: str


class Aligned(NamedTuple):
    """The arcs of some documents in both readings, and what had to be left out."""

    here: set[Arc]
    there: set[Arc]
    documents: int
    words: int
    without_counterpart: int
    governor_without: int

    def __add__(self, other: "Aligned") -> "Aligned":  # type: ignore[override]
        sets = self.here | other.here, self.there | other.there
        return Aligned(*sets, *(a + b for a, b in zip(self[2:], other[2:], strict=True)))


def documents(folder: Path) -> list[tuple[Path, Path]]:
    """The files of each document: gold, and Universal Dependencies.

    Raises:
        SystemExit: If there is no document in both.
    """
    gold = sorted((folder / "sd_v5").glob("*.conll10"))
    pairs = [(path, folder / "dep" / f"{path.stem}.conllu") for path in gold]
    if not pairs or not all(universal.exists() for _, universal in pairs):
        sys.exit(f"{folder}: wanted sd_v5/NAME.conll10, and dep/NAME.conllu for each of them")
    return pairs


def aligned(gold: Path, universal: Path) -> Aligned:
    """One document's arcs, by the places of its words in the file of Universal Dependencies."""
    theirs = list(words(conllx.read(gold, [])))
    ours = list(words(converted(sentence) for sentence in conllu.read(universal, [])))
    same = counterparts([w.text for w in theirs], [w.text for w in ours])
    here: set[Arc] = set()
    there: set[Arc] = set()
    n_words = n_alone = n_governor = 0
    for number, word in enumerate(theirs):
        if word.relation == "punct" or not any(letter.isalnum() for letter in word.text):
            continue
        n_words += 1
        if number not in same:
            n_alone += 1
        elif word.governor is not None and word.governor not in same:
            n_governor += 1
        else:
            found = ours[same[number]]
            governor = None if word.governor is None else same[word.governor]
            here.add((gold.stem, same[number], found.governor, found.relation))
            there.add((gold.stem, same[number], governor, word.relation))
    return Aligned(here, there, 1, n_words, n_alone, n_governor)


def words(sentences: Iterable[ParsedSentence]) -> Iterator[Word]:
    """The words of a document's sentences, one after another."""
    offset = 0
    for sentence in sentences:
        rows = zip(sentence.words, sentence.governors, sentence.relations, strict=True)
        for text, governor, relation in rows:
            above = None if governor is None else offset + governor
            yield Word(text, above, ONE_NAME.get(relation, relation))
        offset += len(sentence)


def counterparts(here: Sequence[str], there: Sequence[str]) -> dict[int, int]:
    """Where each word of one list stands in the other, for the words that do."""
    blocks = SequenceMatcher(None, here, there, autojunk=False).get_matching_blocks()
    return {block.a + n: block.b + n for block in blocks for n in range(block.size)}


def halves(pairs: Sequence[tuple[Path, Path]]) -> tuple[Aligned, Aligned]:
    """The documents that the rules were made on, and the others."""
    empty = Aligned(set(), set(), 0, 0, 0, 0)
    looked_at, others = (sum((aligned(*pair) for pair in pairs[n::2]), empty) for n in (0, 1))
    return looked_at, others


def scores(part: Aligned) -> dict[str, Score]:
    """The score of each label, and of "All", which is LAS."""
    n_right = len(part.here & part.there)
    whole = Score(n_right, n_right, len(part.here), len(part.there))
    return {"All": whole, **by_relation(part.here, part.there)}


def table(others: Aligned) -> str:
    """The labels' F1 on documents that the rules were not made on, for the package to read."""
    found = scores(others)
    back = {name: found[label] for name, label in ONE_NAME.items() if label in found}
    rows = [
        {"relation": name, "n": int(score.there), "f1": round(score.f1, 1)}
        for name, score in sorted({**found, **back}.items())
        if score.there
    ]
    return pd.DataFrame(rows).to_csv(index=False, lineterminator="\n")


def markdown(looked_at: Aligned, others: Aligned) -> str:
    """What was measured, as Markdown."""
    lines = ["| | documents | words | scored | no counterpart | governor has none | UAS | LAS |"]
    lines += ["|---|---|---|---|---|---|---|---|"]
    for name, part in (("rules made on", looked_at), ("**others**", others)):
        uas, las = attachment(part.here, part.there)
        lines.append(
            f"| {name} | {part.documents} | {part.words:,} | {len(part.there):,} "
            f"| {part.without_counterpart} | {part.governor_without} | {uas:.1f} | {las:.1f} |"
        )
    lines += ["", "| label | in gold | converted | F1 | F1 where the rules were made | |"]
    lines += ["|---|---|---|---|---|---|"]
    before = scores(looked_at)
    for name, score in scores(others).items():
        made_on = f"{before[name].f1:.1f}" if name in before else "-"
        flag = "" if relied_on(score) else "flagged"
        lines.append(
            f"| `{name}` | {score.there:,.0f} | {score.here:,.0f} | {score.f1:.1f} | {made_on} "
            f"| {flag} |"
        )
    return "\n".join(lines)


def relied_on(score: Score) -> bool:
    """Is a label right often enough, as far as enough of it was seen?"""
    return score.there >= LEAST_COUNT and score.f1 >= LEAST_F1


def renewed(text: str, found: str, day: date) -> str:
    """The document with its measured part replaced.

    Raises:
        SystemExit: If the document has no place for it.
    """
    begin, end = "<!-- measured -->", "<!-- end -->"
    before, mark, rest = text.partition(begin)
    _, mark_end, after = rest.partition(end)
    if not mark or not mark_end:
        sys.exit(f"{DOCUMENT}: wanted a place between {begin!r} and {end!r}")
    return f"{before}{begin}\n\nMeasured {day}.\n\n{found}\n\n{end}{after}"


def main() -> None:
    """Read the command line."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("folder", type=Path, help="holds sd_v5/*.conll10 and dep/*.conllu")
    text = "write data/converted/stanford.csv and docs/UD_LABELS.md too"
    asked.add_argument("--write", action="store_true", help=text)
    given = asked.parse_args()
    parts = halves(documents(given.folder))
    found = markdown(*parts)
    if given.write:
        page = renewed(DOCUMENT.read_text("utf-8"), found, date.today())
        for path, content in ((TABLE, table(parts[1])), (DOCUMENT, page)):
            with replacing(path) as file:
                file.write(content.encode())
    print(found)


if __name__ == "__main__":
    main()
