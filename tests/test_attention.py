import numpy as np
import pytest

from bertattn.attention import AttentionMap, WordAttention, check_rows


def test_units_are_the_words_then_the_specials(toy_tokens):
    assert toy_tokens.units == ("a", "b", ".", "c", ",", "[CLS]", "[SEP]", "[SEP]")
    assert toy_tokens.special.tolist() == [True, False, False, False, True, False, False, True]
    assert toy_tokens.words_without_pieces == ()


def test_arrays_are_read_only_and_the_callers_are_not_touched(toy_tokens):
    weights = np.full((1, 1, 8, 8), 1 / 8)
    kept = AttentionMap(toy_tokens, weights)
    for array in (kept.weights, toy_tokens.ids, toy_tokens.unit_of):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
    weights[0] = 0  # the caller's array is still the caller's


@pytest.mark.parametrize("bad", [np.full((2, 2), 0.4), np.full((2, 2), np.nan)])
def test_rows_that_do_not_sum_to_1_are_refused(bad):
    with pytest.raises(ValueError, match="rows of an attention map must sum to 1"):
        check_rows(bad)


def test_between_words_leaves_the_specials_out():
    merged = WordAttention(("a", "b"), np.array([0, 1]), np.full((1, 1, 4, 4), 0.25), ("x", "y"))
    assert merged.between_words.shape == (1, 1, 2, 2)
