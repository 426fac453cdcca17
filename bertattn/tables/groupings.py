"""Section 6's questions as tables: do heads of a kind lie together, and is the map true?"""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from bertattn import clusters
from bertattn.clusters import Agreement, Distances, Tree
from bertattn.clusters.distances import EQUAL
from bertattn.corpora import data_folder
from bertattn.tables.clusters import LIMITS, ORDINARY
from bertattn.tables.manifest import Manifest, passed_on, signed
from bertattn.tables.surface import strong_heads


def by_layers_apart(variants: Mapping[str, Distances], made: Manifest) -> pd.DataFrame:
    """The mean distance of heads by how many layers lie between them, in nats, with intervals.

    Args:
        variants: Distances by name, such as with and without the sink.
        made: How they were made.
    """
    frames = []
    for name, distances in variants.items():
        estimate = clusters.by_layer_difference(distances)
        apart = clusters.pairs(clusters.layer_difference(distances))
        columns = {
            "variant": name,
            "layers_apart": np.arange(distances.n_layers),
            "pairs": np.bincount(apart, minlength=distances.n_layers),
            "distance": estimate.mean,
            "low": estimate.low,
            "high": estimate.high,
        }
        frames.append(pd.DataFrame(columns))
    return signed(pd.concat(frames, ignore_index=True), made, _n_inputs(variants))


def groupings(
    variants: Mapping[str, Distances],
    heads: pd.DataFrame,
    made: Manifest,
    by: Sequence[str] = ("layer", "behaviour"),
    seed: int = 0,
) -> pd.DataFrame:
    """Do heads of one layer, or of one behaviour, lie together? A row for each way and variant.

    Columns: ``variant``, ``by``, ``groups`` and ``heads`` in them (heads without a mark are in no
    group); mean distance ``within`` and ``between`` groups and their ``difference`` with interval
    (by documents: how it would be on other text); ``silhouette`` (from -1 to 1; near 0 groups
    overlap), ``by_chance`` (of groups of the same sizes, dealt out) and ``p`` (how often chance
    reaches it).

    Args:
        variants: Distances by name, such as with and without the sink.
        heads: The heads (``head_map``).
        made: How the distances were made.
        by: Columns of ``heads``.
        seed: Of the shuffling.
    """
    rows = []
    for name, distances in variants.items():
        for column in by:
            labels = heads[column].astype(str).to_numpy()
            kept = np.flatnonzero(labels != ORDINARY)
            some, labels = distances.among(kept), labels[kept]
            rows.append({"variant": name, "by": column, **_grouped(some, labels, seed)})
    return signed(pd.DataFrame(rows), made, _n_inputs(variants))


def _grouped(distances: Distances, labels: np.ndarray, seed: int) -> dict[str, object]:
    estimate = clusters.within_and_between(distances, labels)
    test = clusters.silhouette_test(distances.matrix, labels, seed=seed)
    return {
        "groups": test.n_groups,
        "heads": len(labels),
        "within": estimate.mean[0],
        "between": estimate.mean[1],
        "difference": estimate.mean[2],
        "low": estimate.low[2],
        "high": estimate.high[2],
        "silhouette": test.score,
        "by_chance": test.by_chance,
        "p": test.p,
    }


def gradients(variants: Mapping[str, Distances], made: Manifest, seed: int = 0) -> pd.DataFrame:
    """The Mantel test: are heads the farther apart, the more layers lie between them?"""
    rows = []
    for name, distances in variants.items():
        apart = clusters.layer_difference(distances)
        test = clusters.mantel(distances.matrix, apart, seed=seed)
        rows.append({"variant": name, "heads": len(apart), **vars(test)})
    return signed(pd.DataFrame(rows), made, _n_inputs(variants))


def map_quality(variants: Mapping[str, Distances], made: Manifest) -> pd.DataFrame:
    """How true a map in the plane is, of the divergence and of its root, which is a metric.

    Columns: ``variant``, ``of``, ``stress`` (Kruskal's stress-1) and his ``word`` for it,
    ``rank_correlation`` of distances on the map and those given.
    """
    rows = []
    for name, distances in variants.items():
        for of, matrix in (("divergence", distances.matrix), ("its root", distances.root)):
            found = clusters.layout(matrix)
            cells = {"stress": found.stress, "word": found.verdict}
            cells["rank_correlation"] = found.rank_correlation
            rows.append({"variant": name, "of": of, **cells})
    return signed(pd.DataFrame(rows), made, _n_inputs(variants))


def cuts(tree: Tree, most: int = 12) -> pd.DataFrame:
    """Each number of clusters: their ``silhouette``, the ``largest``, and how many heads ``alone``.

    Equal heads are never parted, so a number of clusters may be missing.
    """
    rows = []
    for n_asked in range(2, min(most, len(tree.matrix) - 1) + 1):
        labels = tree.cut(n_asked)
        sizes = np.bincount(labels)[1:]
        cells = {"clusters": len(sizes), "silhouette": clusters.silhouette(tree.matrix, labels)}
        rows.append({**cells, "largest": int(sizes.max()), "alone": int((sizes == 1).sum())})
    columns = ["clusters", "silhouette", "largest", "alone"]
    return pd.DataFrame(rows, columns=columns).drop_duplicates("clusters", ignore_index=True)


def stability(seeds: Sequence[Agreement], halves: Sequence[Agreement]) -> pd.DataFrame:
    """How much a map moves with the seed, and with the documents; worst cases.

    Columns: ``over`` what, ``n`` of it, ``stress`` from least to most, ``maps`` (least rank
    correlation of distances on two maps), ``procrustes`` (most that is left after turning one onto
    the other, from 0 to 1), ``distances`` (least correlation of the distances themselves) and
    ``largest`` (largest difference of one, nats). Nothing to compare: n is 0.
    """
    rows = []
    for over, found in (("seeds", seeds), ("halves of the documents", halves)):
        cells: dict[str, object] = {"over": over, "n": len(found)}
        if found:
            cells |= {
                "least_stress": min(a.stress for a in found),
                "most_stress": max(a.stress for a in found),
                "maps": min(a.maps for a in found),
                "procrustes": max(a.procrustes for a in found),
                "distances": min(a.distances for a in found),
                "largest": max(a.largest for a in found),
            }
        rows.append(cells)
    names = ["least_stress", "most_stress", "maps", "procrustes", "distances", "largest"]
    return pd.DataFrame(rows).reindex(columns=["over", "n", *names])


def sampling(sampled: Distances, full: Distances) -> pd.DataFrame:
    """What is lost by taking some of the rows, beside how much documents differ.

    Columns: ``rows`` taken; ``relative_error`` of a pair's distance, on average, and the
    ``largest`` error in nats, both against all rows of the same inputs; ``half_interval``: half of
    the 95 % interval by documents, on average, relative.
    """
    exact = clusters.pairs(full.matrix)
    rows = []
    for name, found in (("all", full), ("some", sampled)):
        error = abs(clusters.pairs(found.matrix) - exact)
        half = clusters.pairs(found.estimate.high - found.estimate.low) / 2
        told_apart = exact >= EQUAL
        rows.append(
            {
                "taken": name,
                "rows": int(found.n_rows.sum()),
                "relative_error": _mean_ratio(error[told_apart], exact[told_apart]),
                "largest": float(error.max()),
                "half_interval": _mean_ratio(half[told_apart], exact[told_apart]),
            }
        )
    return pd.DataFrame(rows)


def _mean_ratio(some: np.ndarray, whole: np.ndarray) -> float:
    return float((some / whole).mean()) if len(whole) else float("nan")


def beside_figure_6(
    table: pd.DataFrame, heads: pd.DataFrame, role: pd.DataFrame, surface: pd.DataFrame
) -> pd.DataFrame:
    """What figure 6 shows of BERT-base, and the same questions asked of our heads.

    Args:
        table: Do heads of a kind lie together (``groupings``)?
        heads: The heads (``head_map``).
        role: What each head knows (``roles``).
        surface: Section 3's averages (``tables.surface``).
    """
    paper = pd.read_csv(data_folder() / "paper" / "clusters.csv")
    as_is = table.drop_duplicates("by").set_index("by")
    ours = {
        "layers": _together(as_is.loc["layer"]),
        "behaviours": _together(as_is.loc["behaviour"]),
        **{mark: _marked(heads, surface, mark) for mark in LIMITS if mark != "first"},
        **{r.relation: r.head or "too few words" for r in role.itertuples()},
    }
    paper["ours"] = paper.pop("key").map(ours)
    return passed_on(paper, heads)


def _together(row: pd.Series) -> str:
    if np.isnan(row["difference"]):
        return "does not apply"
    return (
        f"{row['within']:.3f} nats within, {row['between']:.3f} between; silhouette "
        f"{row['silhouette']:.2f}"
    )


def _marked(heads: pd.DataFrame, surface: pd.DataFrame, mark: str) -> str:
    measure, limit = LIMITS[mark]
    if surface.loc[surface["measure"] == measure, "value"].isna().all():
        return "does not apply"
    if mark == "broad":
        limit *= float(surface.loc[surface["measure"] == measure, "uniform"].iloc[0])
    found = strong_heads(surface, measure, limit)
    return f"{len(found)} of {len(heads)}" + (f": {', '.join(found[:6])}" if found else "")


def _n_inputs(variants: Mapping[str, Distances]) -> int:
    return max(distances.n_inputs for distances in variants.values())
