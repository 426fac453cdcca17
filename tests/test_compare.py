"""Two runs compared: sums with known answers, loops from the definition, refusals."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import t as student

from bertattn import export, readings, stats, tables
from bertattn.clusters import DistanceSums
from bertattn.coref import CorefCounts
from bertattn.corpora.mentions import KINDS
from bertattn.probes import Result, Run
from tests.test_probe_tables import counts
from tests.test_syntax import made_up
from tests.test_syntax_tables import GOLD
from tests.test_tables import MADE

ONE = {**GOLD, "corpus_sha256": "c0", "weights_sha256": "w0"}
TWO = {**ONE, "model": "other", "weights_sha256": "w1"}
ELSEWHERE = {**TWO, "corpus": "theirs", "corpus_sha256": "c1"}


def units(made, **changes):
    frame = tables.by_document(made_up(**changes))
    frame.attrs = {"manifest": made}
    return frame


def row(table, relation="det"):
    [found] = table[table["relation"] == relation].to_dict("records")
    return found


# statistics -------------------------------------------------------------------------------------


def slow_difference(first, second, paired):
    """The jackknife from its definition, one row, one group left out at a time."""

    def rate(pairs):
        return sum(s for s, _ in pairs) / sum(c for _, c in pairs)

    def variance(values, whole):
        n = len(values)
        return (n - 1) / n * sum((v - whole) ** 2 for v in values)

    one, two = list(zip(*first, strict=True)), list(zip(*second, strict=True))
    gap = rate(two) - rate(one)
    if paired:
        left = [
            rate(two[:i] + two[i + 1 :]) - rate(one[:i] + one[i + 1 :]) for i in range(len(one))
        ]
        spread, freedom = variance(left, gap), len(one) - 1
    else:
        parts = []
        for pairs in (one, two):
            left = [rate(pairs[:i] + pairs[i + 1 :]) for i in range(len(pairs))]
            parts.append((variance(left, rate(pairs)), len(pairs) - 1))
        (a, n), (b, m) = parts
        spread, freedom = a + b, (a + b) ** 2 / (a**2 / n + b**2 / m)
    half = student.ppf(0.975, freedom) * spread**0.5
    return gap - half, gap + half, 2 * student.sf(abs(gap) / spread**0.5, freedom)


@pytest.mark.parametrize("paired", [True, False])
def test_differences_are_those_of_the_definition(paired):
    rng = np.random.default_rng(0)
    n_groups = (7, 7) if paired else (7, 5)
    (c, d) = (rng.integers(5, 20, (n, 3)) for n in n_groups)
    a, b = rng.binomial(c, 0.4), rng.binomial(d, 0.6)
    found = stats.rates_differ((a, c), (b, d), paired=paired)
    for i in range(3):
        low, high, p = slow_difference((a[:, i], c[:, i]), (b[:, i], d[:, i]), paired)
        assert found.first[i] == a[:, i].sum() / c[:, i].sum()
        assert (found.low[i], found.high[i]) == (pytest.approx(low), pytest.approx(high))
        assert found.p[i] == pytest.approx(p)


def test_a_group_without_a_unit_is_none():
    a, c = np.array([[1], [3], [2], [0]]), np.array([[4], [4], [4], [0]])
    b = np.array([[2], [3], [3], [0]])
    with_it = stats.rates_differ((a, c), (b, c), paired=True)
    without = stats.rates_differ((a[:3], c[:3]), (b[:3], c[:3]), paired=True)
    assert with_it.p == pytest.approx(without.p)
    assert with_it.low == pytest.approx(without.low)


def test_documents_that_vary_alike_are_told_apart_only_in_pairs():
    """Documents differ widely, the runs by the same little in each."""
    counts = np.full((12, 1), 100)
    first = np.arange(5, 89, 7)[:, None]
    second = first + np.array([3, 4, 5] * 4)[:, None]
    paired = stats.rates_differ((first, counts), (second, counts), paired=True)
    apart = stats.rates_differ((first, counts), (second, counts), paired=False)
    assert paired.second[0] - paired.first[0] == pytest.approx(4 / 100)
    assert paired.p[0] < 1e-6
    assert apart.p[0] > 0.5
    assert apart.low[0] < 0 < paired.low[0]


@settings(max_examples=30)
@given(
    st.lists(
        st.tuples(st.integers(0, 9), st.integers(0, 9), st.integers(9, 20)), min_size=2, max_size=8
    )
)
def test_a_difference_has_a_mirror(rows):
    a, b, n = (np.array(column)[:, None] for column in zip(*rows, strict=True))
    there = stats.rates_differ((a, n), (b, n), paired=True)
    back = stats.rates_differ((b, n), (a, n), paired=True)
    assert there.low == pytest.approx(-back.high)
    assert there.p == pytest.approx(back.p)


def test_a_run_does_not_differ_from_itself():
    n = np.full((5, 2), 10)
    a = np.arange(10).reshape(5, 2)
    found = stats.rates_differ((a, n), (a, n), paired=True)
    assert (found.low.tolist(), found.high.tolist(), found.p.tolist()) == ([0, 0], [0, 0], [1, 1])
    chosen = stats.best_differ((a, n), (a, n), paired=True)
    assert (chosen.difference, chosen.interval, chosen.p) == (0, (0, 0), 1)


def test_one_group_tells_nothing():
    a, n = np.array([[3]]), np.array([[9]])
    found = stats.rates_differ((a, n), (a, n), paired=True)
    assert np.isnan([found.low[0], found.high[0]]).all()


def test_the_best_is_scored_where_it_was_not_chosen():
    """Of many heads by chance alone, the best of 200 beats the best of 2 on its own data only."""
    rng = np.random.default_rng(3)
    n = np.full((30, 1), 20)
    few, many = (rng.binomial(20, 0.5, (30, k)) for k in (2, 200))
    flattered = many.sum(axis=0).max() / 600 - few.sum(axis=0).max() / 600
    found = stats.best_differ((few, n), (many, n), paired=True)
    assert flattered > 0.06
    assert abs(found.difference) < flattered / 2
    assert found.interval.low < 0 < found.interval.high
    assert found.p > 0.1


def test_holm_leaves_out_what_has_no_test():
    found = stats.holm_of_known(np.array([0.01, np.nan, 0.02]))
    assert found[[0, 2]].tolist() == [0.02, 0.02]
    assert np.isnan(found[1])


# tables -----------------------------------------------------------------------------------------


def test_the_best_heads_of_two_runs_are_compared():
    table = tables.compare(units(ONE), units(TWO, rates=(0.1, 0.4, 0.85), seed=4))
    assert table["relation"].tolist()[0] == "All"
    found = row(table)
    assert found["head_first"] == "1-2 dependent->governor"
    assert found["head_second"] == "1-3 dependent->governor"
    assert (found["n_first"], found["n_second"], found["documents"]) == (1200, 1200, 30)
    assert found["difference"] == pytest.approx(found["second"] - found["first"])
    assert found["low"] < found["difference"] < found["high"]
    same = row(tables.compare(units(ONE), units(TWO)))
    assert (same["difference"], same["p"]) == (0, 1)


def test_each_head_is_compared_with_its_namesake():
    first, second = made_up(), made_up(rates=(0.1, 0.4, 0.85), seed=4)
    table = tables.compare(units(ONE), units(TWO, rates=(0.1, 0.4, 0.85), seed=4), heads="each")
    det = table[(table["relation"] == "det") & table["head"].str.endswith("dependent->governor")]
    assert [h.split()[0] for h in det["head"]] == ["1-1", "1-2", "1-3"]
    shares = [c.right[:, 0, 0, 0].sum(axis=0) / 1200 for c in (first, second)]
    np.testing.assert_allclose(det["first"], shares[0])
    np.testing.assert_allclose(det["difference"], shares[1] - shares[0])
    assert det["p"].iloc[2] < 0.001


def test_p_values_are_adjusted_over_all_rows():
    one, two = units(ONE), units(TWO, rates=(0.1, 0.4, 0.85), seed=4)
    table = tables.compare(one, two, heads="each")
    names = [c for c in one if c.startswith("1-")]
    raw = []
    for _, (relation, direction) in (
        table.assign(direction=table["head"].str.split().str[1])[["relation", "direction"]]
        .drop_duplicates()
        .iterrows()
    ):
        parts = [
            u[(u["direction"] == direction) & ((u["relation"] == relation) | (relation == "All"))]
            for u in (one, two)
        ]
        sums = [p.groupby("group")[[*names, "total"]].sum() for p in parts]
        pairs = [
            (s[names].to_numpy(), np.repeat(s[["total"]].to_numpy(), len(names), axis=1))
            for s in sums
        ]
        raw.append(stats.rates_differ(*pairs, paired=True).p)
    np.testing.assert_allclose(table["p"], stats.holm(np.concatenate(raw)))


def test_all_is_without_punctuation_and_root():
    one = units(ONE)
    more = one.assign(relation="punct", total=9)
    both = pd.concat([one, more, one.assign(relation="root")], ignore_index=True)
    both.attrs = one.attrs
    table = tables.compare(both, both)
    assert row(table, "All")["n_first"] == row(tables.compare(one, one), "All")["n_first"]


def test_other_documents_are_two_samples():
    one, two = units(ONE), units(ELSEWHERE, seed=5)
    apart = tables.compare(one, two, heads="each")
    paired = tables.compare(one, units(TWO, seed=5), heads="each")
    assert "|as two samples of documents|" in apart.attrs["signature"]
    assert "|document by document|" in paired.attrs["signature"]
    np.testing.assert_allclose(apart["difference"], paired["difference"])
    assert not np.allclose(apart["low"], paired["low"])
    fewer = {**TWO, "inputs": {**TWO["inputs"], "n": 9}}
    assert "two samples" in tables.compare(one, units(fewer)).attrs["signature"]


def test_documents_of_one_run_only_are_counted():
    one, two = units(ONE), units(TWO)
    less = two[two["group"] > 1]
    less.attrs = two.attrs
    table = tables.compare(one, less)
    assert table.attrs["manifest"]["left_out"] == {"groups_in_one_run": 2}
    assert row(table)["documents"] == 28
    kept = one[one["group"] > 1]
    kept.attrs = one.attrs
    pd.testing.assert_frame_equal(table, tables.compare(kept, less))


def surface_units(made, shift=0.0):
    rng = np.random.default_rng(1)
    rows = [
        (group, measure, head, 4 * (value + rng.normal(0, 0.01)), 4)
        for group in range(6)
        for measure, value in (("to_next", 0.3), ("to_start", 0.5 + shift))
        for head in ("1-1", "1-2")
    ]
    frame = pd.DataFrame(rows, columns=["group", "measure", "head", "sum", "count"])
    frame.attrs = {"manifest": {**made, "inputs": {"kind": "segments", "n": None}}}
    return frame


def test_sums_of_attention_are_compared_too():
    table = tables.compare(surface_units(ONE), surface_units(TWO, 0.2), heads="each")
    assert table["measure"].tolist() == ["to_next"] * 2 + ["to_start"] * 2
    np.testing.assert_allclose(table["difference"], [0, 0, 0.2, 0.2], atol=1e-12)
    assert (table["p"] < 0.001).tolist() == [False, False, True, True]


def test_antecedents_are_compared_too():
    counts = CorefCounts.empty(2, 3)
    rng = np.random.default_rng(0)
    counts.total[:8] = rng.integers(1, 9, counts.total[:8].shape)
    counts.right[:8] = rng.binomial(
        np.broadcast_to(counts.total[:8, :, :, None, None, None, None], counts.right[:8].shape), 0.4
    )
    frame = tables.coref_by_document(counts)
    pronouns = frame[(frame["kind"] == "pronoun") & (frame["direction"] == "mention->antecedent")]
    by_way = pronouns.groupby("way")[["total", "2-3"]].sum()
    number = KINDS.index("pronoun")
    assert (by_way["total"] == counts.total[:, number].sum()).all()
    right = counts.right[:, number, :, :, 0, 1, 2].sum(axis=(0, 1))
    assert sorted(by_way["2-3"]) == sorted(right)
    frame.attrs = {"manifest": ONE}
    table = tables.compare(frame, frame, min_count=1)
    assert set(table["kind"]) == {"all", *KINDS}
    assert table.columns[:2].tolist() == ["way", "kind"]
    whole = table[table["kind"] == "all"]
    assert (whole["n_first"] == counts.total.sum()).all()


def probe_units(made, right):
    """A probe and a baseline on 12 sentences of five documents."""
    inputs = [SimpleNamespace(document=i // 3) for i in range(14)]
    data = SimpleNamespace(inputs=inputs, parts=SimpleNamespace(test=list(range(2, 14))))
    results = [
        Result("attention only", tuple(Run(counts(r, [20] * 12), []) for r in right)),
        Result("chain", (Run(counts([5] * 12, [20] * 12), []),), trees=False),
        Result("structural", (Run(counts([5] * 12, [20] * 12), []),), directed=False),
    ]
    frame = tables.probes_by_document(results, data)
    frame.attrs = {"manifest": {**made, "options": {"split": "a"}}}
    return frame


def test_probes_are_compared_too():
    right = [[10, 12, 9, 11, 10, 12, 8, 10, 11, 12, 9, 10], [11] * 12]
    one, two = probe_units(ONE, right), probe_units(TWO, [[r + 2 for r in s] for s in right])
    assert sorted(zip(one["measure"], one["probe"], strict=True)) == sorted(
        (measure, probe)
        for measure, probes in (
            ("uas", ("attention only", "chain")),
            ("tree", ("attention only",)),
            ("uuas", ("attention only", "structural")),
        )
        for probe in probes
        for _ in range(5)  # sentences 2 to 13 stand in documents 0 to 4
    )
    first = one[(one["measure"] == "uas") & (one["probe"] == "attention only")]
    assert first["right"].tolist() == [21, 65, 63, 66, 41]
    assert first["total"].tolist() == [40, 120, 120, 120, 80]
    for heads in ("best", "each"):
        table = tables.compare(one, two, heads=heads, min_count=1)
        assert not {"head", "head_first"} & set(table)
        found = table.set_index(["measure", "probe"])
        assert found.loc[("uas", "attention only"), "difference"] == pytest.approx(2 / 20)
        assert found.loc[("uas", "attention only"), "p"] < 0.01
        assert found.loc[("uas", "chain"), "difference"] == 0
        assert "|document by document|" in table.attrs["signature"]
    assert "uas, attention only" in readings.differences(table)
    two.attrs["manifest"]["options"] = {"split": "b"}
    assert "as two samples" in tables.compare(one, two, min_count=1).attrs["signature"]


def test_distances_are_compared_too():
    n = 4  # two layers of two heads, of documents 0 to 5
    rng = np.random.default_rng(0)
    sums = DistanceSums.empty(2, 2)
    for group in range(6):
        half = np.triu(rng.uniform(1, 2, (n, n)), 1)
        sums.sums[group], sums.n_rows[group] = half + half.T, 30
    one = tables.distances_by_group(sums)
    assert one["group"].tolist() == [*range(6)] * 2
    inner = one[one["measure"] == "distance_in_layer"]
    np.testing.assert_allclose(inner["2-1"], sums.sums[:6, 2, 3])
    outer = one[one["measure"] == "distance_between_layers"]
    np.testing.assert_allclose(outer["1-2"], sums.sums[:6, 1, 2:].mean(axis=1))
    one.attrs = {"manifest": ONE}
    sums.sums[:, 0, 2:] *= 1.5
    sums.sums[:, 2:, 0] *= 1.5
    two = tables.distances_by_group(sums)
    two.attrs = {"manifest": TWO}
    table = tables.compare(one, two, heads="each").set_index(["measure", "head"])
    moved = table.loc[("distance_between_layers", "1-1")]
    expected = sums.sums[:6, 0, 2:].sum() / 2 / 180
    assert moved["second"] == pytest.approx(expected)
    assert moved["difference"] == pytest.approx(expected / 3)
    assert moved["p"] < 0.001
    assert (table.loc["distance_in_layer"]["difference"] == 0).all()


def test_a_layer_of_one_head_has_no_distance_within():
    sums = DistanceSums.empty(3, 1)
    sums.sums[0], sums.n_rows[0] = 1, 10
    assert set(tables.distances_by_group(sums)["measure"]) == {"distance_between_layers"}


def test_what_was_exported_is_compared(tmp_path):
    counts = made_up()
    table = pd.DataFrame({"relation": ["det"]})
    table.attrs = {"signature": "toy", "manifest": ONE}
    export.tables(table, tmp_path, "table_1", tables.by_document(counts), with_latex=False)
    kept = export.read(tmp_path)["table_1.units"]
    assert row(tables.compare(kept, units(TWO)))["difference"] == 0


# what differs, refusals, readings ---------------------------------------------------------------


def test_what_differs_in_the_making_is_listed():
    found = tables.differs(ONE, {**ELSEWHERE, "options": {"from": "first"}, "extra": 1})
    assert found.to_dict("list") == {
        "what": ["model", "corpus", "options.from", "corpus_sha256", "weights_sha256", "extra"],
        "first": ["tiny", "mine", "mean", "c0", "w0", ""],
        "second": ["other", "theirs", "first", "c1", "w1", 1],
    }
    assert readings.manifests(found) == (
        "Other in the second run: model tiny / other; corpus mine / theirs; options.from mean / "
        "first; extra  / 1. Other by their hashes: corpus, weights."
    )
    none = readings.manifests(tables.differs(ONE, ONE))
    assert none == "The two runs were made alike: their manifests are the same."
    only = readings.manifests(tables.differs(ONE, {**ONE, "weights_sha256": "w9"}))
    assert only == "Other in the second run: no name and no option. Other by their hashes: weights."


def refused(*given, **options):
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        tables.compare(*given, **options)
    return str(caught.value)


def test_what_cannot_be_compared_is_refused():
    one, two = units(ONE), units(TWO)
    assert refused(one, two, heads="all") == "wanted heads='best' or 'each', got 'all'"
    assert refused(one, surface_units(TWO)) == (
        "wanted two tables of one measure, got sums of relation and of measure"
    )
    segments = {**TWO, "inputs": {"kind": "segments", "n": None}}
    assert refused(one, units(segments)) == (
        "wanted two runs over one kind of input, got parsed sentences and segments"
    )
    bare = two.copy()
    bare.attrs = {}
    assert refused(one, bare).startswith("the second table has no manifest; read it with export")
    table = pd.DataFrame({"relation": ["det"]})
    table.attrs = {"manifest": ONE}
    assert refused(table, two).startswith("the first table has no sums by document (a column 'gr")
    assert refused(one, two, min_count=10**6).startswith("nothing to compare: no row stands in")
    fewer = two.drop(columns="1-3")
    fewer.attrs = two.attrs
    assert refused(one, fewer, heads="each") == (
        "wanted the same heads in both runs, got 6 and 4 candidates; heads='best' compares the "
        "best of each"
    )
    assert len(tables.compare(one, fewer)) == 2


def test_a_comparison_is_read_aloud():
    table = tables.compare(units(ONE), units(TWO, rates=(0.1, 0.4, 0.85), seed=4), heads="each")
    said = readings.differences(table)
    assert said.startswith("Compared document by document: ")
    assert " of 12 rows differ (Holm's p up to 0.05). Most: " in said
    assert "1-3 dependent->governor" in said
    same = tables.compare(units(ONE), units(ELSEWHERE))
    assert readings.differences(same).startswith("Compared as two samples of documents: 0 of 2 r")
    assert readings.differences(table.assign(p=np.nan)) == (
        "Nothing can be tested: there is one document only."
    )
    assert MADE["model"] in table.attrs["signature"]
