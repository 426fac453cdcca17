"""Where probes err: every word of the test part, by relation and by distance."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from bertattn import stats
from bertattn.tables.manifest import passed_on

if TYPE_CHECKING:
    from bertattn.probes import ProbeData, Result

DISTANCES = {"1": (1, 1), "2": (2, 2), "3-4": (3, 4), "5-8": (5, 8), "9 and more": (9, np.inf)}


def probe_words(
    results: Sequence["Result"], data: "ProbeData", table: pd.DataFrame
) -> pd.DataFrame:
    """Every scored word of the test part, a row for each probe (first seed) that names governors.

    Columns: ``probe``, ``sentence``, ``word``, ``relation``, ``distance`` (words to the governor; 0
    for the root), ``right`` (chosen by itself).
    """
    frames = []
    for result in results:
        for found in result.runs[0].predictions if result.directed else ():
            words, sentence = data.words[found.number], data.sentence(found.number)
            at = np.flatnonzero(words.scored(words.governors))
            governors = words.governors[at]
            columns = {
                "probe": result.name,
                "sentence": sentence.id,
                "word": at + 1,
                "relation": [
                    sentence.relations[i] if g else "root"
                    for i, g in zip(at, governors, strict=True)
                ],
                "distance": np.where(governors > 0, abs(governors - 1 - at), 0),
                "right": np.equal(np.asarray(found.chosen), words.governors)[at],
            }
            frames.append(pd.DataFrame(columns))
    names = ["probe", "sentence", "word", "relation", "distance", "right"]
    found = pd.concat(frames, ignore_index=True) if frames else pd.DataFrame(columns=names)
    return passed_on(found, table)


def probe_by_relation(words: pd.DataFrame, min_count: int = 20) -> pd.DataFrame:
    """UAS for each relation with so many words, the most frequent first; Wilson's intervals."""
    return _by(words, "relation", min_count).sort_values(
        "n", ascending=False, kind="stable", ignore_index=True
    )


def probe_by_distance(words: pd.DataFrame) -> pd.DataFrame:
    """UAS by how many words away the governor is; the root left out. Wilson's intervals."""
    ends = list(DISTANCES.values())
    place = [
        next((i for i, (a, b) in enumerate(ends) if a <= d <= b), -1) for d in words["distance"]
    ]
    named = words.assign(distance=pd.Categorical.from_codes(place, list(DISTANCES), ordered=True))
    return _by(passed_on(named.dropna(subset=["distance"]), words), "distance", 1)


def _by(words: pd.DataFrame, column: str, min_count: int) -> pd.DataFrame:
    groups = words.groupby(["probe", column], sort=False, observed=True)["right"]
    found = groups.agg(right="sum", n="count").reset_index()
    found = found[found["n"] >= min_count].sort_values(["probe", column], kind="stable")
    ends = [stats.wilson(int(r), int(n)) for r, n in zip(found["right"], found["n"], strict=True)]
    found["uas"] = found["right"] / found["n"]
    found["low"], found["high"] = ([end[i] for end in ends] for i in range(2))
    return passed_on(found.reset_index(drop=True), words)
