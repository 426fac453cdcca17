"""Section 3.2's second half as tables: gradients, and what stands beside a small one."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from bertattn.attention import Kind
from bertattn.corpora import data_folder
from bertattn.heads import all_heads
from bertattn.stats import Estimate
from bertattn.syntax import ALL, Score
from bertattn.tables.manifest import Manifest, kind_name, passed_on, signed

if TYPE_CHECKING:
    from bertattn.importance import (
        AblationSums,
        ImportanceResult,
        MovedSums,
        SinkShares,
        TakenAway,
    )

THE_PAPERS = ("bert-base-uncased", "bert-base-cased")
CONTROL = "to_one_other"


def importance(result: "ImportanceResult", made: Manifest) -> pd.DataFrame:
    """Mean gradients by attention weights, a row for each head, form and kind of target.

    Columns: ``layer`` and ``head`` as printed; ``form`` ("gradient": of the weight, "logit": of
    the logit it is made of, "weight": the weight itself), ``target``; ``value``, a mean over
    weights of one kind and then over inputs, with the interval ``low`` to ``high`` (by document);
    ``n`` inputs that have the target, ``groups`` of documents; ``objective``, what the gradients
    are of. Values of other objectives, or of one with other options, are on another scale.
    """
    frames = [
        _rows(result.estimates, (i, j), {"form": form, "target": target})
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


def moved(sums: "MovedSums", made: Manifest) -> pd.DataFrame:
    """What attention moves, a row for each head, measure and kind of target.

    Columns: ``layer``, ``head``, ``measure`` (``share`` of attention, ``moved_share`` of the norms
    of weighted values, ``value_norm`` as a part of the mean over all tokens), ``target``,
    ``value`` with ``low`` and ``high``, ``n`` inputs, ``groups``.
    """
    result, counts = sums.result(), sums.counts.sum(axis=0)
    frames = [
        _rows(result, (i, j), {"measure": measure, "target": target}, n=int(counts[j]))
        for i, measure in enumerate(sums.measures)
        for j, target in enumerate(sums.targets)
        if counts[j]
    ]
    table = pd.concat(frames, ignore_index=True)
    table["groups"] = result.n_groups
    return signed(table, made, sums.n_inputs)


def _rows(estimates: Estimate, place: tuple[int, int], names: dict, **more: object) -> pd.DataFrame:
    mean, low, high = (getattr(estimates, end)[place] for end in ("mean", "low", "high"))
    heads = all_heads(*mean.shape)
    columns = {"layer": [h.layer + 1 for h in heads], "head": [str(h) for h in heads], **names}
    ends = {"value": mean.ravel(), "low": low.ravel(), "high": high.ravel()}
    return pd.DataFrame({**columns, **ends, **more})


def ablation(parts: "Sequence[AblationSums]", made: Manifest) -> pd.DataFrame:
    """What changes when attention is taken away, a row for each site, target, way and change.

    Columns: ``layer``, ``head`` ("all", or the one concerned), ``target``, ``way``, ``change``
    (``tokens`` and ``text`` are 1 - cosine, ``relative`` is of 1, ``share`` is the attention
    taken away), ``value`` with ``low`` and ``high``, ``n`` inputs, ``groups``.
    """
    table = pd.concat([_ablation(sums) for sums in parts], ignore_index=True)
    return signed(table, made, parts[0].n_inputs)


def _ablation(sums: "AblationSums") -> pd.DataFrame:
    result, counts = sums.result(), sums.counts.sum(axis=0)
    rows = [
        {
            "layer": site.layer + 1,
            "head": str(site.attn_head or "all"),
            "target": target,
            "way": sums.way,
            "change": change,
            "value": float(result.mean[k, i, j]),
            "low": float(result.low[k, i, j]),
            "high": float(result.high[k, i, j]),
            "n": int(counts[j]),
            "groups": result.n_groups,
        }
        for i, site in enumerate(sums.sites)
        for j, target in enumerate(sums.targets)
        for k, change in enumerate(sums.changes)
        if counts[j]
    ]
    return pd.DataFrame(rows)


def sink_where(
    shares: "SinkShares", scores: Sequence[Score], sink: str, made: Manifest
) -> pd.DataFrame:
    """The best heads' attention to a sink, from words that their relation applies to and others.

    Columns: ``relation``, ``head``, ``direction``; ``applies`` with ``n_applies`` words,
    ``elsewhere`` with ``n_elsewhere``, ``difference`` (elsewhere less applies) with ``low`` and
    ``high`` (by document), and ``sink``.

    Args:
        shares: What was measured.
        scores: The relations with their best heads (``bertattn.syntax.scores``).
        sink: "to_start", "to_separator" or "to_first".
        made: How it was made.
    """
    rows = []
    for score in scores:
        relation, attn_head = score.questions.relation, score.attn_head
        if relation == ALL:
            continue
        found = shares.result(relation, attn_head, score.direction, sink)
        rows.append(
            {
                "relation": relation,
                "head": str(attn_head),
                "direction": score.direction,
                "n_applies": found.n_applies,
                "applies": found.applies,
                "n_elsewhere": found.n_elsewhere,
                "elsewhere": found.elsewhere,
                "difference": found.difference,
                "low": found.interval.low,
                "high": found.interval.high,
                "sink": sink,
            }
        )
    table = pd.DataFrame(rows).drop_duplicates(["relation", "direction"])
    return signed(table.reset_index(drop=True), made, shares.n_sentences)


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


def no_op(gradients: pd.DataFrame, taken: "TakenAway", made: Manifest) -> pd.DataFrame:
    """All that speaks for and against a no-op at a sink: a row a layer.

    Columns: ``gradient`` and ``logit`` (against those to ordinary tokens); ``attention`` (the share
    that goes there), ``moved`` (the share of the norms of weighted values) and ``value_norm``
    (against all tokens'); the relative change of the final states for each way in which attention
    was taken away, and for one ordinary token in the same way, with ``_low`` and ``_high`` (by
    document). Where a model does not let its attention be changed, only the first two are there,
    and ``.attrs["refused"]`` says why.

    Args:
        gradients: Gradients (``importance``).
        taken: What is moved and missed (``bertattn.importance.take_away``).
        made: How that was made; the gradients know how they were.
    """
    forms = {form: against_others(gradients, form)[taken.sink] for form in ("gradient", "logit")}
    table = pd.DataFrame(forms)
    if taken.moved is not None:
        result = taken.moved.result()
        place = taken.moved.targets.index(taken.sink)
        for name, measure in (("attention", 0), ("moved", 1), ("value_norm", 2)):
            table[name] = result.mean[measure, place].mean(axis=-1)
    for sums in taken.parts:
        for target, end in ((taken.sink, ""), (CONTROL, ", one other")):
            for name, values in _change(sums, target).items():
                table[f"{sums.way}{end}{name}"] = values
    n_inputs = taken.moved.n_inputs if taken.moved is not None else 0
    table = signed(table, _joint(gradients, made), n_inputs)
    table.attrs |= {"sink": taken.sink, "refused": taken.refused}
    return table


def _change(sums: "AblationSums", target: str) -> dict[str, np.ndarray]:
    """Relative change by layer, and the ends of its interval."""
    result = sums.result()
    place = (sums.changes.index("relative"), slice(None), sums.targets.index(target))
    return {"": result.mean[place], "_low": result.low[place], "_high": result.high[place]}


def _joint(gradients: pd.DataFrame, made: Manifest) -> Manifest:
    """How both were made: the gradients' options join, and their whole manifest is kept."""
    own = gradients.attrs["manifest"]
    beside = {"gradients_of": f"{gradients['n'].max()} {own['inputs']['kind']}"}
    return {**made, "options": {**made["options"], **own["options"], **beside}, "gradients": own}


def no_op_in_print(table: pd.DataFrame) -> pd.DataFrame:
    """The evidence for reading: two digits, intervals beside changes."""
    shown = {}
    for name in table:
        if f"{name}_low" in table:
            ends = zip(table[name], table[f"{name}_low"], table[f"{name}_high"], strict=True)
            shown[name] = [f"{v:.2f} [{a:.2f}, {b:.2f}]" for v, a, b in ends]
        elif not name.endswith(("_low", "_high")):
            shown[name] = [f"{v:.2f}" for v in table[name]]
    return passed_on(pd.DataFrame(shown, index=table.index), table)


def beside_figure_3(
    gradients: pd.DataFrame, sink: str, where: pd.DataFrame | None = None
) -> pd.DataFrame:
    """The findings of section 3.2 on no-ops, and what these tables say to the same questions.

    The paper's figure prints no numbers, and its model is BERT-base with the masked-LM loss: unless
    that has been run, its row says so.
    """
    paper = pd.read_csv(data_folder() / "paper" / "importance.csv")
    made, objective = gradients.attrs["manifest"], gradients["objective"].iloc[0]
    own = made["model"] in THE_PAPERS and objective == "masked LM"
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


def sink_name(made: Manifest, sink: str) -> str:
    """What a sink of this model is called, such as "[CLS]".

    Example:
        >>> sink_name({"specials": {"start": "<s>"}}, "to_start"), sink_name({}, "to_first")
        ('<s>', 'the first token')
    """
    kinds = {"to_start": Kind.START, "to_separator": Kind.SEPARATOR}
    return kind_name(made, kinds[sink]) if sink in kinds else "the first token"


def _range(values: pd.Series) -> str:
    return f"{values.min():.2f} to {values.max():.2f} times, by layer"


def _where(where: pd.DataFrame | None, name: str) -> str:
    if where is None:
        return "not run here"
    more, less = (where["low"] > 0).sum(), (where["high"] < 0).sum()
    return f"at {name} more: {more} of {len(where)} heads; less: {less}"
