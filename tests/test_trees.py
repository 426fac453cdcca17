"""Trees, and CoNLL-X in and out."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bertattn.corpora import CorpusError, conllx
from bertattn.corpora.trees import ParsedSentence, fault

GOOD = "1\tDogs\tdog\tNNS\tNNS\t_\t2\tnsubj\t_\t_\n2\tbark\t_\tVB\tVBP\t_\t0\troot\t_\t_\n"


def sentences_of(tmp_path, content, skipped=None):
    path = tmp_path / "trees.conll"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return list(conllx.read(path, skipped))


def message(tmp_path, content):
    with pytest.raises(CorpusError) as caught:
        sentences_of(tmp_path, content)
    return str(caught.value).removeprefix(str(tmp_path / "trees.conll"))


def test_lengths_must_agree():
    with pytest.raises(ValueError, match=r"got \[2, 2, 2, 1\] in 's'"):
        ParsedSentence("s", ("a", "b"), ("X", "X"), (None, 0), ("root",))


@pytest.mark.parametrize(
    ("governors", "said"),
    [
        ((None,), None),
        ((1, None, 1), None),
        ((2, 0, None), None),
        ((0,), "0 roots, wanted one"),
        ((None, None), "2 roots, wanted one"),
        ((None, 2), "the governor of word 2 is 3, of 2 words"),
        ((None, 1), "words 2 govern one another in a cycle"),
        ((None, 3, 1, 2), "words 2, 3 and 4 govern one another in a cycle"),
        ((None, 2, 1, 2), "words 2 and 3 govern one another in a cycle"),
    ],
)
def test_what_is_no_tree(governors, said):
    assert fault(governors) == said


@st.composite
def trees(draw):
    n_words = draw(st.integers(1, 8))
    above = [None, *(draw(st.integers(0, i - 1)) for i in range(1, n_words))]
    order = draw(st.permutations(range(n_words)))
    governors = [None] * n_words
    for child, governor in enumerate(above):
        governors[order[child]] = None if governor is None else order[governor]
    word = st.text(st.characters(exclude_categories=("C", "Z")), min_size=1, max_size=5)
    words, tags, relations = (tuple(draw(word) for _ in governors) for _ in range(3))
    return words, tags, tuple(governors), relations


@given(st.lists(trees(), min_size=1, max_size=3), st.lists(st.just("a header"), max_size=2))
def test_what_is_written_is_read_again(tmp_path_factory, parts, header):
    written = [ParsedSentence(f"d-{n}", *part, "d") for n, part in enumerate(parts)]
    path = tmp_path_factory.mktemp("trees") / "t.conll"
    path.write_text(conllx.written(written, header), encoding="utf-8")
    read = list(conllx.read(path))
    assert [fault(tree.governors) for tree in read] == [None] * len(written)
    for before, after in zip(written, read, strict=True):
        assert (before.words, before.tags) == (after.words, after.tags)
        assert (before.governors, before.relations) == (after.governors, after.relations)
        assert (before.id, before.document) == (after.id, after.document)


def test_names_and_places_are_known(tmp_path):
    text = f"# made by hand\n\n# newdoc id = zoo\n# sent_id = zoo-a\n{GOOD}\n# s_type=decl\n{GOOD}"
    first, second = sentences_of(tmp_path, text)
    assert (first.id, first.document, first.line) == ("zoo-a", "zoo", 5)
    assert (second.id, second.document, second.line) == ("zoo-2", "zoo", 9)
    assert first.tags == ("NNS", "VBP")
    assert sentences_of(tmp_path, GOOD)[0].document == "trees"


@pytest.mark.parametrize(
    "content",
    [
        GOOD.rstrip("\n"),
        GOOD.replace("\n", "\r\n"),
        b"\xef\xbb\xbf" + GOOD.encode(),
        f"\n\n{GOOD}\n\n \n\n",
    ],
    ids=["no last line feed", "CRLF", "BOM", "many blank lines"],
)
def test_other_ways_to_end_a_line(tmp_path, content):
    assert [s.words for s in sentences_of(tmp_path, content)] == [("Dogs", "bark")]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (GOOD.replace("\t", " "), ":1: 1 columns, wanted 10; are there blanks for tabs?"),
        (GOOD.replace("\t_\t_\n", "\n"), ":1: 8 columns, wanted 10"),
        (GOOD + "4" + GOOD[1:], ":3: word number '4', wanted 3; is a blank line missing?"),
        (GOOD.replace("1\tDogs", "1-2\tDogs"), ":1: word number '1-2', wanted 1"),
        (GOOD.replace("bark", ""), ":2: the word is empty"),
        (GOOD.replace("\t2\tnsubj", "\t3\tnsubj"), ":1: governor '3', wanted a number of 0 (root)"),
        (GOOD.replace("\t2\tnsubj", "\t-1\tnsubj"), ":1: governor '-1', wanted"),
        (GOOD.replace("\t2\tnsubj", "\t_\tnsubj"), ":1: governor '_', wanted"),
        (GOOD.replace("\t2\tnsubj", "\t0\troot"), ":1: sentence 'trees-1' is no tree: 2 roots"),
        (GOOD.replace("\t0\troot", "\t1\tdep"), ":1: sentence 'trees-1' is no tree: 0 roots"),
        ("# only a comment\n", ":1: the file holds no sentence"),
        ("", ":1: the file holds no sentence"),
        (GOOD.encode("utf-16"), ":1: byte 0xff is not UTF-8"),
    ],
)
def test_bad_input_is_told_by_line(tmp_path, content, said):
    assert said in message(tmp_path, content)


def test_bad_sentences_can_be_left_out_and_are_kept_count_of(tmp_path):
    broken = GOOD.replace("\t0\troot", "\t1\tdep")
    skipped = []
    left = sentences_of(tmp_path, f"{GOOD}\n{broken}\n{GOOD}", skipped)
    assert [s.id for s in left] == ["trees-1", "trees-3"]
    assert [error.line for error in skipped] == [4]
