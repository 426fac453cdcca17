"""What the distances between all pairs of heads cost: beside loops, and beside the forward pass.

The loop is as the released code does it: for each head, its divergence from all heads at once, so
that each pair is taken twice, with two logarithms each time. That code runs in float16; float32 is
faster on a processor, so it is timed too, as is the best that plain numpy does without a product
of matrices: each pair once, with one logarithm.
"""

import numpy as np

from benchmarks.models import bert_base, capture
from benchmarks.timing import Line, medians
from bertattn import clusters, corpora, measure
from bertattn.clusters import DistanceSums, Options
from bertattn.model import AttentionModel, load
from bertattn.reducer import Batch
from bertattn.segments import Segments

N_SEGMENTS = 16
SHARE = 0.125
COLUMNS = 2048  # at a time, for a processor's cache


def lines(rounds: int = 5) -> list[Line]:
    """Both sizes beside loops and the forward pass; the error of sampled rows."""
    found = []
    for model, wanted in ((load("minilm", device="cpu"), (9, None)), (bert_base(), (11, 350))):
        found += _beside_loops(model, *wanted, rounds)
        found += _beside_the_pass(model, rounds)
    return [*found, *_errors(load("minilm"))]


class _Kept:
    """Every layer's maps of one batch after another."""

    def __init__(self) -> None:
        self.seen: list[tuple[int, np.ndarray, Batch]] = []

    def update(self, layer: int, weights: object, batch: Batch) -> None:
        """Keep them."""
        self.seen.append((layer, np.array(weights), batch))


def _segment(model: AttentionModel) -> list[tuple[int, np.ndarray, Batch]]:
    """All maps of one segment of 128 pieces."""
    segments = Segments(corpora.load("sample"), model.encoder)
    longest = next(tokens for tokens in segments if len(tokens) == 128)
    kept = _Kept()
    model.run([longest], [kept])
    return kept.seen


def _beside_loops(
    model: AttentionModel, wanted: int, wanted_of_16_bits: int | None, rounds: int
) -> list[Line]:
    maps = _segment(model)
    rows = np.concatenate([weights[0] for _, weights, _ in maps])
    rows = (rows * (1 - 1e-3) + 1e-3 / rows.shape[-1]).astype(np.float32)
    half = rows[:: len(rows) // 8].astype(np.float16)  # the loop in float16 takes minutes
    costs = medians(
        {
            "ours": lambda: _summed(model, maps),
            "float32": lambda: _loop(rows, rows),
            "each pair once": lambda: _pairs(rows),
            "float16": lambda: _loop(half, rows.astype(np.float16)),
        },
        rounds,
    )
    costs["float16"] *= len(rows) / len(half)
    label = f"{len(rows)} heads, a segment of 128 pieces"
    return [
        Line(f"{label}: float32 loop as the released code does it, each pair twice / "
             "all pairs at once",
             costs["float32"] / costs["ours"], f"at least {wanted}"),
        Line(f"{label}: float32 loop over heads, each pair and its logarithm once / "
             "all pairs at once",
             costs["each pair once"] / costs["ours"], ""),
        Line(f"{label}: float16 loop as the released code does it, each pair twice / "
             "all pairs at once",
             costs["float16"] / costs["ours"],
             f"at least {wanted_of_16_bits}" if wanted_of_16_bits else ""),
    ]  # fmt: skip


def _summed(model: AttentionModel, maps: list[tuple[int, np.ndarray, Batch]]) -> np.ndarray:
    sums = DistanceSums.empty(*model.shape)
    for layer, weights, batch in maps:
        sums.update(layer, weights, batch)
    return sums.sums


def _loop(some: np.ndarray, rows: np.ndarray) -> list[np.ndarray]:
    """For each head of some, its mean divergence from all heads."""
    found = []
    for own in some:
        middle = (rows + own) / 2
        to_middle = rows * np.log(rows / middle) + own * np.log(own / middle)
        found.append(to_middle.sum(axis=-1).mean(axis=-1) / 2)
    return found


def _pairs(rows: np.ndarray) -> np.ndarray:
    """The same with each pair once and one logarithm a pair, as fast as plain numpy makes it.

    With m = p + q the divergence is (sum p ln p + sum q ln q - sum m ln m) / 2 + ln 2.
    """
    flat = rows.reshape(len(rows), -1)
    of_pairs = np.zeros((len(rows), len(rows)))
    for start in range(0, flat.shape[1], COLUMNS):
        some = flat[:, start : start + COLUMNS]
        for place, own in enumerate(some):
            both = own + some[place + 1 :]
            of_pairs[place, place + 1 :] += np.vecdot(both, np.log(both))
    own = np.vecdot(flat, np.log(flat))
    sums = (own[:, None] + own - of_pairs) / 2 + len(rows[0]) * np.log(2)
    return np.triu(sums, 1) / len(rows[0])


def _beside_the_pass(model: AttentionModel, rounds: int) -> list[Line]:
    segments = Segments(corpora.load("sample"), model.encoder, n=N_SEGMENTS)
    batches = list(measure.batches(segments))
    shape, some = model.shape, Options(rows=SHARE)
    costs = medians(
        {
            "forward": lambda: capture(model, batches),
            "all": lambda: capture(model, batches, DistanceSums.empty(*shape)),
            "some": lambda: capture(model, batches, DistanceSums.empty(*shape, some)),
        },
        rounds,
    )
    label = f"{model.name}, {N_SEGMENTS} segments"
    return [
        Line(f"{label}: capture and distances, {what} / capture", costs[key] / costs["forward"], "")
        for key, what in (("all", "all rows"), ("some", f"{SHARE:.1%} of rows"))
    ]


def _errors(model: AttentionModel) -> list[Line]:
    """How far sampled rows are off, and how far documents differ, relative to a distance."""
    full, some = (
        DistanceSums.empty(*model.shape),
        DistanceSums.empty(*model.shape, Options(rows=SHARE)),
    )
    measure.measure(
        Segments(corpora.load("sample"), model.encoder, n=3 * N_SEGMENTS), model, full, some
    )
    exact = clusters.pairs(full.result().matrix)
    off = abs(clusters.pairs(some.result().matrix) - exact) / exact
    estimate = full.result().estimate
    spread = clusters.pairs(estimate.high - estimate.low) / 2 / exact
    label = f"{model.name}, {3 * N_SEGMENTS} segments"
    return [
        Line(f"{label}: error of a distance from {SHARE:.1%} of rows, mean", off.mean(), ""),
        Line(f"{label}: half of its interval by documents from all rows, mean", spread.mean(), ""),
    ]
