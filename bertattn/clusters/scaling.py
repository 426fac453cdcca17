"""Heads on a map: multidimensional scaling, and how far to believe it."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from scipy.spatial import procrustes
from scipy.spatial.distance import pdist
from scipy.stats import spearmanr

from bertattn.clusters.distances import EQUAL, Distances, pairs

N_STARTS = 4
KRUSKAL = {0.0: "perfect", 0.025: "excellent", 0.05: "good", 0.1: "fair", 0.2: "poor"}


@dataclass(frozen=True, eq=False)
class Layout:
    """Points in the plane whose distances are near to those that were given.

    Directions mean nothing: a map may be turned and mirrored. Here its longest axis lies across.

    Attributes:
        coordinates: Of each head.
        stress: Kruskal's stress-1 (1964); 0 if all heads are equal.
        rank_correlation: Spearman's, of map distances and those given, over pairs; NaN where either
            does not vary.
    """

    coordinates: Float[np.ndarray, "head two"]
    stress: float
    rank_correlation: float

    @property
    def between(self) -> Float[np.ndarray, " pair"]:
        """The distances on the map."""
        return pdist(self.coordinates)

    @property
    def verdict(self) -> str:
        """The stress in Kruskal's words, rounded as it is printed."""
        return verdict(round(self.stress, 3))


def verdict(stress: float) -> str:
    """Kruskal's words for a stress, by the worst point of his scale that it keeps to.

    He made the scale for nonmetric scaling of few things (Kruskal 1964, table 1), so it is a guide.

    Example:
        >>> verdict(0.04), verdict(0.21)
        ('good', 'worse than poor')
    """
    return next((word for most, word in KRUSKAL.items() if stress <= most), "worse than poor")


def stress_1(on_map: Float[np.ndarray, " pair"], given: Float[np.ndarray, " pair"]) -> float:
    """Kruskal's stress-1: the root of squared differences over squared map distances.

    Example:
        >>> round(stress_1(np.array([3.0, 4.0]), np.array([3.0, 3.0])), 3)  # sqrt(1 / 25)
        0.2
    """
    total = (on_map**2).sum()
    return float(np.sqrt(((on_map - given) ** 2).sum() / total)) if total else 0.0


def layout(
    matrix: Float[np.ndarray, "head head"], seed: int = 0, n_starts: int = N_STARTS
) -> Layout:
    """Metric multidimensional scaling to the plane; the best of several starts.

    The first start is classical scaling, the others are random. Heads that are all equal lie on one
    point, with stress 0.

    Args:
        matrix: Distances between heads.
        seed: Of the random starts.
        n_starts: How many starts.
    """
    given = pairs(matrix)
    if not len(given) or given.max() < EQUAL:
        return Layout(np.zeros((len(matrix), 2)), 0.0, float("nan"))
    rng = np.random.default_rng(seed)
    starts = [_classical(matrix)]
    starts += [rng.normal(scale=given.mean(), size=(len(matrix), 2)) for _ in range(1, n_starts)]
    found = [_scaled(matrix, start) for start in starts]
    stresses = [stress_1(pdist(points), given) for points in found]
    best = int(np.argmin(stresses))
    points = _turned(found[best])
    return Layout(points, stresses[best], rank_correlation(pdist(points), given))


def rank_correlation(
    first: Float[np.ndarray, " pair"], second: Float[np.ndarray, " pair"]
) -> float:
    """Spearman's rank correlation; NaN where one of the two does not vary."""
    if len(first) < 2 or np.ptp(first) == 0 or np.ptp(second) == 0:
        return float("nan")
    return float(spearmanr(first, second).statistic)


def _scaled(
    matrix: Float[np.ndarray, "head head"], start: Float[np.ndarray, "head two"]
) -> Float[np.ndarray, "head two"]:
    from sklearn.manifold import smacof

    points, _ = smacof(matrix, init=start, n_init=1, normalized_stress=False)
    return points


def _classical(matrix: Float[np.ndarray, "head head"]) -> Float[np.ndarray, "head two"]:
    """Classical scaling: the two largest components of the doubly centred squared distances."""
    squared = matrix**2
    centred = squared - squared.mean(axis=0) - squared.mean(axis=1)[:, None] + squared.mean()
    values, vectors = np.linalg.eigh(-centred / 2)
    points = vectors[:, :-3:-1] * np.sqrt(np.maximum(values[:-3:-1], 0))
    return np.ascontiguousarray(points)


def _turned(points: Float[np.ndarray, "head two"]) -> Float[np.ndarray, "head two"]:
    """The same map, its middle at 0, its longest axis across, the farthest points positive."""
    points = points - points.mean(axis=0)
    points = points @ np.linalg.svd(points, full_matrices=False)[2].T
    farthest = points[abs(points).argmax(axis=0), [0, 1]]
    return points * np.where(farthest < 0, -1.0, 1.0)


@dataclass(frozen=True)
class Agreement:
    """How alike two maps, or two matrices of distances, are.

    Attributes:
        stress: The second map's.
        maps: Spearman's correlation of pairwise distances on both maps.
        procrustes: What is left of squared differences when one map is turned, mirrored and scaled
            onto the other, from 0 (the same) to 1; NaN if a map is one point.
        distances: Pearson's correlation of the distances given; NaN where they do not vary.
        largest: The largest difference of a distance given, in nats.
    """

    stress: float
    maps: float
    procrustes: float
    distances: float = 1.0
    largest: float = 0.0


def agreement(first: Layout, second: Layout) -> Agreement:
    """Two maps of the same distances; coordinates themselves are never compared."""
    maps = rank_correlation(first.between, second.between)
    return Agreement(second.stress, maps, _disparity(first, second))


def _disparity(first: Layout, second: Layout) -> float:
    if not first.coordinates.any() or not second.coordinates.any():
        return float("nan")
    return float(procrustes(first.coordinates, second.coordinates)[2])


def over_seeds(
    matrix: Float[np.ndarray, "head head"], reference: Layout, n_seeds: int = 10
) -> list[Agreement]:
    """One random start for each seed, each map beside a reference."""
    rng = np.random.default_rng
    given = pairs(matrix)
    if not len(given) or given.max() < EQUAL:
        return []
    found = []
    for seed in range(n_seeds):
        start = rng(seed).normal(scale=given.mean(), size=(len(matrix), 2))
        points = _turned(_scaled(matrix, start))
        stress = stress_1(pdist(points), given)
        other = Layout(points, stress, rank_correlation(pdist(points), given))
        found.append(agreement(reference, other))
    return found


def over_halves(distances: Distances, n_splits: int = 5, seed: int = 0) -> list[Agreement]:
    """Random halves of the groups of documents, their distances and their maps compared.

    Empty with fewer than two groups.
    """
    n_groups = len(distances.n_rows)
    if n_groups < 2:
        return []
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(n_splits):
        order = rng.permutation(n_groups)
        halves = (distances.part(part) for part in np.array_split(order, 2))
        a, b = (half.matrix for half in halves)
        maps = [layout(half, n_starts=1) for half in (a, b)]
        both = agreement(*maps)
        found.append(
            Agreement(both.stress, both.maps, both.procrustes, _pearson(a, b), abs(a - b).max())
        )
    return found


def _pearson(a: Float[np.ndarray, "head head"], b: Float[np.ndarray, "head head"]) -> float:
    x, y = pairs(a), pairs(b)
    if len(x) < 2 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return float("nan")
    return float(np.corrcoef(x, y)[0, 1])
