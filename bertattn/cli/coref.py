"""Section 4.3: which head looks from a mention to its antecedent."""

from argparse import Namespace

from bertattn import coref, corpora, measure, plots, readings, tables
from bertattn.cli import results
from bertattn.cli.preview import preview
from bertattn.cli.results import Results, unusual
from bertattn.coref.null import N_SWAPS
from bertattn.coref.windows import PIECES
from bertattn.model import AttentionModel, load, random_init

N_KEPT = 500  # windows whose antecedents are shuffled


def run(asked: Namespace) -> None:
    """Count how often every head finds an antecedent."""
    corpus = corpora.coreference(asked.coref, skip=not asked.strict)
    model = load(asked.model, device=asked.device)
    pieces = min(PIECES, model.max_pieces)
    windows = coref.Windows(corpus, model.encoder, asked.cut, pieces, asked.documents)
    _check(corpus, windows)
    n_inputs = preview(
        windows, model, lambda: [coref.CorefCounts.empty(*model.shape)], 1 + asked.control
    )
    if asked.dry_run:
        return
    keep = N_KEPT if asked.shuffles else 0
    counts = coref.CorefCounts.empty(*model.shape, keep=keep)
    measure.measure(windows, model, counts, total=n_inputs)
    at_random = _random(asked, windows, n_inputs) if asked.control else None
    results.finish(_found(asked, model, corpus, windows, counts, at_random), asked)


def _check(corpus: corpora.CorefCorpus, windows: coref.Windows) -> None:
    """Refuse documents in which nothing can be asked."""
    if any(window.source.asked for window in windows):
        return
    if corpus.skipped:
        raise corpus.skipped[0]
    raise ValueError(
        "no mention in these documents has an antecedent within its window; give documents with "
        "coreference, more of them, or --cut tiled"
    )


def _random(asked: Namespace, windows: coref.Windows, n_inputs: int) -> coref.CorefCounts:
    """Counts of the same architecture with random layers."""
    control = random_init(asked.model, device=asked.device)
    counts = coref.CorefCounts.empty(*control.shape)
    measure.measure(windows, control, counts, total=n_inputs)
    return counts


def _found(
    asked: Namespace,
    model: AttentionModel,
    corpus: corpora.CorefCorpus,
    windows: coref.Windows,
    counts: coref.CorefCounts,
    at_random: coref.CorefCounts | None,
) -> Results:
    made = tables.manifest(
        model,
        corpus,
        windows,
        counts.left_out,
        from_word=counts.from_word,
        **unusual(shuffles=(asked.shuffles, N_SWAPS)),
    )
    shuffled = None
    if asked.shuffles:
        shuffled = coref.shuffle_entities(counts.guesses, n_shuffles=asked.shuffles)
    table = tables.table_2(counts, made, random=at_random, null=shuffled)
    distances = tables.by_distance(counts, made)
    return Results(
        [
            results.left_out(windows.left_out + counts.left_out),
            readings.coreference(table),
            readings.kinds(table),
        ],
        {
            "table_2": table,
            "by_distance": distances,
            "coref_heads": tables.coref_heads(counts, made),
        },
        {"table_2": tables.coref_by_document(counts)},
        figures={"table_2": lambda: plots.table_2(table)},
    )
