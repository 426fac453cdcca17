"""Section 6: which heads attend alike, on a map, with and without the sink."""

from argparse import Namespace
from typing import NamedTuple

from bertattn import clusters, corpora, measure, plots, readings, surface, tables
from bertattn.cli import results
from bertattn.cli.preview import preview
from bertattn.cli.results import Results
from bertattn.model import AttentionModel, load
from bertattn.segments import Segments


class _Sums(NamedTuple):
    """What one pass adds up."""

    as_it_is: clusters.DistanceSums
    without: clusters.DistanceSums
    averages: surface.SurfaceSums

    @classmethod
    def of(cls, model: AttentionModel, asked: Namespace) -> "_Sums":
        whole = clusters.Options(rows=asked.rows)
        less = clusters.Options(rows=asked.rows, without=asked.sink)
        return cls(
            clusters.DistanceSums.empty(*model.shape, whole),
            clusters.DistanceSums.empty(*model.shape, less),
            surface.SurfaceSums.empty(*model.shape),
        )


def run(asked: Namespace) -> None:
    """Measure distances and draw the map of heads."""
    text = corpora.load(asked.corpus, asked.layout)
    model = load(asked.model, device=asked.device)
    segments = Segments(text, model.encoder, n=asked.segments)
    n_inputs = preview(segments, model, lambda: _Sums.of(model, asked))
    if asked.dry_run:
        return
    sums = _Sums.of(model, asked)
    measure.measure(segments, model, *sums, total=n_inputs)
    results.finish(_found(asked, model, text, segments, sums), asked)


def _found(
    asked: Namespace, model: AttentionModel, text: corpora.Corpus, segments: Segments, sums: _Sums
) -> Results:
    distances = sums.as_it_is.result()
    variants = {"as it is": distances, "without the sink": sums.without.result()}
    options, lost = vars(sums.as_it_is.options), sums.as_it_is.left_out + sums.without.left_out
    made = tables.manifest(model, text, segments, sums.as_it_is.left_out, **options)
    of_both = tables.manifest(model, text, segments, lost, **options, sink_removed=asked.sink)
    averaged = tables.surface(sums.averages.result(), tables.manifest(model, text, segments))
    layout, tree = clusters.layout(distances.matrix), clusters.Tree.of(distances.matrix)
    behaviours, no_roles = tables.behaviours(averaged), tables.roles()
    heads = tables.head_map(distances, layout, tree, behaviours, no_roles, made)
    quality = tables.map_quality(variants, of_both)
    grouped = tables.groupings(variants, heads, of_both)
    gradients = tables.gradients(variants, of_both)
    return Results(
        [
            results.left_out(segments.left_out + lost),
            readings.removed(sums.without),
            readings.alike(distances),
            readings.map_quality(quality),
            readings.layers(grouped, gradients),
            readings.groups(grouped),
        ],
        {
            "head_pairs": tables.head_pairs(distances, made),
            "head_map": heads,
            "nearest_heads": tables.nearest_heads(distances, made),
            "map_quality": quality,
            "groupings": grouped,
            "gradients": gradients,
        },
        {"head_pairs": tables.distances_by_group(sums.as_it_is)},
        figures={"figure_6": lambda: plots.figure_6(heads)},
    )
