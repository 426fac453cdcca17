"""Section 3's averages as tables, the paper's findings beside them."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from bertattn.corpora import data_folder
from bertattn.heads import all_heads
from bertattn.surface import MEASURES, SurfaceResult, SurfaceSums
from bertattn.tables.manifest import Manifest, passed_on, signed


def surface(result: SurfaceResult, made: Manifest) -> pd.DataFrame:
    """Section 3's averages, a row for each head and measure.

    Columns: ``layer`` and ``head`` as printed, ``measure``, ``value`` with the interval
    ``low`` to ``high`` (by document), ``uniform`` (the value if all tokens that may be
    seen were attended to alike), ``n`` (inputs that have the measure), ``groups`` (of
    documents, on which the interval rests). Shares are of 1, entropies in nats.
    """
    n_layers, n_heads = result["to_self"].shape
    heads = all_heads(n_layers, n_heads)
    estimates = result.estimates
    frames = [
        pd.DataFrame(
            {
                "layer": [h.layer + 1 for h in heads],
                "head": [str(h) for h in heads],
                "measure": measure,
                "value": estimates.mean[i].ravel(),
                "low": estimates.low[i].ravel(),
                "high": estimates.high[i].ravel(),
                "uniform": result.uniform[i],
                "n": result.counts[i],
                "groups": estimates.n_groups,
            }
        )
        for i, measure in enumerate(MEASURES)
    ]
    return signed(pd.concat(frames, ignore_index=True), made, int(result.counts[0]))


def by_group(sums: SurfaceSums) -> pd.DataFrame:
    """The sums and counts that the averages are made of, by group of documents."""
    n_layers, n_heads = sums.sums.shape[2:]
    names = [str(h) for h in all_heads(n_layers, n_heads)]
    groups = np.flatnonzero(sums.counts.any(axis=1))
    index = pd.MultiIndex.from_product(
        [groups, MEASURES, names], names=["group", "measure", "head"]
    )
    frame = pd.DataFrame({"sum": sums.sums[groups].ravel()}, index=index).reset_index()
    frame["count"] = np.repeat(sums.counts[groups].ravel(), len(names))
    return frame


def by_layer(table: pd.DataFrame) -> pd.DataFrame:
    """Mean over the heads of each layer: a row a layer, a column a measure."""
    wide = table.pivot_table(
        index="layer", columns="measure", values="value", sort=False, dropna=False
    )
    return passed_on(wide.rename_axis(columns=None), table)


def top(table: pd.DataFrame, measure: str, n: int = 5) -> pd.DataFrame:
    """The heads with the most of a measure, with interval and the value by chance."""
    columns = ["head", "value", "low", "high", "uniform", "n", "groups"]
    rows = table[table["measure"] == measure].nlargest(n, "value")
    return passed_on(rows[columns].reset_index(drop=True), table)


def present(table: pd.DataFrame, measures: Sequence[str]) -> list[str]:
    """Those of some measures that the model has."""
    known = table.loc[table["value"].notna(), "measure"]
    return [measure for measure in measures if (known == measure).any()]


def strong_heads(table: pd.DataFrame, measure: str, over: float = 0.5) -> list[str]:
    """The heads with more than so much of a measure, the strongest first."""
    rows = table[(table["measure"] == measure) & (table["value"] > over)]
    return rows.sort_values("value", ascending=False)["head"].tolist()


def sink_of(table: pd.DataFrame) -> str:
    """The special token that takes the most attention, "to_start" or "to_separator".

    Of a model that puts none around a text it is its first token: "to_first".
    """
    means = by_layer(table)[["to_start", "to_separator"]].mean().dropna()
    return str(means.idxmax()) if len(means) else "to_first"


def beside_paper(table: pd.DataFrame) -> pd.DataFrame:
    """The findings of section 3 for BERT-base, and the same questions asked of this table."""
    paper = pd.read_csv(data_folder() / "paper" / "surface.csv")
    ours = {
        "previous_heads": _listed(strong_heads(table, "to_previous")),
        "next_heads": _listed(strong_heads(table, "to_next")),
        "self_share": _range(by_layer(table)["to_self"]),
        "separator_layers": _layers_over(table, "to_separator"),
        "separator_to_itself": _range(by_layer(table)["from_separator"]),
        "start_layers": _layers_over(table, "to_start"),
        "start_entropy_last": _nats(by_layer(table)["start_entropy"].iloc[-1]),
    }
    paper["ours"] = paper.pop("key").map(ours)
    return passed_on(paper, table)


def _listed(heads: list[str]) -> str:
    return f"{len(heads)} head{'s' * (len(heads) > 1)}: {', '.join(heads)}" if heads else "none"


def _nats(value: float) -> str:
    return "does not apply" if np.isnan(value) else f"{value:.2f} nats"


def _range(values: pd.Series) -> str:
    if values.isna().all():
        return "does not apply"
    return f"{values.min():.2f} to {values.max():.2f} by layer"


def _layers_over(table: pd.DataFrame, measure: str, over: float = 0.5) -> str:
    means = by_layer(table)[measure]
    if means.isna().all():
        return "does not apply"
    layers = means.index[means > over].tolist()
    most = f"most {means.max():.2f}, in layer {means.idxmax()}"
    return f"{layer_names(layers)} ({most})" if layers else f"no layer ({most})"


def layer_names(layers: list[int]) -> str:
    """Layers as print names them.

    Example:
        >>> layer_names([2, 3])
        'layers 2, 3'
    """
    return f"layer{'s' * (len(layers) > 1)} {', '.join(map(str, layers))}"
