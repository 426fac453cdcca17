"""What a head is asked about: one relation in one direction, or one behaviour."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Int

from bertattn.attention import Kind, Tokens
from bertattn.reducer import Batch
from bertattn.syntax import DIRECTIONS, Direction
from bertattn.syntax.arcs import Arcs, arcs_of, sentence_of

NEIGHBOURS = {"to_previous": -1, "to_self": 0, "to_next": 1}
MARKS = {
    "to_start": Kind.START,
    "to_separator": Kind.SEPARATOR,
    "to_punctuation": Kind.PUNCTUATION,
}
FIRST = "to_first"
ENDS = {
    "to_previous": "the one before it",
    "to_self": "itself",
    "to_next": "the one after it",
    FIRST: "the first one",
    "to_start": "the start token",
    "to_separator": "the separator",
    "to_punctuation": "full stops and commas",
}
BEHAVIOURS = tuple(ENDS)


@dataclass(frozen=True)
class Topic:
    """From which words to which attention is looked at.

    Attributes:
        name: A relation, or one of ``BEHAVIOURS``, which are named as the measures of section 3.
        direction: Who attends to whom along a relation; None for a behaviour.

    Raises:
        ValueError: If a relation comes without a direction, or a behaviour with one.

    Example:
        >>> print(Topic("dobj", "dependent->governor"), Topic("to_previous"), sep="; ")
        dobj, dependent->governor; to previous
    """

    name: str
    direction: Direction | None = None

    def __post_init__(self) -> None:
        if (self.name in BEHAVIOURS) != (self.direction is None):
            known = ", ".join(BEHAVIOURS)
            raise ValueError(
                f"wanted a relation with a direction ({' or '.join(DIRECTIONS)}), or one of "
                f"{known} without, got {self.name!r} with {self.direction}"
            )

    def __str__(self) -> str:
        if self.direction is None:
            return self.note
        return f"{self.name}, {self.direction}"

    @property
    def note(self) -> str:
        """What it is, in a word or two."""
        return self.name.replace("_", " ")

    @property
    def about(self) -> str:
        """What is looked at, in words.

        Example:
            >>> Topic("dobj", "governor->dependent").about
            'attention from a word to its dobj'
        """
        match self.direction:
            case None:
                return f"attention from a word to {ENDS[self.name]}"
            case "dependent->governor":
                return f"attention from a word that is {self.name} to the word it depends on"
        return f"attention from a word to its {self.name}"


@dataclass(frozen=True, eq=False)
class Pairs:
    """Who is asked about whom in a batch, in the order of its inputs.

    Attributes:
        input: The number of the input.
        from_word: The word that looks.
        to_word: The word that it is asked about; -1 for a special token or a kind of mark.
    """

    input: Int[np.ndarray, " pair"]
    from_word: Int[np.ndarray, " pair"]
    to_word: Int[np.ndarray, " pair"]

    def __len__(self) -> int:
        return len(self.input)

    def where(self, chosen: Bool[np.ndarray, " pair"]) -> "Pairs":
        """Some of them."""
        return Pairs(self.input[chosen], self.from_word[chosen], self.to_word[chosen])


def arcs_in(batch: Batch, poss_rule: bool) -> tuple[Arcs, dict[str, int]]:
    """The arcs of a batch of parsed sentences, and the numbers of their relations."""
    names = {name: None for t in batch.tokens for name in sentence_of(t.source).relations}
    numbers = {name: number for number, name in enumerate(dict.fromkeys([*names, "root"]))}
    return arcs_of(batch, numbers, poss_rule)[0], numbers


def pairs_of(topic: Topic, batch: Batch, arcs: Arcs, numbers: dict[str, int]) -> Pairs:
    """Who is asked about whom.

    Along a relation: both ends of each arc that can be seen, the word asked for a possessor being
    the possessive after it if the arcs say so (``syntax.arcs``). Otherwise every word with pieces,
    about its neighbour, the first word if that is another, or the tokens of a kind if there are
    such.
    """
    if topic.direction is not None:
        of = arcs.relation == numbers.get(topic.name, -1)
        way = DIRECTIONS.index(topic.direction)
        kept = np.flatnonzero(of & arcs.visible[way] & (arcs.governor >= 0))
        ends = arcs.asked[kept], arcs.governor[kept]
        return Pairs(arcs.input[kept], *(ends if way == 0 else ends[::-1]))
    rows = [_behaving(topic.name, number, t) for number, t in enumerate(batch.tokens)]
    return Pairs(*np.concatenate(rows).T)


def _behaving(name: str, number: int, tokens: Tokens) -> Int[np.ndarray, "pair three"]:
    present = np.setdiff1d(np.arange(len(tokens.words)), tokens.words_without_pieces)
    if name in MARKS:
        there = present if (tokens.kinds == MARKS[name]).any() else present[:0]
        to_word = np.full(len(there), -1)
    elif name == FIRST:
        there, to_word = present[1:], np.full(len(present) - 1, present[0])
    else:
        to_word = present + NEIGHBOURS[name]
        kept = np.isin(to_word, present)
        there, to_word = present[kept], to_word[kept]
    return np.stack([np.full(len(there), number), there, to_word], axis=1).astype(np.int64)
