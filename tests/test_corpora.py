import pytest

from bertattn.corpora import CorpusError, load


def articles(path, text, layout=None):
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return list(load(path, layout))


@pytest.fixture
def path(tmp_path):
    return tmp_path / "text.txt"


def test_titled_text(path):
    one, two = articles(path, "# One\nA b.\nC d.\n\nE f.\n\n# Two\nG h.")
    assert (one.title, one.paragraphs, one.line) == ("One", (("A b.", "C d."), ("E f.",)), 1)
    assert list(two.sentences) == ["G h."]
    assert two.path.endswith("text.txt")
    assert two.line == 7


def test_one_sentence_a_line_with_a_blank_line_between_articles(path):
    one, two = articles(path, "\nA b.\nC d.\n\n\nE f.", "sentences")
    assert list(one.sentences) == ["A b.", "C d."]
    assert (one.line, two.line) == (2, 6)


def test_one_paragraph_a_line_is_cut_into_sentences(path):
    (one,) = articles(path, "Dr. Ng came. She saw it!\nIt ran.", "paragraphs")
    assert one.paragraphs == (("Dr. Ng came.", "She saw it!"), ("It ran.",))


def test_the_layout_is_told_by_the_first_line_of_text(path):
    assert articles(path, "\n# One\nA b.")[0].title == "One"
    assert articles(path, "A b.\n# no title")[0].title == ""


@pytest.mark.parametrize("text", ["A b.\r\nC d.\r\n", "\ufeffA b.\nC d.", " A  b.\t\nC d. "])
def test_line_ends_marks_and_blanks_do_not_matter(path, text):
    assert list(articles(path, text)[0].sentences) == ["A b.", "C d."]


def test_a_line_separator_inside_a_line_does_not_end_it(path):
    assert list(articles(path, "A b\u2028c d.")[0].sentences) == ["A b c d."]


@pytest.mark.parametrize("text", ["", "\n \n\n", "\u2028"])
def test_a_file_without_text_is_refused(path, text):
    with pytest.raises(CorpusError, match=r"text\.txt:1: the file holds no text; give a file"):
        articles(path, text)


def test_a_line_that_is_not_utf8_is_named(path):
    with pytest.raises(CorpusError, match=r"text\.txt:2: byte 0xe9 is not UTF-8; save the file"):
        articles(path, b"A b.\ncaf\xe9.\n")


def test_text_before_the_first_title_is_refused(path):
    with pytest.raises(CorpusError, match=r"text\.txt:1: text before the first title"):
        articles(path, "A b.\n# One\nC d.", "titled")


@pytest.mark.parametrize("text", ["# One\n\n# Two\nA.", "# Two\nA.\n\n# One\n"])
def test_a_title_without_text_is_refused(path, text):
    with pytest.raises(CorpusError, match="the title 'One' has no text below it"):
        articles(path, text)


def test_a_folder_is_read_in_the_order_of_names(tmp_path):
    (tmp_path / "b.txt").write_text("B.")
    (tmp_path / "a.txt").write_text("# A\nA.")
    assert [next(a.sentences) for a in load(tmp_path)] == ["A.", "B."]
    assert load(tmp_path).sha256 != load(tmp_path / "a.txt").sha256


def test_what_is_not_there_is_said(tmp_path):
    with pytest.raises(
        CorpusError,
        match=r"nothing\.txt: no such corpus; wanted a file, a folder or one of sample, gum",
    ):
        load(tmp_path / "nothing.txt")
    with pytest.raises(CorpusError, match=r"the folder holds no file that ends in \.conll"):
        load(tmp_path)


def test_the_sample_is_found_by_name():
    assert load("sample").name == "sample"
    assert len(list(load("sample"))) >= 30


def test_an_unknown_layout_is_refused(tmp_path):
    with pytest.raises(ValueError, match="wanted a layout of titled, sentences, paragraphs, got"):
        load(tmp_path, "Titled")
