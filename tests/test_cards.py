"""Cards of heads, from hand-made maps and counts."""

import numpy as np
import pandas as pd
import pytest

from bertattn import cards, readings, stats, tables
from bertattn.heads import AttentionHead, all_heads
from bertattn.search import Examples, Kept, Topic
from bertattn.syntax import DIRECTIONS, SyntaxCounts
from tests.test_search import seen
from tests.test_surface import summed
from tests.test_syntax import FED, attending_to_governors, inputs
from tests.test_tables import MADE

UP, DOWN = DIRECTIONS
SHAPE = (2, 3)
PLANTED = AttentionHead(1, 1)
NEAR = pd.DataFrame(
    [("2-2", 2, "1-3", 0.3), ("2-2", 1, "1-1", 0.1)],
    columns=["head", "rank", "nearest", "distance"],
)


@pytest.fixture
def surface():
    """Head 1-2 looks at the token before, 1-3 at the first; the others at all alike."""
    kinds = [2, 0, 0, 0, 3]
    maps = np.full((*SHAPE, 5, 5), 1 / 5)
    maps[0, 1] = np.eye(5, k=-1) + np.eye(5, 1)
    maps[0, 1, 0] = np.eye(5)[0]
    maps[0, 2] = np.eye(5)[0]
    return tables.surface(summed([kinds] * 2, [maps] * 2).result(), MADE)


def counts_of(right, total, offset=0):
    """Counts of two relations, "det" and "dobj", in one group."""
    counts = SyntaxCounts.empty(*SHAPE, ["det", "dobj", "root"])
    counts.total[0, :2] = total
    for (relation, direction, attn_head), n in right.items():
        place = (counts.relations.index(relation), DIRECTIONS.index(direction))
        counts.right[0, *place, attn_head.layer, attn_head.index] = n
    counts.right_rules[0, :2, :, 3] = offset
    return counts


def test_relations_are_those_over_the_best_offset_the_furthest_first():
    right = {
        ("det", UP, PLANTED): 80,
        ("dobj", DOWN, PLANTED): 90,
        ("dobj", UP, PLANTED): 60,
        ("det", DOWN, PLANTED): 50,
    }
    found = cards.finds(counts_of(right, total=100, offset=60), min_count=100)
    rows = found[PLANTED]
    assert list(zip(rows["relation"], rows["direction"], strict=True)) == [
        ("dobj", DOWN),
        ("det", UP),
    ]
    assert rows["accuracy"].tolist() == [90 / 100, 80 / 100]
    assert rows["offset"].tolist() == [60 / 100] * 2
    assert (rows["low"][0], rows["high"][0]) == stats.wilson(90, 100)
    assert all(found[h].empty for h in all_heads(*SHAPE) if h != PLANTED)
    assert len(cards.finds(counts_of(right, 100, 60), n=1, min_count=100)[PLANTED]) == 1
    assert cards.finds(counts_of(right, 100, 60), min_count=101)[PLANTED].empty


def test_a_topic_is_a_relation_wholly_over_the_offset_or_what_gets_most(surface):
    right = {("det", UP, PLANTED): 80, ("det", UP, AttentionHead(0, 1)): 61}
    found = cards.finds(counts_of(right, total=100, offset=60), min_count=50)
    assert not found[AttentionHead(0, 1)].empty  # over the offset, but by chance
    asked = cards.topics(surface, found)
    assert asked[PLANTED] == Topic("det", UP)
    assert asked[AttentionHead(0, 1)] == Topic("to_previous")
    assert asked[AttentionHead(0, 2)] == Topic("to_start")
    said = readings.topics(asked)
    assert said.startswith("1 of 6 heads have a relation in which the whole interval of their acc")


def test_without_a_start_token_the_first_token_stands_in_its_place():
    maps = np.full((*SHAPE, 4, 4), 1 / 4)
    maps[0, 0] = np.eye(4)[0]
    surface = tables.surface(summed([[0, 0, 1, 0]], [maps]).result(), MADE)
    found = cards.finds(counts_of({}, total=100))
    assert cards.topics(surface, found)[AttentionHead(0, 0)] == Topic("to_first")
    shown = dict(cards.cards(surface, found)[0].shares)
    assert shown["to first"] == "1.00"
    assert "to start" not in shown


def test_a_card_says_what_the_tables_say(surface, encoder):
    tokens = inputs(encoder, FED)
    maps = [attending_to_governors(tokens[0], SHAPE, (1, 1))]
    found = cards.finds(counts_of({("det", UP, PLANTED): 80}, total=100, offset=60))
    asked = dict.fromkeys(all_heads(*SHAPE), Topic("to_self")) | {PLANTED: Topic("nsubj", UP)}
    examples = seen(Examples.empty(*SHAPE, asked), tokens, maps).result()
    made = cards.cards(surface, found, examples, asked, NEAR)
    assert [card.attn_head for card in made] == all_heads(*SHAPE)
    card = made[4]
    assert dict(card.shares) == {
        "to previous": f"{4 / 25:.2f}",
        "to self": f"{5 / 25:.2f}",
        "to next": f"{4 / 25:.2f}",
        "to start": f"{1 / 5:.2f}",
        "to separator": f"{1 / 5:.2f}",
        "to punctuation": f"{0:.2f}",
        "entropy": f"{np.log(5):.2f} nats",
    }
    assert [name for name, _ in card.relations] == ["det, dependent->governor"]
    assert card.about == "attention from a word that is nsubj to the word it depends on"
    assert [(e.from_word, e.to_word, e.weight, e.note) for e in card.best] == [(1, 2, 1.0, "nsubj")]
    assert card.worst == card.best
    assert card.nearest == ((AttentionHead(0, 0), 0.1), (AttentionHead(0, 2), 0.3))
    assert made[0].nearest == ()


def test_numbers_are_printed_with_their_interval_and_the_offset(surface):
    right = {("det", UP, PLANTED): 61}
    found = cards.finds(counts_of(right, total=100, offset=40), min_count=50)
    card = cards.cards(surface, found)[4]
    low, high = stats.wilson(61, 100)
    assert card.relations == (
        (
            "det, dependent->governor",
            f"61 % [{100 * low:.0f}, {100 * high:.0f}], n 100, best offset 40 %",
        ),
    )
    assert (card.best, card.worst, card.about) == ((), (), "")


def test_tables_of_other_heads_are_refused(surface):
    found = cards.finds(counts_of({}, total=100))
    fewer = {h: rows for h, rows in found.items() if h.layer == 0}
    with pytest.raises(ValueError, match="averages of 3 heads up to 1-3, got 6 up to 2-3; are bo"):
        cards.cards(surface, fewer)
    kept = {PLANTED: Kept((), ())}
    with pytest.raises(ValueError, match=r"what the examples are of .* beside them, got nothing"):
        cards.cards(surface, found, kept)
