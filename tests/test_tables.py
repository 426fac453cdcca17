import json

import numpy as np
import pandas as pd
import pytest

from bertattn import corpora, export, readings, tables
from bertattn.measure import measure
from bertattn.segments import Segments
from bertattn.surface import MEASURES, SurfaceSums
from tests.test_surface import summed

MADE = {
    "model": "tiny",
    "corpus": "mine",
    "inputs": {"kind": "segments", "n": None, "pieces": 16, "seed": 0},
    "options": {"from": "mean"},
    "bertattn": "0.1.0",
    "specials": {"start": "<s>", "separator": "</s>"},
}


@pytest.fixture(scope="module")
def sums():
    """Head 1-1 attends to the previous token, 1-2 to the start, 2-1 to the end, 2-2 to all."""
    kinds = [2, 0, 1, 0, 3]
    previous = np.eye(5, k=-1)
    previous[0, 0] = 1
    start, separator = np.zeros((5, 5)), np.zeros((5, 5))
    start[:, 0] = separator[:, 4] = 1
    heads = np.stack([[previous, start], [separator, np.full((5, 5), 0.2)]])
    return summed([kinds, kinds, kinds], [heads] * 3)


@pytest.fixture(scope="module")
def table(sums):
    return tables.surface(sums.result(), MADE)


def value(table, measure, head):
    rows = table[(table["measure"] == measure) & (table["head"] == head)]
    return rows["value"].item()


def test_a_row_for_each_head_and_measure_by_printed_name(table):
    assert len(table) == 4 * len(MEASURES)
    assert set(table["head"]) == {"1-1", "1-2", "2-1", "2-2"}
    assert value(table, "to_previous", "1-1") == pytest.approx(4 / 5)
    assert value(table, "to_start", "1-2") == 1
    assert value(table, "from_others", "2-1") == 1
    assert value(table, "entropy", "2-2") == pytest.approx(np.log(5))
    assert set(table["n"]) == {3}


def test_the_signature_says_how_it_was_made(table):
    parts = table.attrs["signature"].split("|")
    assert parts[:6] == ["tiny", "mine", "3 segments", "pieces=16", "seed=0", "from=mean"]
    assert len(parts[-1]) == 6
    other = tables.signature({**MADE, "bertattn": "0.1.1"}, 3)
    assert other.split("|")[-1] != parts[-1]
    zero = tables.signature({**MADE, "token_types": "zero", "dtype": "bfloat16"}, 3)
    assert "|token_types=zero|dtype=bfloat16|" in zero


def test_the_manifest_holds_all_that_numbers_depend_on(tmp_path, tiny_model, articles):
    path = tmp_path / "mine.txt"
    path.write_text("\n".join(s for a in articles for s in a.sentences))
    corpus = corpora.load(path)
    segments = Segments(corpus, tiny_model.encoder, max_pieces=16)
    measure(segments, tiny_model, kept := SurfaceSums.empty(*tiny_model.shape))
    made = tables.manifest(tiny_model, corpus, segments, merging="mean")
    assert json.loads(json.dumps(made)) == made
    assert made["corpus_sha256"] == corpus.sha256
    assert made["weights_sha256"] == tiny_model.sha256
    assert made["left_out"] == dict(segments.left_out)
    assert made["options"] == {"merging": "mean"}
    assert {"torch", "transformers"} <= set(made["libraries"])
    path.write_text("the keeper fed it.")
    changed = tables.manifest(tiny_model, corpora.load(path), segments, merging="mean")
    n = int(kept.counts[:, 0].sum())
    assert tables.signature(changed, n) != tables.signature(made, n)


def test_layers_are_means_over_heads(table):
    layers = tables.by_layer(table)
    assert list(layers.index) == [1, 2]
    assert layers.loc[1, "to_start"] == pytest.approx((2 / 5 + 1) / 2)
    assert layers.attrs["signature"] == table.attrs["signature"]


def test_the_strongest_heads(table):
    assert tables.top(table, "to_previous", n=2)["head"].tolist() == ["1-1", "1-2"]
    assert tables.strong_heads(table, "to_previous") == ["1-1"]
    assert tables.strong_heads(table, "to_next") == []


def test_beside_the_paper(table):
    beside = tables.beside_paper(table).set_index("finding")
    assert len(beside) == len(pd.read_csv(corpora.data_folder() / "paper" / "surface.csv"))
    assert not beside["ours"].isna().any()
    previous = "heads over 0.5 on the previous token"
    assert beside.loc[previous, "paper"].startswith("4 heads")
    assert beside.loc[previous, "ours"] == "1 head: 1-1"
    separator = "layers over 0.5 on the separator"
    assert beside.loc[separator, "ours"] == "layer 2 (most 0.60, in layer 2)"


def test_a_model_without_special_tokens_is_not_compared_on_them():
    plain = tables.surface(summed([[0, 0]], [np.full((1, 1, 2, 2), 0.5)]).result(), MADE)
    beside = tables.beside_paper(plain).set_index("finding")["ours"]
    assert beside["layers over 0.5 on the separator"] == "does not apply"
    assert beside["entropy of the start token, last layer"] == "does not apply"
    assert "puts no special token around a text" in readings.sink(plain)


def test_readings_say_this_models_numbers(table):
    assert readings.sink(table) == (
        "In tiny, <s> takes the most attention of the special tokens: 10% to 70% by layer, "
        "over half of it in layer 1 (chance: 20.0%). </s> takes 0% to 60%."
    )
    assert "1 (1-1) put over 50% of attention on the previous token and none" in (
        readings.positions(table)
    )
    assert "Layer 2 looks most broadly: 0.81 nats" in readings.breadth(table)


def test_units_add_up_to_the_table(sums, table):
    units = tables.by_group(sums)
    assert units["group"].nunique() == 3
    added = units.groupby(["measure", "head"])[["sum", "count"]].sum()
    means = (added["sum"] / added["count"]).rename("mean").reset_index()
    both = table.merge(means, on=["measure", "head"])
    np.testing.assert_allclose(both["mean"], both["value"])


def test_export_writes_all_forms_and_they_agree(tmp_path, sums, table):
    top = tables.top(table, "to_previous")
    files = export.tables(top, tmp_path, "previous", tables.by_group(sums))
    assert sorted(f.suffix for f in files) == [".csv", ".json", ".parquet", ".parquet", ".tex"]
    csv, parquet = pd.read_csv(files[0]), pd.read_parquet(files[1])
    np.testing.assert_allclose(csv["value"], top["value"])
    np.testing.assert_allclose(parquet["value"], top["value"])
    made = json.loads((tmp_path / "previous.json").read_text())
    assert made["signature"] == table.attrs["signature"]
    assert made["manifest"]["model"] == "tiny"


def test_latex_has_rules_interval_and_signature(table):
    text = export.latex(tables.top(table, "to_previous", n=1))
    assert text.startswith("% tiny|mine|3 segments|")
    for part in (r"\toprule", r"\midrule", r"\bottomrule", "1-1 & 0.800 [0.800, 0.800] & ", " 3 "):
        assert part in text


def test_latex_escapes_what_latex_reads(table):
    text = export.latex(tables.beside_paper(table))
    assert "finding & paper & ours" in text
    assert "_" not in text.partition("\n")[2].replace(r"\_", "")


def test_what_was_left_out_is_said():
    assert tables.left_out({}) == "nothing left out"
    said = tables.left_out({"pieces_kept": 10, "single_sentences": 2, "segments_missing": 5})
    assert said == "2 inputs of a single sentence; 5 segments missing"
