"""Section 4.2's scores as tables: Table 1, every head, and the paper's numbers beside ours."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from bertattn import stats
from bertattn.heads import AttentionHead, all_heads
from bertattn.stats import Interval
from bertattn.syntax import (
    DIRECTIONS,
    Baseline,
    Checked,
    Direction,
    Null,
    Score,
    SyntaxCounts,
    known_to,
    questions,
)
from bertattn.tables.drawn import LEAST_CHECKED, trees
from bertattn.tables.manifest import Manifest, signed


def table_1(
    scores: Sequence[Score],
    made: Manifest,
    n_sentences: int,
    *,
    random: Sequence[Score] = (),
    null: Null | None = None,
    counts: SyntaxCounts | None = None,
    checked: Checked | None = None,
) -> pd.DataFrame:
    """Each relation's best head, and all that it takes to believe it; rates are of 1.

    Columns: ``relation``, ``n`` arcs in ``documents`` groups; ``head`` and ``direction`` with
    ``accuracy`` on the data that chose it, and ``rechosen_low`` to ``rechosen_high``, where that
    lies when resamples choose anew (no interval of a head's true accuracy: each choice flatters);
    ``held_out`` (chosen on one half of the documents, scored on the other) with its interval,
    ``winner_share`` (of the splits, by the most chosen head) and ``precision`` (of all the head
    predicts); the best fixed ``offset`` and the ``nearest`` word of a class, each with its
    accuracy and what the head has over it on held-out halves, with interval; ``random`` (the best
    head of a random-init model); ``p`` (swapped maps, Holm); ``corrected`` (silver put right by
    its checked part); ``trees`` (what drew them: see ``trees``).

    Args:
        scores: The scores (``bertattn.syntax.scores``).
        made: How they were made.
        n_sentences: On how many sentences.
        random: Scores of a random-init model.
        null: What swapped maps score.
        counts: What the scores came from, if they are to be corrected.
        checked: What corrects them (``syntax.checked_part``).
    """
    by_random = {(s.questions.relation, s.questions.directions): s.accuracy for s in random}
    rows = [
        {
            **_row(score),
            "random": by_random.get((score.questions.relation, score.questions.directions), np.nan),
            "p": null.adjusted.get(score.questions.relation, np.nan) if null else np.nan,
            **_corrected(score, counts, checked),
            "trees": trees(score.questions.relation, made["trees"]),
        }
        for score in scores
    ]
    return signed(pd.DataFrame(rows), made, n_sentences)


def _row(score: Score) -> dict[str, object]:
    winner, share = score.held_out.most_chosen
    return {
        "relation": score.questions.relation,
        "n": score.questions.n,
        "documents": len(score.questions.total),
        "head": str(score.attn_head),
        "direction": score.direction,
        "accuracy": score.accuracy,
        "rechosen_low": score.rechosen.low,
        "rechosen_high": score.rechosen.high,
        "held_out": score.held_out.mean,
        "held_out_low": score.interval.low,
        "held_out_high": score.interval.high,
        "winner": str(score.questions.head(winner)[0]) if winner >= 0 else "",
        "winner_share": share,
        "precision": score.precision,
        **_baseline("offset", score.offset),
        **_baseline("nearest", score.nearest),
    }


def _baseline(name: str, baseline: Baseline | None) -> dict[str, object]:
    if baseline is None:
        numbers = ("_accuracy", "_gain", "_gain_low", "_gain_high")
        return {name: "no parts of speech", **{f"{name}{end}": np.nan for end in numbers}}
    low, high = baseline.held_out_gain_interval
    return {
        name: baseline.rule,
        f"{name}_accuracy": baseline.accuracy,
        f"{name}_gain": baseline.held_out_gain,
        f"{name}_gain_low": low,
        f"{name}_gain_high": high,
    }


def _corrected(
    score: Score, counts: SyntaxCounts | None, checked: Checked | None
) -> dict[str, float]:
    rate, (low, high), n = np.nan, Interval(np.nan, np.nan), 0
    if counts is not None and checked is not None:
        parts = [_counted(c, score) for c in (counts, checked.silver, checked.checked)]
        n = int(parts[2][:, 1].sum())
        if n >= LEAST_CHECKED and parts[1][:, 1].sum() > 0:
            filled = np.flatnonzero(sum(p[:, 1] for p in parts))
            weights = stats.resamples(len(filled))
            silver, silver_checked, read = (p[filled] for p in parts)
            rate, (low, high) = stats.corrected_rate(silver, silver_checked, read, weights)
    return {"corrected": rate, "corrected_low": low, "corrected_high": high, "n_checked": n}


def _counted(counts: SyntaxCounts, score: Score) -> np.ndarray:
    """Right answers of a score's head and its relation's arcs, by group."""
    asked = score.questions
    same = [
        q
        for q in questions(counts, min_count=0)
        if (q.relation, q.directions) == (asked.relation, asked.directions)
    ]
    if not same:
        return np.zeros((len(counts.total), 2), dtype=np.int64)
    return np.stack([same[0].right[:, score.candidate], same[0].total[:, 0]], axis=1)


def every_head(counts: SyntaxCounts, made: Manifest, *, min_count: int = 0) -> pd.DataFrame:
    """The accuracy of every head for every relation, a row for each, both directions."""
    frames = []
    for asked in questions(counts, min_count=min_count):
        _, n_layers, n_heads = asked.shape
        heads = all_heads(n_layers, n_heads)
        right = asked.right.sum(axis=0).reshape(len(asked.directions), -1)
        for direction, values in zip(asked.directions, right, strict=True):
            columns = {
                "relation": asked.relation,
                "direction": direction,
                "layer": [h.layer + 1 for h in heads],
                "head": [str(h) for h in heads],
                "right": values,
                "total": asked.n,
                "accuracy": values / max(asked.n, 1),
            }
            frames.append(pd.DataFrame(columns))
    return signed(pd.concat(frames, ignore_index=True), made, counts.n_sentences)


def head_card(
    counts: SyntaxCounts, attn_head: AttentionHead, direction: Direction, made: Manifest
) -> pd.DataFrame:
    """What one head knows: its accuracy for every relation, beside the best fixed offset's.

    Intervals are Wilson's: the head was named, not chosen.
    """
    rows = []
    for relation, (right, total, offset) in known_to(counts, attn_head, direction).items():
        low, high = stats.wilson(right, total)
        columns = ("relation", "n", "accuracy", "accuracy_low", "accuracy_high", "offset_accuracy")
        values = (relation, total, right / total, low, high, offset)
        trusted = {"trees": trees(relation, made["trees"])}
        rows.append({**dict(zip(columns, values, strict=True)), **trusted})
    table = signed(pd.DataFrame(rows), made, counts.n_sentences)
    table.attrs |= {"head": str(attn_head), "direction": direction}
    return table


def by_document(counts: SyntaxCounts) -> pd.DataFrame:
    """Right answers and arcs of every head by group of documents, where there are arcs."""
    group, relation, direction = np.nonzero(counts.total)
    n_layers, n_heads = counts.right.shape[-2:]
    right = counts.right[group, relation, direction].reshape(len(group), -1)
    names = [str(h) for h in all_heads(n_layers, n_heads)]
    frame = pd.DataFrame(right, columns=names)
    frame.insert(0, "group", group)
    frame.insert(1, "relation", np.array(counts.relations)[relation])
    frame.insert(2, "direction", np.array(DIRECTIONS)[direction])
    frame.insert(3, "total", counts.total[group, relation, direction])
    return frame
