"""Does the best head find antecedents, or mentions of the right kind at the right distance?

Which of the mentions before are antecedents is shuffled among those of one kind and about one
distance, and the best of all heads and directions is chosen anew. A head that looks for the pronoun
a few words back loses nothing by that; one that knows who is meant does.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from bertattn import stats
from bertattn.coref.counts import Guesses
from bertattn.coref.items import DISTANCES
from bertattn.coref.scores import ALL
from bertattn.corpora.mentions import KINDS

N_SWAPS = 499


@dataclass(frozen=True, eq=False)
class Null:
    """What the best head scores, and what it scores on shuffled entities.

    Attributes:
        kinds: "all" and each kind of mention.
        observed: The best head's accuracy.
        shuffled: The same after each shuffle, the best head chosen anew.
    """

    kinds: tuple[str, ...]
    observed: Float[np.ndarray, " kind"]
    shuffled: Float[np.ndarray, "shuffle kind"]

    @property
    def p_values(self) -> Float[np.ndarray, " kind"]:
        """How often shuffling does as well, counted with the observed one itself."""
        as_good = (self.shuffled >= self.observed - 1e-12).sum(axis=0)
        return (1 + as_good) / (1 + len(self.shuffled))

    @property
    def adjusted(self) -> Mapping[str, float]:
        """Holm's p-value for each kind, for all of them together."""
        return dict(zip(self.kinds, stats.holm(self.p_values).tolist(), strict=True))


def shuffle_entities(
    guesses: Sequence[Guesses], *, n_shuffles: int = N_SWAPS, seed: int = 0
) -> Null:
    """Shuffle antecedents among mentions of one kind and distance, again and again.

    Args:
        guesses: Kept guesses (``CorefCounts.guesses``), among all words.
        n_shuffles: How many times.
        seed: Of the shuffles.

    Raises:
        ValueError: If no guesses were kept.
    """
    if not guesses:
        raise ValueError("no guesses were kept; count with keep=")
    strata, flags, chosen, kinds, sources = _pairs(guesses)
    names = (ALL, *(k for number, k in enumerate(KINDS) if (kinds == number).any()))
    members = [np.ones(len(kinds), bool) if n == ALL else kinds == KINDS.index(n) for n in names]
    rng = np.random.default_rng(seed)
    first = np.lexsort((~flags, strata))  # by stratum, antecedents first
    best = np.empty((n_shuffles + 1, len(names)))
    for number in range(n_shuffles + 1):
        shuffled = flags.copy()
        if number:
            drawn = rng.random(sources.max() + 1)[sources]
            shuffled[np.lexsort((drawn, strata))] = flags[first]
        hits = np.append(shuffled, False)[chosen]
        best[number] = [hits[m].mean(axis=0).max() for m in members]
    return Null(names, best[0], best[1:])


def _pairs(guesses: Sequence[Guesses]) -> tuple[np.ndarray, ...]:
    """Asked mentions with those before them: stratum, antecedent or not; and what heads chose.

    What a head chose is the number of the pair, or that of none for words that are no mention.
    Last, a number for each window, entity and mention before: mentions of one entity share their
    antecedents, so a shuffle must give them the same ones.
    """
    strata: list[tuple[int, int, int]] = []
    sources: list[tuple[int, str, int]] = []
    flags: list[bool] = []
    rows: list[np.ndarray] = []
    kinds: list[int] = []
    for window, one in enumerate(guesses):
        heads = {m.head_word: KINDS.index(m.kind) for m in one.window.mentions}
        for item, (own, kind) in enumerate(zip(one.head_words, one.kinds, strict=True)):
            entity = next(m.entity for m in one.window.asked if m.head_word == own)
            lookup = np.full(len(one.window.words), -1, dtype=np.int64)
            for place, of_kind in heads.items():
                if place < own:
                    lookup[place] = len(flags)
                    back = int(np.searchsorted(DISTANCES, own - place))
                    strata.append((len(rows), of_kind, back))
                    flags.append(place in one.right[item])
                    sources.append((window, entity, place))
            rows.append(lookup[one.chosen[..., item].ravel()])
            kinds.append(kind)
    _, numbers = np.unique(np.array(strata).reshape(-1, 3), axis=0, return_inverse=True)
    chosen = np.stack(rows)
    chosen[chosen < 0] = len(flags)
    index: dict[tuple[int, str, int], int] = {}
    shared = np.array([index.setdefault(source, len(index)) for source in sources])
    return numbers.ravel(), np.array(flags), chosen, np.array(kinds), shared
