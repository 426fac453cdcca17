"""Do two matrices of distances between the same heads go together? (Mantel 1967)."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Num

from bertattn.clusters.distances import pairs

N_PERMUTATIONS = 9999
CHUNK = 2_000_000  # entries held at a time


@dataclass(frozen=True)
class Mantel:
    """A correlation of distances, and how often shuffled heads reach it.

    Attributes:
        correlation: Pearson's, over pairs of heads; NaN where one of the two does not vary.
        p: The share of permutations with at least as large a correlation, the one found among
            them: of larger distances going together.
        n_permutations: How many.
    """

    correlation: float
    p: float
    n_permutations: int


def mantel(
    first: Num[np.ndarray, "head head"],
    second: Num[np.ndarray, "head head"],
    n_permutations: int = N_PERMUTATIONS,
    seed: int = 0,
) -> Mantel:
    """The Mantel test: pairs share heads and are not independent, so heads are shuffled, not pairs.

    Args:
        first: Distances.
        second: Other distances between the same heads; the heads of this one are shuffled.
        n_permutations: How often.
        seed: Of the permutations.

    Example:
        >>> line = abs(np.subtract.outer(np.arange(6.0), np.arange(6.0)))
        >>> found = mantel(line, line, n_permutations=99)
        >>> round(found.correlation, 3), found.p <= 0.05
        (1.0, True)
    """
    x, y = (pairs(matrix).astype(np.float64) for matrix in (first, second))
    if len(x) < 2 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return Mantel(float("nan"), float("nan"), n_permutations)
    x = (x - x.mean()) / np.linalg.norm(x - x.mean())
    scale, middle = np.linalg.norm(y - y.mean()), y.mean()
    observed = float(x @ (y - middle) / scale)
    rng = np.random.default_rng(seed)
    at_least = 0
    step = max(1, CHUNK // len(x))
    for start in range(0, n_permutations, step):
        n = min(step, n_permutations - start)
        order = rng.permuted(np.tile(np.arange(len(first)), (n, 1)), axis=1)
        i, j = np.triu_indices(len(first), 1)
        shuffled = (second[order[:, i], order[:, j]] - middle) @ x / scale
        at_least += int((shuffled >= observed - 1e-12).sum())
    return Mantel(observed, (1 + at_least) / (1 + n_permutations), n_permutations)
