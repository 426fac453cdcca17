"""Section 5's scores as tables: Table 3, what probes weigh, and where they err."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from jaxtyping import Float

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
WORDS = "attention and words"
IN_PRINT = {"uas": "UAS", "tree": "UAS of trees", "uuas": "UUAS of trees"}


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
    for name, there in scores_of(result).items():
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


def scores_of(result: "Result") -> dict[str, bool]:
    """Which of ``SCORES`` a probe or baseline has."""
    return {"uas": result.directed, "tree": result.directed and result.trees, "uuas": result.trees}


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


def over_others(
    results: Sequence["Result"], table: pd.DataFrame, probe: str = WORDS
) -> pd.DataFrame:
    """What one probe finds more than each of the others, on the same sentences; of 1.

    Columns: ``probe``, ``other``, ``difference`` of UAS with ``low`` to ``high``: both are counted
    in the same resamples of sentences. Empty if that probe is not among the results.

    Args:
        results: The probes and baselines.
        table: Table 3, for the signature.
        probe: The one.
    """
    directed = {result.name: result for result in results if result.directed}
    rows = []
    for name, result in directed.items():
        if probe in directed and name != probe:
            rates = [_resampled(r.runs) for r in (directed[probe], result)]
            low, high = stats.interval(rates[0] - rates[1])
            difference = _with_interval(directed[probe].runs, "uas")[0]
            difference -= _with_interval(result.runs, "uas")[0]
            rows.append(
                {"probe": probe, "other": name, "difference": difference, "low": low, "high": high}
            )
    columns = ["probe", "other", "difference", "low", "high"]
    return passed_on(pd.DataFrame(rows, columns=columns), table)


def _resampled(runs: Sequence["Run"]) -> np.ndarray:
    """The UAS in each resample of sentences, the same ones for every probe."""
    right, total = (np.sum([getattr(r.counts, n) for r in runs], axis=0) for n in SCORES["uas"])
    drawn = stats.resamples(len(total)) @ np.stack([right, total], axis=1)
    with np.errstate(invalid="ignore"):
        return drawn[:, 0] / drawn[:, 1]


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
    result: "Result",
    spread: Float[np.ndarray, "direction head"],
    counts: SyntaxCounts,
    shape: tuple[int, int],
    table: pd.DataFrame,
) -> pd.DataFrame:
    """What an attention-only probe weighs, beside what each head finds by itself.

    A row a head and direction. ``weight`` is w (dependent->governor) or u; ``effect`` is that times
    the spread of the head's attention over candidates, which is how far it moves scores;
    ``accuracy`` the head's share of all governors that it finds alone (section 4.2), on all
    sentences that were counted; NaN where they could not be asked in that direction.

    Args:
        result: The probe, of which the first seed is shown.
        spread: Of each head's attention (``probes.spread``).
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
                "effect": values * of_head,
                "accuracy": alone.get(direction, np.full(len(heads), np.nan)),
            }
        )
        for direction, values, of_head in zip(
            DIRECTIONS, weights.detach().cpu().numpy(), spread, strict=True
        )
    ]
    return passed_on(pd.concat(frames, ignore_index=True), table)


def _alone(counts: SyntaxCounts) -> dict[str, np.ndarray]:
    """Each head's share of all governors, by direction."""
    found: dict[str, np.ndarray] = {}
    for asked in (q for q in questions(counts, min_count=1) if q.relation == ALL):
        right = asked.right.sum(axis=0).reshape(len(asked.directions), -1)
        found |= dict(zip(asked.directions, right / asked.n, strict=True))
    return found
