"""Section 5: how much of a tree can be read off all heads together."""

from argparse import Namespace
from collections.abc import Sequence

from bertattn import plots, probes, readings, tables, vectors
from bertattn.cli import results
from bertattn.cli.preview import preview
from bertattn.cli.results import Results
from bertattn.cli.running import say
from bertattn.cli.treebanks import opened
from bertattn.corpora import Treebank
from bertattn.model import AttentionModel, load, random_init
from bertattn.segments import Trees


def run(asked: Namespace) -> None:
    """Train probes and test them beside their controls."""
    treebank = opened(asked)
    words = vectors.load(asked.vectors)
    model = load(asked.model, device=asked.device)
    inputs = Trees(treebank, model.encoder, n=asked.sentences)
    preview(inputs, model, list, 1 + asked.seeds, "the training of probes is")
    sentences = list(inputs)
    divided = probes.parts(sentences)
    if asked.dry_run:
        return
    maps = probes.word_maps(model, sentences)
    data = probes.ProbeData.of(sentences, maps, words, divided)
    say(", ".join(f"{name} {len(part)} sentences" for name, part in divided._asdict().items()))
    results.finish(_found(model, treebank, inputs, data, _trained(asked, data)), asked)


def _trained(asked: Namespace, data: probes.ProbeData) -> list[probes.Result]:
    """Attention and words first: others are compared with it."""
    own = {
        "attention and words": (probes.AttentionAndWords, True),
        "attention only": (probes.AttentionOnly, False),
        "words and distances": (probes.WordsAndDistances, True),
    }
    found = [
        probes.evaluated(name, make, data, n_epochs=asked.epochs, control=control)
        for name, (make, control) in own.items()
    ]
    if asked.seeds:
        controls = (random_init(asked.model, seed=seed) for seed in range(asked.seeds))
        found.append(probes.random_init(controls, data, n_epochs=asked.epochs))
    return [*found, *probes.baselines(data)]


def _found(
    model: AttentionModel,
    treebank: Treebank,
    inputs: Trees,
    data: probes.ProbeData,
    found: Sequence[probes.Result],
) -> Results:
    unknown = {"words_without_vector": data.vectors.unknown.total()}
    made = tables.manifest(model, treebank, inputs, unknown, **probes.settings(data, found))
    table = tables.table_3(found, data, made)
    over, curves = tables.over_others(found, table), tables.learning_curves(found, table)
    return Results(
        [
            results.left_out(made["left_out"]),
            readings.probes(table, over),
            readings.random_probe(table),
            readings.selectivity(table),
            readings.learning(curves),
            readings.trees(table),
        ],
        {"table_3": table, "over_others": over, "learning_curves": curves},
        {"table_3": tables.probes_by_document(found, data)},
        figures={"table_3": lambda: plots.table_3(table)},
    )
