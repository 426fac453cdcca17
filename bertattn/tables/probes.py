"""Section 5's scores as tables: Table 3, what probes weigh, and where they err."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from bertattn import stats
from bertattn.corpora import data_folder
from bertattn.heads import all_heads
from bertattn.syntax import ALL, DIRECTIONS, SyntaxCounts, questions
from bertattn.tables.manifest import Manifest, passed_on, signed

if TYPE_CHECKING:
    from bertattn.probes import ProbeData, Result, Run

SCORES = {
    "uas": ("right", "total"),
    "tree": ("right_tree", "total"),
    "uuas": ("right_edges", "total_edges"),
}
IN_PRINT = {"uas": "UAS", "tree": "UAS of trees", "uuas": "UUAS of trees"}
DISTANCES = {"1": (1, 1), "2": (2, 2), "3-4": (3, 4), "5-8": (5, 8), "9 and more": (9, np.inf)}


def table_3(results: Sequence["Result"], data: "ProbeData", made: Manifest) -> pd.DataFrame:
    """How many governors each probe finds on the test part; rates are of 1.

    Columns: ``probe``; ``uas`` (every word's governor chosen by itself), ``tree`` (in the most
    probable tree) and ``uuas`` (edges of the tree without direction), each with ``_low`` to
    ``_high``, which resample sentences; NaN where a probe has none. Words without punctuation. Over
    several seeds scores are means, and ``seed_low`` to ``seed_high`` is the range of their ``uas``.
    ``n`` words, ``n_edges`` in ``sentences``; ``learning_rate`` and ``epoch`` of the first seed;
    ``control`` and
    ``selectivity`` (``uas`` less accuracy on the control task; Hewitt and Liang 2019); ``note``.

    Args:
        results: The probes and baselines.
        data: The sentences.
        made: How.
    """
    rows = [_row(result) for result in results]
    return signed(pd.DataFrame(rows), made, len(data.parts.test))


def _row(result: "Result") -> dict[str, object]:
    counts = result.runs[0].counts
    row: dict[str, object] = {"probe": result.name}
    has = {"uas": result.directed, "tree": result.directed and result.trees, "uuas": result.trees}
    for name, there in has.items():
        value, low, high = _with_interval(result.runs, name) if there else (np.nan,) * 3
        row |= {name: value, f"{name}_low": low, f"{name}_high": high}
    by_seed = [_rate(run, "uas") for run in result.runs] if result.directed else [np.nan]
    trained = result.runs[0].trained
    control = _rate(result.control, "uas") if result.control else np.nan
    return row | {
        "seeds": len(result.runs) if trained else 0,
        "seed_low": min(by_seed),
        "seed_high": max(by_seed),
        "n": int(counts.total.sum()),
        "n_edges": int(counts.total_edges.sum()),
        "sentences": len(counts.total),
        "learning_rate": trained.learning_rate if trained else np.nan,
        "epoch": trained.best.number if trained else np.nan,
        "control": control,
        "selectivity": by_seed[0] - control,
        "note": result.note,
    }


def _rate(run: "Run", name: str) -> float:
    right, total = (getattr(run.counts, part).sum() for part in SCORES[name])
    return float(right / total) if total else np.nan


def _with_interval(runs: Sequence["Run"], name: str) -> tuple[float, float, float]:
    """The mean over runs, and its interval by resampling sentences."""
    right, total = (
        np.sum([getattr(run.counts, part) for run in runs], axis=0) for part in SCORES[name]
    )
    if not total.sum():
        return np.nan, np.nan, np.nan
    weights = stats.resamples(len(total))
    drawn = weights @ np.stack([right, total], axis=1)
    with np.errstate(invalid="ignore"):
        low, high = stats.interval(drawn[:, 0] / drawn[:, 1])
    return float(right.sum() / total.sum()), low, high


def table_3_in_print(table: pd.DataFrame) -> pd.DataFrame:
    """Table 3 for reading, in per cent with intervals."""
    columns: dict[str, object] = {"probe": table["probe"]}
    for name, title in IN_PRINT.items():
        ends = zip(table[name], table[f"{name}_low"], table[f"{name}_high"], strict=True)
        columns[title] = [_with_ends(*row) for row in ends]
    columns["seeds"] = [
        f"{row.seeds}: {100 * row.seed_low:.0f} to {100 * row.seed_high:.0f}"
        if row.seeds > 1
        else ""
        for row in table.itertuples()
    ]
    columns["control task"] = [_per_cent(value) for value in table["control"]]
    columns["selectivity"] = [_per_cent(value) for value in table["selectivity"]]
    columns["note"] = table["note"]
    return passed_on(pd.DataFrame(columns), table)


def _with_ends(value: float, low: float, high: float) -> str:
    return "" if np.isnan(value) else f"{100 * value:.1f} [{100 * low:.0f}, {100 * high:.0f}]"


def _per_cent(value: float) -> str:
    return "" if np.isnan(value) else f"{100 * value:.1f}"


def beside_table_3(table: pd.DataFrame) -> pd.DataFrame:
    """The paper's Table 3, in per cent, and the same probes here."""
    paper = pd.read_csv(data_folder() / "paper" / "probes.csv")
    ours = table.set_index("probe")
    values = [
        ours.at[row.here, row.measure.lower()] if row.here in ours.index else np.nan
        for row in paper.itertuples()
    ]
    paper["ours"] = (100 * pd.Series(values, dtype=float)).round(1)
    return passed_on(paper.drop(columns="here"), table)


def learning_curves(results: Sequence["Result"], table: pd.DataFrame) -> pd.DataFrame:
    """Loss (nats a word) and development UAS after every epoch of the first seed."""
    rows = [
        {"probe": result.name, "epoch": e.number, "loss": e.loss, "dev_uas": e.dev_uas}
        for result in results
        if (trained := result.runs[0].trained) is not None
        for e in trained.history
    ]
    return passed_on(pd.DataFrame(rows, columns=["probe", "epoch", "loss", "dev_uas"]), table)


def head_weights(
    result: "Result", counts: SyntaxCounts, shape: tuple[int, int], table: pd.DataFrame
) -> pd.DataFrame:
    """What an attention-only probe weighs, beside what each head finds by itself.

    A row a head and direction. ``weight`` is w (dependent->governor) or u, ``accuracy`` the head's
    share of all governors that it finds alone (section 4.2), on all sentences that were counted;
    NaN where they could not be asked in that direction.

    Args:
        result: The probe, of which the first seed is shown.
        counts: What each head finds.
        shape: The model's layers and heads.
        table: Table 3, for the signature.

    Raises:
        ValueError: If the probe has no weight for each head.
    """
    trained = result.runs[0].trained
    weights = getattr(trained.probe, "weights", None) if trained else None
    if weights is None:
        raise ValueError(
            f"{result.name!r} has no number for each head; give the attention-only probe"
        )
    heads = all_heads(*shape)
    alone = _alone(counts)
    frames = [
        pd.DataFrame(
            {
                "direction": direction,
                "layer": [h.layer + 1 for h in heads],
                "head": [str(h) for h in heads],
                "weight": values,
                "accuracy": alone.get(direction, np.full(len(heads), np.nan)),
            }
        )
        for direction, values in zip(DIRECTIONS, weights.detach().cpu().numpy(), strict=True)
    ]
    return passed_on(pd.concat(frames, ignore_index=True), table)


def _alone(counts: SyntaxCounts) -> dict[str, np.ndarray]:
    """Each head's share of all governors, by direction."""
    found: dict[str, np.ndarray] = {}
    for asked in (q for q in questions(counts, min_count=1) if q.relation == ALL):
        right = asked.right.sum(axis=0).reshape(len(asked.directions), -1)
        found |= dict(zip(asked.directions, right / asked.n, strict=True))
    return found


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
    return passed_on(pd.concat(frames, ignore_index=True), table)


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
