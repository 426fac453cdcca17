"""What changes without a head, against the head's own columns of the output projection."""

import copy

import numpy as np
import pytest
import torch

from bertattn import importance, plots, readings, tables
from bertattn.heads import AttentionHead, all_heads
from bertattn.importance import without
from bertattn.model import ModelError
from tests.test_importance import TEXTS, model_of

CANNOT = ("MPNet", "DebertaV2")


def final_states(module, model, tokens):
    with torch.inference_mode():
        return module(**model._arguments([tokens]))[0][0, : len(tokens)].double().numpy()


def of_outputs(family, module, layer):
    """A layer's output projection, a row an output and a column an input."""
    match family:
        case "DistilBert":
            return module.transformer.layer[layer].attention.out_lin.weight
        case "GPT2":
            return module.h[layer].attn.c_proj.weight.T
        case "ModernBert":
            return module.layers[layer].attn.Wo.weight
    return module.encoder.layer[layer].attention.output.dense.weight


def without_columns(model, tokens, heads, family):
    """The slow way: a copy of the model whose output projections lack the heads' columns."""
    module = copy.deepcopy(model.module)
    for attn_head in heads:
        with torch.no_grad():
            weight = of_outputs(family, module, attn_head.layer)
            size = weight.shape[1] // model.n_heads
            weight[:, attn_head.index * size : (attn_head.index + 1) * size] = 0
    return final_states(module, model, tokens)


def one_less_cosine(one, two):
    return 1 - one @ two / (np.linalg.norm(one) * np.linalg.norm(two))


def plain_change(model, tokens, heads, family="Bert"):
    before = final_states(model.module, model, tokens)
    after = without_columns(model, tokens, heads, family)
    by_unit = [
        one_less_cosine(
            before[tokens.unit_of == unit].mean(axis=0), after[tokens.unit_of == unit].mean(axis=0)
        )
        for unit in np.unique(tokens.unit_of)
    ]
    return by_unit, one_less_cosine(before.mean(axis=0), after.mean(axis=0))


@pytest.mark.parametrize("pieces", [8, 2048])
def test_every_head_changes_what_its_columns_change(tiny_model, monkeypatch, pieces):
    monkeypatch.setattr(without, "PIECES", pieces)
    tokens = tiny_model.encoder.text("The keeper fed the octopuses, did it?")
    found = importance.without_each(tiny_model, tokens)
    assert found.heads == tuple((h,) for h in all_heads(2, 3))
    assert found.units == tokens.units
    for number, heads in enumerate(found.heads):
        by_unit, text = plain_change(tiny_model, tokens, heads)
        np.testing.assert_allclose(found.by_unit[number], by_unit, atol=1e-5)
        assert found.text[number] == pytest.approx(text, abs=1e-5)
    assert found.text.min() > 1e-4


def test_heads_taken_away_together(tiny_model):
    tokens = tiny_model.encoder.words(["the", "\u200b", "octopus", "fed"])
    heads = [AttentionHead(0, 2), AttentionHead(1, 0), AttentionHead(0, 1)]
    found = importance.without_heads(tiny_model, tokens, heads)
    by_unit, text = plain_change(tiny_model, tokens, heads)
    assert found.units == ("the", "octopus", "fed", "[CLS]", "[SEP]")  # a silent word has no vector
    np.testing.assert_allclose(found.by_unit[0], by_unit, atol=1e-5)
    assert found.text.item() == pytest.approx(text, abs=1e-5)


def test_a_head_that_moves_nothing_changes_nothing():
    model = model_of()
    silent = AttentionHead(1, 2)
    attention = model.module.encoder.layer[1].attention.self
    with torch.no_grad():
        attention.value.weight[16:24] = 0
        attention.value.bias[16:24] = 0
    found = importance.without_each(model, model.encoder.text(TEXTS[0]))
    changes = dict(zip(found.heads, found.text, strict=True))
    assert changes.pop((silent,)) == pytest.approx(0, abs=1e-9)
    assert min(changes.values()) > 1e-5


@pytest.mark.parametrize("family", ["Roberta", "DistilBert", "GPT2", "ModernBert"])
def test_heads_of_other_families_change_what_their_columns_change(family):
    model = model_of(family)
    tokens = model.encoder.text(TEXTS[0])
    found = importance.without_each(model, tokens)
    assert (found.by_unit.max(axis=1) > 1e-4).all()
    for number, heads in enumerate(found.heads):
        by_unit, text = plain_change(model, tokens, heads, family)
        np.testing.assert_allclose(found.by_unit[number], by_unit, atol=1e-5)
        assert found.text[number] == pytest.approx(text, abs=1e-5)


@pytest.mark.parametrize("family", CANNOT)
def test_families_that_cannot_be_changed_are_refused(family):
    model = model_of(family)
    with pytest.raises(ModelError, match="does not let its attention be changed"):
        importance.without_each(model, model.encoder.text(TEXTS[0]))


def test_heads_that_are_not_there_are_refused(tiny_model):
    tokens = tiny_model.encoder.text(TEXTS[0])
    with pytest.raises(ValueError, match="wanted heads from 1-1 to 2-3, got 3-1"):
        importance.without_heads(tiny_model, tokens, [AttentionHead(2, 0)])
    with pytest.raises(ValueError, match="wanted one head at least to take away, got none"):
        importance.without_heads(tiny_model, tokens, [])


# table, figure, reading


@pytest.fixture
def table(tiny_model):
    found = importance.without_each(tiny_model, tiny_model.encoder.text("It fed the octopus."))
    made = tables.manifest_of_text(tiny_model, "It fed the octopus.")
    return tables.without(found, made)


def test_the_table_has_a_row_a_head_and_unit(table, tiny_model):
    found = importance.without_each(tiny_model, tiny_model.encoder.text("It fed the octopus."))
    assert len(table) == 6 * (1 + len(found.units))
    rows = table[table["head"] == "2-3"]
    assert rows["unit"].tolist() == ["the whole text", *found.units]
    assert rows["place"].tolist() == list(range(len(found.units) + 1))
    np.testing.assert_allclose(rows["change"], [found.text[5], *found.by_unit[5]])
    assert set(rows["layer"]) == {2}
    assert table.attrs["signature"].startswith("tiny|a text|1 text|bertattn ")
    both = importance.without_heads(
        tiny_model, tiny_model.encoder.text("It fed"), all_heads(2, 3)[:2]
    )
    assert set(tables.without(both, table.attrs["manifest"])["head"]) == {"1-1, 1-2"}


def test_a_text_is_in_the_manifest_by_its_hash(tiny_model):
    one, two = (tables.manifest_of_text(tiny_model, t, way="zero") for t in ("a", "b"))
    assert one["corpus_sha256"] != two["corpus_sha256"]
    assert (one["corpus"], one["options"], one["model"]) == ("a text", {"way": "zero"}, "tiny")


def test_the_figure_marks_the_head_and_says_what_it_shows(table):
    picture = plots.show(plots.without(table, AttentionHead(1, 0)))
    left, right = picture.figure.axes
    others, chosen = left.collections
    assert (len(others.get_offsets()), len(chosen.get_offsets())) == (5, 1)
    of_text = table[table["place"] == 0].set_index("head")["change"]
    assert chosen.get_offsets()[0].tolist() == [2, of_text["2-1"]]
    widths = [bar.get_width() for bar in right.patches]
    wanted = table[(table["head"] == "2-1") & (table["place"] > 0)]["change"]
    np.testing.assert_allclose(widths, wanted)
    assert f"The text's vector: {of_text['2-1']:.2g}, median" in picture.alt
    assert picture.png.startswith(b"\x89PNG")
    with pytest.raises(ValueError, match="wanted a head from 1-1 to 2-3, got 9-9"):
        plots.without(table, AttentionHead(8, 8))


def test_the_reading_ranks_the_head(table):
    of_text = table[table["place"] == 0].set_index("head")["change"]
    best = of_text.idxmax()
    said = readings.without(table, AttentionHead.parse(best))
    assert f"Without head {best} the text's vector moves by {of_text[best]:.2g}" in said
    assert "rank 1 of 6 heads, rank 1 of 3 in its layer" in said
    of_second = of_text[["2-1", "2-2", "2-3"]].sort_values(ascending=False)
    for rank, name in enumerate(of_second.index, start=1):
        said = readings.without(table, AttentionHead.parse(name))
        assert f"heads, rank {rank} of 3 in its layer" in said
    said = readings.without(table, AttentionHead.parse(best))
    assert f"median head's removal moves it by {of_text.median():.2g}" in said
    worst = AttentionHead.parse(of_text.idxmin())
    assert "rank 6 of 6 heads" in readings.without(table, worst)
