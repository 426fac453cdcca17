"""Readers of trees, told apart by name and by content."""

import json

import pytest

from bertattn import corpora
from bertattn.corpora import CorpusError, conllu, download, released
from bertattn.corpora.treebank import Treebank, guess_format

UD = """\
# newdoc id = zoo
# sent_id = z-1
# text = He can't see "the zoo".
1\tHe\the\tPRON\tPRP\t_\t4\tnsubj\t4:nsubj\t_
2-3\tcan't\t_\t_\t_\t_\t_\t_\t_\t_
2\tca\tcan\tAUX\tMD\t_\t4\taux\t4:aux\t_
3\tn't\tnot\tPART\t_\t_\t4\tadvmod:neg\t4:advmod\t_
4\tsee\tsee\tVERB\tVB\t_\t0\troot\t0:root\t_
4.1\tseen\tsee\tVERB\tVB\t_\t_\t_\t0:root\t_
5\tNew York\t_\tPROPN\tNNP\t_\t4\tobj\t1:obj\tSpaceAfter=No
6\t.\t.\tPUNCT\t.\t_\t4\tpunct\t4:punct\t_
"""
LINES = "the 2-det\ndog 3-nsubj\nbarks 0-root\n\nstop 0-root\n"
X = "1\tDogs\t_\tN\tNNS\t_\t2\tnsubj\t_\t_\n2\tbark\t_\tV\tVBP\t_\t0\troot\t_\t_\n"


@pytest.fixture
def kept(tmp_path):
    def keep(name, content):
        path = tmp_path / name
        path.write_text(content, encoding="utf-8")
        return path

    return keep


def message(path, read=None, **options):
    with pytest.raises(CorpusError) as caught:
        list(read(path) if read else corpora.treebank(path, **options))
    return str(caught.value).removeprefix(str(path))


def test_conllu_has_words_only(kept):
    [found] = conllu.read(kept("a.conllu", UD))
    assert found.words == ("He", "ca", "n't", "see", "New York", ".")
    assert found.tags == ("PRP", "MD", "PART", "VB", "NNP", ".")
    assert found.governors == (3, 3, 3, None, 3, 3)  # HEAD, not what DEPS says of word 5
    assert found.relations == ("nsubj", "aux", "advmod:neg", "root", "obj", "punct")
    assert (found.id, found.document, found.line) == ("z-1", "zoo", 4)


def test_subtypes_can_be_cut_off(kept):
    path = kept("a.conllu", UD)
    [whole], [cut] = corpora.treebank(path), corpora.treebank(path, subtypes=False)
    assert (whole.relations[2], cut.relations[2]) == ("advmod:neg", "advmod")


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("\t4\tnsubj", "\t9\tnsubj", ":4: governor 9, wanted a number of 0 (root) to 6"),
        ("\t4\tnsubj", "\t-1\tnsubj", ":4: governor -1, wanted"),
        ("\t4\tnsubj", "\t_\tnsubj", ":4: governor _, wanted"),
        ("\t4\tnsubj", "\tx\tnsubj", ":4: "),
        ("\t4\tnsubj", "\t0\troot", ":4: sentence 'z-1' is no tree: 2 roots"),
        ("\t0\troot\t0", "\t1\tdep\t0", ":4: sentence 'z-1' is no tree: 0 roots"),
        ("6\t.", "7\t.", ":11: word number 7, wanted 6; is a blank line missing?"),
        ("1\tHe", "1\t ", ":4: the word is empty"),
        ("\t", "  ", ":4: 1 columns, wanted 10; are there blanks for tabs?"),
        ("\tSpaceAfter=No", "", ":10: 9 columns, wanted 10"),
        (UD, "# nothing\n", ":1: the file holds no sentence"),
    ],
)
def test_bad_conllu_is_told_by_line(kept, before, after, said):
    assert message(kept("a.conllu", UD.replace(before, after))).startswith(said)


def test_bad_trees_can_be_left_out_and_are_counted(kept):
    for ending, good, bad in (
        ("conllu", UD, UD.replace("\t0\troot\t0", "\t1\tdep\t0")),
        ("dep", "stop 0-root\n", "stop 0-root\nit 0-root\n"),
    ):
        found = corpora.treebank(kept(f"a.{ending}", f"{good}\n{bad}\n{good}"), skip=True)
        assert len(list(found)) == len(list(found)) == 2
        assert len(found.skipped) == 1
        assert "2 roots" in str(found.skipped[0]) or "0 roots" in str(found.skipped[0])


def test_the_released_lines(kept):
    first, second = released.read(kept("dev.txt", LINES))
    assert first.words == ("the", "dog", "barks")
    assert first.governors == (1, 2, None)
    assert first.relations == ("det", "nsubj", "root")
    assert (second.words, second.line, second.id) == (("stop",), 5, "dev-2")


def test_the_released_json(kept):
    examples = [{"words": ["it", "is"], "heads": [2, 0], "relns": ["nsubj", "root"]}]
    [found] = released.read_json(kept("dev.json", json.dumps(examples)))
    assert (found.words, found.governors) == (("it", "is"), (1, None))


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        (
            "a.dep",
            "the 2\n",
            ":1: wanted 'word governor-relation' such as 'the 3-det', got 'the 2'",
        ),
        ("a.dep", "stop 0-root\nit 3-dep\n", ":2: governor 3, wanted a number of 0 (root) to 2"),
        ("a.dep", "it 1-root\n", ":1: sentence 1 is no tree: 0 roots"),
        ("a.dep", "\n\n", ":1: the file holds no sentence"),
        ("a.json", "[{", ":1: no JSON"),
        ("a.json", "{}", ":1: wanted a list of sentences with words, heads and relns"),
        ("a.json", '[{"words": ["a"]}]', ":1: sentence 1: wanted the keys words, heads, relns"),
        (
            "a.json",
            '[{"words": ["a"], "heads": [], "relns": ["b"]}]',
            ":1: sentence 1 has 1 words, 0 heads, 1 relns; wanted as many of each",
        ),
        (
            "a.json",
            '[{"words": ["a"], "heads": ["0"], "relns": ["b"]}]',
            ":1: sentence 1: governor '0', wanted a number",
        ),
    ],
)
def test_bad_released_files_are_told(kept, name, content, said):
    assert message(kept(name, content)).startswith(said)


@pytest.mark.parametrize(
    ("name", "content", "format"),
    [
        ("a.conllu", UD, "conllu"),
        ("a.conll10", X, "conllx"),
        ("a.conll", "anything", "conllx"),
        ("a.unknown", X, "conllx"),
        ("a.unknown", f"# sent_id = 1\n{X}", "conllx"),
        ("a.txt", LINES, "released"),
        ("a.unknown", LINES, "released"),
        ("a.unknown", "\n [\n", "json"),
        ("a.txt", "Dogs bark.\n", "text"),
        ("a.txt", "# Dogs\nDogs bark.\n", "text"),
    ],
)
def test_formats_are_told_apart(kept, name, content, format):
    assert guess_format(kept(name, content)) == format


def test_conll_2012_holds_no_trees(kept):
    said = message(kept("a.conll", "#begin document (a); part 000\na 0 0 It PRP\n"))
    assert said == ":1: this is CoNLL-2012, which holds no dependency trees"


def test_a_file_in_another_format_than_its_name_says(kept):
    assert message(kept("a.conllu", LINES)) == ":1: 1 columns, wanted 10"
    assert message(kept("a.json", X)).startswith(":1: no JSON")
    assert next(iter(corpora.treebank(kept("b.json", X), "conllx"))).words == ("Dogs", "bark")


def test_an_unknown_format_is_refused(kept):
    with pytest.raises(ValueError, match=r"wanted a format of conllu, .*, got 'xml'"):
        corpora.treebank(kept("a.conllu", UD), "xml")


def test_text_is_parsed_live_and_silver(kept):
    path = kept("my.txt", "# Dogs\nDogs bark at it. It runs.\n")
    found = corpora.treebank(path)
    assert found.drawn == "silver"
    assert [s.id for s in found] == ["dogs-1a", "dogs-1b"]
    assert next(iter(found)).words == ("Dogs", "bark", "at", "it", ".")


def test_gold_is_no_silver(kept):
    assert corpora.treebank(kept("a.conllu", UD)).drawn == "given"
    assert corpora.treebank("sample").drawn == "silver"
    assert corpora.treebank("sample-checked").drawn == "checked"
    assert len(list(corpora.treebank("sample-checked"))) == 160


def test_a_folder_of_trees(kept, tmp_path):
    kept("a.conllu", UD)
    kept("b.conllu", UD)
    kept("notes.txt", "Not a tree.")
    found = corpora.treebank(tmp_path)
    assert [path.name for path in found.paths] == ["a.conllu", "b.conllu"]
    assert len(list(found)) == 2


def test_a_folder_of_several_formats_is_refused(kept, tmp_path):
    kept("a.conllu", UD)
    kept("b.conll", X)
    with pytest.raises(CorpusError, match=r"files of several formats, \.conll, \.conllu; name one"):
        corpora.treebank(tmp_path)


def test_one_file_without_documents_has_sentences_as_documents(kept, tmp_path):
    two = f"{X}\n{X}"
    assert {s.document for s in corpora.treebank(kept("a.conll", two))} == {""}
    kept("b.conll", two)
    assert [s.document for s in corpora.treebank(tmp_path)] == ["a", "a", "b", "b"]
    named = f"# newdoc id = zoo\n{X}"
    assert [s.document for s in corpora.treebank(kept("c.conll", named))] == ["zoo"]


def test_an_empty_folder_is_told(tmp_path):
    with pytest.raises(CorpusError, match=r"the folder holds no file that ends in \.conll, "):
        corpora.treebank(tmp_path)


def test_trees_are_text_too(kept):
    [article] = corpora.load(kept("a.conllu", UD))
    assert list(article.sentences) == ["He ca n't see New York ."]
    assert (article.title, article.lines) == ("zoo", (4,))


def test_a_hash_of_the_files(kept):
    one, two = kept("a.conllu", UD), kept("b.conllu", UD.replace("He", "It"))
    hashes = {Treebank("x", paths).sha256 for paths in [(one,), (two,), (one, two), (two, one)]}
    assert len(hashes) == 4


def test_a_corpus_that_was_not_fetched_is_told(monkeypatch, tmp_path):
    monkeypatch.setenv("BERTATTN_DATA", str(tmp_path))
    for opened in (corpora.load, corpora.treebank):
        with pytest.raises(CorpusError, match=r"'ud-pud' is not here; fetch it: .* ud-pud"):
            opened("ud-pud")


def test_the_table_of_corpora_is_whole():
    rows = download.sources()
    assert download.names() == ["gum-sd", "ontogum", "ud-pud", "ud-ewt-dev", "wikitext2-valid"]
    assert [sum(r.dataset == name for r in rows) for name in download.names()] == [82, 108, 1, 1, 1]
    assert all(r.url.startswith("https://") and len(r.sha256) == 64 for r in rows)
    assert all(r.bytes > 0 and r.licence for r in rows)
    assert len({(r.dataset, r.name) for r in rows}) == len(rows)
