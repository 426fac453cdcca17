"""How far apart heads are: all pairs, within and between layers, the nearest of each."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Bool, Float, Int, Num, Shaped

from bertattn.clusters.jensen_shannon import LOG_2
from bertattn.heads import AttentionHead, all_heads
from bertattn.stats import Estimate, mean_by_group

EQUAL = 1e-6  # nats: below this two heads are the same, as far as float32 can tell


@dataclass(frozen=True, eq=False)
class Distances:
    """The Jensen-Shannon divergence between heads, in nats a token.

    Attributes:
        sums: Over rows, by group of documents.
        n_rows: How many rows each group has.
        n_layers: How many layers the model has.
        n_inputs: How many inputs they come from.
    """

    sums: Float[np.ndarray, "group head head"]
    n_rows: Int[np.ndarray, " group"]
    n_layers: int
    n_inputs: int = 0

    @cached_property
    def matrix(self) -> Float[np.ndarray, "head head"]:
        """The mean over rows, from 0 to ln 2; heads layer by layer."""
        matrix = np.clip(self.sums.sum(axis=0) / self.n_rows.sum(), 0, LOG_2)
        np.fill_diagonal(matrix, 0)
        return matrix

    @property
    def root(self) -> Float[np.ndarray, "head head"]:
        """The square root of the divergence, which is a metric (Endres and Schindelin 2003)."""
        return np.sqrt(self.matrix)

    @property
    def heads(self) -> list[AttentionHead]:
        """The heads, in the order of rows and columns."""
        return all_heads(self.n_layers, len(self.matrix) // self.n_layers)

    @property
    def layers(self) -> Int[np.ndarray, " head"]:
        """Each head's layer, counted from 0."""
        return np.repeat(np.arange(self.n_layers), len(self.matrix) // self.n_layers)

    @property
    def all_equal(self) -> bool:
        """Whether no two heads can be told apart."""
        return bool(self.matrix.max() < EQUAL)

    @cached_property
    def estimate(self) -> Estimate:
        """The mean and its interval by groups of documents, for every pair."""
        counts = np.broadcast_to(self.n_rows[:, None, None], self.sums.shape)
        return mean_by_group(self.sums, counts)

    def among(self, places: Int[np.ndarray, " some"]) -> "Distances":
        """The distances between some heads, given by their places; layers are lost."""
        sums = self.sums[:, places[:, None], places]
        return Distances(sums, self.n_rows, 1, self.n_inputs)

    def part(self, groups: Num[np.ndarray, " part"]) -> "Distances":
        """The distances on some of the groups, given by their places."""
        return Distances(self.sums[groups], self.n_rows[groups], self.n_layers, self.n_inputs)

    def nearest(self, attn_head: AttentionHead, n: int = 3) -> list[AttentionHead]:
        """The heads that are nearest to one, the nearest first; of equals the first."""
        place = self.heads.index(attn_head)
        order = np.argsort(self.matrix[place], kind="stable")
        return [self.heads[i] for i in order if i != place][:n]


def pairs(matrix: Shaped[np.ndarray, "head head"]) -> Shaped[np.ndarray, " pair"]:
    """Each pair of heads once: the entries above the diagonal, row by row.

    Example:
        >>> pairs(np.array([[0, 1, 2], [1, 0, 3], [2, 3, 0]])).tolist()
        [1, 2, 3]
    """
    return matrix[np.triu_indices(len(matrix), 1)]


def layer_difference(distances: Distances) -> Int[np.ndarray, "head head"]:
    """How many layers lie between two heads: 0 within a layer."""
    return abs(distances.layers[:, None] - distances.layers)


def within_and_between(
    distances: Distances, labels: Shaped[np.ndarray, " head"] | None = None
) -> Estimate:
    """The mean distance within groups of heads, between groups, and between less within.

    NaN where there is no such pair. Intervals are by groups of documents: they speak of other text,
    not of other heads.

    Args:
        distances: The distances.
        labels: The group of each head; None: its layer.
    """
    labels = distances.layers if labels is None else labels
    within, between = _means(distances, pairs(np.equal.outer(labels, labels)))
    return _estimate(distances, np.stack([within, between, between - within], axis=1))


def by_layer_difference(distances: Distances) -> Estimate:
    """The mean distance of heads that are 0, 1, 2, ... layers apart."""
    apart = pairs(layer_difference(distances))
    columns = [_means(distances, apart == d)[0] for d in range(distances.n_layers)]
    return _estimate(distances, np.stack(columns, axis=1))


def _means(distances: Distances, chosen: Bool[np.ndarray, " pair"]) -> tuple:
    """Sums over rows of the mean over chosen pairs, and over the others, for each group."""
    of_pairs = distances.sums[:, *np.triu_indices(len(distances.matrix), 1)]
    return tuple(
        of_pairs[:, mask].mean(axis=1) if mask.any() else np.full(len(of_pairs), np.nan)
        for mask in (chosen, ~chosen)
    )


def _estimate(distances: Distances, sums: Float[np.ndarray, "group value"]) -> Estimate:
    counts = np.broadcast_to(distances.n_rows[:, None], sums.shape)
    return mean_by_group(sums, counts)
