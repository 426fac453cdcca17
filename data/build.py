"""Makes the silver trees of data/sample/trees from its articles, and checks what hangs on them.

It stops at the first thing that is wrong, with file and line, before it writes anything.
``--check`` writes nothing and says whether the files are what this command would write.
"""

import argparse
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from bertattn.corpora import CorpusError, conllx, load, markup, plain
from bertattn.corpora.coreference import CorefDocument
from bertattn.corpora.parsing import parsed, parser
from bertattn.corpora.trees import ParsedSentence
from bertattn.files import replacing

SAMPLE = Path(__file__).resolve().parent / "sample"
HEADER = (
    "SILVER: made by a parser; nobody has read these trees",
    "text: data/sample/{stem}.txt, CC0 1.0",
    "parser: {parser}",
    "relations: Stanford Dependencies, converted from spaCy's by bertattn.corpora.stanford",
    "made by: make sample",
)
Trees = Mapping[str, Sequence[ParsedSentence]]


def treebank(folder: Path = SAMPLE) -> dict[str, list[ParsedSentence]]:
    """The silver trees of each document of the sample."""
    trees = defaultdict(list)
    for sentence in parsed(load("sample" if folder == SAMPLE else folder, "titled")):
        trees[sentence.document].append(sentence)
    return dict(trees)


def read(path: Path, trees: Trees) -> list[ParsedSentence]:
    """Trees that somebody has read: the same words as in the silver trees of the same names.

    Raises:
        CorpusError: If a sentence is unknown or has other words.
    """
    silver = {sentence.id: sentence for document in trees.values() for sentence in document}
    sentences = list(conllx.read(path))
    for sentence in sentences:
        if sentence.id not in silver:
            raise CorpusError(path, sentence.line, f"the sample has no sentence {sentence.id!r}")
        _check_words(sentence, silver[sentence.id].words)
    return sentences


def _check_words(sentence: ParsedSentence, wanted: Sequence[str]) -> None:
    for number, word in enumerate(sentence.words):
        parsed_word = wanted[number] if number < len(wanted) else "(nothing)"
        if word != parsed_word:
            reason = f"{sentence.id}: the word {word!r} is {parsed_word!r} in the parse"
            raise CorpusError(sentence.path, sentence.line + number, f"{reason}; correct it")
    if len(wanted) > len(sentence):
        reason = f"{sentence.id}: {wanted[len(sentence)]!r} follows in the parse; add it"
        raise CorpusError(sentence.path, sentence.line + len(sentence) - 1, reason)


def documents(paths: Sequence[Path], trees: Trees) -> Iterator[CorefDocument]:
    """The documents that are marked for coreference in these files.

    Raises:
        CorpusError: If a mark is wrong, or the text is not that of the article.
    """
    for path in paths:
        for article in plain.read(path, "titled"):
            if article.id not in trees:
                reason = f"the sample has no article {article.title!r}"
                raise CorpusError(path, article.line, reason)
            yield markup.document(article, trees[article.id])


def texts(trees: Trees, folder: Path = SAMPLE) -> dict[Path, str]:
    """Each file of silver trees, and what belongs into it."""
    files = defaultdict(list)
    for document in trees.values():
        for sentence in document:
            files[Path(sentence.path).stem].append(sentence)
    return {
        folder / "trees" / f"{stem}.conll": conllx.written(
            sentences, [line.format(stem=stem, parser=parser()) for line in HEADER]
        )
        for stem, sentences in files.items()
    }


def built(folder: Path = SAMPLE) -> dict[Path, str]:
    """The files that belong into the sample, after all that hangs on them was checked."""
    trees = treebank(folder)
    for path in sorted(folder.glob("checked/*.conll")) + sorted(folder.glob("second/*.conll")):
        read(path, trees)
    marked = sorted(folder.glob("coreference/*.txt")) + sorted(folder.glob("second/*.txt"))
    list(documents(marked, trees))
    return texts(trees, folder)


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; compare")
    check = parser.parse_args().check
    try:
        files = built()
    except CorpusError as error:
        sys.exit(str(error))
    changed = [p for p, text in files.items() if not p.exists() or p.read_text("utf-8") != text]
    for path in () if check else changed:
        with replacing(path) as file:
            file.write(files[path].encode())
    done = "differ from" if check else "were renewed of"
    print(f"{len(changed)} files {done} {len(files)}", *(p.name for p in changed))
    sys.exit(1 if check and changed else 0)


if __name__ == "__main__":
    main()
