"""What is asked of heads: one relation's counts, for every head and every rule."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from bertattn.heads import AttentionHead
from bertattn.syntax import rules
from bertattn.syntax.arcs import DIRECTIONS, PUNCTUATION, ROOT, Direction
from bertattn.syntax.counts import SyntaxCounts

ALL = "All"
MIN_COUNT = 50
N_OFFSETS = len(rules.OFFSETS)


@dataclass(frozen=True, eq=False)
class Questions:
    """One relation's counts by group, for every head and every rule.

    Attributes:
        relation: The relation, or "All".
        directions: In which directions heads are asked: both, but one at a time for a decoder,
            whose heads see other arcs in each.
        shape: Directions, layers and heads of the heads' columns.
        right: Right answers of each head.
        right_rules: Right answers of each rule, on the same arcs.
        total: Arcs.
        n_words: Words, each of which gets a prediction.
        classed: Whether the words have parts of speech, without which no nearest word of a class
            can be told.
    """

    relation: str
    directions: tuple[Direction, ...]
    shape: tuple[int, int, int]
    right: Int[np.ndarray, "group head"]
    right_rules: Int[np.ndarray, "group rule"]
    total: Int[np.ndarray, "group one"]
    n_words: int
    classed: bool = True

    @property
    def n(self) -> int:
        """How many arcs there are."""
        return int(self.total.sum())

    def head(self, candidate: int) -> tuple[AttentionHead, Direction]:
        """Which head, in which direction, a column is."""
        direction, layer, index = np.unravel_index(candidate, self.shape)
        return AttentionHead(int(layer), int(index)), self.directions[int(direction)]


def questions(
    counts: SyntaxCounts, *, punct: bool = False, root: bool = False, min_count: int = MIN_COUNT
) -> list[Questions]:
    """Every relation that is frequent enough, the commonest first, after "All".

    Args:
        counts: What was counted.
        punct: Whether punctuation is scored, as a relation and in "All".
        root: The same of the root, which no head can predict.
        min_count: How many arcs a relation needs.
    """
    scored = [
        number
        for number, name in enumerate(counts.relations)
        if (punct or name != PUNCTUATION) and (root or name != ROOT)
    ]
    blind = bool((counts.total[..., 0] != counts.total[..., 1]).any())
    found = []
    for directions in ([0], [1]) if blind else ([0, 1],):
        found.append(_questions(counts, ALL, scored, directions))
        found += [_questions(counts, counts.relations[n], [n], directions) for n in scored]
    found = [q for q in found if q.n >= min_count]
    return sorted(found, key=lambda q: (q.relation != ALL, -q.n, q.relation))


def _questions(
    counts: SyntaxCounts, name: str, relations: list[int], directions: list[int]
) -> Questions:
    right = counts.right[:, relations][:, :, directions].sum(axis=1, dtype=np.int64)
    first = directions[0]
    return Questions(
        name,
        tuple(DIRECTIONS[d] for d in directions),
        right.shape[1:],
        right.reshape(len(right), -1),
        counts.right_rules[:, relations, first].sum(axis=1, dtype=np.int64),
        counts.total[:, relations, first].sum(axis=1, dtype=np.int64)[:, None],
        int(counts.n_words.sum()),
        bool(2 * counts.n_classed.sum() >= counts.n_words.sum()),
    )


def known_to(
    counts: SyntaxCounts, attn_head: AttentionHead, direction: Direction, min_count: int = MIN_COUNT
) -> dict[str, tuple[int, int, float]]:
    """What one head finds of each relation: right answers, arcs, the best offset's accuracy."""
    found = {}
    for question in questions(counts, min_count=min_count):
        if direction in question.directions:
            place = (question.directions.index(direction), attn_head.layer, attn_head.index)
            column = int(np.ravel_multi_index(place, question.shape))
            offsets = question.right_rules[:, :N_OFFSETS].sum(axis=0)
            n_right = int(question.right[:, column].sum())
            found[question.relation] = n_right, question.n, float(offsets.max() / question.n)
    return found


def gains(counts: SyntaxCounts, min_count: int = MIN_COUNT) -> Float[np.ndarray, "layer head"]:
    """How far each head is over the best fixed offset in the relation where it is furthest.

    Punctuation, the root and "All" are not asked. The largest over relations and directions, and so
    a number that flatters: choose by it on some documents, and score on others. NaN where no
    relation is frequent enough.

    Args:
        counts: What was counted.
        min_count: How many arcs a relation needs.
    """
    most = np.full(counts.right.shape[-2:], np.nan)
    for question in questions(counts, min_count=min_count):
        if question.relation != ALL:
            offset = question.right_rules[:, :N_OFFSETS].sum(axis=0).max()
            over = (question.right.sum(axis=0) - offset) / question.n
            most = np.fmax(most, over.reshape(question.shape).max(axis=0))
    return most
