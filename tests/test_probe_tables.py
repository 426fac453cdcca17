"""Section 5's tables, pictures and sentences, on predictions with known answers."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from torch import nn

from bertattn import export, plots, probes, readings, tables, views
from bertattn.probes import AttentionAndWords, AttentionOnly, Counts, Result, Run, WordsAndDistances
from bertattn.probes.training import Epoch, Trained
from bertattn.syntax import DIRECTIONS, SyntaxCounts
from tests import probing

MADE = {
    "model": "tiny",
    "corpus": "toy",
    "trees": "silver",
    "inputs": {"kind": "parsed sentences"},
    "options": {"vectors": "toy"},
    "bertattn": "0",
}


def counts(right, total, edges=(1, 2)):
    n = len(right)
    right, total = np.array(right), np.array(total)
    return Counts(right, right, total, np.full(n, edges[0]), np.full(n, edges[1]))


def trained():
    history = (Epoch(1, 2.0, 0.4), Epoch(2, 1.5, 0.6), Epoch(3, 1.4, 0.5))
    return Trained(nn.Identity(), history, 0.1, 0)


@pytest.fixture
def results():
    words = Result(
        "attention and words",
        (
            Run(counts([3, 4, 2], [4, 4, 4]), [], trained()),
            Run(counts([4, 4, 4], [4, 4, 4]), [], trained()),
        ),
        control=Run(counts([1, 1, 1], [4, 4, 4]), []),
    )
    chain = Result("right-branching", (Run(counts([1, 1, 1], [4, 4, 4]), []),))
    structural = Result("structural probe", (Run(counts([0] * 3, [4] * 3), []),), directed=False)
    return [words, chain, structural]


@pytest.fixture
def table(results):
    return tables.table_3(results, SimpleNamespace(parts=SimpleNamespace(test=[0, 1, 2])), MADE)


def test_table_3_is_means_over_seeds_with_their_range(table):
    row = table.iloc[0]
    assert row["uas"] == pytest.approx((9 + 12) / 24)
    assert (row["seeds"], row["seed_low"], row["seed_high"]) == (2, 9 / 12, 1)
    assert row["uas_low"] <= row["uas"] <= row["uas_high"]
    assert (row["n"], row["n_edges"], row["sentences"]) == (12, 6, 3)
    assert (row["learning_rate"], row["epoch"]) == (0.1, 2)
    assert row["uuas"] == 0.5


def test_selectivity_is_of_the_seed_that_had_the_control(table):
    assert table.iloc[0]["control"] == 3 / 12
    assert table.iloc[0]["selectivity"] == 9 / 12 - 3 / 12
    assert table["selectivity"].isna().tolist() == [False, True, True]


def test_a_probe_without_direction_has_only_edges(table):
    row = table.iloc[2]
    assert np.isnan([row["uas"], row["tree"], row["seed_low"]]).all()
    assert row["uuas"] == 0.5
    assert table.iloc[1]["seeds"] == 0


def test_an_interval_resamples_sentences():
    every = Result("x", (Run(counts([4, 4, 4], [4, 4, 4]), []),))
    mixed = Result("y", (Run(counts([4, 0, 4, 0, 4, 0] * 5, [4] * 30), []),))
    found = tables.table_3(
        [every, mixed], SimpleNamespace(parts=SimpleNamespace(test=[0, 1, 2])), MADE
    )
    assert (found.iloc[0]["uas_low"], found.iloc[0]["uas_high"]) == (1, 1)
    spread = 1.96 * np.sqrt(0.25 / 30)
    assert found.iloc[1]["uas_low"] == pytest.approx(0.5 - spread, abs=0.04)


def test_where_nothing_was_asked_there_is_no_number():
    nothing = Result("x", (Run(counts([0], [0], (0, 0)), []),))
    found = tables.table_3([nothing], SimpleNamespace(parts=SimpleNamespace(test=[0])), MADE)
    assert found[["uas", "tree", "uuas"]].isna().all(axis=None)
    assert (tables.table_3_in_print(found)["UAS"] == "").all()


def test_in_print_and_beside_the_paper(table):
    shown = tables.table_3_in_print(table)
    assert shown["UAS"].iloc[0].startswith("87.5 [")
    assert shown["seeds"].tolist() == ["2: 75 to 100", "", ""]
    assert shown["selectivity"].tolist() == ["50.0", "", ""]
    beside = tables.beside_table_3(table).set_index("probe")
    assert beside.loc["Attention + GloVe", ["score", "ours"]].tolist() == [77, 87.5]
    assert beside.loc["Right-branching", "ours"] == 25
    assert beside.loc["Structural probe (Hewitt and Manning 2019; vectors)", "ours"] == 50
    assert np.isnan(beside.loc["Attention-only", "ours"])


def test_the_paper_has_its_six_rows():
    paper = pd.read_csv("data/paper/probes.csv")
    assert paper["score"].tolist() == [80, 26, 58, 30, 61, 77]


def test_the_signature_says_what_made_it(table):
    assert "SILVER" in table.attrs["signature"]
    assert "vectors=toy" in table.attrs["signature"]


def test_export_joins_each_score_with_its_interval(table, tmp_path):
    export.tables(table, tmp_path, "table_3")
    assert "0.875 [" in (tmp_path / "table_3.tex").read_text()


def test_readings_say_what_the_table_says(results, table):
    over = tables.over_others(results, table)
    assert over[["other", "difference"]].values.tolist() == [["right-branching", 0.625]]
    assert readings.probes(table, over).startswith(
        "By share of right governors: attention and words 88%, right-branching 25%. On the same "
        "sentences attention and words has +62 points beside right-branching ["
    )
    assert readings.probes(table, over[:0]).endswith("right-branching 25%.")
    assert "selectivity is +50 points" in readings.selectivity(table)
    assert readings.random_probe(table) == "No model with random layers was probed."
    assert "structural probe 50%" in readings.structure(table)
    assert "silver" in readings.trees(table)
    assert "heart" not in readings.selectivity(table)
    learned = readings.selectivity(table.assign(selectivity=[-0.1, np.nan, np.nan]))
    assert learned.endswith("by heart: attention and words.")
    less = table.assign(selectivity=np.nan)
    assert readings.selectivity(less) == "No probe was trained on the control task."


def test_a_random_model_is_read_beside_right_branching(table):
    renamed = table.replace({"attention and words": "random-init attention and words"})
    text = readings.random_probe(renamed)
    assert text.startswith(
        "Over 2 models with random layers attention and words finds 88% (75% to 1"
    )
    assert "above right-branching (25%); its maps are centred and its learning rate, 0.1," in text
    one = readings.random_probe(renamed.assign(seeds=1))
    assert one.startswith("Over 1 model with random layers attention and words finds 88%, above")


# --- with trained probes


@pytest.fixture(scope="module")
def data(encoder):
    return probing.planted_data(encoder)


@pytest.fixture(scope="module")
def found(data):
    kinds = {"attention only": AttentionOnly, "attention and words": AttentionAndWords}
    made = [
        probes.evaluated(name, make, data, learning_rate=0.3, n_epochs=8)
        for name, make in {**kinds, "words and distances": WordsAndDistances}.items()
    ]
    return [*made, *probes.baselines(data)]


@pytest.fixture(scope="module")
def whole(found, data):
    return tables.table_3(found, data, MADE)


def test_curves_have_a_row_an_epoch(found, whole):
    curves = tables.learning_curves(found, whole)
    assert curves.groupby("probe").size().tolist() == [8, 8, 8]
    alt = plots.show(plots.learning_curves(curves)).alt
    assert "Best UAS in development: attention only" in alt


def test_what_was_still_rising_is_told(table):
    curves = pd.DataFrame(
        {"probe": ["a", "a", "b", "b"], "epoch": [1, 2, 1, 2], "dev_uas": [0.1, 0.2, 0.4, 0.3]}
    )
    assert readings.learning(curves) == "Still at their best in the last epoch: a."


def test_weights_stand_beside_what_heads_find_alone(found, whole):
    counted = SyntaxCounts.empty(2, 3, ("dep",))
    dep = counted.relations.index("dep")
    counted.total[0, dep] = 10
    counted.right[0, dep, 0, 1, 1] = 9  # the planted head, 2-2
    shown = tables.head_weights(found[0], np.ones((2, 6)), counted, (2, 3), whole)
    best = shown.loc[shown["weight"].idxmax()]
    assert (best["head"], best["direction"]) == ("2-2", DIRECTIONS[0])
    assert best["accuracy"] == 0.9
    said = readings.weights(shown)
    assert said.startswith("Scores are moved most by 2-2 (dependent->governor, weight +")
    narrow = np.ones((2, 6))
    narrow[0, 4] = 0.0  # a head that looks at everything alike moves nothing, whatever its weight
    other = tables.head_weights(found[0], narrow, counted, (2, 3), whole)
    assert "by 2-2 (dependent->governor" not in readings.weights(other)
    assert "2-2 dependent->governor" in plots.show(plots.head_weights(shown)).alt


def test_only_a_probe_with_a_number_for_each_head_shows_weights(found, whole):
    with pytest.raises(ValueError, match="has no number for each head; give the attention-only"):
        tables.head_weights(
            found[1], np.ones((2, 6)), SyntaxCounts.empty(2, 3, ("dep",)), (2, 3), whole
        )


def test_words_add_up_to_the_table(found, data, whole):
    asked = tables.probe_words(found, data, whole)
    for row in whole.itertuples():
        own = asked[asked["probe"] == row.probe]
        assert (len(own), own["right"].mean()) == (row.n, pytest.approx(row.uas))
    assert (asked.loc[asked["relation"] == "root", "distance"] == 0).all()
    by_relation = tables.probe_by_relation(asked)
    assert by_relation.groupby("probe")["n"].sum().max() <= whole["n"].iloc[0]
    by_distance = tables.probe_by_distance(asked)
    n_roots = len(data.parts.test)
    assert by_distance.groupby("probe")["n"].sum().eq(whole["n"].iloc[0] - n_roots).all()
    assert (by_distance["low"] <= by_distance["uas"]).all()
    assert "Attention and words, by words to the governor: 1: " in readings.distance(by_distance)
    assert readings.distance(by_distance, "x") == "'x' is not in the table."
    assert "UAS by relation" in plots.show(plots.probe_by_relation(by_relation)).alt
    assert "UAS by distance" in plots.show(plots.probe_by_distance(by_distance)).alt


def test_where_there_is_nothing_to_draw_a_sentence_stands(found, data, whole):
    asked = tables.probe_words(found, data, whole)
    few = tables.probe_by_relation(asked, min_count=10_000)
    assert plots.show(plots.probe_by_relation(few)).alt == (
        "Nothing to draw: no relation has enough words."
    )
    alone = tables.probe_by_distance(asked[asked["distance"] == 0])
    assert (
        plots.show(plots.probe_by_distance(alone)).alt == "Nothing to draw: no word has a governor."
    )
    assert tables.probe_words([], data, whole).empty


def test_a_difference_is_taken_on_the_same_sentences():
    """Two probes that are right about the same words differ by nothing, in every resample."""
    right = [4, 0, 3, 1, 2] * 6
    one, two, less = (
        Result(name, (Run(counts(values, [4] * 30), []),))
        for name, values in (
            ("attention and words", right),
            ("x", right),
            ("y", [max(r - 1, 0) for r in right]),
        )
    )
    sample = SimpleNamespace(parts=SimpleNamespace(test=list(range(30))))
    table = tables.table_3([one, two, less], sample, MADE)
    over = tables.over_others([one, two, less], table).set_index("other")
    assert over.loc["x", ["difference", "low", "high"]].tolist() == [0, 0, 0]
    assert over.loc["y", "low"] > 0
    assert table["uas_low"].iloc[0] < table["uas_high"].iloc[2]  # though their intervals meet


def test_settings_say_what_numbers_depend_on(found, data):
    settings = probes.settings(data, found)
    assert settings["vectors"] == "toy"
    assert settings["parts"] == "/".join(str(len(part)) for part in data.parts)
    assert (settings["epochs"], settings["seeds"], settings["rates"]) == (8, 1, "0.3/0.3/0.3")
    other = probes.settings(replace(data, parts=probes.Parts([0], [1], [2])), found)
    assert other["split"] != settings["split"]


def test_a_tree_is_drawn_and_said(found, data):
    alt = repr(views.probe_trees(data, found[:1], 1))
    n = len(data.inputs[data.parts.test[0]].words)
    assert alt.startswith(f"Tree of attention only, {n} of {n} right, in: ")
    last = repr(views.probe_trees(data, found[:1], 10_000))
    assert last == repr(views.probe_trees(data, found[:1], len(data.parts.test)))
    with pytest.raises(ValueError, match="sentences are counted from 1, got 0"):
        views.probe_trees(data, found[:1], 0)


def test_what_has_no_tree_is_not_drawn(found, data):
    bare = replace(found[0], runs=(replace(found[-1].runs[0]),))
    with pytest.raises(ValueError, match="names no governors, so it has no tree to draw"):
        views.probe_trees(data, [bare])


def test_the_picture_of_table_3_says_every_uas(whole):
    alt = plots.show(plots.table_3(whole)).alt
    assert "attention only 100%" in alt
