import matplotlib
import numpy as np
import pytest

from bertattn import plots, tables, words
from bertattn.heads import AttentionHead
from tests.test_surface import summed
from tests.test_tables import MADE

matplotlib.use("agg")


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    kinds = [2, 0, 1, 0, 3]
    maps = [rng.dirichlet(np.ones(5), size=(2, 3, 5)) for _ in range(3)]
    return tables.surface(summed([kinds] * 3, maps).result(), MADE)


@pytest.fixture(scope="module", autouse=True)
def theme():
    with matplotlib.rc_context():
        plots.set_theme()
        yield


FIGURES = (
    plots.figure_2,
    plots.figure_2_marks,
    plots.figure_2_separator,
    plots.figure_2_positions,
    plots.figure_4,
)


@pytest.mark.parametrize("figure", FIGURES)
def test_a_figure_draws_every_head_and_says_what_it_shows(figure, table):
    axes = figure(table)
    n_points = [len(c.get_offsets()) for c in axes.collections]
    assert n_points
    assert set(n_points) == {6}
    picture = plots.show(axes)
    assert "in head" in picture.alt
    assert picture.png.startswith(b"\x89PNG")
    assert picture.figure.get_supxlabel() == table.attrs["signature"]


def test_points_stand_at_the_tables_values(table):
    axes = plots.heads_by_layer(table, ["to_next"], "title")
    drawn = axes.collections[0].get_offsets()[:, 1]
    expected = table.loc[table["measure"] == "to_next", "value"]
    np.testing.assert_allclose(drawn, expected)


def test_what_is_drawn_is_known_by_more_than_colour(table):
    axes = plots.figure_2_positions(table)
    marks = {c.get_paths()[0].vertices.tobytes() for c in axes.collections}
    lines = {(line.get_linestyle()) for line in axes.lines if len(line.get_xdata()) == 2}
    assert len(marks) == 3
    assert len(lines) >= 3


def test_a_model_without_a_separator_says_so():
    plain = summed([[0, 1, 0]], [np.full((1, 2, 3, 3), 1 / 3)])
    table = tables.surface(plain.result(), {**MADE, "specials": {}})
    axes = plots.figure_2_marks(table)
    assert axes.texts[0].get_text() == (
        "not in this model:\nto a start token\nto a separator token"
    )
    assert len(axes.collections) == 1
    empty = plots.figure_2_separator(table)
    assert not empty.collections
    assert "Not in this model: from a separator token to" in plots.show(empty).alt
    assert "Not in this model" in plots.show(plots.head_grid(table, "to_start")).alt
    assert plots.show(plots.figure_4(table)).png


def test_a_grid_holds_layers_down_and_heads_across(table):
    axes = plots.head_grid(table, "to_self")
    expected = table.loc[table["measure"] == "to_self", "value"].to_numpy().reshape(2, 3)
    np.testing.assert_allclose(axes.images[0].get_array(), expected)
    assert [t.get_text() for t in axes.get_yticklabels()] == ["1", "2"]


def test_lines_are_as_dark_as_attention_is_strong(toy_map):
    axes = plots.attention_lines(toy_map, AttentionHead(1, 2))
    weights = toy_map.weights[1, 2]
    assert len(axes.lines) == (weights > 0.02).sum()
    for line in axes.lines:
        i, j = map(int, line.get_ydata())
        assert line.get_alpha() == pytest.approx(weights[i, j])


def test_pieces_and_words_both_label_a_map(toy_map):
    merged = words.merge(toy_map)
    for attention in (toy_map, merged):
        axes = plots.attention_matrix(attention, AttentionHead(0, 0))
        assert axes.images[0].get_array().shape[0] == len(axes.get_xticklabels()) == 8
    assert axes.get_xticklabels()[5].get_text() == "[CLS]"


def test_the_text_names_the_strongest_arrows(toy_map):
    weights = toy_map.weights[0, 1]
    i, j = np.unravel_index(weights.argmax(), weights.shape)
    pieces = toy_map.tokens.pieces
    alt = plots.show(plots.attention_lines(toy_map, AttentionHead(0, 1))).alt
    assert f"Strongest: {pieces[i]!r} to {pieces[j]!r} {weights[i, j]:.2f}" in alt


def test_dollars_and_braces_in_tokens_are_text(toy_map):
    from dataclasses import replace

    from bertattn.attention import AttentionMap

    tokens = replace(toy_map.tokens, pieces=("$x^{", "$", "_", "\\frac", "<script>", "#", "%", "~"))
    for draw in (plots.attention_lines, plots.attention_matrix):
        assert plots.show(draw(AttentionMap(tokens, toy_map.weights), AttentionHead(0, 0))).png


def test_a_head_that_is_not_there_is_refused(toy_map):
    with pytest.raises(ValueError, match="wanted a head from 1-1 to 2-3, got 3-1"):
        plots.attention_lines(toy_map, AttentionHead(2, 0))


def test_figure_1_shows_heads_side_by_side(toy_map):
    axes = plots.figure_1(toy_map, [AttentionHead(0, 0), AttentionHead(1, 1)])
    assert [a.get_title() for a in axes.figure.axes] == ["head 1-1", "head 2-2"]
    assert "head 2-2: Strongest" in plots.show(axes).alt


def test_the_same_figure_gives_the_same_bytes(table, tmp_path):
    assert plots.show(plots.figure_4(table)).png == plots.show(plots.figure_4(table)).png
    first = [p.read_bytes() for p in plots.save(plots.figure_4(table), tmp_path / "a")]
    second = [p.read_bytes() for p in plots.save(plots.figure_4(table), tmp_path / "b")]
    assert first == second


def test_saved_figures_embed_their_fonts(table, tmp_path):
    pdf, svg = plots.save(plots.figure_2_marks(table), tmp_path / "figure")
    assert b"/FontFile2" in pdf.read_bytes()
    assert "<text" not in svg.read_text()  # letters are drawn, so no font is needed


def test_a_picture_is_a_png_with_its_text(table):
    picture = plots.show(plots.figure_4(table))
    data, metadata = picture._repr_mimebundle_()
    assert set(data) == {"image/png", "text/plain"}
    assert metadata["image/png"]["alt"] == data["text/plain"] == repr(picture)


def test_a_weight_that_rounding_made_more_than_1_is_drawn(toy_map):
    from bertattn.attention import AttentionMap

    weights = np.zeros((1, 1, 8, 8))
    weights[..., 0] = 1.0000002
    assert plots.attention_lines(AttentionMap(toy_map.tokens, weights), AttentionHead(0, 0))
