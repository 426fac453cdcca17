"""Section 4.3's scores as tables: Table 2, beside the paper's numbers, and by distance."""

import numpy as np
import pandas as pd

from bertattn import coref, stats
from bertattn.coref import ALL, CANDIDATES, DISTANCES, CorefCounts, Null
from bertattn.coref.counts import DIRECTIONS
from bertattn.corpora import data_folder
from bertattn.corpora.mentions import KINDS
from bertattn.heads import all_heads
from bertattn.tables.manifest import Manifest, passed_on, signed

ORDER = (ALL, "pronoun", "proper", "nominal")
ATTENTION = "attention head"
OVER = {
    "nearest": "nearest before",
    "match": "head match before",
    "match_else_nearest": "head match, else nearest",
    "sieves": "four sieves",
}


def table_2(
    counts: CorefCounts,
    made: Manifest,
    *,
    random: CorefCounts | None = None,
    null: Null | None = None,
) -> pd.DataFrame:
    """How often antecedents are found, by the best head and by rules; rates are of 1.

    A row for each way and kind of mention. Columns: ``way`` (a set of candidates for the best head,
    or a rule), ``kind``, ``n`` mentions asked in ``documents`` groups, ``head`` and ``direction``
    (chosen on all kinds together, on these data), ``value`` with ``low`` to ``high`` (of that head
    by itself, which for a head that was chosen is a little too good), ``candidates`` (mean number),
    ``chance`` (mean share of candidates that are right). For all kinds together also ``held_out``
    (chosen on one half of the documents, scored on the other) with interval, ``winner_share``,
    ``over_nearest``, ``over_match``, ``over_match_else_nearest`` and ``over_sieves`` (held-out
    differences to the rules) with intervals, and ``random`` (the best head of a random-init model).
    ``p``: shuffled entities, of the best head of each kind, Holm.

    Args:
        counts: What was counted.
        made: How.
        random: Counts of a random-init model.
        null: What shuffled entities score, for the first set of candidates.
    """
    rows = []
    kinds = [k for k in ORDER if k == ALL or counts.total[:, KINDS.index(k)].any()]
    for candidates in CANDIDATES:
        best = coref.score(counts, candidates).best
        rows += [_head_row(counts, candidates, kind, best, random, null) for kind in kinds]
    for rule in coref.rules.RULES:
        rows += [_rule_row(counts, rule, kind) for kind in kinds]
    return signed(pd.DataFrame(rows), made, counts.n_windows)


def _head_row(
    counts: CorefCounts,
    candidates: str,
    kind: str,
    best: int,
    random: CorefCounts | None,
    null: Null | None,
) -> dict[str, object]:
    score = coref.score(counts, candidates, kind)
    attn_head, direction = score.head(best)
    low, high = score.interval(best)
    number, kinds = CANDIDATES.index(candidates), _columns(kind)
    row: dict[str, object] = {
        "way": f"{ATTENTION}: {candidates}",
        "kind": kind,
        "n": score.n,
        "documents": len(score.total),
        "head": str(attn_head),
        "direction": direction,
        "value": score.accuracy(best),
        "low": low,
        "high": high,
        "candidates": counts.n_candidates[number, kinds].sum() / score.n,
        "chance": counts.chance[number, kinds].sum() / score.n,
        "random": np.nan,
        "p": np.nan,
    }
    if null is not None and candidates == CANDIDATES[0]:
        row["p"] = null.adjusted.get(kind, np.nan)
    if kind == ALL:
        row |= _held_out(score)
        if random is not None:
            control = coref.score(random, candidates)
            row["random"] = control.accuracy(control.best)
    return row


def _columns(kind: str) -> list[int]:
    return list(range(len(KINDS))) if kind == ALL else [KINDS.index(kind)]


def _held_out(score: coref.Score) -> dict[str, float]:
    """Scores of heads chosen on other documents."""
    low, high = stats.interval(score.held_out.resampled.ravel())
    return {
        "held_out": score.held_out.mean,
        "held_out_low": low,
        "held_out_high": high,
        "winner_share": score.held_out.most_chosen[1],
        **_over(score),
    }


def _over(score: coref.Score) -> dict[str, float]:
    """What heads chosen on other documents have over each rule, with its interval."""
    found: dict[str, float] = {}
    for name, rule in OVER.items():
        difference, (low, high) = score.over(rule)
        ends = {"": difference, "_low": low, "_high": high}
        found |= {f"over_{name}{end}": value for end, value in ends.items()}
    return found


def coref_by_document(counts: CorefCounts) -> pd.DataFrame:
    """Antecedents found and mentions asked, of every head, by group of documents."""
    right, total = counts.right.sum(axis=2), counts.total.sum(axis=2)  # over distances
    n_layers, n_heads = right.shape[-2:]
    names = [str(h) for h in all_heads(n_layers, n_heads)]
    group, kind, way, direction = np.nonzero(
        np.broadcast_to(total[:, :, None, None] > 0, right.shape[:4])
    )
    frame = pd.DataFrame(right[group, kind, way, direction].reshape(len(group), -1), columns=names)
    frame.insert(0, "group", group)
    frame.insert(1, "way", np.array(CANDIDATES)[way])
    frame.insert(2, "kind", np.array(KINDS)[kind])
    frame.insert(3, "direction", np.array(DIRECTIONS)[direction])
    frame.insert(4, "total", total[group, kind])
    return frame


def over_rules(table: pd.DataFrame) -> pd.DataFrame:
    """Each row of heads: what it has over the rules on held-out documents, per cent."""
    rows = table[(table["head"] != "") & (table["kind"] == ALL)]
    held_out = zip(*(rows[f"held_out{end}"] for end in ("", "_low", "_high")), strict=True)
    columns: dict[str, object] = {"way": rows["way"], "n": rows["n"]}
    columns["held out"] = [_with_ends(*row) for row in held_out]
    for name, rule in OVER.items():
        cells = zip(*(rows[f"over_{name}{end}"] for end in ("", "_low", "_high")), strict=True)
        columns[f"over: {rule}"] = [_with_ends(*row) for row in cells]
    columns["p, shuffled"] = ["" if np.isnan(p) else f"{p:.3f}" for p in rows["p"]]
    return passed_on(pd.DataFrame(columns).reset_index(drop=True), table)


def _with_ends(value: float, low: float, high: float) -> str:
    if np.isnan(value):
        return ""
    return f"{100 * value:.1f} [{100 * low:.0f}, {100 * high:.0f}]"


def _rule_row(counts: CorefCounts, rule: str, kind: str) -> dict[str, object]:
    score = coref.score(counts, kind=kind)
    value, (low, high) = score.rule(rule)
    return {
        "way": rule,
        "kind": kind,
        "n": score.n,
        "documents": len(score.total),
        "head": "",
        "direction": "",
        "value": value,
        "low": low,
        "high": high,
    }


def table_2_in_print(table: pd.DataFrame) -> pd.DataFrame:
    """Table 2 for reading: a row a way, a column a kind of mention, per cent with intervals."""
    rows = []
    for way, group in table.groupby("way", sort=False):
        first = group[group["kind"] == ALL].iloc[0]
        row = {"way": way, "head": first["head"], "direction": first["direction"]}
        for _, cell in group.iterrows():
            ends = f"[{100 * cell['low']:.0f}, {100 * cell['high']:.0f}]"
            row[f"{cell['kind']} ({cell['n']:,})"] = f"{100 * cell['value']:.1f} {ends}"
        row["held out"] = _per_cent(first["held_out"])
        row["candidates"] = "" if np.isnan(first["candidates"]) else f"{first['candidates']:.1f}"
        row["chance"] = _per_cent(first["chance"])
        row["random init"] = _per_cent(first["random"])
        rows.append(row)
    return passed_on(pd.DataFrame(rows), table)


def _per_cent(value: float) -> str:
    return "" if np.isnan(value) else f"{100 * value:.1f}"


def beside_table_2(table: pd.DataFrame) -> pd.DataFrame:
    """The paper's Table 2, in per cent, and the same ways here."""
    paper = pd.read_csv(data_folder() / "paper" / "coref.csv")
    ours = table.set_index(["way", "kind"])["value"]
    kinds = [kind for kind in ORDER if kind in set(table["kind"])]
    for kind in kinds:
        values = [ours.get((way, kind), np.nan) for way in paper["here"]]
        paper[f"ours, {kind}"] = (100 * pd.Series(values, dtype=float)).round(1)
    return passed_on(paper.rename(columns={"all": "all kinds"}), table)


def coref_heads(
    counts: CorefCounts, made: Manifest, candidates: str = CANDIDATES[0]
) -> pd.DataFrame:
    """The accuracy of every head for every kind of mention, a row for each, both directions."""
    frames = []
    for kind in ORDER:
        if kind != ALL and not counts.total[:, KINDS.index(kind)].any():
            continue
        score = coref.score(counts, candidates, kind, n_resamples=1)
        _, n_layers, n_heads = score.shape
        heads = all_heads(n_layers, n_heads)
        right = score.right.sum(axis=0).reshape(score.shape[0], -1)
        for number, values in enumerate(right):
            columns = {
                "relation": kind,
                "direction": coref.DIRECTIONS[number],
                "layer": [h.layer + 1 for h in heads],
                "head": [str(h) for h in heads],
                "right": values,
                "total": score.n,
                "accuracy": values / score.n,
            }
            frames.append(pd.DataFrame(columns))
    return signed(pd.concat(frames, ignore_index=True), made, counts.n_windows)


def by_distance(
    counts: CorefCounts, made: Manifest, candidates: str = CANDIDATES[0]
) -> pd.DataFrame:
    """The best head and some rules by words back to the nearest antecedent, and by kind."""
    score = coref.score(counts, candidates)
    attn_head, direction = score.head(score.best)
    where = (CANDIDATES.index(candidates), coref.DIRECTIONS.index(direction))
    right = counts.right[:, :, :, where[0], where[1], attn_head.layer, attn_head.index].sum(axis=0)
    total = counts.total.sum(axis=0)
    of_rules = counts.right_rules.sum(axis=0)
    ways = {f"head {attn_head}": right}
    ways |= {
        name: of_rules[..., number]
        for number, name in enumerate(coref.rules.RULES)
        if name in ("nearest before", "head match before", "four sieves")
    }
    rows = [
        {"way": way, "kind": kind, "distance": _bin(place), "right": int(r), "n": int(n),
         "value": r / n if n else np.nan}
        for way, values in ways.items()
        for kind, cells, totals in _by_kind(values, total)
        for place, (r, n) in enumerate(zip(cells, totals, strict=True))
    ]  # fmt: skip
    return signed(pd.DataFrame(rows), made, counts.n_windows)


def _by_kind(values: np.ndarray, total: np.ndarray) -> list[tuple[str, np.ndarray, np.ndarray]]:
    """Each kind's counts by distance, after those of all kinds together."""
    whole = (ALL, values.sum(axis=0), total.sum(axis=0))
    return [whole, *((k, values[n], total[n]) for n, k in enumerate(KINDS))]


def _bin(place: int) -> str:
    lows = [1, *(d + 1 for d in DISTANCES)]
    return (
        f"{lows[place]}-{DISTANCES[place]}" if place < len(DISTANCES) else f"over {DISTANCES[-1]}"
    )
