"""The sample is what data/README.md says, and reads as it should."""

import re
from collections import Counter

import pytest

from bertattn.corpora import data_folder, load, treebank
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
    endings = (".txt", ".csv", ".conll", ".conllu")
    kept = [p for p in (ROOT / "data").rglob("*") if p.suffix in endings]
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


def test_the_two_languages_say_the_same_sentence_by_sentence():
    english, german = (list(treebank(f"sample-{name}")) for name in ("english", "german"))
    assert len(english) == len(german) == 24
    assert " ".join(english[9].words) == "The tall man opened a small wooden door ."
    assert " ".join(german[9].words) == "Der große Mann öffnete eine kleine hölzerne Tür ."
    assert english[9].governors == german[9].governors == (2, 2, 3, None, 7, 7, 7, 3, 3)
    for one, other in zip(english, german, strict=True):
        assert one.document == other.document == ""  # each sentence a document of its own
        for relation in ("nsubj", "nsubj:pass", "obj", "iobj", "ccomp", "conj", "advcl"):
            assert one.relations.count(relation) == other.relations.count(relation), one.words


def test_a_range_of_words_is_read_as_its_words():
    boat = list(treebank("sample-german"))[1]
    assert boat.words == ("Ein", "rotes", "Boot", "liegt", "in", "dem", "Hafen", ".")
    assert boat.relations[4:7] == ("case", "det", "obl")
    assert "5-6\tim\t" in (data_folder() / "sample" / "ud" / "german.conllu").read_text("utf-8")


@pytest.mark.parametrize("name", ["sample-english", "sample-german"])
def test_trees_in_universal_dependencies_keep_to_its_guidelines(name):
    for sentence in treebank(name):
        assert sentence.words[-1] == "."
        assert sentence.relations.count("root") == 1
        for word, (governor, relation, tag) in enumerate(
            zip(sentence.governors, sentence.relations, sentence.tags, strict=True)
        ):
            assert (relation == "punct") == (tag == "PUNCT"), sentence.words[word]
            assert (relation in ("aux", "aux:pass", "cop")) == (tag == "AUX"), sentence.words[word]
            assert (relation == "case") <= (tag in ("ADP", "PART")), sentence.words[word]
            if relation in ("case", "mark", "det", "aux", "cop", "punct", "cc", "det:poss"):
                assert word not in sentence.governors, sentence.words[word]  # function words
            if relation in ("nsubj", "obj", "iobj", "aux", "ccomp"):
                assert sentence.tags[governor] in ("VERB", "ADJ"), sentence.words[word]
