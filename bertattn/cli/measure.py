"""Sections 3 and 6 in one pass: where attention goes, and how far apart heads are."""

from argparse import Namespace

from bertattn import clusters, corpora, measure, plots, readings, surface, tables
from bertattn.cli import results
from bertattn.cli.preview import preview
from bertattn.cli.results import Results
from bertattn.model import AttentionModel, load
from bertattn.segments import Segments


def run(asked: Namespace) -> None:
    """Measure a model's segments."""
    text = corpora.load(asked.corpus, asked.layout)
    model = load(asked.model, device=asked.device)
    segments = Segments(text, model.encoder, n=asked.segments)
    options = clusters.Options(rows=asked.rows)
    n_inputs = preview(segments, model, lambda: _observers(model, options))
    if asked.dry_run:
        return
    sums, far = _observers(model, options)
    measure.measure(segments, model, sums, far, total=n_inputs)
    results.finish(_found(model, text, segments, sums, far), asked)


def _observers(
    model: AttentionModel, options: clusters.Options
) -> tuple[surface.SurfaceSums, clusters.DistanceSums]:
    shape = model.shape
    return surface.SurfaceSums.empty(*shape), clusters.DistanceSums.empty(*shape, options)


def _found(
    model: AttentionModel,
    text: corpora.Corpus,
    segments: Segments,
    sums: surface.SurfaceSums,
    far: clusters.DistanceSums,
) -> Results:
    distances = far.result()
    table = tables.surface(sums.result(), tables.manifest(model, text, segments))
    made = tables.manifest(model, text, segments, far.left_out, **vars(far.options))
    return Results(
        [
            results.left_out(segments.left_out + far.left_out),
            readings.positions(table),
            readings.sink(table),
            readings.breadth(table),
            readings.alike(distances),
        ],
        {"surface": table, "head_pairs": tables.head_pairs(distances, made)},
        {"surface": tables.by_group(sums), "head_pairs": tables.distances_by_group(far)},
        {"positions": lambda: plots.figure_2_positions(table)},
    )
