"""Tables, pictures and sentences on gradients and no-ops."""

from collections import Counter

import matplotlib
import numpy as np
import pandas as pd
import pytest

from bertattn import plots, readings, tables
from bertattn.importance import (
    CHANGES,
    FORMS,
    MOVED,
    TARGETS,
    AblationSums,
    ImportanceSums,
    MovedSums,
    SinkShares,
    TakenAway,
)
from bertattn.stats import N_GROUPS
from tests.test_tables import MADE

matplotlib.use("agg")
OBJECTIVE = "contrastive on adjacent text"
OWN = {**MADE, "options": {"objective": OBJECTIVE, "temperature": 0.05}}
START, OTHER, MARK = (TARGETS.index(f"to_{t}") for t in ("start", "other", "punctuation"))


def gradients_of(by_target, made=OWN):
    """A table in which every head of a layer has the same means, as two documents say."""
    n_layers = len(next(iter(by_target.values())))
    sums = ImportanceSums.empty(n_layers, 3)
    for target, values in by_target.items():
        for group, share in ((0, 0.9), (1, 1.1)):
            spread = share * np.array(values)[:, None]
            sums.sums[group, 0, TARGETS.index(target)] = spread
            sums.sums[group, 1, TARGETS.index(target)] = spread[::-1]
            sums.sums[group, 2, TARGETS.index(target)] = 0.1
            sums.counts[group, TARGETS.index(target)] = 1
    sums.n_inputs = 2
    return tables.importance(sums.result(), made)


@pytest.fixture(scope="module")
def gradients():
    return gradients_of({"to_start": [1.0, 4.0], "to_punctuation": [5, 5], "to_other": [4.0, 5.0]})


@pytest.fixture(scope="module")
def taken():
    moved = MovedSums.empty(2, 3)
    for target, values in ((START, (0.4, 0.1, 0.2)), (OTHER, (0.6, 0.9, 1.1))):
        moved.sums[:2, :, target] = np.array(values)[:, None, None]
        moved.counts[:2, target] = 1
    moved.n_inputs = 2
    parts = []
    for way, values in (("dropped", (0.1, 0.05)), ("renormalised", (0.5, 0.02))):
        sums = AblationSums.empty(2, ("to_start", "to_one_other"), way)
        sums.sums[:2, CHANGES.index("relative")] = values
        sums.counts[:2] = 1
        sums.n_inputs = 2
        parts.append(sums)
    return TakenAway("to_start", moved, tuple(parts))


@pytest.fixture(scope="module")
def where():
    rows = [("dobj", "2-1", 0.2, 0.7, 0.3, 0.6), ("det", "1-3", 0.6, 0.5, -0.2, -0.05)]
    columns = ("relation", "head", "applies", "elsewhere", "low", "high")
    table = pd.DataFrame(rows, columns=columns)
    table = table.assign(
        direction="dependent->governor", n_applies=30, n_elsewhere=300, sink="to_start",
        difference=table["elsewhere"] - table["applies"], all_heads=0.1,
        excess=table["elsewhere"] - table["applies"] - 0.1,
        excess_low=table["low"] - 0.1, excess_high=table["high"] - 0.1,
    )  # fmt: skip
    table.attrs = {"signature": "made so", "manifest": MADE}
    return table


@pytest.fixture(scope="module")
def evidence(gradients, taken):
    return tables.no_op(gradients, taken, MADE)


# tables


def test_a_table_has_a_row_for_each_head_form_and_target_there_is(gradients):
    assert len(gradients) == len(FORMS) * 3 * 6
    assert list(gradients["target"].unique()) == ["to_start", "to_punctuation", "to_other"]
    assert list(gradients["head"][:4]) == ["1-1", "1-2", "1-3", "2-1"]
    assert set(gradients["n"]) == {2}
    assert set(gradients["groups"]) == {2}
    assert set(gradients["objective"]) == {OBJECTIVE}
    assert f"objective={OBJECTIVE}|temperature=0.05" in gradients.attrs["signature"]
    row = gradients[(gradients["target"] == "to_start") & (gradients["head"] == "2-3")].iloc[0]
    assert row["value"] == pytest.approx(4)
    assert row["low"] < 4 < row["high"]


def test_counts_are_those_of_the_layer():
    sums = ImportanceSums.empty(2, 3)
    sums.sums[0], sums.sums[1] = 1, 1
    sums.counts[0], sums.counts[1] = 1, 1
    sums.counts[1, OTHER, 1] = 0  # no row that is read sees one
    table = tables.importance(sums.result(), OWN)
    of_other = table[(table["target"] == "to_other") & (table["form"] == "gradient")]
    assert of_other["n"].tolist() == [2, 2, 2, 1, 1, 1]


def test_layers_are_means_over_heads(gradients):
    by_layer = tables.importance_by_layer(gradients)
    assert by_layer.loc[1].to_dict() == pytest.approx(
        {"to_start": 1, "to_punctuation": 5, "to_other": 4}
    )
    ratios = tables.against_others(gradients)
    assert ratios["to_start"].tolist() == pytest.approx([1 / 4, 4 / 5])
    assert ratios["to_other"].tolist() == [1, 1]


def test_what_is_moved_and_changed_has_its_measures(taken):
    moved, ablation = tables.moved(taken.moved, MADE), tables.ablation(taken.parts, MADE)
    assert set(moved["measure"]) == set(MOVED)
    assert set(moved["target"]) == {"to_start", "to_other"}
    assert (moved["n"] == 2).all()
    assert set(ablation["change"]) == set(CHANGES)
    assert set(ablation["head"]) == {"all"}
    assert len(ablation) == 2 * 2 * 2 * len(CHANGES)
    chosen = ablation.query(
        "way == 'dropped' and target == 'to_one_other' and change == 'relative'"
    )
    assert chosen["value"].tolist() == pytest.approx([0.05, 0.05])


def test_evidence_stands_side_by_side(evidence):
    ends = [c for c in evidence if c.endswith(("_low", "_high"))]
    assert len(ends) == 4 * 2
    assert evidence.drop(columns=ends).loc[1].to_dict() == pytest.approx(
        {
            "attention": 0.4, "gradient": 1 / 4, "logit": 4 / 5, "value_norm": 0.2, "moved": 0.1,
            "dropped": 0.1, "dropped, one other": 0.05,
            "renormalised": 0.5, "renormalised, one other": 0.02,
        }
    )  # fmt: skip


def test_evidence_in_print_has_intervals_beside_changes(evidence):
    shown = tables.no_op_in_print(evidence)
    assert shown.loc[1, "renormalised"] == "0.50 [0.50, 0.50]"
    assert shown.loc[2, "gradient"] == "0.80"
    alone = tables.no_op_in_print(evidence.assign(renormalised_low=np.nan))
    assert alone.loc[1, "renormalised"] == "0.50"
    assert len(shown.columns) == 5 + 4


def test_rows_that_could_not_be_changed_are_in_the_manifest(gradients, taken):
    parts = [AblationSums.empty(2, ("to_start", "to_one_other"), w) for w in ("dropped", "mean")]
    for sums, n in zip(parts, (0, 3), strict=True):
        sums.sums[:2], sums.counts[:2], sums.n_inputs = 0.1, 1, 2
        sums.left_out = Counter(rows_with_nothing_else=n)
    made = {**MADE, "left_out": {"sentences_too_long": 1}}
    expected = {"sentences_too_long": 1, "rows_with_nothing_else": 3}
    evidence = tables.no_op(gradients, TakenAway("to_start", taken.moved, tuple(parts)), made)
    for table in (tables.ablation(parts, made), evidence):
        assert table.attrs["manifest"]["left_out"] == expected
    assert made["left_out"] == {"sentences_too_long": 1}


def test_evidence_says_how_both_of_its_parts_were_made(evidence, gradients):
    signature = evidence.attrs["signature"]
    assert "|2 segments|" in signature
    assert f"objective={OBJECTIVE}|temperature=0.05|gradients_of=2 segments|" in signature
    assert evidence.attrs["manifest"]["gradients"] == gradients.attrs["manifest"]


def test_best_heads_are_asked_where_they_look():
    from bertattn import syntax

    counts = syntax.SyntaxCounts.empty(1, 2, ("det", "dobj"))
    shares = SinkShares.empty(1, 2, ("det", "dobj"))
    for group in range(4):
        counts.total[group, :2] = 20
        counts.right[group, 0, 0, 0, 1] = 15
        counts.right[group, 1, 1, 0, 0] = 12
        shares.all[group], shares.n_all[group] = 40, 100
        shares.applies[group, :2], shares.n_applies[group, :2] = 2, 20
    table = tables.sink_where(shares, list(syntax.scores(counts, min_count=1)), "to_start", MADE)
    rows = table.set_index("relation")
    assert rows["head"].to_dict() == {"det": "1-2", "dobj": "1-1"}
    assert rows.loc["dobj", "direction"] == "governor->dependent"
    assert rows["applies"].tolist() == pytest.approx([2 / 20] * 2)
    assert rows["elsewhere"].tolist() == pytest.approx([38 / 80] * 2)
    assert rows["n_elsewhere"].tolist() == [4 * 80] * 2
    assert rows["low"].tolist() == pytest.approx([38 / 80 - 2 / 20] * 2)
    assert rows["all_heads"].tolist() == pytest.approx([38 / 80 - 2 / 20] * 2)
    assert rows[["excess", "excess_low", "excess_high"]].to_numpy().tolist() == [[0, 0, 0]] * 2


def test_without_a_relation_nothing_is_asked_and_it_is_said(gradients):
    shares = SinkShares.empty(1, 2, ("det",))
    table = tables.sink_where(shares, [], "to_start", MADE)
    assert table.empty
    assert "excess" in table
    assert readings.sink_where(table) == (
        "Nothing can be asked: there were too few words of each relation."
    )
    assert plots.show(plots.sink_where(table)).alt == (
        "Nothing is drawn: too few words of each relation."
    )
    beside = tables.beside_figure_3(gradients, "to_start", table)
    assert beside["ours"].iloc[4] == "too few words of each relation"


def test_the_papers_figure_is_not_run_here_until_it_is(gradients, where):
    table = tables.beside_figure_3(gradients, "to_start", where).set_index("finding")
    ours = table["ours"].tolist()
    assert ours[0] == "not run here"
    assert ours[1] == OBJECTIVE
    assert ours[2] == "<s>: 0.25 to 0.80 times, by layer"
    assert ours[3] == "does not apply"
    assert ours[4] == "at <s> more: 1 of 2 relations; less: 1"
    assert tables.beside_figure_3(gradients, "to_start")["ours"].iloc[4] == "not run here"
    assert table.map(len).to_numpy().max() <= 50  # more is not shown
    values = {"to_separator": [1.0, 1.0], "to_other": [4.0, 2.0]}
    for model, checkpoint, objective, expected in (
        ("bert-base-uncased", "bert-base-uncased", OBJECTIVE, "not run here"),
        ("tiny", "tiny", "masked LM", "not run here"),
        ("bert-base-uncased", "bert-base-uncased", "masked LM with a RANDOM head", "not run here"),
        ("bert-base-uncased", "my/bert-base-uncased", "masked LM", "not run here"),
        ("bert-base-uncased-random-0", "bert-base-uncased", "masked LM", "not run here"),
        ("bert-base-uncased", "bert-base-uncased", "masked LM", "run here: bert-base-uncased"),
    ):
        made = {**MADE, "model": model, "options": {"objective": objective}}
        of_model = gradients_of(values, made)
        table = tables.beside_figure_3(of_model, "to_separator", checkpoint=checkpoint)
        assert table["ours"].iloc[0] == expected
        assert table["ours"].iloc[3] == "0.25 to 0.50 times, by layer"


def test_a_local_folder_is_not_the_papers_model(tmp_path, monkeypatch):
    made = {**MADE, "model": "bert-base-uncased", "options": {"objective": "masked LM"}}
    of_model = gradients_of({"to_separator": [1.0], "to_other": [2.0]}, made)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bert-base-uncased").mkdir()
    table = tables.beside_figure_3(of_model, "to_separator", checkpoint="bert-base-uncased")
    assert table["ours"].iloc[0] == "not run here"


def test_the_sink_is_what_takes_the_most_attention():
    def table(**shares):
        values = {"to_start": np.nan, "to_separator": np.nan, "to_first": 0.5, **shares}
        rows = [("1-1", 1, measure, value) for measure, value in values.items()]
        return pd.DataFrame(rows, columns=["head", "layer", "measure", "value"])

    assert tables.sink_of(table(to_start=0.2, to_separator=0.3)) == "to_separator"
    assert tables.sink_of(table(to_start=0.4, to_separator=0.3)) == "to_start"
    assert tables.sink_of(table()) == "to_first"


# pictures


@pytest.mark.parametrize("form", FORMS)
def test_figure_3_draws_every_head_and_names_its_objective(form, gradients):
    axes = plots.figure_3(gradients, form)
    assert {len(c.get_offsets()) for c in axes.collections} == {6}
    assert len(axes.collections) == 3
    assert OBJECTIVE in axes.get_title()
    words = {"gradient": "gradients by attention", "logit": "gradients by the logits"}
    assert axes.get_title().startswith(words.get(form, "attention weights"))
    picture = plots.show(axes)
    assert OBJECTIVE in picture.alt
    assert "to <s>" in picture.alt
    assert picture.figure.get_supxlabel() == gradients.attrs["signature"]
    drawn = sorted(axes.collections[0].get_offsets()[:, 1])
    rows = gradients[(gradients["form"] == form) & (gradients["target"] == "to_start")]
    np.testing.assert_allclose(drawn, sorted(rows["value"]))


def test_kinds_are_known_by_more_than_colour(gradients):
    axes = plots.figure_3(gradients)
    assert len({line.get_marker() for line in axes.lines}) == 3


def test_a_form_that_there_is_not_is_told(gradients):
    with pytest.raises(
        ValueError, match="wanted one of gradient, logit, weight as form, got 'sum'"
    ):
        plots.figure_3(gradients, "sum")


def test_the_evidence_is_drawn_in_three_panels(evidence):
    axes = plots.no_op(evidence)
    left, middle, right = axes.figure.axes
    assert [len(a.get_legend().texts) for a in (left, middle, right)] == [3, 3, 4]
    assert left.lines[0].get_ydata().tolist() == evidence["gradient"].tolist()
    assert "<s>" in middle.get_title()
    alt = plots.show(axes).alt
    assert "renormalised 0.50 to 0.50" in alt
    assert plots.show(axes).png


def test_a_model_that_refuses_says_so_in_every_form(gradients):
    evidence = tables.no_op(gradients, TakenAway("to_start", refused="It is closed"), MADE)
    assert list(evidence) == ["gradient", "logit"]
    left, middle, right = plots.no_op(evidence).figure.axes
    assert left.lines
    assert not [*middle.lines, *right.lines]
    assert middle.texts[0].get_text() == right.texts[0].get_text() != ""
    assert readings.evidence(evidence) == "Neither can be measured. It is closed."


def test_where_heads_look_at_the_sink_is_drawn(where):
    axes = plots.sink_where(where)
    assert axes.lines[0].get_xdata().tolist() == pytest.approx([60, 20])
    assert axes.lines[2].get_xdata().tolist() == pytest.approx([60 + 10, 20 + 10])
    assert [t.get_text() for t in axes.get_yticklabels()] == ["det  (1-3, 30)", "dobj  (2-1, 30)"]
    assert "dobj, head 2-1: 20%, 70% where it does not apply (30% if as" in plots.show(axes).alt


# sentences


def test_gradients_are_read_aloud(gradients):
    text = readings.gradients(gradients, "to_start")
    assert text.startswith(
        f"Objective: {OBJECTIVE}. Gradients by weights to <s> are 0.25 to 0.80 t"
    )
    assert "under half in: layer 1. By the logit" in text
    assert text.endswith("0.25 to 0.80 times those of other tokens; more than theirs in: no layer.")
    large = gradients_of({"to_start": [9.0, 8.0], "to_other": [1.0, 2.0]})
    text = readings.gradients(large, "to_start")
    assert "under half in: no layer." in text
    assert text.endswith("more than theirs in: layers 1, 2.")


def test_the_evidence_is_read_aloud(evidence):
    text = readings.evidence(evidence)
    assert text.startswith(
        "On average over layers <s> takes 40% of attention and 10% of what attention moves: its "
        "values are 0.20 times as large as the mean over tokens."
    )
    assert "drop it, 0.10 (one other token: 0.05); give it to the others, 0.50 (one" in text
    assert "fix it" not in text


def test_where_heads_look_is_read_aloud(where):
    text = readings.sink_where(where)
    assert text == (
        "Of 2 relations, in 1 the best head looks at <s> more where the relation does not "
        "apply, and by more than heads do on average, both whole intervals above 0: dobj; in 1 "
        "the difference is less than in heads on average: det. Farthest above them: head 2-1 "
        "for dobj, 20% where it applies and 70% elsewhere, a difference of 50 points; all "
        "heads: 10 points."
    )
    small = where.assign(low=[-0.1, -0.2], excess_low=[0.1, -0.3])  # others look there even less
    small.attrs = where.attrs
    assert tables.looks_more(small).tolist() == [False, False]
    assert "in 0 the best head looks" in readings.sink_where(small)
    alone = where.assign(excess_low=np.nan, excess_high=np.nan)
    alone.attrs = where.attrs
    assert readings.sink_where(alone) == (
        "There is one document only, so no difference has an interval."
    )


def test_a_relation_with_a_row_for_each_direction_is_one_relation(where, gradients):
    other = where.assign(direction="governor->dependent")
    both = pd.concat([where, other], ignore_index=True)
    both.attrs = where.attrs
    text = readings.sink_where(both)
    assert text.startswith("Of 2 relations, in 1 the best head")
    assert "above 0: dobj (dependent->governor), dobj (governor->dependent); in 1 the" in text
    axes = plots.sink_where(both)
    assert "det, governor->dependent  (1-3, 30)" in [t.get_text() for t in axes.get_yticklabels()]
    beside = tables.beside_figure_3(gradients, "to_start", both)
    assert beside["ours"].iloc[4] == "at <s> more: 1 of 2 relations; less: 1"


def test_sums_are_kept_by_as_many_groups_as_the_statistics_have():
    assert len(ImportanceSums.empty(1, 1).sums) == len(SinkShares.empty(1, 1, ()).all) == N_GROUPS
