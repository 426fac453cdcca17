"""How the cost of looking grows with the length of a text and with the number of heads.

Attention maps grow with the square of the length, most of a model only with the length; so the
share of statistics in a pass grows too. Lines come in pairs: beside the plain pass, and the time
of a piece beside that of the shortest text.
"""

from collections.abc import Sequence
from itertools import chain

from benchmarks.models import bert, bert_base, bert_large, capture, plain_pass, plain_twin
from benchmarks.timing import Line, medians
from bertattn import corpora, measure
from bertattn.attention import Tokens
from bertattn.model import AttentionModel
from bertattn.segments import Segments
from bertattn.surface import SurfaceSums

LENGTHS = (64, 128, 256, 512)
PIECES = 1024


def lines(rounds: int = 5) -> list[Line]:
    """Lengths with a BERT of base size; heads with its kin of 6, 12 and 24 layers."""
    return [*_lengths(rounds), *_heads(rounds)]


def _lengths(rounds: int) -> list[Line]:
    model = bert_base()
    inputs = {length: _segments(model, length, PIECES) for length in LENGTHS}
    costs = _costs({length: (model, some) for length, some in inputs.items()}, rounds)
    pieces = {length: sum(map(len, some)) for length, some in inputs.items()}
    shortest = costs["looked at", LENGTHS[0]] / pieces[LENGTHS[0]]
    found = []
    for length in LENGTHS:
        looked_at, plain = costs["looked at", length], costs["plain", length]
        label = f"{model.name}, segments of {length} pieces: capture and all statistics"
        found.append(Line(f"{label} / plain sdpa pass", looked_at / plain))
        a_piece = looked_at / pieces[length] / shortest
        found.append(Line(f"{label}, a piece / a piece of {LENGTHS[0]}", a_piece))
    return found


def _heads(rounds: int) -> list[Line]:
    models = {72: bert(6, 12, 384, "minilm-sized"), 144: bert_base(), 384: bert_large()}
    pairs = {n: (model, _segments(model, 128, PIECES // 2)) for n, model in models.items()}
    costs = _costs(pairs, rounds)
    return [
        Line(
            f"{model.name}, {n} heads, segments of 128 pieces: capture and all statistics "
            "/ plain sdpa pass",
            costs["looked at", n] / costs["plain", n],
        )
        for n, (model, _) in pairs.items()
    ]


def _segments(model: AttentionModel, length: int, n_pieces: int) -> list[Tokens]:
    """So many pieces in segments of one length."""
    paragraphs = chain.from_iterable(article.paragraphs for article in corpora.load("sample"))
    joined = corpora.Article("the sample", tuple(paragraphs))  # no article fills the longest
    some: list[Tokens] = []
    for tokens in Segments([joined], model.encoder, max_pieces=length):
        if len(tokens) > 0.9 * length and sum(map(len, some)) < n_pieces:
            some.append(tokens)
    return some


def _costs(
    pairs: dict[int, tuple[AttentionModel, Sequence[Tokens]]], rounds: int
) -> dict[tuple[str, int], float]:
    tasks = {}
    for size, (model, inputs) in pairs.items():
        batches, plain = list(measure.batches(inputs)), plain_twin(model)
        tasks["plain", size] = lambda m=model, p=plain, b=batches: plain_pass(m, p, b)
        tasks["looked at", size] = lambda m=model, b=batches: capture(
            m, b, SurfaceSums.empty(*m.shape)
        )
    return medians(tasks, rounds)
