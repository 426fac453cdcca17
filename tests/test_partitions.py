"""A corpus in partitions: nothing lost, nothing twice, the numbers those of a plain run."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bertattn import measure
from bertattn.clusters import DistanceSums
from bertattn.clusters import Options as DistanceOptions
from bertattn.coref import CorefCounts
from bertattn.importance import SinkShares
from bertattn.measure import runs
from bertattn.measure.adding import Block, Tree
from bertattn.measure.checkpoint import described
from bertattn.measure.partitions import Sizes, partitions
from bertattn.reducer import KeepMaps, Reducer
from bertattn.segments import Segments
from bertattn.surface import SurfaceSums
from bertattn.syntax import Options, SyntaxCounts
from tests.standin import Seen, StandIn, tokens

INPUTS = [tokens(number, document=number // 3, n=4 + number % 5) for number in range(40)]
CUT = {"window_pieces": 30, "batch_pieces": 16}


def ids(inputs):
    return [int(t.ids[0]) for t in inputs]


@given(st.lists(st.integers(3, 12), max_size=40), st.integers(1, 60), st.integers(1, 5))
def test_partitions_hold_every_input_once_and_in_order(lengths, window_pieces, n_windows):
    inputs = [tokens(number, n=n) for number, n in enumerate(lengths)]
    found = list(partitions(inputs, Sizes(16, window_pieces, n_windows)))
    assert ids(t for p in found for t in p.inputs) == ids(inputs)
    assert [p.number for p in found] == list(range(len(found)))
    assert [p.start for p in found] == [sum(map(len, found[:n])) for n in range(len(found))]


@given(st.integers(1, 60), st.integers(1, 5))
def test_batches_of_partitions_are_those_of_a_plain_run(window_pieces, n_windows):
    plain = [ids(b) for b in measure.batches(INPUTS, 16, window_pieces)]
    found = partitions(INPUTS, Sizes(16, window_pieces, n_windows))
    cut_up = [ids(b) for p in found for b in measure.batches(p.inputs, 16, window_pieces)]
    assert cut_up == plain


def test_partitions_are_made_as_they_are_asked_for():
    asked = []

    def inputs():
        for number in range(1000):
            asked.append(number)
            yield tokens(number)

    cut_up = partitions(inputs(), Sizes(16, 32, 1))
    next(cut_up)
    assert len(asked) == 4


def test_a_partition_has_at_least_one_window():
    with pytest.raises(ValueError, match="partitions of at least one window, got 0"):
        measure.measure(INPUTS, StandIn(), Seen(), failures=[], partition_size=0)


@pytest.mark.parametrize("partition_size", [1, 2, 3, 100])
def test_sums_are_those_of_a_plain_run(articles, tiny_model, partition_size):
    inputs = list(Segments(articles * 6, tiny_model.encoder, max_pieces=32))
    plain, parts = (SurfaceSums.empty(*tiny_model.shape) for _ in range(2))
    n_inputs = measure.measure(inputs, tiny_model, plain, window_pieces=90)
    options = {"window_pieces": 90, "partition_size": partition_size, "failures": []}
    assert measure.measure(inputs, tiny_model, parts, **options) == n_inputs == len(inputs)
    assert np.array_equal(parts.counts, plain.counts)
    np.testing.assert_allclose(parts.sums, plain.sums, rtol=1e-9)
    np.testing.assert_allclose(parts.uniform, plain.uniform, rtol=1e-9)


def test_what_a_reducer_held_before_stays_in_it():
    seen = Seen()
    for _ in range(2):
        measure.measure(INPUTS, StandIn(), seen, failures=[], **CUT)
    assert seen.result() == sorted(2 * [t.document for t in INPUTS])


class Text:
    """Addition that shows who was added to whom."""

    def __init__(self, shown):
        self.shown = shown

    def __add__(self, other):
        return Text(f"({self.shown}{other.shown})")


def block(number):
    return Block(number, (f"d{number}",), 1, (Text("abcdefghijklmnopqrstuvwxyz"[number]),))


def in_pairs(start, stop):
    """From the definition: the largest power of two first, halves of it, then what is left."""
    size = 1 << ((stop - start).bit_length() - 1)
    if stop - start == 1:
        return "abcdefghijklmnopqrstuvwxyz"[start]
    if size == stop - start:
        return f"({in_pairs(start, start + size // 2)}{in_pairs(start + size // 2, stop)})"
    shown = in_pairs(start, start + size)
    while (start := start + size) < stop:
        size = 1 << ((stop - start).bit_length() - 1)
        shown = f"({shown}{in_pairs(start, start + size)})"
    return shown


@given(st.integers(1, 26).flatmap(lambda n: st.permutations(range(n))))
def test_who_is_added_to_whom_depends_on_places_alone(order):
    tree = Tree(map(block, order))
    total = tree.total()
    assert total.sums[0].shown == in_pairs(0, len(order))
    assert total.digests == tuple(f"d{n}" for n in range(len(order)))
    assert total.n_inputs == len(order)
    assert len(tree) == bin(len(order)).count("1")


def test_five_partitions_are_added_in_pairs():
    assert in_pairs(0, 5) == "(((ab)(cd))e)"
    assert Tree(map(block, (4, 2, 0, 3, 1))).total().sums[0].shown == "(((ab)(cd))e)"


def test_a_tree_knows_which_partitions_it_has():
    tree = Tree(map(block, (0, 1, 2, 3, 5, 8)))
    known = [tree.digest(number) for number in range(10)]
    assert known == ["d0", "d1", "d2", "d3", None, "d5", None, None, "d8", None]
    assert Tree().total() is None


@pytest.mark.parametrize(
    "change",
    [
        {"ids": np.arange(1, 9)},
        {"type_ids": np.ones(8, dtype=int)},
        {"kinds": np.zeros(8, dtype=int)},
        {"unit_of": np.zeros(8, dtype=int)},
        {"words": ("another", *"bcdef")},
        {"document": 7},
        {"source": ("a tree",)},
    ],
    ids=lambda change: next(iter(change)),
)
def test_a_digest_tells_inputs_apart(change):
    one = tokens(0)
    same, other = (
        next(partitions([one, t], Sizes(16, 1000, 1))).digest
        for t in (tokens(0), dataclasses.replace(tokens(0), **change))
    )
    assert same != other
    assert same == next(partitions([one, tokens(0)], Sizes(16, 1000, 1))).digest


def test_a_digest_does_not_depend_on_where_one_input_ends():
    together = [tokens(0, n=6), tokens(1, n=4)]
    apart = [tokens(0, n=4), tokens(1, n=6)]
    digests = {next(partitions(x, Sizes(16, 1000, 1))).digest for x in (together, apart)}
    assert len(digests) == 2


def test_failures_are_told_with_their_place():
    seen, failures = Seen(poison=(5,)), []
    n_inputs = measure.measure(INPUTS, StandIn(), seen, failures=failures, **CUT)
    lost = sum(failure.n_inputs for failure in failures)
    assert n_inputs + lost == len(INPUTS)
    assert len(seen.documents) == n_inputs
    assert 0 < lost < 20
    assert str(failures[0]).endswith("ArithmeticError: document 5 is poison")
    bad = next(
        p for p in partitions(INPUTS, Sizes(16, 30, 1)) if 5 in [t.document for t in p.inputs]
    )
    names = [f"document {bad.inputs[place].document}" for place in (0, -1)]
    stop = bad.start + len(bad) - 1
    assert failures[0].place == (
        f"partition {bad.number} (inputs {bad.start} to {stop}, from {names[0]} to {names[1]})"
    )


def test_partitions_that_fail_do_not_keep_their_neighbours_apart(monkeypatch):
    """Else each of them would leave blocks in memory that never add up."""
    trees = []
    monkeypatch.setattr(runs, "Tree", lambda blocks: trees.append(Tree(blocks)) or trees[-1])
    inputs = [tokens(number) for number in range(64)]
    poison = tuple(range(3, 64, 8))
    failures = []
    n_inputs = measure.measure(
        inputs, StandIn(), Seen(poison=poison), failures=failures, window_pieces=8
    )
    assert (n_inputs, len(failures)) == (64 - 8, 8)
    assert [len(tree) for tree in trees] == [1]


def test_an_input_with_a_source_is_named_by_its_id():
    class Source:
        id = "gum-7"

    named = [dataclasses.replace(t, source=Source()) for t in INPUTS[:3]]
    shown = str(next(partitions(named, Sizes(16, 1000, 1))))
    assert shown == "partition 0 (inputs 0 to 2, from 'gum-7' to 'gum-7')"


def test_where_nothing_goes_well_the_rest_is_not_tried():
    everything = tuple(range(100))
    inputs = (tokens(number) for number in range(100))
    with pytest.raises(measure.PartitionError) as caught:
        measure.measure(inputs, StandIn(), Seen(poison=everything), failures=[], window_pieces=8)
    assert len(caught.value.failures) == 8
    assert "8 partitions failed each time: partition 0 (inputs 0 to 0" in str(caught.value)
    assert "; and 5 more. Nothing went well, so the rest was not tried" in str(caught.value)
    assert len(list(inputs)) == 100 - 8


def test_if_all_fail_nothing_is_returned():
    with pytest.raises(measure.PartitionError, match="Nothing else was there to measure"):
        measure.measure([tokens(1)], StandIn(), Seen(poison=(1,)), failures=[])


def test_an_empty_corpus_is_an_error():
    with pytest.raises(ValueError, match="the corpus gave no input; is it empty, or is every"):
        measure.measure([], StandIn(), Seen(), failures=[])


def test_an_observer_that_does_not_add_up_is_refused():
    with pytest.raises(ValueError, match="KeepMaps cannot be added up in partitions: wanted a red"):
        measure.measure(INPUTS, StandIn(), KeepMaps(), failures=[])


def test_predictions_that_are_to_be_kept_are_refused():
    counts = SyntaxCounts.empty(2, 3, ["det"], keep=4)
    with pytest.raises(ValueError, match="SyntaxCounts is to keep the predictions of 4 inputs"):
        measure.measure(INPUTS, StandIn(), counts, failures=[])


REDUCERS = [
    SurfaceSums.empty(2, 3),
    SyntaxCounts.empty(2, 3, ["det"], Options(poss_rule=False)),
    CorefCounts.empty(2, 3, "first"),
    DistanceSums.empty(2, 3, DistanceOptions(rows=0.5)),
    SinkShares.empty(2, 3, ["det", "dobj"], poss_rule=False),
]


@pytest.mark.parametrize("reducer", REDUCERS, ids=lambda r: type(r).__name__)
def test_a_fresh_reducer_is_empty_and_has_the_same_options(reducer):
    assert isinstance(reducer, Reducer)
    wanted = described(reducer)
    for value in vars(reducer).values():
        if isinstance(value, np.ndarray):
            value += 1
    fresh = reducer.fresh()
    assert described(fresh) == wanted
    assert not any(v.any() for v in vars(fresh).values() if isinstance(v, np.ndarray))
    np.testing.assert_array_equal(
        vars(reducer + fresh)[first(reducer)], vars(reducer)[first(reducer)]
    )


def first(reducer):
    return next(name for name, value in vars(reducer).items() if isinstance(value, np.ndarray))
