"""Sections 5 and 6 by group of documents, for two runs to be compared."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from bertattn.clusters import DistanceSums
from bertattn.stats import group_of
from bertattn.tables.probes import SCORES, scores_of

if TYPE_CHECKING:
    from bertattn.probes import ProbeData, Result


def probes_by_document(results: Sequence["Result"], data: "ProbeData") -> pd.DataFrame:
    """Right answers of each probe and baseline by group of documents, over all its seeds.

    Columns: ``group``, ``measure`` ("uas", "tree", "uuas"), ``probe``, ``right``, ``total``.

    Args:
        results: The probes and baselines.
        data: The sentences they were tested on.
    """
    groups = group_of(np.array([data.inputs[i].document for i in data.parts.test]))
    frames = [
        _by_group(groups, result, measure)
        for result in results
        for measure, there in scores_of(result).items()
        if there
    ]
    return pd.concat(frames, ignore_index=True)


def _by_group(groups: np.ndarray, result: "Result", measure: str) -> pd.DataFrame:
    right, total = (
        np.sum([getattr(run.counts, part) for run in result.runs], axis=0)
        for part in SCORES[measure]
    )
    frame = pd.DataFrame({"group": groups, "right": right, "total": total})
    frame = frame.groupby("group", as_index=False).sum()
    frame.insert(1, "measure", measure)
    frame.insert(2, "probe", result.name)
    return frame


def distances_by_group(sums: DistanceSums) -> pd.DataFrame:
    """Sums over rows of each head's mean distance to others, by group of documents; in nats.

    Columns: ``group``, ``measure`` ("distance_in_layer": to the heads of its own layer,
    "distance_between_layers": to all others), a column a head, ``total`` rows.
    """
    distances, groups = sums.result(), np.flatnonzero(sums.n_rows)
    same = np.equal.outer(distances.layers, distances.layers)
    others = {
        "distance_in_layer": same & ~np.eye(len(same), dtype=bool),
        "distance_between_layers": ~same,
    }
    frames = []
    for measure, partners in others.items():
        if not partners.any():
            continue
        far = (distances.sums * partners).sum(axis=-1) / partners.sum(axis=-1)
        frame = pd.DataFrame(far, columns=[str(h) for h in distances.heads])
        frame.insert(0, "group", groups)
        frame.insert(1, "measure", measure)
        frame["total"] = distances.n_rows
        frames.append(frame)
    return pd.concat(frames, ignore_index=True)
