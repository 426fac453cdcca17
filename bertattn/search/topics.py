"""What a head is asked about: one relation in one direction, or one behaviour."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Int

from bertattn.attention import Kind, Tokens
from bertattn.reducer import Batch
from bertattn.syntax import DIRECTIONS, Direction, possessor_asks
from bertattn.syntax.arcs import POSSESSORS, Arcs, arcs_of, sentence_of

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
        ValueError: If a relation comes without a direction that there is, or a behaviour with one.

    Example:
        >>> print(Topic("dobj", "dependent->governor"), Topic("to_previous"), sep="; ")
        dobj, dependent->governor; to previous
    """

    name: str
    direction: Direction | None = None

    def __post_init__(self) -> None:
        wanted = (None,) if self.name in BEHAVIOURS else DIRECTIONS
        if self.direction not in wanted:
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
        """What is looked at, in words; possessors are asked as the counts ask them.

        Example:
            >>> Topic("dobj", "governor->dependent").about
            'attention from a word to its dobj'
            >>> Topic("poss", "governor->dependent").about
            'attention from a word to its poss (to the possessive after it, if there is one)'
        """
        asked = " ({} the possessive after it, if there is one)" * (self.name in POSSESSORS)
        match self.direction:
            case None:
                return f"attention from a word to {ENDS[self.name]}"
            case "dependent->governor":
                dependent = f"a word that is {self.name}{asked.format('from')}"
                return f"attention from {dependent} to the word it depends on"
        return f"attention from a word to its {self.name}{asked.format('to')}"


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
    such; in a decoder only what is not later than the word that looks.
    """
    if topic.direction is not None:
        of = arcs.relation == numbers.get(topic.name, -1)
        way = DIRECTIONS.index(topic.direction)
        kept = np.flatnonzero(of & arcs.visible[way] & (arcs.governor >= 0))
        ends = arcs.asked[kept], arcs.governor[kept]
        return Pairs(arcs.input[kept], *(ends if way == 0 else ends[::-1]))
    pairs, seen = _behaving(topic.name, batch)
    return pairs.where(seen)


def unseen_of(topic: Topic, batch: Batch, seen: Pairs, poss_rule: bool) -> Pairs:
    """The pairs that ``pairs_of`` leaves out: a word without pieces, or later in a decoder's text.

    Args:
        topic: What is asked about.
        batch: The inputs.
        seen: What ``pairs_of`` gives.
        poss_rule: Whether a possessor is asked by the possessive after it.
    """
    if topic.direction is None:
        pairs, can_be_seen = _behaving(topic.name, batch)
        return pairs.where(~can_be_seen)
    known = set(zip(*(column.tolist() for column in vars(seen).values()), strict=True))
    rows = []
    for number, tokens in enumerate(batch.tokens):
        sentence = sentence_of(tokens.source)
        for word, governor, name in sentence.arcs:
            ends = (possessor_asks(sentence, word) if poss_rule else word, governor)
            row = (number, *(ends if topic.direction == DIRECTIONS[0] else ends[::-1]))
            if name == topic.name and row not in known:
                rows.append(row)
    return Pairs(*np.array(rows, dtype=np.int64).reshape(-1, 3).T)


def _behaving(name: str, batch: Batch) -> tuple[Pairs, Bool[np.ndarray, " pair"]]:
    """Every word and what a behaviour asks it about, and whether attention can be there."""
    rows = []
    for number, tokens in enumerate(batch.tokens):
        there, to_word, seen = _behaving_in(name, tokens, batch.causal)
        rows.append(np.stack([np.full(len(there), number), there, to_word, seen]))
    columns = np.concatenate(rows, axis=1).astype(np.int64)
    return Pairs(*columns[:3]), columns[3] == 1


def _behaving_in(name: str, tokens: Tokens, causal: bool) -> tuple[np.ndarray, ...]:
    words = np.arange(len(tokens.words))
    has_pieces = ~np.isin(words, tokens.words_without_pieces)
    if name in MARKS:
        there = words if (tokens.kinds == MARKS[name]).any() else words[:0]
        seen = has_pieces & (_ends_after_first(tokens, MARKS[name]) | (not causal))
        return there, np.full(len(there), -1), seen[there]
    if name == FIRST:
        first = int(has_pieces.argmax())
        there = words[words != first]
        return there, np.full(len(there), first), has_pieces[there]
    to_word = words + NEIGHBOURS[name]
    kept = np.isin(to_word, words)
    there, to_word = words[kept], to_word[kept]
    seen = has_pieces[there] & has_pieces[to_word]
    return there, to_word, seen & (to_word <= there) if causal else seen


def _ends_after_first(tokens: Tokens, kind: Kind) -> Bool[np.ndarray, " word"]:
    """Which words have a piece at the first token of a kind or after it."""
    later = tokens.unit_of[np.logical_or.accumulate(tokens.kinds == kind)]
    return np.isin(np.arange(len(tokens.words)), later)
