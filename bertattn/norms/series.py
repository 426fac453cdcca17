"""The findings of notebooks 02 to 07, asked of weights and of norms on the same inputs.

Each function takes the same reducer twice: shown the model's maps, and shown ``NormModel``'s.
"""

from collections.abc import Iterator
from functools import partial

import numpy as np

from bertattn.clusters import Distances, DistanceSums, Mantel, mantel, within_and_between
from bertattn.coref import CorefCounts, Score, rules, score
from bertattn.heads import AttentionHead
from bertattn.norms.findings import Finding, of_chosen, of_mean, value_of
from bertattn.probes import ProbeData, Result
from bertattn.stats import N_GROUPS, group_of
from bertattn.surface import MEASURES, SurfaceSums
from bertattn.syntax import ALL, Questions, SyntaxCounts, scores
from bertattn.syntax.questions import N_OFFSETS

OVER_HALF = 0.5  # Clark et al. 2019, section 3
SINKS = ("to_start", "to_separator")


def of_surface(weights: SurfaceSums, norms: SurfaceSums) -> list[Finding]:
    """Positional heads, the sink, separators and marks, breadth (notebooks 02 and 03).

    ===================== ================================================================
    previous, next head   the best head's share of it, over half
    sink                  all heads' share, over an even one; the best layer's, over half
    marks                 all heads' share of "." and ",", over an even one
    separators            from separators to them, less from other tokens
    breadth               mean entropy of the first layer, less that of the others
    ===================== ================================================================

    Raises:
        ValueError: If the two are of other inputs.
    """
    _same(weights.counts, norms.counts)
    both = weights, norms
    sink = sink_of(weights)
    found = [
        _best_head("a head over half on the previous token", "to_previous", both),
        _best_head("a head over half on the next token", "to_next", both),
        _of_all("more than an even share to the sink", "03", sink, both),
        _best_layer("a layer over half to the sink", sink, both),
        _of_all('more than an even share to "." and ","', "02", "to_punctuation", both),
    ]
    if _counted(weights, "from_separator").any():
        found.append(_separators(both))
    if weights.sums.shape[2] > 1:
        found.append(_breadth(both))
    return found


def sink_of(sums: SurfaceSums) -> str:
    """The special token that takes the most attention; the first token where there is none."""
    present = [measure for measure in SINKS if _counted(sums, measure).any()]
    if not present:
        return "to_first"
    return max(present, key=lambda m: _of(sums, m).sum() / _counted(sums, m).sum())


def _of(sums: SurfaceSums, measure: str) -> np.ndarray:
    """One measure's sums, "group layer head"."""
    return sums.sums[:, MEASURES.index(measure)]


def _counted(sums: SurfaceSums, measure: str) -> np.ndarray:
    return sums.counts[:, MEASURES.index(measure)]


Both = tuple[SurfaceSums, SurfaceSums]


def _best_head(name: str, measure: str, both: Both) -> Finding:
    right = tuple(_of(sums, measure).reshape(len(sums.sums), -1) for sums in both)
    n_heads = both[0].sums.shape[-1]
    total = _counted(both[0], measure)[:, None]
    named = partial(_head, n_heads=n_heads)
    return of_chosen(name, "02", (right[0], right[1]), total, named, bar=OVER_HALF)


def _head(column: int, n_heads: int) -> AttentionHead:
    return AttentionHead(*divmod(column, n_heads))


def _best_layer(name: str, measure: str, both: Both) -> Finding:
    right = tuple(_of(sums, measure).mean(axis=-1) for sums in both)
    total = _counted(both[0], measure)[:, None]
    return of_chosen(name, "03", (right[0], right[1]), total, int, bar=OVER_HALF)


def _of_all(name: str, source: str, measure: str, both: Both) -> Finding:
    """The mean over all heads, over what attending to all tokens alike would give."""
    parts = tuple(_of(sums, measure).mean(axis=(1, 2)) for sums in both)
    counts = _counted(both[0], measure)
    even = both[0].uniform[:, MEASURES.index(measure)].sum() / max(counts.sum(), 1)
    return of_mean(name, source, (parts[0], parts[1]), counts, bar=float(even))


def _separators(both: Both) -> Finding:
    parts = tuple(
        (_of(sums, "from_separator") - _of(sums, "from_others")).mean(axis=(1, 2)) for sums in both
    )
    counts = _counted(both[0], "from_separator")
    name = "separators look at separators more than others do"
    return of_mean(name, "03", (parts[0], parts[1]), counts)


def _breadth(both: Both) -> Finding:
    entropies = [_of(sums, "entropy").mean(axis=-1) for sums in both]
    parts = tuple(layers[:, 0] - layers[:, 1:].mean(axis=1) for layers in entropies)
    counts = _counted(both[0], "entropy")
    name = "the first layer looks more broadly than the others"
    return of_mean(name, "03", (parts[0], parts[1]), counts, unit="nats")


def of_clusters(weights: DistanceSums, norms: DistanceSums) -> Finding:
    """Heads of one layer lie nearer to one another than to others (notebook 04), in nats.

    Raises:
        ValueError: If the two are of other inputs or rows.
    """
    _same(weights.n_rows, norms.n_rows)
    found = weights.result(), norms.result()
    change = Distances(found[1].sums - found[0].sums, found[0].n_rows, found[0].n_layers)
    one, other, less = (value_of(within_and_between(d), 2) for d in (*found, change))
    return Finding("heads of one layer lie nearer together", "04", 0.0, "nats", one, other, less)


def same_distances(weights: DistanceSums, norms: DistanceSums, seed: int = 0) -> Mantel:
    """Do heads that are far apart by weights lie far apart by norms? The Mantel test."""
    return mantel(weights.result().matrix, norms.result().matrix, seed=seed)


def of_syntax(
    weights: SyntaxCounts, norms: SyntaxCounts, *, min_count: int = 50
) -> Iterator[Finding]:
    """A head beats the best fixed offset, for each relation (notebook 05).

    Args:
        weights: Counts by weights.
        norms: Counts by norms.
        min_count: How many arcs a relation needs.

    Raises:
        ValueError: If the two are of other inputs.
    """
    _same(weights.total, norms.total)
    asked = [scores(counts, min_count=min_count, at_least_one=False) for counts in (weights, norms)]
    for one, other in zip(*asked, strict=True):
        question = one.questions
        if question.relation == ALL:
            continue
        direction = f" ({question.directions[0]})" if len(question.directions) == 1 else ""
        yield of_chosen(
            f"{question.relation}{direction}: a head beats the best offset",
            "05",
            (question.right, other.questions.right),
            question.total,
            partial(_asked, question),
            rules=question.right_rules[:, :N_OFFSETS],
        )


def of_coreference(weights: CorefCounts, norms: CorefCounts) -> list[Finding]:
    """A head beats the nearest mention (notebook 06): among all words, and among mentions.

    Raises:
        ValueError: If the two are of other inputs.
    """
    _same(weights.total, norms.total)
    found = []
    for candidates, rule in (("all words", "nearest"), ("other mentions", "nearest before")):
        one, other = (score(counts, candidates) for counts in (weights, norms))
        found.append(
            of_chosen(
                f"antecedents: a head among {candidates} beats the {rule} mention",
                "06",
                (one.right, other.right),
                one.total,
                partial(_asked, one),
                rules=one.right_rules[:, [list(rules.RULES).index(rule)]],
            )
        )
    return found


def of_probe(weights: Result, norms: Result, chain: Result, data: ProbeData) -> Finding:
    """A probe finds more governors than right-branching does (notebook 07), on its test part.

    Args:
        weights: The probe trained on maps of weights.
        norms: The same trained on maps of norms, of the same sentences in the same parts.
        chain: Right-branching.
        data: Either of the two; its documents are what intervals are by.

    Raises:
        ValueError: If they were tested on other words.
    """
    asked = [result.runs[0].counts for result in (weights, norms, chain)]
    for counts in asked:
        _same(asked[0].total, counts.total)
    groups = group_of(np.array([data.inputs[number].document for number in data.parts.test]))
    by_weights, by_norms, total = (
        np.bincount(groups, values, minlength=N_GROUPS)
        for values in (*(one.right - asked[2].right for one in asked[:2]), asked[0].total)
    )
    name = f"{weights.name}: more governors than right-branching"
    return of_mean(name, "07", (by_weights, by_norms), total.astype(np.int64))


def _asked(asked: Questions | Score, column: int) -> AttentionHead:
    return asked.head(column)[0]


def _same(weights: np.ndarray, norms: np.ndarray) -> None:
    if not np.array_equal(weights, norms):
        raise ValueError(
            "wanted sums over the same inputs by weights and by norms, got sums over others; run "
            "the same inputs through the model and through its NormModel"
        )
