"""Section 6: which heads attend alike, how far apart they are, and whether they form groups."""

from bertattn.clusters.distances import (
    Distances,
    by_layer_difference,
    layer_difference,
    pairs,
    within_and_between,
)
from bertattn.clusters.jensen_shannon import between_heads, divergence
from bertattn.clusters.permuting import Mantel, mantel
from bertattn.clusters.scaling import (
    Agreement,
    Layout,
    agreement,
    layout,
    over_halves,
    over_seeds,
    rank_correlation,
    stress_1,
    verdict,
)
from bertattn.clusters.sums import DistanceSums, Options, sampled_rows
from bertattn.clusters.tree import Silhouette, Tree, silhouette, silhouette_test

__all__ = [
    "Agreement",
    "DistanceSums",
    "Distances",
    "Layout",
    "Mantel",
    "Options",
    "Silhouette",
    "Tree",
    "agreement",
    "between_heads",
    "by_layer_difference",
    "divergence",
    "layer_difference",
    "layout",
    "mantel",
    "over_halves",
    "over_seeds",
    "pairs",
    "rank_correlation",
    "sampled_rows",
    "silhouette",
    "silhouette_test",
    "stress_1",
    "verdict",
    "within_and_between",
]
