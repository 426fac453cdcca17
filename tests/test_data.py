"""The sample is what data/README.md says, and reads as it should."""

import re
from collections import Counter

import pytest

from bertattn.corpora import data_folder, load
from bertattn.segments import Segments
from data import checksums
from tests.conftest import ROOT


@pytest.fixture(scope="module")
def articles():
    return list(load("sample"))


@pytest.fixture(scope="module")
def sentences(articles):
    return [s for a in articles for s in a.sentences]


def test_the_data_folder_is_the_checkouts():
    assert data_folder() == ROOT / "data"


def test_every_file_is_listed_with_its_licence_size_and_sum():
    assert checksums.faults() == []
    listed = {row.path for row in checksums.listed()}
    kept = [p for p in (ROOT / "data").rglob("*") if p.suffix in (".txt", ".csv", ".conll")]
    assert listed == {p.relative_to(ROOT / "data").as_posix() for p in kept}
    assert all(row.licence.startswith(("CC0", "facts")) for row in checksums.listed())


def test_a_changed_file_is_found(tmp_path, monkeypatch):
    changed = (ROOT / "data" / "sample" / "people.txt").read_bytes().replace(b"Anning", b"Aning")
    (tmp_path / "sample").mkdir()
    (tmp_path / "sample" / "people.txt").write_bytes(changed)
    monkeypatch.setattr(checksums, "FOLDER", tmp_path)
    faults = checksums.faults()
    assert "sample/people.txt: size or sha256 is not what README.md says" in faults
    assert "sample/places.txt: missing" in faults


def test_the_sample_has_its_size(articles, sentences):
    assert len(articles) == 72
    assert sum(len(s.split()) for s in sentences) > 15_000
    assert articles[0].title == "The Violin"
    assert sentences[0].startswith("In the sixteenth century instrument makers")
    assert articles[-1].title == "The Rosetta Stone"


def test_articles_have_paragraphs(articles):
    for article in articles:
        assert 2 <= len(article.paragraphs) <= 5, article.title
        n_words = sum(len(s.split()) for s in article.sentences)
        assert 200 <= n_words <= 290, article.title


def test_a_line_is_a_sentence(sentences):
    for sentence in sentences:
        assert re.match(r"['\"]?[A-Z0-9]", sentence), sentence
        assert re.search(r"[.?!]['\"]?$", sentence), sentence
        assert 3 <= len(sentence.split()) <= 50, sentence
        assert not re.search(r"[—–“”‘’`*_<>|]|  ", sentence), sentence


def test_no_sentence_stands_twice(sentences):
    assert max(Counter(sentences).values()) == 1


def test_openings_vary(articles):
    openings = Counter(" ".join(next(a.sentences).split()[:3]) for a in articles)
    assert max(openings.values()) == 1
    of_all = Counter(" ".join(s.split()[:4]) for a in articles for s in a.sentences)
    assert max(of_all.values()) <= 2


def test_titles_are_told_apart(articles):
    assert len({a.title for a in articles}) == len(articles)


def test_there_are_segments_enough(articles, minilm):
    assert len(list(Segments(articles, minilm.encoder))) >= 150
