"""Sections 3, 4.2 and 6 in one pass over one parsed corpus, beside the forward pass alone."""

from benchmarks.models import bert_base, capture, plain_pass, plain_twin
from benchmarks.timing import Line, medians
from bertattn import corpora, measure
from bertattn.clusters import DistanceSums, Options
from bertattn.model import AttentionModel, load
from bertattn.segments import Trees
from bertattn.surface import SurfaceSums
from bertattn.syntax import SyntaxCounts

SHARE = 0.125  # of the rows whose distances are taken


def lines(rounds: int = 5) -> list[Line]:
    """The default model and a BERT of base size, on the sample's parsed sentences."""
    default, base = load("minilm", device="cpu"), bert_base()
    return [line for model, n in ((default, 256), (base, 64)) for line in _of(model, n, rounds)]


def _of(model: AttentionModel, n_sentences: int, rounds: int) -> list[Line]:
    treebank = corpora.treebank("sample")
    batches = list(measure.batches(Trees(treebank, model.encoder, n=n_sentences)))
    plain = plain_twin(model)
    costs = medians(
        {
            "plain": lambda: plain_pass(model, plain, batches),
            "forward": lambda: capture(model, batches),
            "all": lambda: capture(
                model,
                batches,
                SurfaceSums.empty(*model.shape),
                SyntaxCounts.empty(*model.shape, treebank.relations),
                DistanceSums.empty(*model.shape, Options(rows=SHARE)),
            ),
        },
        rounds,
    )
    label = (
        f"{model.name}, {n_sentences} sentences: surface, syntax and distances of {SHARE:.1%} "
        "of rows together"
    )
    return [
        Line(f"{label} / pass with capture", costs["all"] / costs["forward"], "at most 1.3"),
        Line(f"{label} / plain sdpa pass", costs["all"] / costs["plain"]),
    ]
