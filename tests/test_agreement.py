"""Scores of two readings, on readings with known answers."""

import pytest

from bertattn.corpora.coreference import CorefDocument, Mention
from bertattn.corpora.trees import ParsedSentence
from data.accuracy import scores, table
from data.agreement import (
    arcs,
    attachment,
    b_cubed,
    by_relation,
    ceaf,
    entities,
    mentions,
    muc,
)


def reading(*groups):
    return [frozenset(("d", ord(m), ord(m) + 1) for m in group) for group in groups]


def tree(governors, relations, words=("a", "b", "c", ".")):
    return ParsedSentence("s", words, ("_",) * len(words), governors, relations)


HERE = tree((1, None, 1, 1), ("x", "root", "y", "punct"))
THERE = tree((1, None, 0, 0), ("z", "root", "y", "punct"))


def test_attachment_leaves_punctuation_out():
    assert attachment(arcs([HERE]), arcs([THERE])) == (100 * 2 / 3, 100 * 1 / 3)


def test_relations_have_scores():
    found = by_relation(arcs([HERE]), arcs([THERE]))
    assert {name: score.f1 for name, score in found.items()} == {
        "root": 100,
        "x": 0,
        "y": 0,
        "z": 0,
    }
    assert (found["x"].here, found["x"].there) == (1, 0)


@pytest.mark.parametrize("measure", [mentions, muc, b_cubed, ceaf])
def test_a_reading_agrees_with_itself(measure):
    assert measure(reading("abc", "de"), reading("de", "abc")).f1 == 100


@pytest.mark.parametrize(
    ("measure", "precision", "recall"),
    [
        (mentions, 5 / 5, 5 / 5),
        (muc, 2 / 3, 2 / 3),
        (b_cubed, (2 / 3 + 2 / 3 + 1 / 3 + 1 + 1) / 5, (1 + 1 + 1 / 3 + 2 / 3 + 2 / 3) / 5),
        (ceaf, (4 / 5 + 4 / 5) / 2, (4 / 5 + 4 / 5) / 2),
    ],
)
def test_one_mention_in_the_other_entity(measure, precision, recall):
    score = measure(reading("abc", "de"), reading("ab", "cde"))
    assert score.right_here / score.here == pytest.approx(precision)
    assert score.right_there / score.there == pytest.approx(recall)
    assert score.f1 == pytest.approx(200 * precision * recall / (precision + recall))


@pytest.mark.parametrize(
    ("measure", "precision", "recall"),
    [
        (mentions, 3 / 4, 3 / 3),
        (muc, 2 / 3, 2 / 2),
        (b_cubed, (3 * 3 / 4) / 4, 3 / 3),
        (ceaf, 6 / 7, 6 / 7),
    ],
)
def test_a_mention_that_the_other_has_not(measure, precision, recall):
    score = measure(reading("abcx"), reading("abc"))
    assert score.right_here / score.here == pytest.approx(precision)
    assert score.right_there / score.there == pytest.approx(recall)


def test_nothing_in_common():
    assert [m(reading("ab"), reading("cd")).f1 for m in (mentions, muc, b_cubed, ceaf)] == [0] * 4


def test_entities_of_two_documents_are_two():
    twice = (Mention(0, 1, "he"), Mention(1, 2, "he"))
    found = entities([CorefDocument("a", (), twice), CorefDocument("b", (), twice)])
    assert sorted(map(len, found)) == [2, 2]


def test_accuracy_of_a_parser(tmp_path):
    rows = [
        "Cut\t_\tVB\tVB\t_\t0\troot",
        "grass\t_\tNN\tNN\t_\t1\tdobj",
        "lying\t_\tVB\tVB\t_\t2\tvmod",
    ]
    text = "".join(f"{n}\t{row}\t_\t_\n" for n, row in enumerate(rows, start=1))
    (tmp_path / "gold.conll").write_text(text)

    def parse(sentences):
        for s in sentences:
            yield ParsedSentence(s.id, s.words, s.tags, (None, 0, 1), ("root", "dep", "partmod"))

    uas, las, by_name = scores([tmp_path / "gold.conll"], parse)
    assert (uas, las) == (100, 100 * 2 / 3)
    assert "| `vmod` | 1 | 100.0 |" in table(by_name, least=1)
    assert "vmod" not in table(by_name)
