"""How right the silver trees are: the parser and the converter against gold Stanford Dependencies.

Give files in CoNLL-X with gold trees, such as GUM's of 2019; the parser gets their words. Prints
UAS and LAS without punctuation, and F1 for each relation, as Markdown. ``vmod``, the later name of
``partmod`` and ``infmod`` together, counts as these.
"""

import argparse
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from bertattn.corpora import conllx
from bertattn.corpora.parsing import parsed_words, parser
from bertattn.corpora.trees import ParsedSentence
from data import reliability
from data.agreement import Score, arcs, attachment, by_relation

ONE_NAME = {"partmod": "vmod", "infmod": "vmod"}
Parse = Callable[[Iterable[ParsedSentence]], Iterator[ParsedSentence]]


def scores(paths: Sequence[Path], parse: Parse) -> tuple[float, float, dict[str, Score]]:
    """UAS and LAS in per cent, and the score of each relation."""
    gold = [sentence for path in paths for sentence in conllx.read(path, [])]
    found = list(parse(gold))
    scored = {(arc[0], arc[1]) for s in gold for arc in arcs([s]) if s.relations[arc[1]] != "punct"}
    here, there = (
        {arc for arc in arcs(map(_renamed, reading)) if arc[:2] in scored}
        for reading in (found, gold)
    )
    return *attachment(here, there), by_relation(here, there)


def table(by_name: dict[str, Score], least: int = 10) -> str:
    """The relations that stand ``least`` times or more in the gold trees, as Markdown."""
    rows = [
        f"| `{name}` | {score.there:,.0f} | {score.f1:.1f} |"
        for name, score in by_name.items()
        if score.there >= least
    ]
    return "\n".join(["| relation | in gold | F1 |", "|---|---|---|", *rows])


def _renamed(sentence: ParsedSentence) -> ParsedSentence:
    return replace(sentence, relations=tuple(ONE_NAME.get(r, r) for r in sentence.relations))


def main() -> None:
    """Read the command line."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("paths", nargs="+", type=Path, help="files in CoNLL-X with gold trees")
    asked.add_argument("--write", action="store_true", help="write sample/reliability.csv too")
    paths, write = asked.parse_args().paths, asked.parse_args().write
    uas, las, by_name = scores(paths, parsed_words)
    if write:
        as_ours = {name: by_name[label] for name, label in ONE_NAME.items() if label in by_name}
        reliability.write(reliability.renewed("gold", {**by_name, **as_ours}))
    print(f"{parser()}: UAS {uas:.1f}, LAS {las:.1f}\n\n{table(by_name)}")


if __name__ == "__main__":
    main()
