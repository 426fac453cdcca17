"""Brackets in text to mentions over words."""

import pytest

from bertattn.corpora import Article, CorpusError, markup
from bertattn.corpora.coreference import CorefDocument
from bertattn.corpora.trees import ParsedSentence


def words(*texts):
    return [flat(f"s-{n}", tuple(text.split())) for n, text in enumerate(texts)]


def flat(name, found):
    above = (None, *[0] * (len(found) - 1))
    return ParsedSentence(name, found, ("_",) * len(found), above, ("_",) * len(found))


def document(*texts, trees):
    lines = tuple(range(2, 2 + len(texts)))
    return markup.document(Article("Anning", (texts,), "a.txt", 1, lines), words(*trees))


def message(*texts, trees=None):
    with pytest.raises(CorpusError) as caught:
        document(*texts, trees=trees or [t.replace("[a ", "").replace("]", "") for t in texts])
    return str(caught.value)


def test_mentions_are_over_the_documents_words():
    found = document(
        "[a [b Ann's] brother] left.",
        "[a He] wrote to [b her].",
        trees=["Ann 's brother left .", "He wrote to her ."],
    )
    assert [(m.start, m.stop, m.entity) for m in found.mentions] == [
        (0, 3, "a"),
        (0, 2, "b"),
        (5, 6, "a"),
        (8, 9, "b"),
    ]
    assert found.mentions[0].head_word == 0  # the first word governs in these trees
    assert [found.words[m.start : m.stop] for m in found.mentions][1] == ("Ann", "'s")
    assert found.starts == (0, 5)
    assert found.sizes == {"a": 2, "b": 2}


def test_a_document_without_sentences_has_no_words():
    assert CorefDocument("d", (), ()).words == ()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[a He left.", "'[a' is never closed"),
        ("He] left.", "']' without '[' after 'He'"),
        ("[He] left.", "'[He' opens no mention"),
        ("[A He] left.", "'[A ' opens no mention"),
        ("[ He] left.", "'[ ' opens no mention"),
        ("[a] left.", "'[a' opens no mention"),
        ("[a ] left.", "the mention '' of 'a' is empty"),
        ("[a He ]left.", "has a blank at its edge"),
        ("[a the [a old] man] left.", "'old': 'a' is marked inside itself"),
        ("[b [a He]] left.", "'He' is marked twice"),
    ],
)
def test_a_wrong_mark_is_told_by_line(text, said):
    assert message(text, trees=["He left ."]).startswith("a.txt:2: ")
    assert said in message(text, trees=["He left ."])


def test_a_mention_must_end_with_a_word():
    said = message("[a He] knew [a Ann]'s.", trees=["He knew Ann's ."])
    assert said == "a.txt:2: the mention 'Ann' begins or ends inside a word"


def test_an_entity_with_one_mention_is_told_by_its_line():
    said = message("He left.", "[a He] wrote.", trees=["He left .", "He wrote ."])
    assert said == "a.txt:3: the entity 'a' has one mention only in 'Anning'; unmark it"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[a He] leaves.", "a.txt:2: the tree has the word 'left' where the text has 'leaves.'"),
        ("[a He] left. So.", "a.txt:2: the text goes on after the last word: ' So.'"),
    ],
)
def test_the_text_must_be_that_of_the_trees(text, said):
    assert said in message(text, trees=["He left ."])


def test_there_must_be_a_tree_for_each_sentence():
    said = message("He left.", trees=["He left .", "So ."])
    assert said == "a.txt:1: 'Anning' has 1 sentences here and 2 trees"
