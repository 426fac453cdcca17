"""What stands beside a small gradient, as tables: values, removals, and where heads look."""

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from bertattn.syntax import ALL, Score
from bertattn.tables.importance import against_others, rows_of_heads
from bertattn.tables.manifest import Manifest, passed_on, signed

if TYPE_CHECKING:
    from bertattn.importance import AblationSums, MovedSums, SinkShares, TakenAway

CONTROL = "to_one_other"
WHERE = [
    "relation", "head", "direction", "n_applies", "applies", "n_elsewhere", "elsewhere",
    "difference", "low", "high", "all_heads", "excess", "excess_low", "excess_high", "sink",
]  # fmt: skip


def moved(sums: "MovedSums", made: Manifest) -> pd.DataFrame:
    """What attention moves, a row for each head, measure and kind of target.

    Columns: ``layer``, ``head``, ``measure`` (``share`` of attention, ``moved_share`` of the norms
    of weighted values, ``value_norm`` as a part of the mean over all tokens), ``target``,
    ``value`` with ``low`` and ``high``, ``n`` inputs, ``groups``.
    """
    result, counts = sums.result(), sums.counts.sum(axis=0)
    frames = [
        rows_of_heads(result, (i, j), {"measure": measure, "target": target}, n=int(counts[j]))
        for i, measure in enumerate(sums.measures)
        for j, target in enumerate(sums.targets)
        if counts[j]
    ]
    table = pd.concat(frames, ignore_index=True)
    table["groups"] = result.n_groups
    return signed(table, made, sums.n_inputs)


def ablation(parts: "Sequence[AblationSums]", made: Manifest) -> pd.DataFrame:
    """What changes when attention is taken away, a row for each site, target, way and change.

    Columns: ``layer``, ``head`` ("all", or the one concerned), ``target``, ``way``, ``change``
    (``tokens`` and ``text`` are 1 - cosine, ``relative`` is of 1, ``share`` is the attention
    taken away), ``value`` with ``low`` and ``high``, ``n`` inputs, ``groups``.
    """
    table = pd.concat([_ablation(sums) for sums in parts], ignore_index=True)
    return signed(table, _with_left_out(made, parts), parts[0].n_inputs)


def _with_left_out(made: Manifest, parts: "Sequence[AblationSums]") -> Manifest:
    """A manifest with the rows that stayed as they were, since they attend to nothing else."""
    counts = sum((sums.left_out for sums in parts), Counter[str]())
    return {**made, "left_out": {**made.get("left_out", {}), **counts}}


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
    ``high`` (by document); ``all_heads``, the same difference averaged over all heads of the model,
    and ``excess``, the difference less that, with ``excess_low`` and ``excess_high``; and ``sink``.
    Without a relation the table is empty.

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
                "all_heads": found.all_heads,
                "excess": found.excess,
                "excess_low": found.excess_interval.low,
                "excess_high": found.excess_interval.high,
                "sink": sink,
            }
        )
    table = pd.DataFrame(rows, columns=WHERE).drop_duplicates(["relation", "direction"])
    return signed(table.reset_index(drop=True), made, shares.n_sentences)


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
    table = signed(table, _joint(gradients, _with_left_out(made, taken.parts)), n_inputs)
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
            shown[name] = [_with_ends(*row) for row in ends]
        elif not name.endswith(("_low", "_high")):
            shown[name] = [f"{v:.2f}" for v in table[name]]
    return passed_on(pd.DataFrame(shown, index=table.index), table)


def _with_ends(value: float, low: float, high: float) -> str:
    return f"{value:.2f}" if np.isnan(low) else f"{value:.2f} [{low:.2f}, {high:.2f}]"
