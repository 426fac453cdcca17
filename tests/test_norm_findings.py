"""Findings asked twice, by weights and by norms: numbers, verdicts, tables, sentences, figures."""

from dataclasses import replace

import matplotlib
import numpy as np
import pytest

from bertattn import clusters, coref, norms, plots, probes, readings, stats, syntax, tables
from bertattn.clusters import Mantel
from bertattn.heads import AttentionHead
from bertattn.norms import Agreement, ApartSums, Finding, Value, of_chosen, of_mean, verdict
from bertattn.norms.findings import LOST, NEITHER, ONLY, SURVIVES, UNCLEAR, UNTOLD
from bertattn.syntax import SyntaxCounts
from tests.probing import toy_vectors
from tests.test_clusters import summed as distant
from tests.test_coref import SHELL
from tests.test_coref import counted as mentions_of
from tests.test_coref import planted as finding_antecedents
from tests.test_coref import tokens_of as windows_of
from tests.test_surface import summed
from tests.test_syntax import made_up
from tests.test_tables import MADE

matplotlib.use("agg")
KINDS = [2, 0, 1, 0, 3]
NAN = float("nan")


def value(low, high):
    return Value((low + high) / 2, float(low), float(high))


@pytest.mark.parametrize(
    ("weights", "by_norms", "wanted"),
    [
        ((0.6, 0.8), (0.51, 0.52), SURVIVES),
        ((0.6, 0.8), (0.4, 0.6), UNCLEAR),
        ((0.6, 0.8), (0.5, 0.6), UNCLEAR),
        ((0.6, 0.8), (0.1, 0.49), LOST),
        ((0.5, 0.8), (0.6, 0.8), ONLY),
        ((0.1, 0.2), (0.6, 0.8), ONLY),
        ((0.1, 0.2), (0.1, 0.2), NEITHER),
        ((0.4, 0.6), (0.4, 0.6), NEITHER),
        ((NAN, NAN), (0.6, 0.8), UNTOLD),
        ((0.6, 0.8), (NAN, NAN), UNTOLD),
    ],
)
def test_a_verdict_goes_by_where_the_intervals_lie(weights, by_norms, wanted):
    assert verdict(value(*weights), value(*by_norms), 0.5) == wanted
    assert wanted in norms.VERDICTS


@pytest.mark.parametrize(
    ("ends", "turn"), [((-0.2, -0.1), "less"), ((0.1, 0.2), "more"), ((-0.1, 0.1), "")]
)
def test_a_turn_needs_the_whole_interval_of_the_change(ends, turn):
    found = Finding("it", "02", 0.0, "share", value(1, 2), value(1, 2), value(*ends))
    assert found.turn == turn


def of_first_layer(column):
    return AttentionHead(0, column)


def planted(rates, n_groups=30, n=40, seed=0):
    rng = np.random.default_rng(seed)
    return np.stack([rng.binomial(n, rate, n_groups) for rate in rates], axis=1)


def test_the_best_is_chosen_and_scored_apart_for_weights_and_norms():
    right = planted((0.2, 0.8, 0.3)), planted((0.6, 0.5, 0.3), seed=1)
    total = np.full((30, 1), 40)
    found = of_chosen("it", "05", right, total, of_first_layer)
    assert abs(found.weights.mean - 0.8) < 0.03
    assert abs(found.norms.mean - 0.6) < 0.03
    assert found.change.mean == pytest.approx(found.norms.mean - found.weights.mean)
    assert found.weights.low < 0.8 < found.weights.high
    assert (found.of_weights, found.of_norms) == (of_first_layer(1), of_first_layer(0))
    assert found.change.high < 0
    assert found.turn == "less"


def test_a_rule_is_taken_off_both_and_not_off_the_change():
    right = planted((0.2, 0.8)), planted((0.6, 0.5), seed=1)
    total, rules = np.full((30, 1), 40), planted((0.5, 0.1), seed=2)
    plain = of_chosen("it", "05", right, total, of_first_layer)
    over = of_chosen("it", "05", right, total, of_first_layer, rules=rules)
    rule = stats.mean(stats.held_out(rules, total).scores)
    assert over.weights.mean == pytest.approx(plain.weights.mean - rule)
    assert over.norms.mean == pytest.approx(plain.norms.mean - rule)
    assert over.change == plain.change


def test_the_change_is_paired():
    """Documents differ much and each gains 1 of 40: the change is narrow, the numbers are not."""
    rng = np.random.default_rng(0)
    right = rng.integers(1, 39, (30, 1))
    found = of_chosen("it", "05", (right, right + 1), np.full((30, 1), 40), of_first_layer)
    assert found.change == pytest.approx((1 / 40, 1 / 40, 1 / 40))
    assert found.weights.high - found.weights.low > 0.1


def test_groups_without_a_question_take_no_part():
    right, total = planted((0.2, 0.8)), np.full((30, 1), 40)
    more = np.concatenate([right, np.zeros((9, 2), dtype=int)])
    few = of_chosen("it", "05", (right, right), total, of_first_layer)
    many = of_chosen(
        "it", "05", (more, more), np.append(total, np.zeros((9, 1), int), axis=0), of_first_layer
    )
    assert few == many


def test_one_document_gives_no_interval_and_no_verdict():
    one = np.array([[30, 10]])
    assert of_chosen("it", "05", (one, one), np.array([[40]]), of_first_layer).verdict == UNTOLD
    sums = np.array([3.0])
    assert of_mean("it", "03", (sums, sums), np.array([4])).verdict == UNTOLD


def test_a_mean_and_its_change_are_those_of_the_jackknife():
    sums = np.array([1.0, 2.0, 3.0]), np.array([2.0, 2.0, 5.0])
    counts = np.array([1, 1, 1])
    found = of_mean("it", "03", sums, counts, bar=1.0)
    assert found.weights == pytest.approx(
        norms.findings.value_of(stats.mean_by_group(sums[0], counts))
    )
    assert (found.weights.mean, found.norms.mean, found.change.mean) == (2, 3, 1)
    assert found.change.low < 1 < found.change.high


# the series


def to(column):
    one = np.zeros((5, 5))
    one[:, column] = 1
    return one


def previous():
    one = np.eye(5, k=-1)
    one[0, 0] = 1
    return one


@pytest.fixture(scope="module")
def both():
    """By weights 1-1 looks back and all others at the start; by norms only 1-1 does as before."""
    even = np.full((5, 5), 1 / 5)
    weights = np.stack([[previous(), to(0)], [to(0), to(0)]])
    moved = np.stack([[previous(), to(2)], [even, to(2)]])
    rng = np.random.default_rng(0)

    def blurred(maps):
        part = rng.uniform(0.9, 0.95)
        return part * maps + (1 - part) * even

    inputs = [KINDS] * 6
    return (
        summed(inputs, [blurred(weights) for _ in inputs]),
        summed(inputs, [blurred(moved) for _ in inputs]),
    )


def named(findings):
    return {finding.name: finding for finding in findings}


def test_findings_of_sections_3_are_found_where_they_are_planted(both):
    found = named(norms.of_surface(*both))
    back = found["a head over half on the previous token"]
    assert (back.verdict, back.of_weights, back.of_norms) == (SURVIVES, *[AttentionHead(0, 0)] * 2)
    assert 0.9 * 4 / 5 < back.weights.mean < 4 / 5
    assert found["a head over half on the next token"].verdict == NEITHER
    layer = found["a layer over half to the sink"]
    assert (layer.verdict, layer.of_weights) == (LOST, 1)
    sink = found["more than an even share to the sink"]
    assert (sink.verdict, sink.bar) == (LOST, pytest.approx(1 / 5))
    marks = found['more than an even share to "." and ","']
    assert marks.verdict == ONLY
    assert marks.norms.mean == pytest.approx(both[1].result()["to_punctuation"].mean())
    assert found["the first layer looks more broadly than the others"].unit == "nats"
    assert found["separators look at separators more than others do"].verdict == NEITHER


def test_breadth_is_of_the_first_layer_less_that_of_the_others(both):
    found = named(norms.of_surface(*both))["the first layer looks more broadly than the others"]
    by_layer = both[0].result()["entropy"].mean(axis=1)
    assert found.weights.mean == pytest.approx(by_layer[0] - by_layer[1])


def test_separators_are_held_against_other_tokens(both):
    found = named(norms.of_surface(*both))["separators look at separators more than others do"]
    result = both[0].result()
    wanted = (result["from_separator"] - result["from_others"]).mean()
    assert found.weights.mean == pytest.approx(wanted)


def test_the_sink_is_the_mark_that_takes_most_or_the_first_token(both):
    assert norms.sink_of(both[0]) == "to_start"
    ends = summed([KINDS] * 2, [np.stack([[to(4)]])] * 2)
    assert norms.sink_of(ends) == "to_separator"
    bare = summed([[0, 0, 1, 0, 0]] * 2, [np.stack([[to(4)]])] * 2)
    assert norms.sink_of(bare) == "to_first"
    of_one_layer = named(norms.of_surface(bare, bare))
    assert not [name for name in of_one_layer if "separators" in name or "broadly" in name]


def probed(right, total, name="attention only"):
    zeros = np.zeros(len(right), dtype=np.int64)
    counts = probes.Counts(np.array(right), zeros, np.array(total), zeros, zeros)
    return probes.Result(name, (probes.Run(counts, []),))


def test_a_probe_is_held_against_right_branching_by_document(encoder):
    """Sentences 0 and 1 of one document, 2 of another, are tested; 3 is not."""
    inputs = [replace(encoder.words(["one", "two"]), document=d) for d in (0, 0, 1, 2)]
    data = probes.ProbeData(inputs, probes.Parts([3], [3], [0, 1, 2]), [], toy_vectors(), [])
    by_weights, by_norms = probed([3, 4, 5], [5, 5, 10]), probed([4, 4, 6], [5, 5, 10])
    chain = probed([1, 1, 2], [5, 5, 10])
    found = norms.of_probe(by_weights, by_norms, chain, data)
    assert found.weights.mean == pytest.approx((2 + 3 + 3) / 20)
    assert found.norms.mean == pytest.approx((3 + 3 + 4) / 20)
    sums = np.zeros((50, 1)), np.zeros((50, 1))
    sums[0][:2, 0], sums[1][:2, 0] = (5, 3), (6, 4)
    total = np.zeros(50, dtype=np.int64)
    total[:2] = 10
    same = of_mean("", "", (sums[0][:, 0], sums[1][:, 0]), total)
    assert (found.weights, found.norms, found.change) == (same.weights, same.norms, same.change)
    assert found.source == "07"


def test_probes_tested_on_other_words_are_refused(encoder):
    data = probes.ProbeData([], probes.Parts([], [], []), [], toy_vectors(), [])
    with pytest.raises(ValueError, match="wanted sums over the same inputs"):
        norms.of_probe(probed([1], [2]), probed([1], [3]), probed([1], [2]), data)


def test_sums_of_other_inputs_are_refused(both):
    other = summed([KINDS] * 2, [np.stack([[to(0)] * 2] * 2)] * 2)
    with pytest.raises(
        ValueError, match="wanted sums over the same inputs by weights and by norms"
    ):
        norms.of_surface(both[0], other)


def test_clusters_are_held_against_layers_and_the_change_is_paired():
    rng = np.random.default_rng(0)
    weights, moved = (
        [rng.dirichlet(np.full(5, 0.3), size=(2, 3, 5)) for _ in range(4)] for _ in range(2)
    )
    one, other = distant([KINDS] * 4, weights), distant([KINDS] * 4, moved)
    found = norms.of_clusters(one, other)
    wanted = [clusters.within_and_between(s.result()).mean[2] for s in (one, other)]
    assert (found.weights.mean, found.norms.mean) == pytest.approx(wanted)
    assert found.change.mean == pytest.approx(wanted[1] - wanted[0])
    assert found.change.low < found.change.mean < found.change.high
    assert norms.same_distances(one, one).correlation == pytest.approx(1)
    with pytest.raises(ValueError, match="wanted sums over the same inputs"):
        norms.of_clusters(one, distant([KINDS] * 3, weights[:3]))


def test_syntax_is_the_held_out_gain_over_the_best_offset():
    weights, moved = made_up(), made_up(rates=(0.2, 0.4, 0.3), seed=0)
    moved.right_rules[:] = weights.right_rules
    (found,) = norms.of_syntax(weights, moved)
    _, score = syntax.scores(weights)
    assert found.name == "det: a head beats the best offset"
    assert found.weights.mean == pytest.approx(score.offset.held_out_gain)
    assert found.weights[1:] == score.offset.held_out_gain_interval
    assert (found.of_weights, found.verdict) == (score.attn_head, LOST)
    assert list(norms.of_syntax(weights, moved, min_count=10_000)) == []
    with pytest.raises(ValueError, match="wanted sums over the same inputs"):
        list(norms.of_syntax(weights, SyntaxCounts.empty(1, 3, ("det", "punct", "root"))))


def test_decoders_are_asked_in_each_direction_apart():
    weights = made_up()
    weights.total[:30, 0, 1] = 20
    names = [finding.name for finding in norms.of_syntax(weights, weights)]
    assert names == [
        "det (dependent->governor): a head beats the best offset",
        "det (governor->dependent): a head beats the best offset",
    ]


def test_coreference_is_the_held_out_gain_over_the_nearest_mention(encoder):
    tokens = windows_of(encoder, *[SHELL] * 6)
    weights = mentions_of(tokens, [finding_antecedents(t) for t in tokens])
    moved = mentions_of(tokens, [np.full_like(finding_antecedents(t), 0.1) for t in tokens])
    words, among = norms.of_coreference(weights, moved)
    score = coref.score(weights, "all words")
    gain, ends = score.over("nearest")
    assert words.weights == pytest.approx((gain, *ends))
    assert words.of_weights == AttentionHead(1, 2)
    assert words.change.mean < 0
    gain, _ = coref.score(weights, "other mentions").over("nearest before")
    assert among.weights.mean == pytest.approx(gain)
    with pytest.raises(ValueError, match="wanted sums over the same inputs"):
        norms.of_coreference(
            weights, mentions_of(tokens[:2], [finding_antecedents(t) for t in tokens[:2]])
        )


# tables, sentences, figures


@pytest.fixture(scope="module")
def findings(both):
    rows = [
        *norms.of_surface(*both),
        Finding("det: a head beats the best offset", "05", 0.0, "share", value(0.1, 0.3),
                value(-0.1, 0.3), value(-0.2, -0.1), AttentionHead(0, 0), AttentionHead(1, 1)),
        Finding("antecedents: a head among all words beats the nearest mention", "06", 0.0,
                "share", value(-0.1, 0.3), value(0.1, 0.3), value(-0.1, 0.1)),
    ]  # fmt: skip
    return rows


@pytest.fixture(scope="module")
def survival(findings):
    return tables.survival(findings, [(MADE, 6), ({**MADE, "corpus": "trees"}, 9)])


def test_a_row_says_what_became_of_a_finding(survival, findings):
    rows = survival.set_index("finding")
    assert survival["verdict"].tolist() == [finding.verdict for finding in findings]
    det = rows.loc["det: a head beats the best offset"]
    assert (det["weights_best"], det["norms_best"], det["turn"]) == ("1-1", "2-2", "less")
    assert det["kept"] == pytest.approx(0.1 / 0.2)  # of what lies over the bar
    assert rows.loc["a layer over half to the sink", "weights_best"] == "layer 2"
    absent = rows[rows["verdict"].isin([ONLY, NEITHER])]
    assert absent["kept"].isna().all()
    assert survival.attrs["signature"].splitlines()[1].startswith("tiny|trees|9 segments")
    assert survival.attrs["manifest"]["parts"][1]["corpus"] == "trees"


def test_numbers_over_a_bar_are_kept_by_what_lies_over_it():
    found = Finding("it", "03", 0.5, "share", value(0.6, 0.8), value(0.4, 0.8), value(-1, 1))
    table = tables.survival([found], [(MADE, 1)])
    assert table["kept"].tolist() == pytest.approx([(0.6 - 0.5) / (0.7 - 0.5)])


def test_in_print_shares_are_per_cent_and_nats_are_nats(survival):
    printed = tables.survival_in_print(survival).set_index("finding")
    det = printed.loc["det: a head beats the best offset"]
    assert det["by weights"] == "20.0 [10.0, 30.0], 1-1"
    assert det["norms less weights"] == "-15.0 [-20.0, -10.0]"
    assert (det["kept"], det["verdict"]) == ("50%", "unclear, less")
    broad = printed.loc["the first layer looks more broadly than the others"]
    assert broad["bar"] == "0.00 nats"
    assert broad["by weights"].count("nats") == 1
    assert printed["verdict"].iloc[-1] == "by norms only"


def test_without_an_interval_only_the_number_is_printed():
    bare = Value(0.25, NAN, NAN)
    table = tables.survival([Finding("it", "02", 0.0, "share", bare, bare, bare)], [(MADE, 1)])
    printed = tables.survival_in_print(table).iloc[0]
    assert (printed["by weights"], printed["kept"], printed["verdict"]) == ("25.0", "", UNTOLD)
    assert "too few documents" in readings.survival(table)


def test_verdicts_are_counted_by_notebook(survival):
    counted = tables.verdicts(survival)
    assert counted.to_numpy().sum() == len(survival)
    assert counted.loc["05", UNCLEAR] == 1


def test_what_survives_is_read(survival):
    said = readings.survival(survival)
    there = survival["verdict"].isin([SURVIVES, UNCLEAR, LOST]).sum()
    assert said.startswith(f"Of {len(survival)} findings {there} are there by weights.")
    assert "1 survive: a head over half on the previous token." in said
    assert "1 cannot be told by norms: det: a head beats the best offset." in said
    assert "2 are lost: more than an even share to the sink; a layer over half to the sink." in said
    assert "by norms only: " in said
    heads = readings.same_heads(survival)
    assert heads.startswith("In ")
    assert "det: a head beats the best offset (1-1, 2-2)" in heads
    assert readings.same_heads(survival[survival["weights_best"] == ""]) == (
        "No finding is about one head."
    )


def test_the_figure_of_survival_has_a_row_for_each_finding(survival):
    axes = plots.survival(survival)
    assert [t.get_text() for t in axes.get_yticklabels()] == [
        "antecedents among all words  (by norms only)",
        "det  (unclear)",
    ]
    alt = plots.show(axes).alt
    assert "2 findings" in alt
    assert "det: a head beats the best offset: 20% by weights, 10% by norms" in alt
    with pytest.raises(ValueError, match="no finding is of the notebooks 11"):
        plots.survival(survival, ["11"])


@pytest.fixture(scope="module")
def table(both):
    return tables.both_ways(*both, MADE)


def test_each_head_stands_both_ways_with_a_paired_change(table, both):
    row = table[(table["measure"] == "to_start") & (table["head"] == "2-1")].iloc[0]
    one, other = (sums.result()["to_start"][1, 0] for sums in both)
    assert (row["layer"], row["n"]) == (2, 6)
    assert (row["weights"], row["norms"], row["change"]) == pytest.approx((one, other, other - one))
    assert row["low"] < row["change"] < row["high"] < 0
    assert row["uniform"] == pytest.approx(1 / 5)
    wide = tables.by_layer_both(table, ["to_start", "to_next"])
    assert wide.columns.tolist() == [
        (way, m) for m in ("to_start", "to_next") for way in ("weights", "norms")
    ]
    assert wide.loc[2, ("weights", "to_start")] == pytest.approx(
        both[0].result()["to_start"][1].mean()
    )


def test_measures_that_a_model_has_not_are_left_out():
    bare = summed([[0, 0, 1, 0, 0]] * 2, [np.stack([[to(4)]])] * 2)
    table = tables.both_ways(bare, bare, {**MADE, "specials": {}})
    wide = tables.by_layer_both(table, ["to_start", "to_self"])
    assert {m for _, m in wide.columns} == {"to_self"}
    axes = plots.both_ways(table, ["to_start", "to_self"])
    assert len(axes.figure.axes) == 1
    assert "To the first token:" in readings.moved(table, "to_first")


def test_shares_both_ways_are_read(table):
    said = readings.moved(table, "to_start")
    rows = table[table["measure"] == "to_start"]
    assert f"To <s>: {rows['weights'].mean():.1%} of attention, {rows['norms'].mean():.1%}" in said
    assert "less in 3 of 4 heads" in said
    assert readings.moved(table, "to_punctuation").startswith('To "." and ",": ')
    assert "higher in 1 of 4 heads" in readings.moved_breadth(table)
    said = readings.same_distances(Mantel(0.5, 0.01, 99))
    assert "correlation of 0.50" in said
    assert "heads shuffled 99 times" in said


def test_figures_both_ways_say_their_numbers(table):
    axes = plots.both_ways(table, ["to_previous", "to_start"])
    assert len(axes.figure.axes) == 2
    alt = plots.show(axes).alt
    rows = table[table["measure"] == "to_start"]
    assert f"to <s>: mean {rows['weights'].mean():.2f} by weights" in alt
    axes = plots.moved_by_layer(table, ["to_start"])
    lines = [line.get_label() for line in axes.get_lines()]
    assert lines == ["to <s>, by weights", "to <s>, by norms"]
    assert "to <s> by norms: " in plots.show(axes).alt


@pytest.fixture(scope="module")
def rolled():
    sums = summed([KINDS] * 3, [np.stack([[np.eye(5)], [to(0)]])] * 3)
    alike = ApartSums.empty(2, 1)
    alike.sums[:3, 0, 0], alike.sums[:3, 1, 0], alike.counts[:3] = 4 / 5, 1 / 5, 1
    result = sums.result(), alike.result()
    return tables.rollout({"rollout of weights": result, "rollout of norms": result}, MADE)


def test_a_rollout_stands_by_way_layer_and_measure(rolled):
    wide = tables.rollout_by_layer(rolled, "to_self")
    assert wide.columns.tolist() == ["rollout of weights", "rollout of norms"]
    assert wide["rollout of norms"].tolist() == pytest.approx([1, 1 / 5])
    assert tables.rollout_by_layer(rolled, "apart")["rollout of weights"].tolist() == pytest.approx(
        [4 / 5, 1 / 5]
    )
    said = readings.rollout(rolled)
    assert "By rollout of weights: rows are 80% apart in layer 1 and 20% in layer 2" in said
    assert "of 1.61" in said  # ln 5
    assert "rollout of norms: 20% itself, 100% <s>" in readings.itself(rolled, "to_start")
    axes = plots.rollout(rolled, "to_start")
    assert len(axes.figure.axes) == 3
    alt = plots.show(axes).alt
    assert "how far rows lie apart, first to last layer: rollout of weights 0.80 to 0.20" in alt
    assert "to <s>, rollout of norms: 1.00 at last." in alt


@pytest.fixture(scope="module")
def agreed():
    sums = Agreement.empty()
    rng = np.random.default_rng(0)
    sums.counts[:9] = 1
    usual = [0.3, 0.6, 0.4, 0.5, 0.7, 0.65, 0.1]
    sums.sums[:9] = usual + rng.normal(0, 0.02, (9, len(sums.ways)))
    return tables.agreement(sums, MADE)


def test_what_foretells_is_held_against_the_rollout(agreed):
    rows = agreed.set_index("way")
    assert rows.loc["rollout of weights", "over"] == 0
    assert rows.loc["nearness", "over_high"] < 0 < rows.loc["rollout of norms", "over_low"]
    said = readings.agreement(agreed)
    assert "Less: nearness." in said
    assert "Most: weights of all layers, 0.7" in said
    alt = plots.show(plots.agreement(agreed)).alt
    assert alt.startswith("Rank correlations: weights of all layers 0.7")
    assert alt.endswith(f", nearness {rows.loc['nearness', 'correlation']:.2f}.")


def test_what_two_papers_say_stands_beside_ours(table, agreed):
    beside = tables.beside_norms(table, "to_start", agreed)
    assert len(beside) == 3
    assert beside["ours"].notna().all()
    rows = table[table["measure"] == "to_start"]
    assert beside["ours"].iloc[0].startswith(f"{rows['weights'].mean():.1%} by weights")
    assert beside["ours"].iloc[2] == (
        f"rollout {agreed['correlation'].iloc[0]:.2f}, the last layer's weights "
        f"{agreed['correlation'].iloc[2]:.2f}"
    )
    assert beside["ours"].iloc[1].endswith(f"(even share: {1 / 5:.1%})")
