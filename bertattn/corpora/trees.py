"""A sentence with its dependency tree."""

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class ParsedSentence:
    """Words, their parts of speech, and for each word its governor and its relation to it.

    Attributes:
        id: Its name in its corpus.
        words: Its words.
        tags: A part of speech for each, of the Penn Treebank.
        governors: The index of the governor of each word, counted from 0; None for the root.
        relations: The relation of each word to its governor.
        document: The name of the document it is part of, or "".
        path: The file it stands in.
        line: The line of its first word, counted from 1.

    Raises:
        ValueError: If the four have not the same length.

    Example:
        >>> tags, relations = ("NNS", "VBP"), ("nsubj", "root")
        >>> dogs = ParsedSentence("1", ("Dogs", "bark"), tags, (1, None), relations)
        >>> list(dogs.arcs)
        [(0, 1, 'nsubj')]
    """

    id: str
    words: tuple[str, ...]
    tags: tuple[str, ...]
    governors: tuple[int | None, ...]
    relations: tuple[str, ...]
    document: str = ""
    path: str = ""
    line: int = 0

    def __post_init__(self) -> None:
        lengths = [len(x) for x in (self.words, self.tags, self.governors, self.relations)]
        if len(set(lengths)) != 1:
            wanted = "wanted as many tags, governors and relations as words"
            raise ValueError(f"{wanted}, got {lengths} in {self.id!r}")

    def __len__(self) -> int:
        return len(self.words)

    @property
    def arcs(self) -> Iterator[tuple[int, int, str]]:
        """Dependent, governor and relation of each word but the root."""
        for dependent, (governor, relation) in enumerate(
            zip(self.governors, self.relations, strict=True)
        ):
            if governor is not None:
                yield dependent, governor, relation


def fault(governors: tuple[int | None, ...]) -> str | None:
    """What keeps these governors from being a tree: the first of it, or None if they are one.

    Example:
        >>> fault((1, None))
        >>> fault((1, 0, None))
        'words 1 and 2 govern one another in a cycle'
    """
    n_roots = sum(governor is None for governor in governors)
    if n_roots != 1:
        return f"{n_roots} roots, wanted one"
    for word, governor in enumerate(governors):
        if governor is not None and not 0 <= governor < len(governors):
            return f"the governor of word {word + 1} is {governor + 1}, of {len(governors)} words"
    return _cycle(governors)


def _cycle(governors: tuple[int | None, ...]) -> str | None:
    reaches_root: set[int] = set()
    for word in range(len(governors)):
        path: list[int] = []
        above: int | None = word
        while above is not None and above not in reaches_root:
            if above in path:
                ring = sorted(path[path.index(above) :])
                return f"words {_listed(ring)} govern one another in a cycle"
            path.append(above)
            above = governors[above]
        reaches_root.update(path)
    return None


def _listed(ring: list[int]) -> str:
    numbers = [str(word + 1) for word in ring]
    return numbers[0] if len(numbers) == 1 else f"{', '.join(numbers[:-1])} and {numbers[-1]}"
