import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bertattn import words
from bertattn.attention import AttentionMap
from bertattn.words import unit_weights


def slow_merge(weights, unit_of, from_word):
    """The paper's rule, entry by entry."""
    units = sorted(set(unit_of))
    merged = np.zeros((len(units), len(units)))
    for row, u in enumerate(units):
        rows = [i for i in range(len(unit_of)) if unit_of[i] == u]
        for column, v in enumerate(units):
            to = [sum(weights[i][j] for j in range(len(unit_of)) if unit_of[j] == v) for i in rows]
            merged[row, column] = {"mean": sum(to) / len(to), "first": to[0], "max": max(to)}[
                from_word
            ]
    return merged


@st.composite
def maps(draw):
    n = draw(st.integers(1, 9))
    unit_of = np.array(draw(st.lists(st.integers(0, 4), min_size=n, max_size=n)))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    return rng.dirichlet(np.full(n, 0.3), size=(2, n)), unit_of


@pytest.mark.parametrize("from_word", ["mean", "first", "max"])
@given(case=maps())
def test_merging_equals_the_slow_rule(from_word, case):
    weights, unit_of = case
    merged = unit_weights(weights, unit_of, from_word)
    for head in range(2):
        np.testing.assert_allclose(merged[head], slow_merge(weights[head], unit_of, from_word))


@given(case=maps())
def test_rows_still_sum_to_1_and_the_input_is_unchanged(case):
    weights, unit_of = case
    before = weights.copy()
    np.testing.assert_allclose(unit_weights(weights, unit_of).sum(axis=-1), 1)
    np.testing.assert_allclose(unit_weights(weights, unit_of, "first").sum(axis=-1), 1)
    assert np.array_equal(weights, before)


def test_to_a_split_word_is_the_sum_from_it_the_mean():
    weights = np.array([[0.2, 0.3, 0.5], [0.0, 0.4, 0.6], [1.0, 0.0, 0.0]])
    merged = unit_weights(weights, np.array([0, 1, 1]))
    np.testing.assert_allclose(merged, [[0.2, 0.8], [1 / 2, 1 / 2]])


def test_a_word_without_pieces_has_no_row_and_no_column(tiny_model):
    tokens = tiny_model.encoder.words(["the", "\u200b", "keeper"])
    merged = words.merge(tiny_model.attention(tokens))
    assert merged.words == ("the", "keeper")
    assert merged.word_index.tolist() == [0, 2]
    assert merged.weights.shape == (2, 3, 4, 4)
    assert merged.specials == ("[CLS]", "[SEP]")


def test_specials_stand_last_wherever_they_stood(toy_tokens):
    to_start = np.zeros((1, 1, 8, 8))
    to_start[..., 0] = 1
    merged = words.merge(AttentionMap(toy_tokens, to_start))
    assert merged.words == ("a", "b", ".", "c", ",")
    assert merged.specials == ("[CLS]", "[SEP]", "[SEP]")
    assert (merged.weights[..., 5] == 1).all()
    assert not merged.between_words.any()


def test_a_trimmed_word_leaves_no_unit(tiny_model):
    from bertattn.corpora import Segment

    segment = Segment("the keeper fed the octopus", "it fed her")
    tokens, _, _ = tiny_model.encoder.segment(segment, 9, np.random.default_rng(0))
    merged = words.merge(tiny_model.attention(tokens))
    assert len(merged.words) == 6
    np.testing.assert_allclose(merged.weights.sum(axis=-1), 1, rtol=1e-6)


def test_another_rule_is_refused():
    with pytest.raises(ValueError, match=r"wanted 'mean', 'first' or 'max'.*got 'last'"):
        unit_weights.__wrapped__(np.eye(2), np.array([0, 1]), "last")
