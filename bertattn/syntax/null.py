"""Could a head score as well without looking at the sentence's words?

The maps of each sentence are swapped for those of another one with as many words: positions stay,
content is destroyed. A head that attends by position alone loses nothing by that. The statistic is
the accuracy of the best of all heads and directions: the choice is tested, not one head.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from bertattn import stats
from bertattn.syntax.arcs import possessor_asks
from bertattn.syntax.guesses import Guesses

N_SWAPS = 999


@dataclass(frozen=True, eq=False)
class Null:
    """What the best head scores on its own sentences, and on swapped ones.

    Attributes:
        relations: The relations.
        observed: The best head's accuracy.
        swapped: The same after each swap, the best head chosen anew.
        n_sentences: How many sentences could be swapped.
        n_alone: How many could not: no other has their length.
    """

    relations: tuple[str, ...]
    observed: Float[np.ndarray, " relation"]
    swapped: Float[np.ndarray, "swap relation"]
    n_sentences: int
    n_alone: int

    @property
    def p_values(self) -> Float[np.ndarray, " relation"]:
        """How often swapping does as well, counted with the observed one itself."""
        as_good = (self.swapped >= self.observed - 1e-12).sum(axis=0)
        return (1 + as_good) / (1 + len(self.swapped))

    @property
    def adjusted(self) -> Mapping[str, float]:
        """Holm's p-value for each relation, for all relations together."""
        return dict(zip(self.relations, stats.holm(self.p_values).tolist(), strict=True))


def swap_maps(
    guesses: Sequence[Guesses],
    relations: Sequence[str],
    *,
    poss_rule: bool = True,
    n_swaps: int = N_SWAPS,
    seed: int = 0,
) -> Null:
    """Swap maps between sentences of equal length, again and again.

    Args:
        guesses: Kept predictions (``SyntaxCounts.guesses``).
        relations: Which relations to test.
        poss_rule: As in the counts.
        n_swaps: How many times; the least p-value is one in so many and one.
        seed: Of the swaps.

    Raises:
        ValueError: If no two sentences have the same length.
    """
    by_length: dict[int, list[Guesses]] = defaultdict(list)
    for one in guesses:
        by_length[len(one.sentence)].append(one)
    classes = [same for _, same in sorted(by_length.items()) if len(same) > 1]
    if not classes:
        raise ValueError("no two sentences have the same number of words; give more sentences")
    rng = np.random.default_rng(seed)
    relations = tuple(dict.fromkeys(relations))
    n_relations, n_heads = len(relations), guesses[0].governors[..., 0].size
    right = np.zeros((n_swaps + 1, n_relations, n_heads), dtype=np.int32)
    total = np.zeros(n_relations, dtype=np.int64)
    index = {name: number for number, name in enumerate(relations)}
    for same in classes:
        hits, n_arcs = _hits(same, index, poss_rule)
        total += n_arcs
        right[0] += hits[np.arange(len(same)), np.arange(len(same))].sum(axis=0)
        for swap in range(1, n_swaps + 1):
            right[swap] += hits[np.arange(len(same)), rng.permutation(len(same))].sum(axis=0)
    best = right.max(axis=2) / np.maximum(total, 1)
    n_swapped = sum(map(len, classes))
    alone = len(guesses) - n_swapped
    return Null(tuple(relations), best[0], best[1:], n_swapped, alone)


def _hits(
    same: list[Guesses], index: Mapping[str, int], poss_rule: bool
) -> tuple[Int[np.ndarray, "sentence maps relation head"], Int[np.ndarray, " relation"]]:
    """How many arcs of each sentence every head gets right with the maps of each."""
    n_words, n_heads = len(same[0].sentence), same[0].governors[..., 0].size
    predicted = np.stack([one.governors.reshape(n_heads, n_words) for one in same])
    hits = np.zeros((len(same), len(same), len(index), n_heads), dtype=np.int16)
    total = np.zeros(len(index), dtype=np.int64)
    for number, one in enumerate(same):
        for word, governor, relation in one.sentence.arcs:
            if relation in index:
                asked = possessor_asks(one.sentence, word) if poss_rule else word
                hits[number, :, index[relation]] += predicted[:, :, asked] == governor
                total[index[relation]] += 1
    return hits, total
