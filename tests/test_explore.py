"""From what a reader types to what is shown, and the tables, figures and sentences between."""

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest

from bertattn import explore, plots, readings, search, tables
from bertattn.exercises import check
from bertattn.heads import AttentionHead, all_heads
from bertattn.search import Example, Found, Query, Surprise, Topic
from bertattn.tables.search import around_of
from tests.test_importance import model_of
from tests.test_search import UP
from tests.test_syntax import FED, SHELL, inputs
from tests.test_tables import MADE

WORDS = tuple("abcdefghijklmnopqrst")
FIRST, SECOND = AttentionHead(0, 0), AttentionHead(0, 1)


def found_of(*examples, n_asked=8, n_unseen=0):
    n = len(examples)
    query = Query(FIRST, "dobj", over=0.25)
    return Found(query, tuple(examples), n_asked, n, n, n_sentences=5, n_unseen=n_unseen)


def hit(from_word=2, to_word=15, weight=0.5):
    return Example(WORDS, from_word, to_word, weight, "dobj", "s1")


# tables and readings


@pytest.mark.parametrize(
    ("from_word", "to_word", "shown"),
    [
        (0, 19, "*a* b … s [t]"),
        (4, 6, "… d *e* f [g] h …"),
        (1, None, "a *b* c …"),
        (5, 5, "… e [*f*] g …"),
        (3, 7, "… c *d* e … g [h] i …"),
    ],
)
def test_words_near_the_two_are_shown_and_gaps_marked(from_word, to_word, shown):
    assert tables.marked(hit(from_word, to_word), around=1) == shown
    assert "…" not in tables.marked(hit(from_word, to_word))


def test_no_word_is_lost_or_shown_twice():
    for around in range(12):
        places = [p for p in around_of(hit(3, 9), around) if p is not None]
        assert places == [p for p in range(20) if min(abs(p - 3), abs(p - 9)) <= around]


def test_a_table_of_hits_has_a_row_each_and_the_counts():
    table = tables.hits(found_of(hit(), hit(1, None, 0.3)), MADE)
    assert table["weight"].tolist() == [0.5, 0.3]
    assert table["from"].tolist() == ["c", "b"]
    assert table["to"].tolist() == ["p", ""]
    assert table["sentence"][0].startswith("a b *c* d")
    assert table.attrs["query"] == "1-1 dobj dependent->governor > 0.25"
    assert "5 " in table.attrs["signature"]
    said = readings.hits(table)
    assert "> 0.25: 2 of 8 pairs of words (25%), in 2 of 5 sentences." in said
    assert "no attention" not in said
    unseen = readings.hits(tables.hits(found_of(hit(), n_unseen=3), MADE))
    assert "3 more have no attention to see" in unseen
    none = readings.hits(tables.hits(found_of(n_asked=0), MADE))
    assert "0 of 0 pairs of words, in 0 of 5 sentences." in none


def surprise(attn_head, nats, text, part="to_start"):
    return Surprise(attn_head, nats, part, 0.75, 0.25, tuple(text.split()), "s1")


def test_surprises_are_told_the_largest_first_with_what_they_share():
    kept = {
        FIRST: (surprise(FIRST, 2.0, "so it is"), surprise(FIRST, 1.0, "no")),
        SECOND: (surprise(SECOND, 3.0, "so it is", "to_other"),),
    }
    table = tables.surprises(kept, MADE, 7)
    assert table["head"].tolist() == ["1-2", "1-1", "1-1"]
    assert table["rank"].tolist() == [1, 1, 2]
    said = readings.surprises(table)
    assert "Head 1-2 is surprised most, by 3.0 nats: it gives 75% to other tokens there" in said
    assert "usually 25%" in said
    assert "first surprises of 2 heads are of 1 input; the commonest is that of 2 of them" in said
    lines = readings.surprising(table, n=2).splitlines()
    assert [line.split()[0] for line in lines] == ["1-2", "1-1"]
    assert lines[1].endswith("0.75 to <s>, usually 0.25: so it is")
    empty = tables.surprises({FIRST: ()}, MADE, 0)
    assert readings.surprises(empty).startswith("Nothing can be asked: too few inputs")
    assert readings.surprising(empty) == "no surprise"


@pytest.mark.parametrize("part", search.PARTS)
def test_every_part_has_a_name(part):
    assert tables.part_name(MADE, part).startswith("to ")
    assert "_" not in tables.part_name(MADE, part)


def test_topics_are_counted_by_relation():
    asked = dict(zip(all_heads(1, 3), [Topic("det", UP)] * 2 + [Topic("to_self")], strict=True))
    said = readings.topics(asked)
    assert said.startswith("2 of 3 heads have a relation in which the whole interval of their")
    assert "det (2)." in said
    assert ": none." in readings.topics({FIRST: Topic("to_self")})


# figure


def test_a_hit_is_a_line_with_its_words_and_a_bar():
    axes = plots.hits(found_of(hit(), hit(4, None, 0.3)), "made so")
    texts = [t.get_text() for t in axes.texts]
    assert texts.count("…") == 2  # between the first's words, and after the second's
    bold = {t.get_text(): t.get_color() for t in axes.texts if t.get_weight() == "bold"}
    assert set(bold) == {"c", "[p]", "e"}
    assert bold["c"] == bold["e"] != bold["[p]"]
    assert len(axes.lines) == 2  # the underlines of the words that look
    widths = [bar.get_width() for bar in axes.patches]
    assert widths[0] / widths[1] == pytest.approx(0.5 / 0.3)
    picture = plots.show(axes)
    assert "2 of 8 pairs, 2 sentences. First: 'c' to 'p' 0.50; 'e' 0.30." in picture.alt
    assert picture.figure.get_supxlabel() == "made so"


def test_words_do_not_overlap():
    long = Example(tuple("wwwwwwwwwwwwww" for _ in range(12)), 5, 6, 0.5)
    axes = plots.hits(found_of(long))
    axes.figure.draw_without_rendering()
    boxes = [t.get_window_extent() for t in axes.texts]
    row = sorted(boxes, key=lambda box: box.x0)
    assert all(one.x1 <= two.x0 + 1 for one, two in pairwise(row))
    assert row[-1].x1 <= axes.figure.bbox.x1 + 1


def test_no_hit_is_said():
    picture = plots.show(plots.hits(found_of()))
    assert "First: none." in picture.alt
    assert [t.get_text() for t in picture.figure.axes[0].texts] == ["no hit"]


# what a reader types


@pytest.fixture
def loaded(tiny_model, monkeypatch):
    """Names of models that were loaded, the tiny one in their place."""
    names = Counter()

    def load(name):
        names[name] += 1
        return tiny_model

    monkeypatch.setattr(explore, "load", load)
    monkeypatch.setattr(explore, "random_init", lambda name: load(f"random {name}"))
    explore.model.cache_clear()
    yield names
    explore.model.cache_clear()


def test_a_model_and_its_control_are_loaded_once(loaded):
    for name in [*explore.choices("tiny"), *explore.choices("tiny")]:
        explore.model(name)
    assert loaded == {"tiny": 1, "random tiny": 1}


def test_a_typed_text_is_seen_with_the_head_that_was_asked_for(loaded):
    view = explore.head_view(AttentionHead(1, 2), "it fed the octopus", "tiny")
    assert "head 2-3" in view.picture.alt
    with pytest.raises(ValueError, match="no piece"):
        explore.head_view(AttentionHead(0, 0), "", "tiny")


def test_a_query_is_asked_once_however_it_is_written(tiny_model, monkeypatch):
    ran = Counter()
    found = explore.find
    monkeypatch.setattr(
        explore, "find", lambda query, *more: (ran.update([str(query)]), found(query, *more))[1]
    )
    searched = explore.Searched(inputs(tiny_model.encoder, FED, SHELL), tiny_model)
    axes = searched.hits("1-1 dobj > 0.01")
    assert "1-1 dobj dependent->governor > 0.01" in plots.show(axes).alt
    assert searched.found("  1-1 dobj dependent->governor >0.01 ").n_asked == 2
    assert ran == {"1-1 dobj dependent->governor > 0.01": 1}
    with pytest.raises(ValueError, match="no relation 'iobj' in these sentences"):
        searched.hits("1-1 iobj > 0.5")


def test_heads_of_a_typed_text_are_taken_away_once(tiny_model, monkeypatch):
    ran = Counter()
    each = explore.importance.without_each_or_why_not
    monkeypatch.setattr(
        explore.importance,
        "without_each_or_why_not",
        lambda model, tokens: (ran.update(n=1), each(model, tokens))[1],
    )
    for attn_head in all_heads(2, 3)[:3]:
        alt = plots.show(explore.without(tiny_model, "it fed her", attn_head)).alt
        assert f"without head {attn_head}" in alt
    assert ran["n"] == 1
    again = explore.changes(tiny_model, "it fed her")
    assert np.isfinite(again["change"]).all()


def test_a_model_that_cannot_be_changed_is_answered_with_a_sentence():
    model = model_of("MPNet")
    refused = r"MPNetModel does not let its attention be changed"
    picture = plots.show(explore.without(model, "it fed her", FIRST))
    assert refused in picture.alt
    assert picture.png.startswith(b"\x89PNG")
    table = explore.changes(model, "it fed her")
    assert table.empty
    assert f"Nothing can be taken away. MPNet: {refused}" in readings.without(table, FIRST)


def test_a_stream_can_be_read_once_and_is_no_array():
    verdict = check("largest of a stream", lambda values, n: np.sort(values)[::-1][:n])
    assert "your function raised" in verdict.text
    twice = check("largest of a stream", lambda values, n: [sum(1 for _ in values), *values][1:])
    assert "has shape (0,)" in twice.text
