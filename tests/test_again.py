"""Runs made again in Python, from the manifest of a table alone."""

import json

import numpy as np
import pytest

from bertattn import again, corpora, export, measure, tables
from bertattn.coref import Windows
from bertattn.model import load
from bertattn.pairs import Pairs
from bertattn.segments import Segments, Sentences, Trees
from bertattn.surface import SurfaceSums
from tests.test_cli import model_folder, text, trees
from tests.test_universal import UD

__all__ = ["model_folder", "text", "trees"]


@pytest.fixture
def model(model_folder):
    return load(model_folder, device="cpu")


def made_of(model, corpus, inputs):
    """Sums over some inputs, and the manifest after a stay in a file."""
    sums = SurfaceSums.empty(*model.shape)
    measure.measure(inputs, model, sums)
    made = tables.manifest(model, corpus, inputs, start="[CLS]")
    return sums, json.loads(json.dumps(made))


WAYS = {
    "segments": lambda c, e: Segments(c, e, n=5, max_pieces=24, seed=3),
    "sentences": lambda c, e: Sentences(c, e, n=6, every=2),
    "pairs": lambda c, e: Pairs(c, e, n=4, seed=2),
}


@pytest.mark.parametrize("way", WAYS)
def test_text_is_cut_up_as_it_was(way, model, model_folder, text):
    corpus = corpora.load("sample" if way == "pairs" else text)
    before, made = made_of(model, corpus, WAYS[way](corpus, model.encoder))
    found = again.opened(made, model=model_folder, corpus=None if way == "pairs" else text)
    assert found.options == {"start": "[CLS]"}
    after, made_again = made_of(found.model, found.corpus, found.inputs)
    np.testing.assert_array_equal(after.sums, before.sums)
    assert made_again == made


def test_trees_are_read_as_they_were(model, tmp_path):
    path = tmp_path / "mine.conllu"
    path.write_text("\n".join(UD.replace("zoo", f"zoo{n}").replace("z-1", f"z-{n}") for n in "123"))
    for options in ({"labels": "stanford"}, {"subtypes": False}, {"format": "conllu"}):
        bank = corpora.treebank(path, **options)
        before, made = made_of(model, bank, Trees(bank, model.encoder, n=3))
        found = again.opened(made, model=model, corpus=path)
        assert {key: getattr(found.corpus, key) for key in options} == options
        after, made_again = made_of(model, found.corpus, found.inputs)
        np.testing.assert_array_equal(after.sums, before.sums)
        assert made_again == made


def test_windows_are_cut_as_they_were(model):
    documents = corpora.coreference("sample")
    windows = Windows(documents, model.encoder, "tiled", pieces=40, n=2)
    before, made = made_of(model, documents, windows)
    found = again.opened(made, model=model)
    after, made_again = made_of(model, found.corpus, found.inputs)
    np.testing.assert_array_equal(after.sums, before.sums)
    assert made_again == made


def test_a_layout_that_was_said_is_said_again(model, text):
    corpus = corpora.load(text, "paragraphs")
    _, made = made_of(model, corpus, Segments(corpus, model.encoder, n=2))
    assert made["read_as"] == {"layout": "paragraphs"}
    assert again.opened(made, model=model, corpus=text).corpus.layout == "paragraphs"
    told = corpora.load("sample")
    assert "read_as" not in tables.manifest(model, told, Segments(told, model.encoder, n=2))


def test_what_is_not_as_it_was_is_refused(model, text):
    corpus = corpora.load(text)
    _, made = made_of(model, corpus, Segments(corpus, model.encoder, n=2))
    text.write_text(text.read_text() + "\nIt rained.\n")
    with pytest.raises(ValueError, match="the corpus 'mine' is not what it was; anyway=True"):
        again.opened(made, model=model, corpus=text)
    for key in ("weights_sha256", "tokenizer_sha256"):
        with pytest.raises(ValueError, match=f"the {key.removesuffix('_sha256')}s? of .* not what"):
            again.opened({**made, key: "0"}, model=model, corpus=text)
    found = again.opened(made, model=model, corpus=text, anyway=True)
    assert found.corpus.sha256 != made["corpus_sha256"]


def test_what_is_no_run_over_a_corpus_is_refused(model, text):
    corpus = corpora.load(text)
    _, made = made_of(model, corpus, Segments(corpus, model.encoder, n=2))
    for other, said in (
        ({"kind": "comparison"}, "a comparison is of two runs"),
        ({**made, "parts": [made]}, "was made of several runs"),
        (tables.manifest_of_text(model, "It rained."), "got one of inputs 'text'"),
        ({}, "got one of inputs None"),
    ):
        with pytest.raises(ValueError, match=said):
            again.opened(other, model=model)


def test_other_versions_are_said():
    made = export.precomputed("surface")["surface"].attrs["manifest"]
    older = {**made, "bertattn": "0.0", "libraries": {**made["libraries"], "numpy": "1"}}
    said = list(again.versions(older))
    assert said[0].startswith("bertattn 0.0 then, ")
    assert any(line.startswith("numpy 1 then, ") for line in said)
