"""Several runs side by side: tables, readings and figures on numbers made up here."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bertattn import plots, readings, tables
from bertattn.attention import Kind, Tokens
from bertattn.plots.models import RUNS

CHANCE = 0.05


def surface(model="a", to_separator=(0.1, 0.4), to_start=(0.3, 0.2), specials=("<s>", "</s>")):
    """Layer means of three heads each, the heads' values a little apart."""
    measures = {
        "to_start": to_start,
        "to_separator": to_separator,
        "entropy": [1.0] * len(to_start),
        "start_entropy": [1.0] * len(to_start),
        "to_self": [0.1] * len(to_start),
        "to_previous": [0.6] * len(to_start),
        "to_next": [0.2] * len(to_start),
        "from_separator": to_separator,
    }
    rows = [
        {
            "layer": layer + 1,
            "head": f"{layer + 1}-{number + 1}",
            "measure": measure,
            "value": value + 0.01 * (number - 1),
            "uniform": CHANCE,
        }
        for measure, values in measures.items()
        for layer, value in enumerate(values)
        for number in range(3)
    ]
    table = pd.DataFrame(rows)
    named = dict(zip(("start", "separator"), specials, strict=True))
    made = {"model": model, "specials": named}
    table.attrs = {"signature": f"{model}|made up", "manifest": made}
    return table


def gradients(to_separator=(0.5, 0.1), to_start=(0.4, 0.4), to_other=(1.0, 2.0)):
    ratios = {"to_start": to_start, "to_separator": to_separator, "to_other": to_other}
    rows = [
        {"layer": layer + 1, "form": "gradient", "target": target, "value": value}
        for target, values in ratios.items()
        for layer, value in enumerate(values)
    ]
    table = pd.DataFrame(rows)
    made = {"model": "a", "specials": {}, "options": {"objective": "made up"}}
    table.attrs = {"signature": "a|gradients", "manifest": made}
    return table


def table_1(rows, name="a"):
    """Rows of relation, head, accuracy, gain, and its ends."""
    columns = ["relation", "head", "accuracy", "offset_gain", "offset_gain_low", "offset_gain_high"]
    table = pd.DataFrame(rows, columns=columns)
    table.attrs = {"signature": f"{name}|trees", "manifest": {"model": name}}
    return table


TWO_RUNS = {
    "one": table_1([("det", "1-1", 0.8, 0.2, 0.1, 0.3), ("obj", "1-2", 0.5, 0.1, -0.1, 0.2)]),
    "two": table_1([("All", "2-1", 0.4, 0.3, 0.2, 0.4), ("obj", "2-2", 0.7, 0.4, 0.3, 0.5)]),
}


def tokens(unit_of, n_words):
    unit_of = np.array(unit_of)
    n = len(unit_of)
    kinds = np.array([Kind.START, *[0] * (n - 2), Kind.SEPARATOR])
    words = tuple("abcdefgh"[:n_words])
    return Tokens(("p",) * n, np.arange(n), np.zeros(n, dtype=int), unit_of, kinds, words)


@given(n_layers=st.integers(1, 40))
def test_depths_are_the_middles_of_equal_parts(n_layers):
    depths = [tables.depth(layer, n_layers) for layer in range(1, n_layers + 1)]
    np.testing.assert_allclose(np.diff([0 - depths[0], *depths]), 1 / n_layers)
    assert depths[0] + depths[-1] == pytest.approx(1)


def test_models_stand_under_one_another_with_their_names_and_depths():
    joined = tables.models([surface("a"), surface("b", (0.1,) * 4, (0.2,) * 4)])
    assert list(joined.columns[:2]) == ["model", "depth"]
    depths = joined.groupby("model")["depth"].unique()
    assert depths["a"].tolist() == [1 / 4, 3 / 4]
    assert depths["b"].tolist() == [1 / 8, 3 / 8, 5 / 8, 7 / 8]
    assert joined.attrs["signature"] == "a|made up\nb|made up"
    assert joined.attrs["manifest"]["b"]["model"] == "b"
    assert len(joined) == len(surface("a")) * 3


def test_two_models_of_one_name_are_refused():
    with pytest.raises(ValueError, match="wanted models of different names, got a, a"):
        tables.models([surface("a"), surface("a")])


def test_sinks_are_the_largest_means_of_layers_with_their_place():
    table = tables.sinks([surface("a"), surface("b", (np.nan, np.nan), (0.7, 0.2))])
    assert table[["model", "token"]].to_numpy().tolist() == [
        ["a", "<s>"],
        ["a", "</s>"],
        ["b", "<s>"],
    ]
    assert table["most"].tolist() == pytest.approx([0.3, 0.4, 0.7])
    assert table["least"].tolist() == pytest.approx([0.2, 0.1, 0.2])
    assert table["layer"].tolist() == [1, 2, 1]
    assert table["depth"].tolist() == [1 / 4, 3 / 4, 1 / 4]
    assert table["uniform"].tolist() == [CHANCE] * 3


def test_findings_have_a_column_a_model_beside_the_papers():
    wide = tables.findings([surface("a"), surface("b", (0.6, 0.1))])
    assert list(wide.columns) == ["paper", "a", "b"]
    row = wide.loc["layers over 0.5 on the separator"]
    assert row["paper"] == "layers 6 to 10"
    assert row["a"] == "no layer (most 0.40, in layer 2)"
    assert row["b"] == "layer 1 (most 0.60, in layer 1)"


def test_share_and_gradient_stand_in_one_row_a_layer():
    table = tables.share_and_gradient(surface(), gradients())
    separator = table[table["target"] == "to_separator"]
    assert separator["token"].tolist() == ["</s>", "</s>"]
    assert separator["share"].tolist() == pytest.approx([0.1, 0.4])
    assert separator["gradient"].tolist() == pytest.approx([0.5 / 1, 0.1 / 2])
    assert tables.rank_correlation(table, "to_separator") == pytest.approx(-1)
    assert tables.rank_correlation(table, "to_start") == pytest.approx(1)


@given(numbers=st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=2, max_size=12))
def test_the_rank_correlation_is_scipys(numbers):
    from scipy.stats import spearmanr

    share, gradient = np.array(numbers, dtype=float).T
    table = pd.DataFrame({"target": "to_separator", "share": share, "gradient": gradient})
    got = tables.rank_correlation(table)
    if len(set(share)) == 1 or len(set(gradient)) == 1:
        assert np.isnan(got)
    else:
        assert got == pytest.approx(spearmanr(share, gradient).statistic)


def test_a_model_without_special_tokens_has_no_sinks_and_no_slope():
    bare = surface("gpt", (np.nan, np.nan), (np.nan, np.nan))
    assert tables.sinks([bare]).empty
    assert readings.sinks(tables.sinks([bare])) == (
        "None of the models puts a special token around a text."
    )
    table = tables.share_and_gradient(bare, gradients())
    assert table.empty
    assert np.isnan(tables.rank_correlation(table))
    assert readings.share_and_gradient(table).startswith("There is no special token")
    assert "No such token" in plots.show(plots.share_and_gradient(table)).alt


def test_runs_stand_under_one_another_without_the_row_of_all():
    table = tables.runs(TWO_RUNS)
    assert table["run"].tolist() == ["one", "one", "two"]
    assert table["relation"].tolist() == ["det", "obj", "obj"]
    assert table.attrs["signature"] == "a|trees\na|trees"


def test_gains_have_a_column_a_run_and_blanks_where_nothing_was_asked():
    wide = tables.gains(tables.runs(TWO_RUNS))
    assert wide.to_dict() == {
        "one": {"det": "1-1  80 (+20)", "obj": "1-2  50 (+10)"},
        "two": {"det": "", "obj": "2-2  70 (+40)"},
    }


def test_gains_read_aloud_count_only_whole_intervals_above_0():
    assert readings.gains(tables.runs(TWO_RUNS)).endswith(
        "in: one, 1 of 2 relations: det; two, 1 of 1 relations: obj."
    )


def test_splits_count_pieces_of_words_alone():
    one = tokens([3, 0, 1, 1, 1, 4], n_words=3)  # the third word has no piece
    two = tokens([1, 0, 2], n_words=1)
    row = tables.splits({"x": [one, two]}).iloc[0]
    assert row["sentences"] == 2
    assert row["words"] == 3
    assert row["pieces"] == 5
    assert row["pieces_per_word"] == 5 / 3
    assert row["split"] == 1 / 3
    said = readings.splits(tables.splits({"x": [one, two]}))
    assert said == "By this model's tokenizer: x, 1.67 pieces a word, 33% of words split."


def test_splits_of_nothing_are_zero():
    assert tables.splits({"x": []})["pieces_per_word"].tolist() == [0]


def test_sinks_read_aloud_say_how_much_and_how_far_up():
    said = readings.sinks(tables.sinks([surface("a"), surface("b", (0.1, 0.1), (0.2, 0.1))]))
    assert said == (
        "In a: <s> at most 30%, in layer 1, 25% of the way up; </s> at most 40%, in layer 2, 75% "
        "of the way up (chance: 5%). In b no special token takes over 25% of any layer's attention "
        "(the most is 20%)."
    )


def test_slopes_are_read_aloud_with_both_means():
    shares, slopes = (0.1, 0.2, 0.4, 0.5), (0.9, 0.7, 0.3, 0.1)
    table = tables.share_and_gradient(
        surface("a", shares, (0.3,) * 4), gradients(slopes, (0.5,) * 4, (1,) * 4)
    )
    said = readings.share_and_gradient(table)
    assert (
        "In layers 3, 4, where </s> takes over 25% of attention, gradients by it are 0.20 times "
        "those by ordinary tokens; in the other layers, 0.80. Over all 4 layers the rank "
        "correlation of the two is -1.00."
    ) in said
    assert "In layers 1, 2, 3, 4, where <s> takes over 25%" in said
    assert said.count("rank correlation") == 1  # a line without slope has none
    assert said.endswith("The gradients are of: made up.")


def test_a_token_without_a_layer_of_its_own_is_no_sink():
    low = surface("a", (0.1, 0.1), (0.1, 0.2))
    said = readings.share_and_gradient(tables.share_and_gradient(low, gradients()))
    assert "</s> takes over 25% of no layer's attention." in said


def test_lines_by_depth_lie_where_the_layers_lie():
    joined = tables.models([surface("a"), surface("b", (0.1,) * 4, (np.nan,) * 4)])
    axes = plots.by_depth(joined, ["to_start", "to_separator"])
    start, separator = axes.figure.axes
    assert [line.get_label() for line in start.lines] == ["a, <s>"]  # b has none
    assert [line.get_label() for line in separator.lines] == ["a, </s>", "b, </s>"]
    assert separator.lines[0].get_xdata().tolist() == [1 / 4, 3 / 4]
    assert separator.lines[0].get_ydata() == pytest.approx([0.1, 0.4])
    assert separator.lines[1].get_xdata().tolist() == [1 / 8, 3 / 8, 5 / 8, 7 / 8]
    assert "a 0.10 to 0.40, most in layer 2; b 0.10 to 0.10" in plots.show(axes).alt


def test_more_models_than_lines_are_refused():
    many = tables.models([surface(str(n)) for n in range(len(RUNS) + 1)])
    with pytest.raises(ValueError, match="wanted at most 6 runs in one figure, got 7"):
        plots.by_depth(many)


def test_runs_are_told_apart_by_colour_and_marker_and_line():
    assert len({mark.colour for mark in RUNS}) == len(RUNS)
    assert len({mark.marker for mark in RUNS}) == len(RUNS)


def test_points_of_share_and_gradient_are_numbered_by_layer():
    axes = plots.share_and_gradient(tables.share_and_gradient(surface(), gradients()))
    assert sorted(text.get_text() for text in axes.texts) == ["1", "1", "2", "2"]
    _, separator = axes.collections
    assert separator.get_offsets().tolist() == [
        pytest.approx([100 * 0.1, 0.5 / 1]),
        pytest.approx([100 * 0.4, 0.1 / 2]),
    ]
    assert axes.get_yscale() == "log"
    assert "</s>: 10% to 40% of attention, gradients 0.05 to 0.50 times" in plots.show(axes).alt


def test_gains_are_drawn_with_intervals_in_rows_of_their_own():
    axes = plots.gains(tables.runs(TWO_RUNS))
    assert [label.get_text() for label in axes.get_yticklabels()] == ["obj", "det"]
    one, two = axes.containers
    assert one[0].get_xdata() == pytest.approx([20, 10])
    assert two[0].get_xdata() == pytest.approx([40])
    assert one[0].get_ydata()[1] != two[0].get_ydata()[0]  # both of obj
    ends = one[2][0].get_segments()
    assert ends[0][:, 0] == pytest.approx([10, 30])
    assert "two: most for obj, head 2-2, 40 points" in plots.show(axes).alt


def test_gains_without_intervals_are_drawn_without():
    rows = [("det", "1-1", 0.8, np.nan, np.nan, np.nan)]
    axes = plots.gains(tables.runs({"one": table_1(rows)}))
    assert "one: no gain can be given" in plots.show(axes).alt
