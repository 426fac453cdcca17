"""Norms in place of weights, and rollout, as tables: each head both ways, and what survives."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from bertattn import stats
from bertattn.corpora import data_folder
from bertattn.heads import AttentionHead, all_heads
from bertattn.stats import Estimate
from bertattn.surface import MEASURES, SurfaceResult, SurfaceSums
from bertattn.tables.manifest import Manifest, passed_on, signature, signed

if TYPE_CHECKING:
    from bertattn.norms import Agreement, Finding

REFERENCE = "rollout of weights"
BREADTH = "entropy"


def both_ways(weights: SurfaceSums, norms: SurfaceSums, made: Manifest) -> pd.DataFrame:
    """Section 3's averages by weights and by norms, a row for each head and measure.

    Columns: ``layer``, ``head``, ``measure``, ``weights``, ``norms``, ``change`` (norms less
    weights, on the same inputs) with its interval ``low`` to ``high`` by documents, ``uniform``
    (if all tokens that may be seen were alike), ``n`` inputs.

    Args:
        weights: Sums over the model's maps.
        norms: Sums over its ``NormModel``'s, of the same inputs.
        made: How.
    """
    one, other = weights.result(), norms.result()
    per_head = np.broadcast_to(weights.counts[:, :, None, None], weights.sums.shape)
    change = stats.mean_by_group(norms.sums - weights.sums, per_head)
    heads = all_heads(*weights.sums.shape[2:])
    frames = [
        pd.DataFrame(
            {
                "layer": [h.layer + 1 for h in heads],
                "head": [str(h) for h in heads],
                "measure": measure,
                "weights": one[measure].ravel(),
                "norms": other[measure].ravel(),
                "change": change.mean[i].ravel(),
                "low": change.low[i].ravel(),
                "high": change.high[i].ravel(),
                "uniform": one.uniform[i],
                "n": one.counts[i],
            }
        )
        for i, measure in enumerate(MEASURES)
    ]
    return signed(pd.concat(frames, ignore_index=True), made, int(one.counts[0]))


def by_layer_both(table: pd.DataFrame, measures: Sequence[str]) -> pd.DataFrame:
    """Means over the heads of each layer, by weights and by norms, of the measures there are."""
    rows = table[table["measure"].isin(measures)].dropna(subset=["weights"])
    wide = rows.pivot_table(index="layer", columns="measure", values=["weights", "norms"])
    known = [m for m in measures if m in set(rows["measure"])]
    return passed_on(wide[[(way, m) for m in known for way in ("weights", "norms")]], table)


def survival(findings: "Sequence[Finding]", made: Sequence[tuple[Manifest, int]]) -> pd.DataFrame:
    """Does each finding survive? A row each, by the rule of ``norms.verdict``.

    Columns: ``notebook``, ``finding``, ``unit``, ``bar`` (what the number must lie above);
    ``weights`` and ``norms``, each with the interval ``_low`` to ``_high`` and, where something was
    chosen, the ``_best`` head or layer; ``change`` (norms less weights) with its interval; ``kept``
    (of what weights have over the bar, the part that norms have); ``verdict``, and ``turn``
    ("less" or "more" by norms, where the whole interval of the change says so).

    Args:
        findings: The findings (``norms.of_surface`` and its kin).
        made: How each corpus was measured, and on how many inputs.
    """
    rows = [
        {
            "notebook": finding.source,
            "finding": finding.name,
            "unit": finding.unit,
            "bar": finding.bar,
            **_with_ends("weights", finding.weights),
            "weights_best": _named(finding.of_weights),
            **_with_ends("norms", finding.norms),
            "norms_best": _named(finding.of_norms),
            **_with_ends("change", finding.change),
            "kept": _kept(finding),
            "verdict": finding.verdict,
            "turn": finding.turn,
        }
        for finding in findings
    ]
    table = pd.DataFrame(rows)
    parts = [manifest for manifest, _ in made]
    signatures = [signature(manifest, n_inputs) for manifest, n_inputs in made]
    table.attrs = {"signature": "\n".join(signatures), "manifest": {**parts[0], "parts": parts}}
    return table


def _with_ends(name: str, value: tuple[float, float, float]) -> dict[str, float]:
    return dict(zip((name, f"{name}_low", f"{name}_high"), value, strict=True))


def _named(best: AttentionHead | int | None) -> str:
    if best is None:
        return ""
    return str(best) if isinstance(best, AttentionHead) else f"layer {best + 1}"


def _kept(finding: "Finding") -> float:
    """The part of what lies over the bar; NaN where by weights nothing does."""
    over = finding.weights.mean - finding.bar
    there = finding.weights.low > finding.bar
    return (finding.norms.mean - finding.bar) / over if there else np.nan


def survival_in_print(table: pd.DataFrame) -> pd.DataFrame:
    """The same for reading: per cent of shares, nats as they are, intervals beside numbers."""
    verdict = table["verdict"], table["turn"]
    columns = {
        "notebook": table["notebook"],
        "finding": table["finding"],
        "bar": [_number(r.bar, r.unit) for r in table.itertuples()],
        "by weights": _cells(table, "weights"),
        "by norms": _cells(table, "norms"),
        "norms less weights": _cells(table, "change"),
        "kept": ["" if np.isnan(v) else f"{v:.0%}" for v in table["kept"]],
        "verdict": [f"{v}, {t}" if t else v for v, t in zip(*verdict, strict=True)],
    }
    return passed_on(pd.DataFrame(columns), table)


def _cells(table: pd.DataFrame, name: str) -> list[str]:
    cells = []
    for _, row in table.iterrows():
        mean, low, high = (_number(row[f"{name}{end}"], row["unit"]) for end in ENDS)
        best = row.get(f"{name}_best", "")
        ends = f" [{low.removesuffix(NATS)}, {high.removesuffix(NATS)}]" if low else ""
        cells.append(f"{mean}{ends}{', ' if best else ''}{best}")
    return cells


NATS = " nats"
ENDS = ("", "_low", "_high")


def _number(value: float, unit: str) -> str:
    if np.isnan(value):
        return ""
    return f"{value:.2f}{NATS}" if unit == "nats" else f"{100 * value:.1f}"


def verdicts(table: pd.DataFrame) -> pd.DataFrame:
    """How many findings of each notebook have which verdict."""
    counted = pd.crosstab(table["notebook"], table["verdict"])
    order = [v for v in table["verdict"].drop_duplicates() if v in counted]
    return passed_on(counted[order].rename_axis(columns=None), table)


def rollout(ways: Mapping[str, tuple[SurfaceResult, Estimate]], made: Manifest) -> pd.DataFrame:
    """Where each layer's tokens come from by rollout, a row for each way, layer and measure.

    Columns: ``way``, ``layer``, ``measure`` (section 3's, of the rollout, and "apart": how far its
    rows lie apart), ``value`` with its interval, ``uniform`` (if all tokens were alike).

    Args:
        ways: For each, section 3's averages of the rollout, and how far rows lie apart.
        made: How.
    """
    frames = []
    for way, (result, apart) in ways.items():
        layers = np.arange(result["to_self"].shape[0]) + 1
        parts = [(m, result.estimates, i, result.uniform[i]) for i, m in enumerate(MEASURES)]
        for measure, estimate, place, uniform in [*parts, ("apart", apart, (), 0.0)]:
            ends = {
                name: getattr(estimate, field)[place][..., 0]
                for name, field in (("value", "mean"), ("low", "low"), ("high", "high"))
            }
            cells = {"way": way, "layer": layers, "measure": measure, **ends, "uniform": uniform}
            frames.append(pd.DataFrame(cells))
    n_inputs = max(int(result.counts[0]) for result, _ in ways.values())
    return signed(pd.concat(frames, ignore_index=True), made, n_inputs)


def rollout_by_layer(table: pd.DataFrame, measure: str) -> pd.DataFrame:
    """One measure of a rollout: a row a layer, a column a way."""
    rows = table[table["measure"] == measure]
    wide = rows.pivot_table(index="layer", columns="way", values="value", sort=False)
    return passed_on(wide.rename_axis(columns=None), table)


def agreement(sums: "Agreement", made: Manifest, reference: str = REFERENCE) -> pd.DataFrame:
    """How well maps foretell who misses whom, a row for each way; rank correlations.

    Columns: ``way``, ``correlation`` with ``low`` to ``high``, ``over`` (what it has over
    the reference on the same inputs) with ``over_low`` to ``over_high``, ``n`` inputs. The
    reference is in ``.attrs["reference"]``.

    Args:
        sums: What was measured (``norms.agree``).
        made: How.
        reference: What the others are held against.
    """
    own, over = sums.result(), sums.over(reference)
    columns = {
        "way": list(sums.ways),
        "correlation": own.mean,
        "low": own.low,
        "high": own.high,
        "over": over.mean,
        "over_low": over.low,
        "over_high": over.high,
        "n": sums.n_inputs,
    }
    table = signed(pd.DataFrame(columns), made, sums.n_inputs)
    table.attrs["reference"] = reference
    return table


def beside_norms(both: pd.DataFrame, sink: str, agreed: pd.DataFrame) -> pd.DataFrame:
    """What the two later papers say, and the same questions asked of this run.

    Args:
        both: Each head both ways (``both_ways``).
        sink: The sink's measure (``norms.sink_of``).
        agreed: What foretells who misses whom (``agreement``).
    """
    paper = pd.read_csv(data_folder() / "paper" / "norms.csv")
    found = agreed.set_index("way")["correlation"]
    ours = {
        "special": _shares(both, sink),
        "frequent": _shares(both, "to_punctuation"),
        "rollout": f"rollout {found[REFERENCE]:.2f}, "
        f"the last layer's weights {found['weights of the last layer']:.2f}",
    }
    paper["ours"] = paper.pop("key").map(ours)
    return passed_on(paper, both)


def _shares(both: pd.DataFrame, measure: str) -> str:
    rows = both[both["measure"] == measure]
    return (
        f"{rows['weights'].mean():.1%} by weights, {rows['norms'].mean():.1%} by norms "
        f"(even share: {rows['uniform'].iloc[0]:.1%})"
    )
