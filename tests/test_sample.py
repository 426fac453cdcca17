"""The sample's trees and coreference: what is there, and what stops their build."""

import re
from collections import Counter

import pytest

from bertattn.corpora import CorpusError, conllx, load
from bertattn.corpora.coreference import CorefDocument, Mention
from bertattn.corpora.trees import ParsedSentence
from data import build, report
from data.agreement import arcs
from tests.conftest import ROOT

SAMPLE = ROOT / "data" / "sample"
TENTH = (
    "Their/poss/2 varnish/nsubjpass/9 and/cc/2 their/poss/5 wood/conj/2 have/aux/9 often/advmod/9 "
    "been/auxpass/9 examined/root/0 ,/punct/9 although/mark/19 in/prep/19 blind/amod/14 "
    "tests/pobj/12 many/amod/16 players/nsubj/19 could/aux/19 not/neg/19 tell/advcl/9 old/amod/21 "
    "violins/dobj/19 from/prep/19 new/pobj/22 ./punct/9"
)


@pytest.fixture(scope="module")
def trees():
    return build.treebank()


@pytest.fixture(scope="module")
def sentences():
    paths = sorted(SAMPLE.glob("trees/*.conll"))
    return [sentence for path in paths for sentence in conllx.read(path)]


@pytest.fixture(scope="module")
def checked(trees):
    return build.read(SAMPLE / "checked" / "trees.conll", trees)


@pytest.fixture(scope="module")
def marked(trees):
    return list(build.documents(sorted(SAMPLE.glob("coreference/*.txt")), trees))


def shown(sentence):
    return " ".join(
        f"{word}/{relation}/{0 if above is None else above + 1}"
        for word, relation, above in zip(
            sentence.words, sentence.relations, sentence.governors, strict=True
        )
    )


def test_the_trees_are_rebuilt_byte_for_byte(trees):
    for path, text in build.texts(trees).items():
        assert path.read_bytes() == text.encode(), f"{path.name}: run make sample"


def test_there_is_a_tree_for_every_sentence(sentences):
    lines = [(a.id, s) for a in load("sample") for s in a.sentences]
    assert len(sentences) == len(lines) == 1118
    assert sum(map(len, sentences)) == 22_023
    for sentence, (document, text) in zip(sentences, lines, strict=True):
        assert sentence.document == document
        assert "".join(sentence.words) == text.replace(" ", "")


def test_first_tenth_and_last_tree(sentences):
    first, tenth, last = sentences[0], sentences[9], sentences[-1]
    assert (first.id, tenth.id, last.id) == (
        "the-violin-1",
        "the-violin-10",
        "the-rosetta-stone-17",
    )
    assert shown(tenth) == TENTH
    assert first.words[:5] == ("In", "the", "sixteenth", "century", "instrument")


def test_the_commonest_relations(sentences):
    counts = Counter(r for s in sentences for r in s.relations)
    assert counts.most_common(5) == [
        ("punct", 2557),
        ("prep", 2154),
        ("pobj", 2092),
        ("nsubj", 2027),
        ("det", 1987),
    ]


def test_the_header_says_silver_and_by_what():
    for path in SAMPLE.glob("trees/*.conll"):
        header = path.read_text(encoding="utf-8").splitlines()[:5]
        assert header[0].startswith("# SILVER")
        assert re.fullmatch(r"# parser: spaCy [\d.]+ with en_core_web_sm [\d.]+", header[2])


def test_the_checked_part_is_the_draw_it_says(sentences, checked):
    import random

    drawn = sorted(random.Random(160).sample(range(len(sentences)), 160))
    assert [s.id for s in checked] == [sentences[n].id for n in drawn]
    again = sorted(random.Random(40).sample(range(160), 40))
    second = conllx.read(SAMPLE / "second" / "trees.conll")
    assert [s.id for s in second] == [checked[n].id for n in again]


def test_the_checked_part_was_corrected(sentences, checked):
    silver = {s.id: s for s in sentences}
    differ = [s for s in checked if arcs([s]) != arcs([silver[s.id]])]
    assert len(differ) == 107
    assert {r for s in checked for r in s.relations} <= known_relations()


def known_relations():
    text = (SAMPLE / "trees" / "GUIDELINES.md").read_text()
    return {"root", *re.findall(r"`([a-z]+)`", text)}


def test_coreference_has_its_size(marked):
    assert len(marked) == 72
    assert sum(len(d.mentions) for d in marked) == 2834
    assert sum(len(d.sizes) for d in marked) == 866
    assert all(min(d.sizes.values()) >= 2 for d in marked)


def said(document, mention):
    return " ".join(document.words[mention.start : mention.stop]), mention.entity


def test_first_tenth_and_last_mention(marked):
    mentions = [(d, m) for d in marked for m in d.mentions]
    assert [said(*mentions[n]) for n in (0, 9, -1)] == [
        ("instrument makers in northern Italy", "makers"),
        ("the strings ' vibrations", "vibrations"),
        ("it", "stone"),
    ]


def test_mentions_do_not_cross(marked):
    for document in marked:
        for one in document.mentions:
            for two in document.mentions:
                assert not one.start < two.start < one.stop < two.stop


def test_enough_mentions_have_an_antecedent_where_the_paper_looks(marked, minilm):
    cut = sum(report.with_antecedent(d, report.first_window(d, minilm.encoder)) for d in marked)
    tiled = sum(report.with_antecedent(d, report.tiles(d, minilm.encoder)) for d in marked)
    assert (cut, tiled) == (696, 1702)


def test_antecedents_are_counted_inside_a_window():
    mentions = tuple(Mention(n, n + 1, "he") for n in (0, 2, 4))
    document = CorefDocument("d", (), mentions)
    assert report.with_antecedent(document, [range(6)]) == 2
    assert report.with_antecedent(document, [range(3), range(3, 6)]) == 1


def test_windows_hold_whole_sentences(minilm):
    row = ("the",) * 50
    sentence = ParsedSentence("s", row, row, (None, *[0] * 49), row)
    document = CorefDocument("d", (sentence,) * 5, ())
    tiles = report.tiles(document, minilm.encoder)
    assert tiles == [range(100), range(100, 200), range(200, 250)]
    assert report.first_window(document, minilm.encoder) == [range(126)]


def test_the_tables_of_the_readme_are_as_they_are_counted():
    text = (ROOT / "data" / "README.md").read_text(encoding="utf-8")
    assert report.renewed(text) == text


@pytest.fixture
def folder(tmp_path):
    """A sample of one article, with one checked tree and its coreference marked."""
    (tmp_path / "zoo.txt").write_text("# Zoo\nAnn fed the dog.\nIt barked at her.\n")
    for name in ("checked", "coreference"):
        (tmp_path / name).mkdir()
    marked = "# Zoo\n[a Ann] fed [d the dog].\n[d It] barked at [a her].\n"
    (tmp_path / "coreference" / "zoo.txt").write_text(marked)
    [path] = build.built(tmp_path)
    text = build.built(tmp_path)[path]
    (tmp_path / "checked" / "zoo.conll").write_text(text)
    return tmp_path


def test_a_sample_in_order_is_built(folder):
    [(path, text)] = build.built(folder).items()
    assert path == folder / "trees" / "zoo.conll"
    assert text.count("# sent_id = zoo-") == 2


CHANGES = {
    "two sentences in a line": (
        "zoo.txt",
        "dog.\n",
        "dog. She left early.\n",
        "zoo.txt:2: spaCy begins a new sentence at 'She left early.'",
    ),
    "a word that is cut": (
        "zoo.txt",
        "the dog",
        "the 10km dog",
        "zoo.txt:2: spaCy cuts a word into '10' and 'km'",
    ),
    "no title": ("zoo.txt", "# Zoo\n", "", "zoo.txt:1: text before the first title"),
    "an open bracket": (
        "coreference/zoo.txt",
        "[a her]",
        "[a her",
        "zoo.txt:3: '[a' is never closed",
    ),
    "a bracket too many": (
        "coreference/zoo.txt",
        "[a her]",
        "[a her]]",
        "zoo.txt:3: ']' without '['",
    ),
    "an entity once": (
        "coreference/zoo.txt",
        "[a her]",
        "her",
        "zoo.txt:2: the entity 'a' has one mention only",
    ),
    "a mention inside a word": (
        "coreference/zoo.txt",
        "[a her]",
        "h[a er]",
        "zoo.txt:3: the mention 'er' begins or ends inside a word",
    ),
    "another text": (
        "coreference/zoo.txt",
        "barked",
        "barks",
        "zoo.txt:3: the tree has the word 'barked'",
    ),
    "an unknown article": (
        "coreference/zoo.txt",
        "# Zoo",
        "# Zebra",
        "zoo.txt:1: the sample has no article 'Zebra'",
    ),
    "another word in a checked tree": (
        "checked/zoo.conll",
        "\tdog\t",
        "\tdogs\t",
        "zoo.conll:12: zoo-1: the word 'dogs' is 'dog' in the parse",
    ),
    "a word missing from a checked tree": (
        "checked/zoo.conll",
        "5\t.\t",
        "# 5\t.\t",
        "zoo.conll:12: zoo-1: '.' follows in the parse",
    ),
    "an unknown checked tree": (
        "checked/zoo.conll",
        "zoo-2",
        "zoo-3",
        "zoo.conll:16: the sample has no sentence 'zoo-3'",
    ),
}


@pytest.mark.parametrize("change", CHANGES)
def test_the_build_stops_with_file_and_line(folder, change):
    name, before, after, said = CHANGES[change]
    path = folder / name
    text = path.read_text()
    assert before in text
    path.write_text(text.replace(before, after, 1))
    with pytest.raises(CorpusError) as caught:
        build.built(folder)
    assert said in str(caught.value)
    assert str(caught.value).startswith(str(path))


def test_the_command_writes_what_changed(folder, monkeypatch, capsys):
    monkeypatch.setattr(build, "built", lambda built=build.built: built(folder))
    monkeypatch.setattr("sys.argv", ["build", "--check"])
    with pytest.raises(SystemExit, match="1"):
        build.main()
    assert not (folder / "trees").exists()
    monkeypatch.setattr("sys.argv", ["build"])
    with pytest.raises(SystemExit, match="0"):
        build.main()
    assert "1 files were renewed of 1 zoo.conll" in capsys.readouterr().out
    monkeypatch.setattr("sys.argv", ["build", "--check"])
    with pytest.raises(SystemExit, match="0"):
        build.main()
    (folder / "zoo.txt").write_text("no title\n")
    with pytest.raises(SystemExit, match=r"zoo\.txt:1: text before the first title"):
        build.main()
