"""Section 4.2: which head finds which relation, and what else would."""

from argparse import Namespace
from collections.abc import Sequence

from bertattn import measure, plots, readings, syntax, tables
from bertattn.cli import results
from bertattn.cli.preview import preview
from bertattn.cli.results import Results, unusual
from bertattn.cli.treebanks import opened
from bertattn.corpora import Treebank
from bertattn.model import AttentionModel, load, random_init
from bertattn.segments import Trees
from bertattn.syntax.null import N_SWAPS

N_KEPT = 3000  # sentences whose maps are swapped


def run(asked: Namespace) -> None:
    """Score every head for every relation."""
    treebank = opened(asked)
    model = load(asked.model, device=asked.device)
    inputs = Trees(treebank, model.encoder, n=asked.sentences)
    keep = N_KEPT if asked.swaps else 0
    n_inputs = preview(
        inputs,
        model,
        lambda: [syntax.SyntaxCounts.empty(*model.shape, treebank.relations)],
        1 + asked.control,
    )
    if asked.dry_run:
        return
    counts = syntax.SyntaxCounts.empty(*model.shape, treebank.relations, keep=keep)
    measure.measure(inputs, model, counts, total=n_inputs)
    _check(counts, asked.min_count)
    scores = list(syntax.scores(counts, min_count=asked.min_count))
    random = _random(asked, inputs, treebank, n_inputs) if asked.control else []
    results.finish(_found(asked, model, treebank, inputs, counts, scores, random), asked)


def _check(counts: syntax.SyntaxCounts, min_count: int) -> None:
    """Refuse what has no relation to speak of."""
    found = [q for q in syntax.questions(counts, min_count=1) if q.relation != syntax.ALL]
    most = max(found, key=lambda question: question.n, default=None)
    if most is None or most.n < min_count:
        there = f"{most.relation} has most, {most.n}" if most else "there are none at all"
        raise ValueError(
            f"no relation has {min_count} arcs ({there}); give more sentences, or a lower "
            "--min-count"
        )


def _random(
    asked: Namespace, inputs: Trees, treebank: Treebank, n_inputs: int
) -> Sequence[syntax.Score]:
    """Scores of the same architecture with random layers."""
    control = random_init(asked.model, device=asked.device)
    counts = syntax.SyntaxCounts.empty(*control.shape, treebank.relations)
    measure.measure(inputs, control, counts, total=n_inputs)
    return list(syntax.scores(counts, min_count=asked.min_count))


def _swapped(
    counts: syntax.SyntaxCounts, scores: Sequence[syntax.Score], n_swaps: int
) -> syntax.Null | None:
    if not n_swaps:
        return None
    names = [s.questions.relation for s in scores if s.questions.relation != syntax.ALL]
    try:
        return syntax.swap_maps(counts.guesses, names, n_swaps=n_swaps)
    except ValueError as error:
        raise ValueError(f"{error}, or --swaps 0 to leave the test out") from error


def _found(
    asked: Namespace,
    model: AttentionModel,
    treebank: Treebank,
    inputs: Trees,
    counts: syntax.SyntaxCounts,
    scores: Sequence[syntax.Score],
    random: Sequence[syntax.Score],
) -> Results:
    made = tables.manifest(
        model,
        treebank,
        inputs,
        counts.left_out,
        **vars(counts.options),
        min_count=asked.min_count,
        **unusual(swaps=(asked.swaps, N_SWAPS)),
    )
    table = tables.table_1(
        scores,
        made,
        counts.n_sentences,
        random=random,
        null=_swapped(counts, scores, asked.swaps),
        counts=counts,
        checked=syntax.checked_part(model, inputs, counts),
    )
    return Results(
        [
            results.left_out(inputs.left_out + counts.left_out),
            readings.best_heads(table),
            readings.swaps(table),
            readings.silver(table),
        ],
        {
            "table_1": table,
            "every_head": tables.every_head(counts, made, min_count=asked.min_count),
        },
        {"table_1": tables.by_document(counts)},
        {"table_1": lambda: plots.table_1(table)},
    )
