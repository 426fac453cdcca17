import json
import re
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from IPython.core.displaypub import CapturingDisplayPublisher
from IPython.core.interactiveshell import InteractiveShell

from bertattn import plots, syntax, views, words
from bertattn.attention import AttentionMap, Kind, Tokens, WordAttention
from bertattn.cards import Card, Example
from bertattn.coref import Guesses as CorefGuesses
from bertattn.coref import Window
from bertattn.corpora import Mention, ParsedSentence
from bertattn.heads import AttentionHead, all_heads
from bertattn.views import CorefView, HeadMap, HeadView, ModelView, TreeView, menus
from bertattn.views import attention as attention_views
from bertattn.views.controls import Menus, linked
from bertattn.views.packing import codes, pack, unpack, weights
from bertattn.views.trees import places

WIDGET = "application/vnd.jupyter.widget-view+json"
NASTY = (
    "<script>",
    "</script>",
    "</td><b>",
    '"quoted"',
    "&amp;",
    "שלום",
    "e\u0301",
    "🦑",
    "x" * 2000,
)


class Reading(HTMLParser):
    """Collects tags, attributes and text of HTML."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.texts, self.images = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        if tag == "img":
            self.images.append(dict(attributes))

    def handle_data(self, data):
        self.texts.append(data)


def data_of(view):
    """What the script is given."""
    packed = re.search(r'class="ba-data">([^<]*)<', view.html)[1]
    return unpack(packed)


def uniform_map(labels, n_layers=2, n_heads=3):
    n = len(labels)
    tokens = Tokens(
        pieces=tuple(labels),
        ids=np.arange(n),
        type_ids=np.zeros(n, dtype=int),
        unit_of=np.arange(n),
        kinds=np.zeros(n, dtype=int),
        words=tuple(labels),
    )
    return AttentionMap(tokens, np.full((n_layers, n_heads, n, n), 1 / n))


@pytest.fixture
def published(monkeypatch):
    """What would be shown in a notebook."""
    shell = InteractiveShell.instance()
    publisher = CapturingDisplayPublisher()
    monkeypatch.setattr(shell, "display_pub", publisher)
    yield publisher.outputs
    InteractiveShell.clear_instance()


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_menus_show_controls_then_the_first_picture(published, toy_map):
    menus(plots.attention_lines, toy_map, attn_head=all_heads(2, 3))
    assert len(published) == 2
    assert WIDGET in published[0]["data"]
    assert (
        published[0]["data"]["text/plain"] == "[menus: attention head - run this cell to use them]"
    )
    assert "head 1-1" in published[1]["data"]["text/plain"]
    assert not published[1].get("update")


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_choosing_replaces_the_picture_in_place(published, toy_map):
    controls = Menus(attn_head=all_heads(2, 3))
    linked(controls, plots.attention_lines, toy_map)
    assert [text for text, _ in controls.controls["attn_head"].options][:2] == ["1-1", "1-2"]
    controls.controls["attn_head"].value = all_heads(2, 3)[4]
    assert len(published) == 3
    assert published[2]["update"]
    assert published[2]["transient"] == published[1]["transient"]
    assert "head 2-2" in published[2]["data"]["text/plain"]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_text_box_changes_a_view_and_what_cannot_be_shown_is_said(published):
    def draw(text):
        if not text.strip():
            raise ValueError("the text is empty")
        return HeadView(uniform_map(text.split()))

    controls = Menus(text="one two")
    linked(controls, draw)
    assert "'one' to 'one' 0.50" in published[1]["data"]["text/plain"]
    assert "<script" in published[1]["data"]["text/html"]
    controls.controls["text"].value = "three four five"
    assert "'three' to 'three' 0.33" in published[2]["data"]["text/plain"]
    controls.controls["text"].value = " "
    assert published[3]["update"]
    assert published[3]["data"] == {"text/plain": "Nothing to show: the text is empty"}


def test_the_first_drawing_fails_loudly():
    with pytest.raises(ZeroDivisionError):
        menus(lambda n: 1 / n, n=[0])


def test_a_menu_with_nothing_in_it_is_refused(toy_map):
    with pytest.raises(ValueError, match="nothing to choose from in the menu 'attn_head'"):
        menus(plots.attention_lines, toy_map, attn_head=[])


def test_half_precision_travels_too():
    half = np.array([1.0, 0.7, 0.05], dtype=np.float16)
    assert weights(codes(half)).tolist() == [1.0, 0.7, 0.05]


@given(arrays(np.float32, (3, 4), elements=st.floats(0, 1, width=32)))
def test_weights_travel_in_two_digits(original):
    back = weights(codes(original))
    assert np.all(abs(back - original) <= np.where(original < 0.1, 0.00051, 0.00501))
    assert np.array_equal(codes(back), codes(original))


@pytest.mark.parametrize("bad", [np.nan, -0.2, 1.5])
def test_what_is_no_weight_is_refused(bad):
    with pytest.raises(ValueError, match="wanted weights from 0 to 1"):
        codes(np.array([0.5, bad]))


def test_a_number_that_is_none_is_not_packed():
    with pytest.raises(ValueError, match="Out of range"):
        pack({"value": float("nan")})


def test_a_view_has_html_a_picture_and_a_text(toy_map):
    data, metadata = HeadView(toy_map)._repr_mimebundle_()
    assert set(data) == {"text/html", "image/png", "text/plain"}
    assert data["text/plain"].startswith("Attention of head 1-1 as lines. Strongest:")
    assert metadata["image/png"]["alt"] == data["text/plain"]
    page = Reading(data["text/html"])
    assert page.images[0]["alt"] == data["text/plain"]
    assert page.images[0]["src"].startswith("data:image/png;base64,")
    assert page.tags.count("table") == 1
    assert page.tags.count("script") == 2


def test_a_view_asks_the_network_for_nothing(toy_map):
    text = HeadView(toy_map).html
    asked = re.findall(r"https?://[^\s\"']+", text)
    assert set(asked) == {"http://www.w3.org/2000/svg"}
    assert not re.search(r"\bimport\s*\(|\bfetch\s*\(|@import|url\(|<link|src=\"(?!data:)", text)


def test_the_script_is_short():
    script = Path(views.__file__).with_name("view.js").read_text()
    assert len(script.splitlines()) <= 600
    assert "</script" not in script


def test_the_same_view_is_the_same_text(toy_map):
    assert HeadView(toy_map).html == HeadView(toy_map).html


def test_a_view_is_written_as_page_and_pictures(toy_map, tmp_path):
    view = HeadView(toy_map)
    page = view.to_html(tmp_path / "view.html").read_text()
    assert page.startswith("<!doctype html>")
    assert view.html in page
    assert view.to_png(tmp_path / "view.png").read_bytes()[:4] == b"\x89PNG"
    assert "<svg" in view.to_svg(tmp_path / "view.svg").read_text()


def test_a_view_of_heads_holds_every_weight_of_words_and_pieces(toy_map):
    data, maps = data_of(HeadView(toy_map, [AttentionHead(1, 2)]))
    assert [level["name"] for level in data["levels"]] == ["word"]
    assert data["start"]["heads"] == [2]
    n = len(toy_map.tokens)
    found = weights(np.frombuffer(maps, dtype=np.uint8)).reshape(2, 3, n, n)
    assert np.allclose(found, toy_map.weights, atol=0.00501)


def test_words_stand_in_the_order_of_the_text_with_special_tokens_in_place(minilm):
    attention = minilm.attention("The violinmaker slept.", "It dried.")
    data, maps = data_of(HeadView(attention))
    word, piece = data["levels"]
    assert word["labels"] == [
        "[CLS]", "The", "violinmaker", "slept", ".", "[SEP]", "It", "dried", ".", "[SEP]"
    ]  # fmt: skip
    assert word["special"] == [1, 0, 0, 0, 0, 1, 0, 0, 0, 1]
    assert word["texts"] == [0, 0, 0, 0, 0, 0, 1, 1, 1, 1]
    assert piece["n"] == len(attention.tokens)
    assert piece["offset"] == 6 * 12 * 10 * 10
    assert len(maps) == piece["offset"] + attention.weights.size
    merged = words.merge(attention)
    by_word = weights(np.frombuffer(maps[:7200], dtype=np.uint8)).reshape(6, 12, 10, 10)
    violinmaker, slept = 1, 2  # of the merged map
    assert by_word[2, 5, 2, 3] == pytest.approx(merged.weights[2, 5, violinmaker, slept], abs=0.006)


def test_one_text_is_not_two():
    data, _ = data_of(HeadView(uniform_map(["a", "b"])))
    assert data["levels"][0]["texts"] == [0, 0]


def test_the_table_has_the_strongest_arrows_of_each_head_shown(toy_map):
    view = HeadView(toy_map, [AttentionHead(0, 0), AttentionHead(0, 1)])
    assert view.columns == ("head", "from", "to", "weight")
    assert {row[0] for row in view.rows} == {"1-1", "1-2"}
    values = [float(row[3]) for row in view.rows if row[0] == "1-1"]
    assert values == sorted(values, reverse=True)
    assert values[0] == pytest.approx(float(toy_map.weights[0, 0].max()), abs=0.00501)


@pytest.mark.parametrize(
    ("heads", "message"),
    [
        ([], "several of one layer, got none"),
        ([AttentionHead(0, 0), AttentionHead(1, 0)], "got 1-1, 2-1"),
        ([AttentionHead(2, 0)], "wanted a head from 1-1 to 2-3, got 3-1"),
        ([AttentionHead(0, 3)], "wanted a head from 1-1 to 2-3, got 1-4"),
    ],
)
def test_heads_that_cannot_be_shown_are_refused(toy_map, heads, message):
    with pytest.raises(ValueError, match=message):
        HeadView(toy_map, heads)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [({"level": "words"}, "wanted level 'word' or 'piece'"), ({"form": "Lines"}, "wanted form")],
)
def test_what_is_no_level_and_no_form_is_refused(toy_map, wrong, message):
    bare = getattr(HeadView.__init__, "__wrapped__", HeadView.__init__)  # without checked types
    with pytest.raises(ValueError, match=message):
        bare(HeadView.__new__(HeadView), toy_map, **wrong)


def test_pieces_of_merged_words_are_refused(toy_map):
    with pytest.raises(ValueError, match="give the map of pieces"):
        HeadView(words.merge(toy_map), level="piece")


def test_no_token_is_refused():
    empty = WordAttention((), np.arange(0), np.zeros((2, 3, 0, 0)))
    with pytest.raises(ValueError, match="the text has no tokens"):
        HeadView(empty)


def test_weights_that_are_none_are_refused():
    broken = WordAttention(("a", "b"), np.arange(2), np.full((2, 3, 2, 2), np.nan))
    with pytest.raises(ValueError, match="wanted weights from 0 to 1, got nan"):
        HeadView(broken)


def test_one_token_is_shown():
    view = HeadView(uniform_map(["alone"]))
    assert view.rows[0] == ["1-1", "alone", "alone", "1.00"]


def test_a_long_text_keeps_what_fits_and_says_so(monkeypatch):
    monkeypatch.setattr(attention_views, "BUDGET", 3 * 3 * 10 * 10)
    attention = uniform_map([f"w{i}" for i in range(10)], n_layers=5, n_heads=3)
    view = HeadView(attention, [AttentionHead(4, 1)])
    data, maps = data_of(view)
    assert data["layers"] == [2, 3, 4]
    assert data["heads"] == [0, 1, 2]
    assert len(maps) == 3 * 3 * 100
    assert data["notice"] == "A text of 10 tokens: this page holds layers 3 to 5 of 5."


def test_a_still_picture_of_a_long_text_says_that_it_is_cut():
    n = attention_views.N_DRAWN + 6
    view = HeadView(uniform_map([f"w{i}" for i in range(n)]))
    assert repr(view).startswith(f"Of {n} tokens the first {attention_views.N_DRAWN}.")
    assert "the 20 strongest weights of 1-1, by word: as a table" in view.html


def test_what_is_left_out_is_said_without_scripts_too(monkeypatch):
    monkeypatch.setattr(attention_views, "BUDGET", 250)
    view = HeadView(uniform_map([f"w{i}" for i in range(10)], n_layers=2, n_heads=4))
    assert '<p class="ba-notice">A text of 10 tokens: this page holds layer 1 of 2' in view.html


def test_a_very_long_text_keeps_some_heads_of_a_layer(monkeypatch):
    monkeypatch.setattr(attention_views, "BUDGET", 250)
    attention = uniform_map([f"w{i}" for i in range(10)], n_layers=2, n_heads=4)
    data, maps = data_of(HeadView(attention, [AttentionHead(1, 3)]))
    assert data["layers"] == [1]
    assert data["heads"] == [0, 3]
    assert len(maps) == 200
    assert data["notice"].endswith("this page holds layer 2 of 2, 2 of 4 heads.")


def test_whatever_tokens_are_they_are_text():
    view = HeadView(uniform_map(NASTY))
    data, _ = data_of(view)
    assert data["levels"][0]["labels"] == list(NASTY)
    page = Reading(view.html)
    assert page.tags.count("script") == 2
    assert "b" not in page.tags
    assert '"quoted"' in page.texts
    assert not [text for text in page.texts if "xxx" in text and len(text) > 201]
    assert "<script>" in view.picture.alt


def test_all_heads_at_once(toy_map):
    view = ModelView(toy_map, opened=AttentionHead(1, 1))
    data, maps = data_of(view)
    assert view.kind == "model"
    assert data["start"]["layer"] == 1
    assert len(maps) == toy_map.weights.size
    narrowest = np.unravel_index(
        toy_map.weights.max(-1).mean(-1).argmax(), toy_map.weights.shape[:2]
    )
    assert f"The narrowest is head {AttentionHead(*map(int, narrowest))}" in repr(view)


def surface_table(values):
    rows = [
        {"layer": h.layer + 1, "head": str(h), "measure": m, "value": v, "low": v - 0.1,
         "high": v + 0.1, "uniform": 0.1, "n": 5, "groups": 5}
        for m, of_measure in values.items()
        for h, v in zip(all_heads(2, 2), of_measure, strict=True)
    ]  # fmt: skip
    return pd.DataFrame(rows)


def cards():
    toy = Example(("The", "dog", "barks"), 0, 1, 0.912, "det", "s-1")
    near = (AttentionHead(0, 0), 0.0214)
    return [
        Card(h, (("to next", "0.42"),), (("det", "61 %"),), (toy,), (), (near,), "dogs")
        for h in all_heads(2, 2)
    ]  # fmt: skip


def test_a_map_of_scores_says_each_head_and_the_best():
    table = surface_table({"to_next": [0.1, 0.2, 0.9, 0.4], "entropy": [2.0, 1.0, 3.0, np.nan]})
    view = HeadMap(table, ["to_next", "entropy"], cards())
    data, _ = data_of(view)
    first, second = data["measures"]
    assert first["texts"] == [".10", ".20", ".90", ".40"]
    assert first["shares"] == [0.0, 0.12, 1.0, 0.38]
    assert first["best"] == 2
    assert first["said"][2] == "Head 2-1: to the next token .90 [.80, 1.0]."
    assert second["said"][3] == "Head 2-2: entropy of a row is not measured."
    assert second["shares"][3] is None
    assert second["said"][0] == "Head 1-1: entropy of a row 2.0 nats [1.9, 2.1]."
    assert data["names"] == ["1-1", "1-2", "2-1", "2-2"]
    card = data["cards"][3]
    assert card["name"] == "2-2"
    assert card["best"][0]["note"] == "0.91 det (s-1)"
    assert card["nearest"] == [["1-1", "0.021"]]
    assert view.columns == ["head", "to the next token", "95 % interval"]
    assert first["summary"] == "Most: head 2-1, to the next token .90. Mean of all heads .40."
    mean = "Mean of the 3 measured 2.0."
    assert second["summary"] == f"Most: head 2-1, entropy of a row 3.0 nats. {mean}"
    assert view.rows[2] == ["2-1", ".90", "[.80, 1.0]"]


def test_a_map_of_a_measure_that_the_model_lacks_is_drawn():
    table = surface_table({"to_start": [np.nan] * 4})
    data, _ = data_of(HeadMap(table, "to_start"))
    assert data["measures"][0]["shares"] == [None] * 4
    assert data["measures"][0]["summary"].endswith("not in this model.")
    assert data["cards"] == []


def test_a_map_of_relations():
    found = [[0.1, 0.2, 0.3, 0.4], [0.0, 0.0, 0.5, 0.0]]
    rows = [
        {"layer": h.layer + 1, "head": str(h), "relation": "det", "direction": d, "accuracy": a,
         "total": 10}
        for d, of_heads in zip(syntax.DIRECTIONS, found, strict=True)
        for h, a in zip(all_heads(2, 2), of_heads, strict=True)
    ]  # fmt: skip
    view = HeadMap.of_relations(pd.DataFrame(rows), ["det"], list(syntax.DIRECTIONS))
    data, _ = data_of(view)
    assert [m["name"] for m in data["measures"]] == [f"det (n 10), {d}" for d in syntax.DIRECTIONS]
    assert [m["best"] for m in data["measures"]] == [3, 2]
    with pytest.raises(ValueError, match="there are: det; dependent->governor, governor->dep"):
        HeadMap.of_relations(pd.DataFrame(rows), ["det"], ["up"])
    with pytest.raises(ValueError, match="no relation 'nsubj'"):
        HeadMap.of_relations(pd.DataFrame(rows), ["nsubj"], list(syntax.DIRECTIONS))


def test_a_map_of_any_columns():
    names = [str(h) for h in all_heads(2, 2)]
    table = pd.DataFrame({"layer": [1, 1, 2, 2], "head": names, "change": [0.1, 0.0, -0.5, 0.2]})
    view = HeadMap.of_columns(table, {"change": "change of the output"})
    data, _ = data_of(view)
    assert data["measures"][0]["texts"] == [".10", ".00", "-.50", ".20"]
    assert data["measures"][0]["best"] == 3
    assert repr(view) == (
        "A grid of layers by heads: change of the output. Most: 2-2 0.20, 1-1 0.10, 1-2 0.00."
    )
    with pytest.raises(ValueError, match="no column 'loss' in the table; there are: layer, head"):
        HeadMap.of_columns(table, {"loss": "loss"})
    assert view.columns == ["head", "change of the output"]
    twice, turned = pd.concat([table, table]), table.iloc[::-1]
    with pytest.raises(ValueError, match="wanted each head of 2 layers once, layer by layer, got"):
        HeadMap.of_columns(twice, {"change": "change"})
    with pytest.raises(ValueError, match="got 4 rows: 2-2, 2-1"):
        HeadMap.of_columns(turned, {"change": "change"})
    with pytest.raises(ValueError, match="once, layer by layer"):
        HeadMap.of_columns(table[table["head"] != "1-1"], {"change": "change"})


def test_a_map_of_what_is_not_there_is_refused():
    table = surface_table({"to_next": [0.1, 0.2, 0.9, 0.4]})
    with pytest.raises(ValueError, match="no measure 'to_moon' in the table; there are: to_next"):
        HeadMap(table, "to_moon")
    with pytest.raises(ValueError, match="at least one measure"):
        HeadMap(table, [])
    with pytest.raises(ValueError, match="wanted cards of the 4 heads up to 2-2, got 3"):
        HeadMap(table, "to_next", cards()[:3])


DOG = ParsedSentence(
    "s-1",
    ("The", "dog", "barks", "."),
    ("DT", "NN", "VBZ", "."),
    (1, 2, None, 2),
    ("det", "nsubj", "root", "punct"),
)


def test_a_tree_says_what_is_right_and_wrong():
    view = TreeView(DOG, {"a head": [1, 0, None, 0], "a probe": [-2, 2, 1, 2]})
    data, _ = data_of(view)
    first, second = data["guesses"]
    assert first["summary"].startswith("a head: 2 of 3 governors right.")
    assert second["summary"].startswith("a probe: 1 of 2 governors right.")
    assert first["said"] == [
        "“The”: det of “dog”; a head says “dog”, right.",
        "“dog”: nsubj of “barks”; a head says “The”, wrong.",
        "“barks”: root of the root; a head says the root, right.",
        "“.”: punctuation, not asked.",
    ]
    assert second["said"][0] == "“The”: det of “dog”; no guess by a probe."
    assert [arc["label"] for arc in data["arcs"]] == ["det", "nsubj", "root"]
    assert [arc["kind"] for arc in first["arcs"]] == ["right", "wrong", "right"]
    assert [arc["label"] for arc in first["arcs"]] == ["✓", "✗", "root ✓"]
    assert view.rows[1] == ["dog", "nsubj", "“barks”", "“The”", "“barks”"]
    assert "2 of 3 right" in repr(view)


def test_trees_with_a_wrong_length_or_none_are_refused():
    with pytest.raises(ValueError, match="wanted 4 governors from it, one a word, got 1"):
        TreeView(DOG, {"it": [1]})
    with pytest.raises(ValueError, match="it names word 4 of a sentence of 4 words"):
        TreeView(DOG, {"it": [1, 2, None, 4]})
    with pytest.raises(ValueError, match="at least one guess"):
        TreeView(DOG, {})


def test_a_head_guesses_a_tree_from_kept_guesses():
    governors = np.zeros((2, 1, 2, 4), dtype=np.int16)
    governors[1, 0, 1] = [1, 2, 1, 2]
    view = views.guessed_tree(
        [AttentionHead(0, 1)], syntax.Guesses(DOG, governors, 0), syntax.DIRECTIONS[1]
    )
    data, _ = data_of(view)
    assert data["guesses"][0]["name"] == "head 1-2, governor->dependent"
    assert data["guesses"][0]["summary"].startswith("head 1-2, governor->dependent: 2 of 2")
    assert "no guess by head 1-2" in data["guesses"][0]["said"][2]


def test_words_run_right_to_left_where_they_are_so_written():
    there, _ = places(["one", "two"])
    back, length = places(["שלום", "עולם"])
    assert there[0] < there[1]
    assert back[1] < back[0] < length


def test_a_text_with_mentions():
    words_ = ("Ann", "saw", "Bob", "and", "she", "left")
    mentions = (
        Mention(0, 1, "ann", 0, "proper"),
        Mention(2, 3, "bob", 2, "proper"),
        Mention(4, 5, "ann", 4, "pronoun"),
    )
    window = Window("d-1", words_, ("NNP", "VBD", "NNP", "CC", "PRP", "VBD"), mentions)
    chosen = np.array([[[[2], [0]]], [[[0], [0]]]], dtype=np.int16)
    guesses = CorefGuesses(window, np.array([4]), np.array([0]), ((0,),), chosen, 0)
    view = CorefView(guesses, all_heads(1, 2))
    data, _ = data_of(view)
    assert data["mentions"] == [
        {"start": 0, "stop": 1, "entity": 0},
        {"start": 4, "stop": 5, "entity": 0},
    ]
    wrong, right = data["heads"]
    assert wrong["said"] == ["“she”: head 1-1 chooses “Bob”, no antecedent; right: “Ann”."]
    assert right["said"] == ["“she”: head 1-2 chooses “Ann”, an antecedent; right: “Ann”."]
    assert right["summary"] == "Head 1-2: 1 of 1 mentions right."
    assert view.rows == [["she", "Bob", "no", "Ann"]]
    with pytest.raises(ValueError, match="wanted at least one head"):
        CorefView(guesses, [])


def test_two_mentions_with_one_head_word_are_asked_about_once():
    words_ = ("Ann", "Bob", "they", "left")
    window = Window("d-1", words_, ("NNP", "NNP", "PRP", "VBD"), ())
    chosen = np.array([[[[1, 1]]], [[[0, 0]]]], dtype=np.int16)
    guesses = CorefGuesses(window, np.array([2, 2]), np.array([0, 0]), ((0,), (1,)), chosen, 0)
    data, _ = data_of(CorefView(guesses, all_heads(1, 1)))
    assert data["items"] == [{"word": 2, "right": [0, 1]}]
    assert data["heads"][0]["chosen"] == [1]
    assert data["heads"][0]["summary"] == "Head 1-1: 1 of 1 mentions right."


def test_data_are_plain_json(toy_map):
    data, _ = data_of(ModelView(toy_map))
    assert json.loads(json.dumps(data)) == data


def test_the_separator_ends_the_first_text(toy_map):
    data, _ = data_of(HeadView(toy_map))
    kinds = toy_map.tokens.kinds
    first = int(np.flatnonzero(kinds == Kind.SEPARATOR)[0])
    assert data["levels"][0]["texts"] == [int(i > first) for i in range(len(kinds))]
