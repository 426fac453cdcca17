"""Section 3.2's gradients as tables, the paper's findings beside them."""

from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from bertattn.attention import Kind
from bertattn.corpora import data_folder
from bertattn.heads import all_heads
from bertattn.stats import Estimate
from bertattn.tables.manifest import Manifest, kind_name, passed_on, signed

if TYPE_CHECKING:
    from bertattn.importance import ImportanceResult

THE_PAPERS = ("bert-base-uncased", "bert-base-cased")


def importance(result: "ImportanceResult", made: Manifest) -> pd.DataFrame:
    """Mean gradients by attention weights, a row for each head, form and kind of target.

    Columns: ``layer`` and ``head`` as printed; ``form`` ("gradient": of the weight, "logit": of
    the logit it is made of, "weight": the weight itself), ``target``; ``value``, a mean over
    weights of one kind and then over inputs, with the interval ``low`` to ``high`` (by document);
    ``n`` inputs that have the target, ``groups`` of documents; ``objective``, what the gradients
    are of. Values of other objectives, or of one with other options, are on another scale.
    """
    frames = [
        rows_of_heads(result.estimates, (i, j), {"form": form, "target": target})
        for i, form in enumerate(result.forms)
        for j, target in enumerate(result.targets)
        if result.counts[j].any()
    ]
    table = pd.concat(frames, ignore_index=True)
    by_layer = {t: result.counts[j] for j, t in enumerate(result.targets)}
    places = zip(table["target"], table["layer"], strict=True)
    table["n"] = [int(by_layer[target][layer - 1]) for target, layer in places]
    table["groups"] = result.estimates.n_groups
    table["objective"] = made["options"]["objective"]
    return signed(table, made, result.n_inputs)


def rows_of_heads(
    estimates: Estimate, place: tuple[int, int], names: dict, **more: object
) -> pd.DataFrame:
    """A row for each head, of one place of estimates."""
    mean, low, high = (getattr(estimates, end)[place] for end in ("mean", "low", "high"))
    heads = all_heads(*mean.shape)
    columns = {"layer": [h.layer + 1 for h in heads], "head": [str(h) for h in heads], **names}
    ends = {"value": mean.ravel(), "low": low.ravel(), "high": high.ravel()}
    return pd.DataFrame({**columns, **ends, **more})


def importance_by_layer(table: pd.DataFrame, form: str = "gradient") -> pd.DataFrame:
    """Mean over the heads of each layer: a row a layer, a column a kind of target."""
    rows = table[table["form"] == form]
    wide = rows.pivot_table(index="layer", columns="target", values="value", sort=False)
    return passed_on(wide.rename_axis(columns=None), table)


def against_others(table: pd.DataFrame, form: str = "gradient") -> pd.DataFrame:
    """By layer, mean gradients by weights to each kind of target over those to ordinary tokens.

    Such ratios are free of the objective's scale, though not of the objective.
    """
    means = importance_by_layer(table, form)
    return passed_on(means.div(means["to_other"], axis="index"), table)


def beside_figure_3(
    gradients: pd.DataFrame,
    sink: str,
    where: pd.DataFrame | None = None,
    checkpoint: str | Path = "",
) -> pd.DataFrame:
    """The findings of section 3.2 on no-ops, and what these tables say to the same questions.

    The paper's figure prints no numbers, and its model is BERT-base with the masked-LM loss: unless
    that has been run, its row says so.

    Args:
        gradients: Gradients (``importance``).
        sink: The sink's kind.
        where: Where heads look at it (``sink_where``).
        checkpoint: What the model was loaded from; a folder is not taken for the paper's model,
            whatever it is called.
    """
    paper = pd.read_csv(data_folder() / "paper" / "importance.csv")
    made, objective = gradients.attrs["manifest"], gradients["objective"].iloc[0]
    own = _is_the_papers(made["model"], checkpoint) and objective == "masked LM"
    name, ratios = sink_name(made, sink), against_others(gradients)
    ours = {
        "figure_3": f"run here: {made['model']}" if own else "not run here",
        "objective": objective,
        "sink_gradients": f"{name}: {_range(ratios[sink])}",
        "separator_gradients": _range(ratios["to_separator"])
        if "to_separator" in ratios
        else "does not apply",
        "where_not": _where(where, name),
    }
    paper["ours"] = paper.pop("key").map(ours)
    return passed_on(paper, gradients)


def _is_the_papers(model: str, checkpoint: str | Path) -> bool:
    """Whether one of the paper's models was loaded by its name on the hub and run as it is."""
    loaded = str(checkpoint)
    return loaded in THE_PAPERS and model == loaded and not Path(loaded).is_dir()


def sink_name(made: Manifest, sink: str) -> str:
    """What a sink of this model is called, such as "[CLS]".

    Example:
        >>> sink_name({"specials": {"start": "<s>"}}, "to_start"), sink_name({}, "to_first")
        ('<s>', 'the first token')
    """
    kinds = {"to_start": Kind.START, "to_separator": Kind.SEPARATOR}
    return kind_name(made, kinds[sink]) if sink in kinds else "the first token"


def looks_more(where: pd.DataFrame) -> pd.Series:
    """Which best heads look at a sink more where their relation does not apply, beyond all heads.

    Both the difference and its excess over all heads' must be above 0, with their intervals.
    """
    return (where["low"] > 0) & (where["excess_low"] > 0)


def _range(values: pd.Series) -> str:
    return f"{values.min():.2f} to {values.max():.2f} times, by layer"


def _where(where: pd.DataFrame | None, name: str) -> str:
    if where is None:
        return "not run here"
    if where.empty:
        return "too few words of each relation"
    n = where["relation"].nunique()
    more = where.loc[looks_more(where), "relation"].nunique()
    less = where.loc[where["excess_high"] < 0, "relation"].nunique()
    return f"at {name} more: {more} of {n} relations; less: {less}"
