"""Section 6's tables, readings and figures, on heads with known answers."""

import matplotlib
import numpy as np
import pandas as pd
import pytest

from bertattn import clusters, corpora, export, plots, readings, syntax, tables
from bertattn.attention import AttentionMap
from bertattn.clusters import Tree
from bertattn.heads import AttentionHead
from tests.test_cluster_maps import FAMILY, distances_of, random_distances, two_families
from tests.test_clusters import summed
from tests.test_surface import summed as averaged
from tests.test_syntax import made_up
from tests.test_tables import MADE

matplotlib.use("agg")
GOLD = {**MADE, "trees": "gold", "inputs": {"kind": "parsed sentences", "n": None}}
KINDS = [2, 0, 0, 1, 0, 0, 0, 3]


def one_of_each():
    """Heads 1-1 to 2-4: next, previous, start, separator; punctuation, all alike, and two mixed."""
    n = len(KINDS)
    columns = np.eye(n)
    alike = np.full((n, n), 1 / n)
    following, before = np.eye(n, k=1), np.eye(n, k=-1)
    following[-1, 0] = before[0, 0] = 1
    start, separator, mark = (np.tile(columns[place], (n, 1)) for place in (0, 7, 3))
    mixed = 0.3 * following + 0.3 * before + 0.4 * start
    return np.stack([[following, before, start, separator], [mark, alike, mixed, mixed]])


@pytest.fixture(scope="module")
def surface_table():
    return tables.surface(averaged([KINDS] * 3, [one_of_each()] * 3).result(), MADE)


@pytest.fixture(scope="module")
def distances():
    return summed([KINDS] * 3, [one_of_each()] * 3).result()


@pytest.fixture(scope="module")
def roles():
    by_relation = tables.table_1(list(syntax.scores(made_up())), GOLD, 99)
    rows = [
        {"way": "attention head: all words", "kind": "all", "n": 50, "head": "1-2",
         "direction": "m",
         "value": 0.6, "held_out": 0.5, "over_nearest": 0.1, "over_nearest_low": -0.1,
         "over_nearest_high": 0.3},
        {"way": "nearest before", "kind": "all", "n": 50, "head": "", "value": 0.4},
    ]  # fmt: skip
    coreference = pd.DataFrame(rows)
    coreference.attrs["signature"] = "coref"
    return tables.roles(by_relation, coreference)


@pytest.fixture(scope="module")
def heads(distances, surface_table, roles):
    layout, tree = clusters.layout(distances.matrix), Tree.of(distances.matrix)
    behaviours = tables.behaviours(surface_table)
    return tables.head_map(distances, layout, tree, behaviours, roles, MADE, n_clusters=3)


@pytest.fixture(scope="module")
def variants(distances):
    without = clusters.Options(without="start")
    return {
        "as it is": distances,
        "without the sink": summed([KINDS] * 3, [one_of_each()] * 3, without).result(),
    }


@pytest.fixture(scope="module", autouse=True)
def theme():
    with matplotlib.rc_context():
        plots.set_theme()
        yield


# behaviours and roles ---------------------------------------------------------------------------


def test_a_head_is_marked_by_what_it_does(surface_table):
    found = tables.behaviours(surface_table).set_index("head")
    assert found["behaviour"].to_dict() == {
        "1-1": "next",
        "1-2": "previous",
        "1-3": "start",
        "1-4": "separator",
        "2-1": "punctuation",
        "2-2": "broad",
        "2-3": "none of these",
        "2-4": "none of these",
    }
    assert found.loc["2-2", "entropy"] == pytest.approx(np.log(8))
    assert found["layer"].tolist() == [1] * 4 + [2] * 4


@pytest.mark.parametrize("n", [8, 120, 512])
def test_broad_is_a_share_of_the_most_possible_and_the_papers_limit_at_120_tokens(n):
    limit = tables.clusters.BROAD * np.log(n)
    assert n != 120 or limit == pytest.approx(3.8)
    share = np.exp(limit) / n  # attending alike to so many tokens lies at the limit
    for n_seen, expected in ((int(share * n) - 1, "none of these"), (int(share * n) + 2, "broad")):
        weights = np.zeros((1, 1, n, n))
        weights[..., 1 : 1 + n_seen] = 1 / n_seen
        table = tables.surface(averaged([[0] * n], [weights]).result(), MADE)
        assert tables.behaviours(table)["behaviour"].item() == expected


def test_the_first_token_stands_in_only_where_there_is_no_start_token():
    on_first = np.tile(np.eye(4)[0], (1, 1, 4, 1))
    for kinds, expected in (([0, 0, 0, 0], "first"), ([2, 0, 0, 0], "start")):
        table = tables.surface(averaged([kinds], [on_first]).result(), MADE)
        assert tables.behaviours(table)["marks"].tolist() == [expected]


def test_a_role_has_the_head_that_was_measured(roles):
    found = roles.set_index("role")
    [score] = [s for s in syntax.scores(made_up()) if s.questions.relation == "det"]
    assert found.loc["determiner", "head"] == str(score.attn_head) == "1-2"
    assert found.loc["determiner", "accuracy"] == score.accuracy
    assert found.loc["determiner", "rule"] == "offset +2"
    assert found.loc["determiner", "gain_low"] > 0
    assert found.loc["coreference", ["head", "accuracy", "rule"]].tolist() == [
        "1-2", 0.6, "nearest mention",
    ]  # fmt: skip
    assert found.loc["direct object", ["head", "n"]].tolist() == ["", 0]
    assert len(roles.attrs["signatures"]) == 2


def test_roles_in_print_say_what_was_not_measured(roles):
    shown = tables.roles_in_print(roles).set_index("role")
    assert shown.loc["direct object", "head"] == "too few words"
    assert shown.loc["coreference", "over the rule"] == "10.0 [-10, 30]"
    assert shown.loc["coreference", "held out"] == "50.0"


def test_nothing_measured_is_no_role():
    empty = tables.roles()
    assert (empty["head"] == "").all()
    assert readings.roles(empty) == "No role was measured: there were too few words of each."


def test_roles_read_aloud(roles):
    said = readings.roles(roles)
    assert "Of 2 roles" in said
    assert "above 0: determiner." in said
    assert "more than one role: 1-2 (coreference and determiner)" in said


# heads ------------------------------------------------------------------------------------------


def test_a_row_has_all_about_a_head(heads, distances):
    row = heads.set_index("head").loc["1-2"]
    assert (row["layer"], row["behaviour"]) == (1, "previous")
    assert row["roles"] == "coreference, determiner"
    near = distances.nearest(AttentionHead(0, 1))
    assert row["nearest"] == ", ".join(map(str, near))
    place = distances.heads.index(near[0])
    assert row["nearest_distance"] == distances.matrix[1, place]
    assert row["to_previous"] == pytest.approx(7 / 8)
    assert sorted(heads["leaf"]) == list(range(8))
    assert heads["cluster"].nunique() == 3
    assert heads.attrs["signature"].startswith("tiny|mine|3 segments|")
    assert heads.attrs["chance"]["to_start"] == pytest.approx(1 / 8)


def test_tables_of_other_heads_are_refused(distances, surface_table, roles):
    few = tables.behaviours(surface_table).head(3)
    layout, tree = clusters.layout(distances.matrix), Tree.of(distances.matrix)
    with pytest.raises(ValueError, match="of 8 heads up to 2-4, got it of 3 up to 1-3"):
        tables.head_map(distances, layout, tree, few, roles, MADE)


def test_pairs_stand_once_and_intervals_hold_their_distance(distances):
    found = tables.head_pairs(distances, MADE)
    assert len(found) == 8 * 7 / 2
    assert found["distance"].tolist() == clusters.pairs(distances.matrix).tolist()
    assert (found["low"] <= found["distance"] + 1e-9).all()
    assert (found["distance"] <= found["high"] + 1e-9).all()
    first = found.iloc[3]
    assert (first["head"], first["other"], first["layers_apart"]) == ("1-1", "2-1", 1)


def test_equal_heads_are_each_others_nearest(distances):
    found = tables.nearest_heads(distances, MADE, n=2)
    assert len(found) == 8 * 2
    twin = found[(found["head"] == "2-3") & (found["rank"] == 1)].iloc[0]
    assert twin["nearest"] == "2-4"
    assert twin["distance"] == pytest.approx(0, abs=1e-6)


def test_heads_are_written_as_tables(heads, tmp_path):
    files = export.tables(heads, tmp_path, "heads")
    assert {f.suffix for f in files} >= {".csv", ".parquet", ".tex"}


# groupings --------------------------------------------------------------------------------------


def family_heads():
    names = [str(h) for h in two_families().heads]
    frame = pd.DataFrame({"head": names, "layer": [1] * 4 + [2] * 4})
    frame["behaviour"] = np.where(FAMILY == 1, "previous", "first")
    return frame


def test_families_lie_together_and_layers_do_not():
    found = tables.groupings({"as it is": two_families()}, family_heads(), MADE)
    layer, behaviour = (row for _, row in found.iterrows())
    assert behaviour["within"] < behaviour["between"] / 5
    assert behaviour["low"] > 0
    assert behaviour["silhouette"] > 0.8
    assert behaviour["p"] < 0.1
    assert layer["silhouette"] < 0.1
    assert (layer["groups"], layer["heads"]) == (2, 8)
    said = readings.groups(found)
    assert "by behaviour, as it is: silhouette 0.9" in said
    assert "strong groups" in said
    assert said.startswith("By layer, as it is: silhouette -")
    assert "no groups to speak of" in said


def test_heads_without_a_mark_are_in_no_group(variants, heads):
    found = tables.groupings(variants, heads, MADE, by=("behaviour",))
    assert found["heads"].tolist() == [6, 6]
    assert found["variant"].tolist() == ["as it is", "without the sink"]
    assert found["silhouette"].isna().all()  # each of the six stands alone
    assert "does not apply" in readings.groups(found)


def test_a_planted_gradient_is_read_and_none_is_not():
    layers = np.arange(6)
    matrix = abs(np.subtract.outer(layers, layers)) / 10
    found = {"as it is": distances_of(matrix, n_layers=6, n_groups=3)}
    table = pd.DataFrame({"head": [f"{i + 1}-1" for i in layers], "layer": layers + 1})
    grouped = tables.groupings(found, table, MADE, by=("layer",))
    tested = tables.gradients(found, MADE)
    assert tested["p"].item() < 0.01
    assert "there are too few heads" in readings.layers(grouped, tested)  # one a layer
    single = {"as it is": distances_of(matrix, n_layers=1, n_groups=3)}
    table = pd.DataFrame({"head": [f"1-{i + 1}" for i in layers], "layer": 1})
    grouped = tables.groupings(single, table, MADE, by=("layer",))
    said = readings.layers(grouped, tables.gradients(single, MADE))
    assert said == "As it is: layers cannot be compared; there is one layer only."
    two = np.repeat(np.repeat(matrix, 2, axis=0), 2, axis=1) + 0.05
    np.fill_diagonal(two, 0)
    found = {"with [CLS]": distances_of(two, n_layers=6, n_groups=3)}
    table = pd.DataFrame({"head": range(12), "layer": np.repeat(layers + 1, 2)})
    said = readings.layers(
        tables.groupings(found, table, MADE, by=("layer",)), tables.gradients(found, MADE)
    )
    assert said.startswith("With [CLS], heads of one layer are 0.050 nats apart")
    assert "the farther apart they are (Mantel r 1.00" in said
    flat = {"as it is": distances_of(random_distances(12) / 20, n_layers=6)}
    said = readings.layers(
        tables.groupings(flat, table, MADE, by=("layer",)), tables.gradients(flat, MADE)
    )
    assert "the farther apart they are: no such trend is found (Mantel" in said
    assert "[" not in said  # one group of documents gives no interval


def test_distances_by_layers_apart(variants):
    found = tables.by_layers_apart(variants, MADE)
    assert found["pairs"].tolist() == [12, 16] * 2
    expected = clusters.within_and_between(variants["as it is"]).mean
    np.testing.assert_allclose(found["distance"][:2], expected[:2])


def test_the_quality_of_maps(variants):
    found = tables.map_quality(variants, MADE)
    first = clusters.layout(variants["as it is"].matrix)
    assert found["stress"][0] == first.stress
    assert found["word"][0] == first.verdict
    assert f"stress is {first.stress:.3f}: {first.verdict} by Kruskal's" in readings.map_quality(
        found
    )


def test_cuts_of_a_tree():
    found = tables.cuts(Tree.of(two_families().matrix))
    assert found["clusters"].tolist() == [2, 3, 4, 5, 6, 7]
    assert found["silhouette"].idxmax() == 0
    assert found.loc[0, ["largest", "alone"]].tolist() == [4, 0]
    assert tables.cuts(Tree.of(np.array([[0, 0.1], [0.1, 0]]))).empty


def test_a_tree_says_how_well_it_keeps_distances():
    place = np.array([0.0, 1.0, 3.0])  # heights 1, 5 / 2, 5 / 2
    tree = Tree.of(abs(np.subtract.outer(place, place)))
    assert tree.faithfulness == pytest.approx(1.5 / np.sqrt(2 * 1.5))
    assert "correlation of 0.87 (cophenetic" in readings.tree_quality(tree)
    assert "correlation of 1.00" in readings.tree_quality(Tree.of(two_families().matrix))
    pair = Tree.of(np.array([[0, 0.1], [0.1, 0]]))
    assert "no two distances that differ" in readings.tree_quality(pair)


def test_stability_shows_the_worst(variants):
    a, b = (clusters.Agreement(s, m, p, d, w) for s, m, p, d, w in
            ((0.1, 0.9, 0.2, 1.0, 0.0), (0.3, 0.8, 0.1, 0.95, 0.02)))  # fmt: skip
    found = tables.stability([a], [a, b])
    assert found["n"].tolist() == [1, 2]
    worst = found.iloc[1][2:].tolist()
    assert worst == [0.1, 0.3, 0.8, 0.2, 0.95, 0.02]
    said = readings.stability(found)
    assert "With 1 other seeds the stress is 0.100 to 0.100" in said
    assert "In 2 splits of the documents" in said
    assert "no pair differs by more than 0.020 nats" in said
    assert "nothing to compare" in readings.stability(tables.stability([], []))


def test_sampling_is_held_against_all_rows():
    rng = np.random.default_rng(0)
    inputs = [[0] * 40] * 12
    maps = [rng.dirichlet(np.full(40, 0.3), size=(1, 3, 40)) for _ in inputs]
    full = summed(inputs, maps).result()
    some = summed(inputs, maps, clusters.Options(rows=0.25)).result()
    found = tables.sampling(some, full)
    errors = abs(clusters.pairs(some.matrix) / clusters.pairs(full.matrix) - 1)
    assert found["rows"].tolist() == [480, 120]
    assert found["relative_error"].tolist() == pytest.approx([0, errors.mean()])
    assert 0 < found["half_interval"][0] < 0.2
    assert readings.sampling(found).startswith("With 120 of 480 rows a distance is off by")
    alone = tables.sampling(some.part(np.array([0])), full.part(np.array([0])))
    assert "other documents" not in readings.sampling(alone)


def test_beside_the_paper(distances, heads, roles, surface_table):
    grouped = tables.groupings({"as it is": distances}, heads, MADE)
    beside = tables.beside_figure_6(grouped, heads, roles, surface_table).set_index("finding")
    assert len(beside) == len(pd.read_csv(corpora.data_folder() / "paper" / "clusters.csv"))
    assert not beside["ours"].isna().any()
    assert beside.loc["heads over 0.5 on the next token", "ours"] == "1 of 8: 1-1"
    assert beside.loc["the head for determiners"].tolist() == ["8-11", "1-2"]
    assert beside.loc["the head for direct objects", "ours"] == "too few words"
    assert beside.loc["heads of one behaviour lie together", "ours"] == "does not apply"
    assert "nats within" in beside.loc["heads of one layer lie together", "ours"]


def test_a_model_without_special_tokens_is_not_compared_on_them(distances, roles):
    kinds = [0] * 8
    table = tables.surface(averaged([kinds], [one_of_each()]).result(), MADE)
    layout, tree = clusters.layout(distances.matrix), Tree.of(distances.matrix)
    heads = tables.head_map(distances, layout, tree, tables.behaviours(table), roles, MADE)
    grouped = tables.groupings({"as it is": distances}, heads, MADE)
    beside = tables.beside_figure_6(grouped, heads, roles, table).set_index("finding")["ours"]
    assert beside["heads over 0.6 on the start token"] == "does not apply"


def test_heads_read_aloud(distances):
    said = readings.alike(distances)
    assert "Nearest: 2-3 and 2-4, 0.000; farthest: " in said
    equal = summed([[0] * 3], [np.full((2, 2, 3, 3), 1 / 3)]).result()
    assert readings.alike(equal).startswith("No two of 4 heads can be told apart")
    alone = summed([[0] * 3], [np.full((1, 1, 3, 3), 1 / 3)]).result()
    assert readings.alike(alone) == "There is one head only, and nothing to compare it with."


# figures ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("by", ["behaviour", "roles", "layer", "cluster"])
def test_a_map_has_every_head_at_its_place(heads, by):
    axes = plots.heads_on_map(heads, by)
    drawn = np.concatenate([c.get_offsets() for c in axes.collections])
    wanted = heads[["x", "y"]].to_numpy()
    assert all(np.isclose(drawn, point).all(axis=1).any() for point in wanted)
    picture = plots.show(axes)
    assert picture.alt.startswith(f"A map of 8 heads by {by}.")
    assert picture.png.startswith(b"\x89PNG")
    numbers = "cluster" if by == "cluster" else "layer"
    assert [t.get_text() for t in axes.texts] == [str(n) for n in heads[numbers]]


def test_behaviours_are_known_by_more_than_colour(heads):
    axes = plots.heads_on_map(heads, "behaviour")
    shapes = {c.get_paths()[0].vertices.tobytes() for c in axes.collections}
    assert len(shapes) == heads["behaviour"].nunique() == 7
    labels = axes.get_legend_handles_labels()[1]
    assert "none of these (2)" in labels


def test_roles_name_their_heads(heads):
    axes = plots.heads_on_map(heads, "roles")
    labels = axes.get_legend_handles_labels()[1]
    assert labels == ["coreference: 1-2", "determiner: 1-2"]
    assert "Best heads: coreference 1-2, determiner 1-2." in plots.show(axes).alt
    bare = heads.assign(roles="")
    assert "none was measured" in plots.show(plots.heads_on_map(bare, "roles")).alt


def test_an_unknown_way_of_colouring_names_those_there_are(heads):
    with pytest.raises(ValueError, match="one of behaviour, roles, layer, cluster, got 'colour'"):
        plots.heads_on_map(heads, "colour")


def test_figure_6_shows_behaviour_and_layer(heads):
    picture = plots.show(plots.figure_6(heads))
    assert "by behaviour" in picture.alt
    assert "by layer" in picture.alt
    assert picture.figure.get_supxlabel() == heads.attrs["signature"]


def test_a_tree_has_a_leaf_for_each_head(heads, distances):
    axes = plots.heads_in_tree(Tree.of(distances.matrix), heads)
    labels = [t.get_text() for t in axes.get_xticklabels()]
    assert labels == heads.sort_values("leaf")["head"].tolist()
    assert len(axes.lines) == 7
    assert "cut into 3 clusters" in plots.show(axes).alt


def test_a_tree_of_one_head_is_a_leaf(heads):
    axes = plots.heads_in_tree(Tree.of(np.zeros((1, 1))), heads.head(1).assign(leaf=0))
    assert plots.show(axes).png


@pytest.mark.parametrize("order", ["layer", "tree"])
def test_a_matrix_holds_the_distances_in_order(heads, distances, order):
    axes = plots.distance_matrix(tables.head_pairs(distances, MADE), heads, order)
    place = np.argsort(heads["leaf"]) if order == "tree" else np.arange(8)
    expected = distances.matrix[np.ix_(place, place)]
    np.testing.assert_allclose(axes.images[0].get_array(), expected)
    assert "Nearest: 2-3 and 2-4 0.000" in plots.show(axes).alt


def test_layers_apart_draws_each_variant(variants):
    axes = plots.layers_apart(tables.by_layers_apart(variants, MADE))
    assert axes.get_legend_handles_labels()[1] == list(variants)
    assert plots.show(axes).alt.startswith("Distance by layers apart. as it is: 0: ")


def test_stability_is_drawn_also_where_there_is_nothing_to_compare():
    found = clusters.over_halves(two_families(), n_splits=2)
    assert "halves of the documents: " in plots.show(plots.stability([], found)).alt
    assert "nothing to compare" in plots.show(plots.stability([], [])).alt


def test_a_card_shows_what_a_head_does_and_its_nearest(heads, distances, toy_tokens):
    near = tables.nearest_heads(distances, MADE)
    attention = AttentionMap(toy_tokens, one_of_each())
    axes = plots.behaviour_card(heads, near, attention, AttentionHead(1, 2))
    alt = plots.show(axes).alt
    assert alt.startswith("Head 2-3: none of these; best head for: none. to the next token 0.26")
    assert "Nearest heads: 2-4 (0.000 nats)" in alt
    assert "breadth" in alt
    maps = [a.images[0].get_array() for a in axes.figure.axes if a.images]
    np.testing.assert_allclose(maps[0], one_of_each()[1, 2])
    np.testing.assert_allclose(maps[1], one_of_each()[1, 3])
    assert plots.show(axes).png


def test_a_card_of_a_head_that_is_not_there_is_refused(heads, distances, toy_tokens):
    near = tables.nearest_heads(distances, MADE)
    with pytest.raises(ValueError, match="wanted a head from 1-1 to 2-4, got 3-1"):
        plots.behaviour_card(
            heads, near, AttentionMap(toy_tokens, one_of_each()), AttentionHead(2, 0)
        )


@pytest.mark.filterwarnings("error")
def test_equal_heads_go_through_every_table_and_figure(roles):
    weights = np.tile(np.random.default_rng(0).dirichlet(np.ones(8), size=8), (2, 4, 1, 1))
    equal = summed([KINDS] * 2, [weights] * 2).result()
    table = tables.surface(averaged([KINDS] * 2, [weights] * 2).result(), MADE)
    layout, tree = clusters.layout(equal.matrix), Tree.of(equal.matrix)
    heads = tables.head_map(equal, layout, tree, tables.behaviours(table), roles, MADE)
    assert set(heads["cluster"]) == {1}
    grouped = tables.groupings({"as it is": equal}, heads, MADE)
    assert readings.layers(grouped, tables.gradients({"as it is": equal}, MADE))
    quality = tables.map_quality({"as it is": equal}, MADE)
    assert "stress is 0.000: perfect" in readings.map_quality(quality)
    assert "too few different distances" in readings.map_quality(quality)
    for axes in (plots.figure_6(heads), plots.heads_in_tree(tree, heads)):
        assert plots.show(axes).png
    apart = tables.by_layers_apart({"as it is": equal}, MADE)
    assert plots.show(plots.layers_apart(apart)).png
    seeds, halves = clusters.over_seeds(equal.matrix, layout), clusters.over_halves(equal)
    for said in (
        readings.alike(equal),
        readings.layers(grouped, tables.gradients({"as it is": equal}, MADE)),
        readings.groups(grouped),
        readings.map_quality(quality),
        readings.tree_quality(tree),
        readings.stability(tables.stability(seeds, halves)),
        readings.sampling(tables.sampling(equal, equal)),
    ):
        assert "nan" not in said
    assert tables.cuts(tree)["clusters"].tolist() == [1]


def test_cuts_that_are_the_same_stand_once():
    place = np.array([0.0, 0.0, 0.0, 1.0, 1.0, 3.0])
    tree = Tree.of(abs(np.subtract.outer(place, place)))
    assert tables.cuts(tree)["clusters"].tolist() == [2, 3]


def test_a_stress_has_the_word_of_what_is_printed():
    assert clusters.Layout(np.zeros((2, 2)), 0.05004, 1.0).verdict == "good"
    assert clusters.Layout(np.zeros((2, 2)), 0.0506, 1.0).verdict == "fair"


def test_whether_there_was_a_sink_is_said():
    inputs = [[2, 0, 0], [0, 0, 0]]
    maps = [np.full((1, 2, 3, 3), 1 / 3)] * 2
    said = {
        sink: readings.removed(summed(inputs[first:], maps[first:], clusters.Options(without=sink)))
        for sink, first in (("none", 0), ("start", 0), ("separator", 0), ("first", 1))
    }
    assert said["none"] == "No sink was to be removed."
    assert said["start"] == (
        "The sink ('start') was removed from 1 of 2 inputs; in the other 1 there is no such token, "
        "and nothing was removed."
    )
    assert said["separator"].startswith("No input has such a token ('separator'): nothing was rem")
    assert said["first"] == "The sink ('first') was removed from 1 of 1 inputs."


def test_a_card_shows_the_first_token_only_where_there_is_no_start(toy_tokens):
    for kinds, expected in (([0] * 8, "to the first"), (KINDS, None)):
        maps = [one_of_each()] * 2
        found = summed([kinds] * 2, maps).result()
        behaviours = tables.behaviours(tables.surface(averaged([kinds] * 2, maps).result(), MADE))
        layout, tree = clusters.layout(found.matrix), Tree.of(found.matrix)
        heads = tables.head_map(found, layout, tree, behaviours, tables.roles(), MADE)
        near = tables.nearest_heads(found, MADE)
        attention = AttentionMap(toy_tokens, one_of_each())
        axes = plots.behaviour_card(heads, near, attention, AttentionHead(0, 2))
        labels = [t.get_text() for t in axes.get_yticklabels()]
        assert any("first" in text for text in labels) is (expected is not None)


def test_roles_of_no_relation_are_too_few_words():
    empty = tables.table_1([], GOLD, 0)
    assert set(tables.roles(empty)["head"]) == {""}
    rare = made_up()
    with pytest.raises(ValueError, match="no relation has 1000000 arcs"):
        list(syntax.scores(rare, min_count=1_000_000))
    assert not list(syntax.scores(rare, min_count=1_000_000, at_least_one=False))
