import numpy as np

from bertattn.attention import Tokens
from bertattn.reducer import Batch, KeepMaps, padded, width


def tokens(n: int, document: int = 0) -> Tokens:
    ids = np.arange(n)
    return Tokens(tuple("abcdefgh"[:n]), ids, ids, ids, np.zeros(n, dtype=np.int64), (), document)


def test_a_batch_is_padded_at_the_end():
    batch = Batch.of([tokens(3, document=4), tokens(2, document=7)])
    assert batch.kinds.tolist() == [[0, 0, 0], [0, 0, -1]]
    assert batch.lengths.tolist() == [3, 2]
    assert batch.documents.tolist() == [4, 7]


def test_kept_maps_lose_their_padding_and_keep_their_order():
    batch = Batch.of([tokens(3), tokens(2)])
    padded = np.zeros((2, 1, 3, 3))
    padded[0, 0] = np.eye(3)
    padded[1, 0, :2, :2] = 0.5
    keep = KeepMaps()
    for layer in range(2):
        keep.update(layer, padded, batch)
    first, second = keep.result()
    assert np.array_equal(first.weights, np.broadcast_to(np.eye(3), (2, 1, 3, 3)))
    assert second.weights.tolist() == [[[[0.5, 0.5], [0.5, 0.5]]]] * 2


def test_batches_are_padded_to_few_widths_and_a_single_input_to_none():
    assert len({width(n) for n in range(16, 129)}) <= 14
    assert all(n <= width(n) <= n + max(0, n // 4) for n in range(1, 600))
    rows = [np.zeros(27, dtype=np.int64), np.zeros(5, dtype=np.int64)]
    assert padded(rows, fill=0).shape == (2, 28)
    assert padded(rows[:1], fill=0).shape == (1, 27)


def test_a_batch_is_not_padded_beyond_the_models_positions():
    batch = Batch.of([tokens(7), tokens(2)], widest=7)
    assert batch.kinds.shape == (2, 7)


def test_the_same_input_twice_is_two_maps():
    one = tokens(2)
    keep = KeepMaps()
    for layer in range(2):
        keep.update(layer, np.full((2, 1, 2, 2), 0.5), Batch.of([one, one]))
    assert [m.weights.shape for m in keep.result()] == [(2, 1, 2, 2)] * 2
