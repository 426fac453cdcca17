"""CoNLL-2012 and OntoGUM to documents with mentions, head words and kinds."""

import pytest

from bertattn import corpora
from bertattn.corpora import CorpusError, conll2012, head_rules, ontogum
from bertattn.corpora.mentions import head_word, kind_of
from bertattn.corpora.trees import ParsedSentence

CONLL = """\
#begin document (bc/cctv/00/cctv_0000); part 000
bc 0 0 Ann NNP (TOP(S(NP(NP* - - - Speaker#1 (PERSON) (0)|(3
bc 0 1 and CC * - - - Speaker#1 * -
bc 0 2 Bo NNP (NP*)) - - - Speaker#1 (PERSON) 3)
bc 0 3 saw VBD (VP* - - - Speaker#1 * -
bc 0 4 her PRP$ (NP* - - - Speaker#1 * (1|(0)
bc 0 5 dog NN *))) - - - Speaker#1 * 1)

bc 0 0 They PRP (TOP(S(NP*) - - - - * (3)
bc 0 1 left VBD (VP*))) - - - - * -

#end document
"""
ENTITIES = """\
# newdoc id = d
# sent_id = d-1
1\tBarack\t_\tPROPN\tNNP\t_\t3\tnsubj\t_\tEntity=(1
2\tObama\t_\tPROPN\tNNP\t_\t1\tflat\t_\tEntity=1)
3\tfed\t_\tVERB\tVBD\t_\t0\troot\t_\t_
4\this\t_\tPRON\tPRP$\t_\t5\tnmod:poss\t_\tEntity=(2(1)
5\tdog\t_\tNOUN\tNN\t_\t3\tobj\t_\tEntity=2)
"""


def shown(document):
    return [
        (" ".join(document.words[m.start : m.stop]), m.entity, document.words[m.head_word], m.kind)
        for m in document.mentions
    ]


@pytest.fixture
def kept(tmp_path):
    def keep(content, name="a.v4_gold_conll"):
        path = tmp_path / name
        path.write_text(content, encoding="utf-8")
        return path

    return keep


def message(path):
    with pytest.raises(CorpusError) as caught:
        list(corpora.coreference(path))
    return str(caught.value).removeprefix(str(path))


def test_conll_2012(kept):
    [found] = conll2012.read(kept(CONLL))
    assert found.id == "bc/cctv/00/cctv_0000-000"
    assert found.starts == (0, 6)
    assert sorted(shown(found)) == sorted(
        [
            ("Ann", "0", "Ann", "proper"),
            ("Ann and Bo", "3", "Ann", "proper"),
            ("her dog", "1", "dog", "nominal"),
            ("her", "0", "her", "pronoun"),
            ("They", "3", "They", "pronoun"),
        ]
    )
    assert found.sentences[0].tags[4] == "PRP$"


def test_entity_0_is_an_entity(kept):
    [found] = conll2012.read(kept(CONLL))
    assert found.sizes["0"] == 2


def test_ontogum(kept):
    [found] = ontogum.read(kept(ENTITIES, "a.conllu"))
    assert shown(found) == [
        ("Barack Obama", "1", "Obama", "proper"),
        ("his dog", "2", "dog", "nominal"),
        ("his", "1", "his", "pronoun"),
    ]
    assert next(iter(corpora.coreference(found.path))) == found


def test_mentions_may_cross_and_nest_in_their_own(kept):
    crossing = CONLL.replace("* (1|(0)", "* (1|(0)|(7").replace("* 1)", "* 1)|(7)|7)")
    [found] = conll2012.read(kept(crossing))
    assert found.sizes["7"] == 2
    across = (
        CONLL.replace("Speaker#1 * -\nbc 0 2", "Speaker#1 * (9\nbc 0 2")
        .replace("(PERSON) 3)", "(PERSON) 3)", 1)
        .replace("saw VBD (VP* - - - Speaker#1 * -", "saw VBD (VP* - - - Speaker#1 * 9)")
    )
    [found] = conll2012.read(kept(across))
    assert ("and Bo saw", "9") in [(text, entity) for text, entity, _, _ in shown(found)]


def test_parts_are_documents_of_their_own(kept):
    second = CONLL.replace("part 000", "part 001")
    assert [d.id[-3:] for d in conll2012.read(kept(CONLL + second))] == ["000", "001"]
    said = message(kept(CONLL + CONLL))
    assert said == ":13: a second document with the name 'bc/cctv/00/cctv_0000-000'"


def test_tabs_may_leave_the_last_column_empty(kept):
    lines = [line.replace(" ", "\t") if line[:2] == "bc" else line for line in CONLL.splitlines()]
    tabbed = "\n".join(line[:-1] if line.endswith("\t-") else line for line in lines) + "\n"
    [found] = conll2012.read(kept(tabbed))
    assert len(found.mentions) == 5


def test_brackets_in_the_text_are_brackets(kept):
    [found] = conll2012.read(kept(CONLL.replace("saw VBD", "-LRB- -LRB-")))
    assert found.words[3] == "("


def test_more_columns_are_read(kept):
    more = CONLL.replace(" - - - ", " - - - x y ")
    assert len(next(iter(conll2012.read(kept(more)))).mentions) == 5


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("PERSON) 3)", "PERSON) -", ":2: '(3' is not closed in its sentence"),
        ("(0)|(3", "(0)", ":4: '3)' closes a mention that was not opened in its sentence"),
        ("* (3)", "* 3)", ":9: '3)' closes a mention that was not opened"),
        ("(0)|(3", "(0)|3", ":2: cannot read '3'; wanted brackets such as '(3'"),
        ("(0)|(3", "(0)|(3[1/2]", ":2: '(3[1/2]': mentions of several parts are not supported"),
        ("(0)|(3", "((0", ":2: cannot read '((0'"),
        ("\n#end document\n", "\n", ":1: 'bc/cctv/00/cctv_0000-000' has no '#end document'"),
        ("#end document\n", "#end document\nmore text\n", ":13: text outside a document"),
        ("#begin document (bc/cctv/00/cctv_0000); part 000\n", "", ":1: "),
        ("#begin", "#end document\n#begin", ":1: "),
        ("bc 0 3 saw VBD", "saw VBD", ":5: 9 columns, wanted 12 or more"),
        (
            CONLL,
            "#begin document (d); part 000\n#end document\n",
            ":1: the document 'd-000' has no",
        ),
    ],
)
def test_bad_files_are_told_by_line(kept, before, after, said):
    assert before in CONLL
    assert message(kept(CONLL.replace(before, after))).startswith(said)


def test_a_missing_end_before_the_next_beginning(kept):
    text = CONLL.replace("#end document\n", "") + CONLL
    assert message(kept(text)).startswith(":12: 'bc/cctv/00/cctv_0000-000' has no '#end document'")


def test_an_empty_word_is_told(kept):
    row = "\t".join(["d", "0", "0", "", "NN", "*", "-", "-", "-", "-", "*", "-"])
    text = f"#begin document (d); part 000\n{row}\n#end document\n"
    assert message(kept(text)) == ":2: the word is empty; write it in column 4"


def test_bad_documents_can_be_left_out_and_are_counted(kept):
    bad = CONLL.replace("part 000", "part 001").replace("PERSON) 3)", "PERSON) -")
    found = corpora.coreference(kept(CONLL + bad + CONLL.replace("000);", "000);")), skip=True)
    assert [d.id[-3:] for d in found] == ["000"]
    assert len(found.skipped) == 2  # the open bracket, and the second document of one name


def test_a_bad_sentence_drops_its_document_alone(kept):
    bad = ENTITIES.replace("\t0\troot", "\t1\tdep").replace("= d", "= bad")
    good = ENTITIES.replace("= d", "= last")
    found = corpora.coreference(kept(f"{ENTITIES}\n{bad}\n{good}", "a.conllu"), skip=True)
    assert [d.id for d in found] == ["d", "last"]
    assert len(found.skipped) == 1
    with pytest.raises(CorpusError, match="no tree"):
        list(corpora.coreference(found.paths[0]))


def test_a_document_may_have_no_mention(kept):
    none = "#begin document (d); part 000\nd 0 0 Hi UH (TOP*) - - - - * -\n#end document\n"
    [found] = conll2012.read(kept(none))
    assert found.mentions == ()


def test_a_file_without_coreference_is_told(kept):
    assert message(kept("Some text.\n", "a.conll")).startswith(":1: no coreference here")
    with pytest.raises(ValueError, match="wanted a format of conll2012, ontogum, got 'muc'"):
        corpora.coreference("sample", "muc")


def test_without_a_tree_spacy_finds_the_heads(kept):
    rows = [line.split() for line in CONLL.splitlines() if line[:2] == "bc"]
    flat = CONLL
    for row in rows:
        flat = flat.replace(f" {row[4]} {row[5]} ", f" {row[4]} - ")
    [found] = conll2012.read(kept(flat))
    assert ("her dog", "1", "dog", "nominal") in shown(found)


def test_the_sample_is_opened_by_name():
    found = list(corpora.coreference("sample"))
    assert len(found) == 72
    first = found[0].mentions[0]
    assert found[0].words[first.head_word] == "makers"
    assert corpora.coreference("sample").sha256 != corpora.treebank("sample").sha256


# head words -------------------------------------------------------------------------------------


def np_head(bits, tags):
    governors = head_rules.governors(bits.split(), tags.split())
    return governors.index(None)


@pytest.mark.parametrize(
    ("bits", "tags", "top"),
    [
        ("(NP* * *)", "DT JJ NN", 2),
        ("(NP* *)", "NNP NNP", 1),
        ("(NP(NP* *) (PP* (NP* *)))", "DT NN IN DT NN", 1),
        ("(NP(NP* *) *)", "DT NN POS", 1),
        ("(NP*)", "PRP", 0),
        ("(NP* * *)", "NNP CC NNP", 0),
        ("(NP(NP*) * (NP*))", "NNP CC NNP", 0),
        ("(NP(NP* *) * (SBAR(WHNP*) (S(VP*))))", "DT NN , WP VBD", 1),
        ("(NP* (QP* *))", "DT CD CD", 1),
        ("(NP* *)", "DT JJ", 1),
        ("(S(NP*) (VP* (NP*)))", "PRP VBD NN", 1),
        ("(PP* (NP*))", "IN NN", 0),
    ],
)
def test_the_usual_head_rules(bits, tags, top):
    assert np_head(bits, tags) == top


@pytest.mark.parametrize("bits", [["(NP*", "*"], ["*)", "*"], ["(NP", "*)"], ["(NP**)", "*"]])
def test_bits_that_make_no_tree(bits):
    with pytest.raises(ValueError, match=r"phrase|parse bit"):
        head_rules.governors(bits, ["NN", "NN"])


def sentence(rows):
    cells = [row.split() for row in rows.strip().splitlines()]
    words, tags, above, labels = zip(*cells, strict=True)
    governors = tuple(int(a) - 1 if int(a) else None for a in above)
    return ParsedSentence("s", words, tags, governors, labels)


def test_the_head_is_the_word_that_hangs_outside():
    tree = sentence("the DT 2 det\ndog NN 4 nsubj\nthere RB 2 advmod\nbarks VBZ 0 root")
    assert head_word(tree, 0, 3) == 1
    assert head_word(tree, 0, 4) == 3
    assert head_word(tree, 2, 3) == 2


def test_of_several_the_first_that_is_no_mark():
    tree = sentence(", , 3 punct\ndog NN 3 nsubj\nran VBD 0 root")
    assert head_word(tree, 0, 2) == 1
    assert head_word(tree, 0, 1) == 0


@pytest.mark.parametrize(
    ("word", "tag", "n_words", "kind"),
    [
        ("she", "PRP", 1, "pronoun"),
        ("her", "PRP$", 1, "pronoun"),
        ("hers", "PRON", 1, "pronoun"),
        ("whose", "WP$", 1, "pronoun"),
        ("this", "DT", 1, "pronoun"),
        ("one", "CD", 1, "pronoun"),
        ("both", "DT", 1, "pronoun"),
        ("one", "NN", 3, "nominal"),
        ("Anning", "NNP", 2, "proper"),
        ("Alps", "NNPS", 2, "proper"),
        ("Paris", "PROPN", 1, "proper"),
        ("dog", "NN", 2, "nominal"),
        ("1811", "CD", 1, "nominal"),
    ],
)
def test_kinds_by_tag_and_form(word, tag, n_words, kind):
    tree = ParsedSentence("s", (word,), (tag,), (None,), ("root",))
    assert kind_of(tree, 0, n_words) == kind


def test_two_ways_to_heads_agree_on_gum(gold_data):
    """Head rules on automatic parses and gold dependencies find the same heads, nearly always."""
    gum = gold_data / "gum"
    by_trees = {d.id: d for d in corpora.coreference(gum / "ontogum_conllu")}
    by_rules = [
        d
        for path in sorted((gum / "conll2012_generated").glob("*_conll"))
        for d in conll2012.read(path)
    ]
    pairs = [
        (a, b)
        for document in by_rules
        for a, b in zip(
            document.mentions,
            by_trees[document.id.split("/")[-1].removesuffix("-000")].mentions,
            strict=True,
        )
    ]
    assert len(pairs) == 2007
    assert sum(a.head_word == b.head_word for a, b in pairs) / len(pairs) > 0.97
    assert sum(a.kind == b.kind for a, b in pairs) / len(pairs) > 0.99
