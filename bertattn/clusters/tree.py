"""Heads in a tree: average linkage, its cuts, and whether groups are groups at all."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int, Num, Shaped
from scipy.cluster.hierarchy import cophenet, fcluster, leaves_list, linkage

from bertattn.clusters.distances import EQUAL, pairs

N_SHUFFLES = 999


@dataclass(frozen=True, eq=False)
class Tree:
    """Heads joined two by two, those nearest on average first (average linkage).

    Attributes:
        matrix: The distances.
        links: Each joining as scipy has it: the two that are joined, their distance, their size.
    """

    matrix: Float[np.ndarray, "head head"]
    links: Float[np.ndarray, "link four"]

    @classmethod
    def of(cls, matrix: Float[np.ndarray, "head head"]) -> "Tree":
        """The tree of a matrix of distances; without links if there is one head."""
        if len(matrix) < 2:
            return cls(matrix, np.zeros((0, 4)))
        return cls(matrix, linkage(pairs(matrix), method="average"))

    @property
    def order(self) -> Int[np.ndarray, " head"]:
        """The heads as the tree's leaves stand."""
        return leaves_list(self.links).astype(np.int64) if len(self.links) else np.arange(1)

    def cut(self, n_clusters: int) -> Int[np.ndarray, " head"]:
        """The number of each head's cluster, from 1, in the order of the leaves.

        There may be fewer clusters than were asked for: equal heads are never parted.

        Raises:
            ValueError: If there are fewer heads than clusters.
        """
        if not 1 <= n_clusters <= len(self.matrix):
            raise ValueError(f"wanted 1 to {len(self.matrix)} clusters, got {n_clusters}")
        if not len(self.links) or self.matrix.max() < EQUAL:
            return np.ones(len(self.matrix), dtype=np.int64)
        numbers = fcluster(self.links, n_clusters, criterion="maxclust")
        _, first, inverse = np.unique(numbers[self.order], return_index=True, return_inverse=True)
        ranks = np.argsort(np.argsort(first)) + 1
        found = np.empty(len(numbers), dtype=np.int64)
        found[self.order] = ranks[inverse]
        return found

    @property
    def faithfulness(self) -> float:
        """Cophenetic correlation (Sokal and Rohlf 1962): of pairs' distances with their heights.

        The height of two heads is the distance at which the tree joins their groups. NaN if all
        distances are equal.

        Example:
            >>> line = np.array([0.0, 1.0, 3.0])
            >>> tree = Tree.of(abs(np.subtract.outer(line, line)))
            >>> round(tree.faithfulness, 3)  # heights 1, 2.5 and 2.5 for distances 1, 3 and 2
            0.866
        """
        given = pairs(self.matrix)
        if len(given) < 2 or np.ptp(given) < EQUAL:
            return float("nan")
        return float(np.corrcoef(cophenet(self.links), given)[0, 1])


def silhouette(matrix: Num[np.ndarray, "head head"], labels: Shaped[np.ndarray, " head"]) -> float:
    """How well groups are set apart, from -1 to 1 (Rousseeuw 1987); near 0 they overlap.

    For each head (b - a) / max(a, b), with a its mean distance to its group and b that to the
    nearest other group; 0 for a head alone in its group. NaN unless there are from 2 groups up to
    one fewer than heads.

    Example:
        >>> line = np.array([0.0, 1.0, 10.0, 11.0])
        >>> far = abs(np.subtract.outer(line, line))
        >>> round(silhouette(far, np.array([1, 1, 2, 2])), 2)
        0.9
    """
    names, group = np.unique(labels, return_inverse=True)
    if not 2 <= len(names) < len(labels):
        return float("nan")
    member = np.equal.outer(group, np.arange(len(names)))  # [head, group]
    sums, sizes = matrix @ member, member.sum(axis=0)
    alone = sizes[group] == 1
    own = sums[member] / np.maximum(sizes[group] - 1, 1)
    other = np.where(member, np.inf, sums / sizes).min(axis=1)
    larger = np.maximum(own, other)
    score = np.divide(other - own, larger, out=np.zeros_like(own), where=(larger > 0) & ~alone)
    return float(score.mean())


@dataclass(frozen=True)
class Silhouette:
    """How well given groups are set apart, beside groups of the same sizes dealt out at random.

    Attributes:
        score: The mean silhouette; NaN where groups have none.
        by_chance: The mean over shuffled labels.
        p: The share of shuffles that reach the score, the one found among them.
        n_groups: How many groups.
    """

    score: float
    by_chance: float
    p: float
    n_groups: int


def silhouette_test(
    matrix: Num[np.ndarray, "head head"],
    labels: Shaped[np.ndarray, " head"],
    n_shuffles: int = N_SHUFFLES,
    seed: int = 0,
) -> Silhouette:
    """The silhouette of groups that were not made from the distances, and what chance gives.

    Groups that were made from them, such as a tree's, beat chance always: their p means nothing.
    """
    score, n_groups = silhouette(matrix, labels), len(np.unique(labels))
    if np.isnan(score):
        return Silhouette(score, float("nan"), float("nan"), n_groups)
    rng = np.random.default_rng(seed)
    shuffled = np.array([silhouette(matrix, rng.permutation(labels)) for _ in range(n_shuffles)])
    p = (1 + (shuffled >= score - 1e-12).sum()) / (1 + n_shuffles)
    return Silhouette(score, float(shuffled.mean()), float(p), n_groups)
