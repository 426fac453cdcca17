"""Section 4.2's tables, readings and figures, on counts with known answers."""

import matplotlib
import numpy as np
import pytest

from bertattn import export, plots, readings, syntax, tables
from bertattn.attention import WordAttention
from bertattn.heads import AttentionHead
from bertattn.syntax import DIRECTIONS, Checked, Guesses, SyntaxCounts, rules
from tests.test_syntax import FED, TO_DEPENDENT, TO_GOVERNOR, guesses_of, made_up
from tests.test_tables import MADE

matplotlib.use("agg")
GOLD = {**MADE, "trees": "gold", "inputs": {"kind": "parsed sentences", "n": None}}
SILVER = {**GOLD, "trees": "silver"}


@pytest.fixture(scope="module")
def counts():
    found = made_up()
    found.n_sentences = 99
    return found


@pytest.fixture(scope="module")
def table(counts):
    null = syntax.swap_maps(guesses_of([FED] * 6, [lambda s, w: s.governors[w] or 0]), ("det",))
    random = syntax.scores(made_up(rates=(0.1, 0.15, 0.1), seed=5))
    return tables.table_1(list(syntax.scores(counts)), GOLD, 99, random=list(random), null=null)


def row(table, relation="det"):
    return table[table["relation"] == relation].iloc[0]


def test_a_row_says_what_the_score_says(table, counts):
    [score] = [s for s in syntax.scores(counts) if s.questions.relation == "det"]
    found = row(table)
    assert (found["n"], found["documents"], found["head"]) == (1200, 30, "1-2")
    assert found["direction"] == TO_GOVERNOR
    assert found["accuracy"] == score.n_right / 1200
    assert found["rechosen_low"] < found["accuracy"] < found["rechosen_high"]
    assert found["held_out_low"] < found["held_out"] < found["held_out_high"]
    assert (found["offset"], found["winner"], found["winner_share"]) == ("+2", "1-2", 1.0)
    assert found["offset_gain_low"] < found["offset_gain"] < found["offset_gain_high"]
    assert 0.1 < found["random"] < 0.2
    assert found["trees"] == "gold"
    assert np.isnan(found["corrected"])


def test_the_signature_says_what_made_it(table):
    assert "99 parsed sentences" in table.attrs["signature"]
    assert "SILVER" not in table.attrs["signature"]
    assert "|SILVER|" in tables.signature(SILVER, 99)


def test_every_head_has_its_row(counts):
    every = tables.every_head(counts, GOLD, min_count=50)
    assert len(every) == 2 * 2 * 3  # All and det, two directions, three heads
    det = every[(every["relation"] == "det") & (every["direction"] == TO_GOVERNOR)]
    right = counts.right[:, 0, 0, 0].sum(axis=0)
    assert det["right"].tolist() == right.tolist()
    assert det["total"].tolist() == [1200] * 3
    np.testing.assert_allclose(det["accuracy"], right / 1200)


def test_sums_by_document_are_exact(counts):
    units = tables.by_document(counts)
    det = units[(units["relation"] == "det") & (units["direction"] == TO_GOVERNOR)]
    assert det["total"].sum() == 1200
    assert det["1-2"].sum() == counts.right[:, 0, 0, 0, 1].sum()


def test_a_table_is_written_with_its_units(table, counts, tmp_path):
    export.tables(table, tmp_path, "table_1", tables.by_document(counts))
    text = (tmp_path / "table_1.tex").read_text()
    assert r"\toprule" in text
    assert f"{row(table)['held_out']:.3f} [{row(table)['held_out_low']:.3f}, " in text
    assert "held_out_low" not in text.replace("\\", "")
    assert (tmp_path / "table_1.units.parquet").exists()


@pytest.mark.parametrize(
    ("relation", "trust"),
    [("det", "silver"), ("ccomp", "unreliable"), ("appos", "unreliable"), ("advcl", "unreliable"),
     ("conj", "unreliable"), ("pobj", "silver"), ("no-such", "unreliable"), ("All", "silver")],
)  # fmt: skip
def test_unreliable_silver_is_flagged(relation, trust):
    assert tables.trees(relation, "silver") == trust
    assert tables.trees(relation, "gold") == "gold"


def test_silver_is_corrected_by_what_was_checked(counts):
    silver_part, checked = made_up(n=10, seed=1), made_up(n=10, rates=(0.2, 0.9, 0.3), seed=2)
    scores = list(syntax.scores(counts))
    table = tables.table_1(scores, SILVER, 99, counts=counts, checked=Checked(silver_part, checked))
    found = row(table)
    parts = [c.right[:, 0, 0, 0, 1].sum() for c in (counts, silver_part, checked)]
    wanted = parts[0] / 1200 + parts[2] / 300 - parts[1] / 300
    assert found["corrected"] == pytest.approx(wanted)
    assert found["corrected_low"] < wanted < found["corrected_high"]
    assert found["n_checked"] == 300
    assert "the correction moves the other scores by" in readings.silver(table)


def test_the_sample_alone_has_a_checked_part(minilm):
    from bertattn import corpora
    from bertattn.segments import Trees

    few = Trees(corpora.treebank("sample-checked"), minilm.encoder, n=3)
    counts = SyntaxCounts.empty(*minilm.shape, ("det",))
    assert syntax.checked_part(minilm, few, counts) is None
    part = Trees(corpora.treebank("sample"), minilm.encoder, n=9)
    assert syntax.checked_part(minilm, part, counts) is None
    inputs = Trees(corpora.treebank("sample"), minilm.encoder)
    found = syntax.checked_part(minilm, inputs, counts)
    assert (found.silver.n_sentences, found.checked.n_sentences) == (160, 160)
    names = list(inputs.documents)
    assert len(names) == len(set(names)) <= 72


def test_in_print_are_per_cents_with_their_intervals(table):
    shown = tables.in_print(table)
    found = shown[shown["relation"] == "det"].iloc[0]
    assert found["accuracy"] == f"{100 * row(table)['accuracy']:.1f}"
    assert found["held out"].startswith(f"{100 * row(table)['held_out']:.1f} [")
    assert found["corrected"] == ""
    away = tables.explained_away(table)
    assert away["best offset"][1].startswith("+2: ")
    assert away["over the offset"][1].startswith(f"{100 * row(table)['offset_gain']:.1f} [")
    assert away["p, swapped maps"].tolist() == ["", f"{row(table)['p']:.3f}"]


def test_beside_the_paper_are_gains(table):
    beside = tables.beside_table_1(table)
    det = beside[beside["relation"] == "det"].iloc[0]
    assert (det["paper_head"], det["paper_accuracy"], det["paper_offset"]) == ("8-11", 94.3, "+1")
    assert det["paper_gain"] == round(94.3 - 51.7, 1)
    assert det["gain"] == pytest.approx(
        100 * (row(table)["accuracy"] - row(table)["offset_accuracy"]), abs=0.06
    )
    auxpass = beside[beside["relation"] == "auxpass"].iloc[0]
    assert auxpass["notebook_gain"] == round(94.1 - 82.5, 1)


def test_ways_stand_side_by_side(counts):
    both = tables.side_by_side({"one": counts, "two": made_up(rates=(0.1, 0.4, 0.2))}, ["det"])
    assert both["relation"].tolist() == ["det", "All", "All with punct, root"]
    assert both["one"][0] == pytest.approx(100 * row_accuracy(counts), abs=0.06)
    assert both["two"][0] < 50


def row_accuracy(counts):
    return counts.right[:, 0].sum(axis=0).max() / 1200


def test_readings_are_true_of_the_table(table):
    assert "Of 1 relations, 1 have a head that beats the best fixed offset" in readings.best_heads(
        table
    )
    assert "Most: head 1-2 for det" in readings.best_heads(table)
    assert readings.silver(table) == "The trees are gold: people drew or corrected them."
    given = table.copy()
    given.attrs = {"manifest": {**GOLD, "trees": "given"}}
    assert "nothing in the file says who drew them" in readings.silver(given)
    assert readings.swaps(table).startswith("With the map of another sentence of the same length")
    assert "one document only" in readings.best_heads(table.assign(held_out=np.nan))
    untagged = table.assign(nearest_gain=np.nan, nearest_gain_low=np.nan)
    assert "no parts of speech" in readings.best_heads(untagged)
    assert "For the others" not in readings.swaps(table.assign(p=0.9))
    without = table.assign(p=np.nan)
    assert readings.swaps(without) == "Maps were not swapped."


def test_a_readings_list_may_be_empty(counts):
    weak = made_up(rates=(0.1, 0.2, 0.1))
    table = tables.table_1(list(syntax.scores(weak)), SILVER, 99)
    assert "0 have a head that beats the best fixed offset" in readings.best_heads(table)
    assert "above 0: none." in readings.best_heads(table)


# figures ----------------------------------------------------------------------------------------


def drawn(axes):
    picture = plots.show(axes)
    assert picture.png.startswith(b"\x89PNG")
    assert len(picture.alt) > 30
    return picture


def test_table_1_draws_each_relation(table):
    axes = plots.table_1(table)
    labels = [t.get_text() for t in axes.get_yticklabels()]
    assert labels == ["det  (1,200)", "All  (1,200)"]
    points = {
        line.get_label(): line.get_xdata() for line in axes.lines if line.get_label()[0] != "_"
    }
    assert points["best head"][0] == pytest.approx(100 * row(table)["accuracy"])
    assert "det: head 1-2" in drawn(axes).alt
    flagged = plots.table_1(table.assign(trees="unreliable"))
    assert flagged.get_yticklabels()[0].get_text() == "det*  (1,200)"


def test_a_grid_shows_every_head(counts):
    every = tables.every_head(counts, GOLD)
    axes = plots.relation_grid(every, "det", TO_GOVERNOR)
    assert axes.images[0].get_array().shape == (1, 3)
    assert "Most: 1-2 " in drawn(axes).alt
    with pytest.raises(ValueError, match="no relation 'dog' in direction"):
        plots.relation_grid(every, "dog")


def test_a_head_has_its_card(counts):
    card = tables.head_card(counts, AttentionHead(0, 1), TO_GOVERNOR, GOLD)
    assert card["relation"].tolist() == ["All", "det"]
    assert card.attrs["head"] == "1-2"
    assert "What head 1-2 finds" in drawn(plots.head_card(card)).alt


@pytest.fixture(scope="module")
def guesses():
    found = np.zeros((2, 1, 2, 5), dtype=np.int16)
    found[0, 0, 1] = [1, 2, 0, 4, 2]  # the and keeper right, octopuses wrong
    return Guesses(FED, found, 0)


def test_guesses_are_drawn_right_and_wrong(guesses):
    axes = plots.guessed_arcs(guesses, AttentionHead(0, 1))
    assert "2 of 3 right" in axes.get_title()
    styles = sorted(line.get_linestyle() for line in axes.lines if len(line.get_xdata()) > 2)
    assert styles == ["-", "-", "--"] or styles == ["--", "-", "-"]
    assert "2 of 3 right" in drawn(axes).alt
    one = plots.guessed_arcs(guesses, AttentionHead(0, 1), relation="dobj")
    assert "dobj: 0 of 1 right" in one.get_title()


def test_examples_fit_into_a_picture(guesses):
    assert syntax.examples([guesses] * 3, n=2) == [guesses] * 2
    assert str(guesses) == "the keeper fed octopuses . ... (fed)"


def test_figure_5_marks_the_relations_words():
    rng = np.random.default_rng(0)
    weights = rng.dirichlet(np.ones(7), size=(1, 2, 7))
    attention = WordAttention(FED.words, np.arange(5), weights, ("[CLS]", "[SEP]"))
    for direction in DIRECTIONS:
        axes = plots.figure_5(attention, FED, [("dobj", AttentionHead(0, 1), direction)])
        bold = {t.get_text() for t in axes.texts if t.get_weight() == "bold"}
        assert bold == {"octopuses", "fed"}
        ends = (3, 2) if direction != TO_DEPENDENT else (2, 3)
        assert f"'octopuses' {weights[0, 1][ends]:.2f} (dobj, 1-2)" in drawn(axes).alt


def test_every_rule_has_one_name():
    assert len(set(rules.NAMES)) == len(rules.NAMES)


def test_a_decoder_goes_all_the_way(minilm):
    """One direction at a time, a relation in two rows, from the run to the tables."""
    from bertattn import corpora
    from bertattn.measure import measure
    from bertattn.model import AttentionModel
    from bertattn.segments import Trees
    from tests import tiny

    model = AttentionModel(*tiny.module("GPT2"), "tiny", device="cpu")
    treebank = corpora.treebank("sample")
    short = [s for s in treebank if len(s.words) < 11][:60]
    inputs = Trees(short, model.encoder)
    counts = SyntaxCounts.empty(*model.shape, treebank.relations, keep=99)
    measure(inputs, model, counts)
    assert counts.left_out[f"arcs_unseen_{TO_GOVERNOR}"] > 0
    scores = list(syntax.scores(counts, min_count=10, n_resamples=20))
    relations = [s.questions.relation for s in scores]
    assert relations.count("All") == 2
    null = syntax.swap_maps(counts.guesses, relations[2:], n_swaps=9)
    made = tables.manifest(model, treebank, inputs, counts.left_out)
    assert made["left_out"][f"arcs_unseen_{TO_GOVERNOR}"] > 0
    table = tables.table_1(scores, made, counts.n_sentences, null=null)
    assert len(tables.in_print(table)) == len(scores)
    assert len(tables.explained_away(table)) == len(scores)
    assert "relations" in readings.best_heads(table)
    assert "no loss is found" in readings.swaps(table)
    assert len(tables.side_by_side({"one": counts}, ["det"])) == 3
    assert len(tables.beside_table_1(table)) >= 27
    assert drawn(plots.table_1(table)).alt
