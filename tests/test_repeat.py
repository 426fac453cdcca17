"""Runs compared and repeated from the command line."""

import json
import shutil

import pandas as pd
import pytest

from bertattn import corpora, export, tables
from bertattn.cli import repeat
from bertattn.cli.options import HEADS
from bertattn.tables.manifest import libraries
from tests import tiny
from tests.test_cli import error, model_folder, run, text, trees
from tests.test_universal import UD

__all__ = ["error", "model_folder", "run", "text", "trees"]


@pytest.fixture
def measured(run, text, model_folder, tmp_path):
    """A folder of results, and the command that made it."""
    out = tmp_path / "before"
    arguments = ["measure", "--model", model_folder, "--corpus", text]
    run(*arguments, "--out", out)
    return out, " ".join(["bertattn", *map(str, arguments)])


def changed(path, **said):
    path.write_text(json.dumps({**json.loads(path.read_text()), **said}))


# repeat -----------------------------------------------------------------------------------------


def test_a_manifest_alone_makes_the_table_again(measured, run, tmp_path):
    out, _ = measured
    before = export.read(out)
    alone = tmp_path / "kept.json"
    shutil.copy(out / "surface.json", alone)
    shutil.rmtree(out)
    run("repeat", alone, "--out", tmp_path / "after")
    after = export.read(tmp_path / "after")
    assert set(after) == set(before)
    for name, table in before.items():
        pd.testing.assert_frame_equal(after[name], table)
        assert after[name].attrs == table.attrs
    again = tmp_path / "after" / "surface.json"
    assert json.loads(again.read_text())["manifest"] == json.loads(alone.read_text())["manifest"]


def test_scores_are_made_again_with_their_options(run, trees, model_folder, tmp_path):
    options = ["--sentences", 40, "--min-count", 30, "--swaps", 0, "--no-control"]
    given = ["score", "--model", model_folder, "--corpus", trees, *options]
    run(*given, "--out", tmp_path / "before")
    run("repeat", tmp_path / "before" / "table_1.json", f"--out={tmp_path / 'after'}")
    before, after = (export.read(tmp_path / name) for name in ("before", "after"))
    for name, table in before.items():
        pd.testing.assert_frame_equal(after[name], table)
    assert before["table_1"].attrs["manifest"]["inputs"]["n"] == 40


def test_the_command_is_printed(measured, run):
    out, command = measured
    said = run("repeat", out / "head_pairs.json")
    assert said.out == f"{command}\n"
    assert said.err == ""


def test_where_results_went_is_no_part_of_the_command():
    given = "bertattn score --out a --force --out=b --corpus 'my trees' --dry-run --swaps 0"
    assert repeat._arguments(given) == ["score", "--corpus", "my trees", "--swaps", "0"]


def test_another_corpus_is_refused(measured, error, run, text):
    out, command = measured
    path = out / "surface.json"
    text.write_text(text.read_text() + "\nIt rained.\n")
    said = error("repeat", path)
    assert said == f"{path}: the corpus 'mine' is not what it was; --anyway goes on in spite of it"
    went_on = run("repeat", path, "--anyway")
    assert went_on.out == f"{command}\n"
    assert went_on.err == "bertattn: the corpus 'mine' is not what it was\n"


def test_other_weights_are_refused(run, error, text, model_folder, tmp_path):
    folder = shutil.copytree(model_folder, tmp_path / "model")
    out = tmp_path / "before"
    run("measure", "--model", folder, "--corpus", text, "--out", out)
    other, _ = tiny.module("Bert", max_position_embeddings=512, initializer_range=0.4)
    other.save_pretrained(folder)
    said = error("repeat", out / "surface.json", "--out", tmp_path / "after")
    assert ": the weights of 'model' are not what they were; --anyway" in said
    assert not (tmp_path / "after").exists()


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ("tokenizer_sha256", "the tokenizer of "),
        ("weights_sha256", "the weights of "),
        ("corpus_sha256", "the corpus 'mine' is not what it was"),
    ],
)
def test_every_hash_of_the_manifest_is_compared(measured, error, key, said):
    path = measured[0] / "surface.json"
    made = json.loads(path.read_text())["manifest"]
    changed(path, manifest={**made, key: "0" * 64})
    assert said in error("repeat", path)


def test_other_code_is_refused(measured, error, monkeypatch):
    path = measured[0] / "surface.json"
    monkeypatch.setattr(export, "code_sha256", lambda: "0")
    assert ": the code is not what it was (bertattn 0.1.0 then); --anyway" in error("repeat", path)


def test_other_libraries_are_said(measured, run):
    path = measured[0] / "surface.json"
    made = json.loads(path.read_text())["manifest"]
    changed(path, manifest={**made, "libraries": {**made["libraries"], "torch": "1.0"}})
    now = libraries()["torch"]
    said = run("repeat", path).err
    assert said == f"bertattn: torch 1.0 then, {now} now: last digits may differ\n"


def test_what_cannot_be_repeated_is_told(error, measured, tmp_path):
    table = export.read(measured[0])["surface"]
    export.tables(table, tmp_path, "mine", with_latex=False)
    path = tmp_path / "mine.json"
    said = error("repeat", path)
    assert said.startswith(f"{path}: the table was made in Python, not by a command; bertattn.")
    path.write_text("{")
    assert error("repeat", path) == f"{path}: no JSON; wanted the file beside a table's CSV"
    path.write_text("[]")
    assert error("repeat", path).startswith(f"{path}: no manifest in it; wanted the file beside")


def test_a_hash_of_the_code_is_of_all_sources(monkeypatch, tmp_path):
    import bertattn

    (tmp_path / "part").mkdir()
    sources = [tmp_path / "__init__.py", tmp_path / "part" / "a.py"]
    for path in sources:
        path.write_text("1\n")
    monkeypatch.setattr(bertattn, "__file__", str(sources[0]))
    hashes = [export.code_sha256()]
    sources[1].write_text("2\n")
    hashes.append(export.code_sha256())
    sources[1].rename(tmp_path / "part" / "b.py")
    assert len({*hashes, export.code_sha256()}) == 3


# compare ----------------------------------------------------------------------------------------


def test_a_run_and_itself(measured, run, tmp_path):
    out, _ = measured
    said = run("compare", out, out, "--heads", "each", "--out", tmp_path / "compared")
    first, *found, last = said.out.splitlines()
    assert "against" in first
    assert last.startswith("9 files in ")
    assert found[0] == "The two runs were made alike: their manifests are the same."
    compared, before = export.read(tmp_path / "compared"), export.read(out)
    for said, (name, kept) in zip(found[1:], compared.items(), strict=True):
        assert set(kept["head"]) == {f"{layer}-{head}" for layer in (1, 2) for head in (1, 2, 3)}
        tested = kept["p"].notna()
        assert tested.sum() >= {"surface": 60, "head_pairs": 12}[name]
        assert (kept.loc[tested, "difference"] == 0).all()
        assert f": 0 of {tested.sum()} rows differ (Holm's p up to 0.05)." in said
        assert kept.attrs["manifest"]["first"] == before[name].attrs["manifest"]


def test_two_models(measured, run, text, tmp_path):
    module, tokenizer = tiny.module("Bert", max_position_embeddings=512, initializer_range=0.01)
    tokenizer.model_max_length = 512
    for part in (module, tokenizer):
        part.save_pretrained(tmp_path / "flat")
    other = tmp_path / "other"
    run("measure", "--model", tmp_path / "flat", "--corpus", text, "--out", other)
    said = run("compare", measured[0], other, "--heads", "each")
    assert "Other in the second run: model " in said.out
    assert "Other by their hashes: weights." in said.out
    assert "document by document" in said.out
    table = tables.compare(
        *(export.read(f)["surface.units"] for f in (measured[0], other)), heads="each"
    )
    entropy = table[table["measure"] == "entropy"]
    assert (entropy["difference"] > 0).all()  # small weights attend evenly


def test_folders_that_share_no_table_are_refused(
    measured, run, error, trees, model_folder, tmp_path
):
    options = ["--min-count", 30, "--swaps", 0, "--no-control", "--out", tmp_path / "scores"]
    run("score", "--model", model_folder, "--corpus", trees, *options)
    said = error("compare", measured[0], tmp_path / "scores")
    assert said.startswith("nothing to compare: ")
    assert "has sums by document of head_pairs, surface, " in said
    for path in measured[0].glob("*.units.parquet"):
        path.unlink()
    said = error("compare", measured[0], measured[0])
    assert "no table here has sums by document (NAME.units.parquet), which measure, score" in said


def test_choices_of_heads_are_the_packages():
    assert HEADS == ("best", "each")


# labels -----------------------------------------------------------------------------------------


def test_a_universal_treebank_is_scored_by_the_papers_labels(run, model_folder, tmp_path):
    path = tmp_path / "mine.conllu"
    documents = (UD.replace("zoo", f"zoo{n}").replace("z-1", f"z-{n}") for n in range(6))
    path.write_text("\n".join(documents))
    options = ["--min-count", 5, "--swaps", 0, "--no-control", "--out", tmp_path / "out"]
    given = ["score", "--model", model_folder, "--corpus", path, "--labels", "stanford", *options]
    said = run(*given).out
    assert "|CONVERTED to stanford (LAS " in said
    assert "The trees were converted from Universal Dependencies by rules." in said
    table = export.read(tmp_path / "out")["table_1"]
    assert set(table["relation"]) == {"All", "nsubj", "aux", "neg", "dobj"}
    assert set(table["trees"]) == {"converted"}
    assert corpora.treebank(path).relations != corpora.treebank(path, labels="stanford").relations
    run("repeat", tmp_path / "out" / "table_1.json")
