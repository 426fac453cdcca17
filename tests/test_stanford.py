"""Each row of the table in bertattn.corpora.stanford, arc by arc."""

import pytest

from bertattn.corpora.parsing import parsed_words
from bertattn.corpora.stanford import RENAMED, converted
from bertattn.corpora.trees import ParsedSentence, fault
from data.accuracy import scores
from tests.conftest import ROOT


def tree(rows):
    """Rows of word, tag, number of the governor (0: the root) and relation."""
    cells = [row.split() for row in rows.strip().splitlines()]
    words, tags, above, relations = zip(*cells, strict=True)
    governors = tuple(int(a) - 1 if int(a) else None for a in above)
    return ParsedSentence("s", words, tags, governors, relations)


def arcs(rows):
    """Each word's relation and governor after conversion, as text."""
    found = converted(tree(rows))
    assert fault(found.governors) is None
    return [
        f"{relation}({'ROOT' if above is None else found.words[above]}, {word})"
        for word, above, relation in zip(found.words, found.governors, found.relations, strict=True)
    ]


@pytest.mark.parametrize(
    ("label", "relation"),
    [
        ("agent", "prep"),
        ("case", "possessive"),
        ("compound", "nn"),
        ("intj", "discourse"),
        ("meta", "dep"),
        ("nmod", "nn"),
        ("nummod", "num"),
        ("oprd", "xcomp"),
        ("relcl", "rcmod"),
    ],
)
def test_a_label_with_another_name(label, relation):
    assert arcs(f"x NN 2 {label}\nran VBD 0 ROOT")[0] == f"{relation}(ran, x)"


def test_all_other_names_are_tested_above():
    assert len(RENAMED) == 9 + 1  # and ROOT


SHARED = """
    acomp advmod amod appos aux auxpass cc conj csubj csubjpass dep dobj expl mark neg npadvmod
    nsubj nsubjpass parataxis pcomp pobj poss preconj predet prep prt punct quantmod xcomp
"""


@pytest.mark.parametrize("label", SHARED.split())
def test_a_label_that_both_share(label):
    assert arcs(f"ran VBD 0 ROOT\nx JJ 1 {label}")[1] == f"{label}(ran, x)"


def test_a_noun_predicate_governs_the_copula():
    rows = """
        Anning NNP 2 nsubj
        was VBD 0 ROOT
        a DT 4 det
        collector NN 2 attr
        then RB 2 advmod"""
    assert arcs(rows) == [
        "nsubj(collector, Anning)",
        "cop(collector, was)",
        "det(collector, a)",
        "root(ROOT, collector)",
        "advmod(collector, then)",
    ]


def test_an_adjective_predicate_takes_the_place_of_the_copula_inside_a_clause():
    rows = """
        knew VBD 0 ROOT
        that IN 4 mark
        it PRP 4 nsubj
        's VBZ 1 ccomp
        easy JJ 4 acomp"""
    assert arcs(rows)[1:] == [
        "mark(easy, that)",
        "nsubj(easy, it)",
        "cop(easy, 's)",
        "ccomp(knew, easy)",
    ]


def test_one_copula_inside_another():
    rows = """
        is VBZ 0 ROOT
        what WP 3 attr
        is VBZ 1 nsubj
        good JJ 1 acomp"""
    assert arcs(rows) == [
        "cop(good, is)",
        "nsubj(good, what)",
        "cop(what, is)",
        "root(ROOT, good)",
    ]


def test_a_possessive_s_is_no_copula():
    rows = "Bob NNP 3 poss\n's POS 1 case\nhat NN 0 ROOT"
    assert arcs(rows)[1] == "possessive(Bob, 's)"


def test_a_prepositional_phrase_is_no_predicate():
    rows = "She PRP 2 nsubj\nwas VBD 0 ROOT\nin IN 2 prep\ndebt NN 3 pobj"
    assert arcs(rows) == [
        "nsubj(was, She)",
        "root(ROOT, was)",
        "prep(was, in)",
        "pobj(in, debt)",
    ]


def test_what_there_is_is_the_subject():
    rows = "There EX 2 expl\nis VBZ 0 ROOT\nhope NN 2 attr"
    assert arcs(rows) == ["expl(is, There)", "root(ROOT, is)", "nsubj(is, hope)"]


def test_what_one_becomes_is_a_complement():
    rows = "became VBD 0 ROOT\nking NN 1 attr"
    assert arcs(rows)[1] == "xcomp(became, king)"
    assert arcs("looked VBD 0 ROOT\npale JJ 1 acomp")[1] == "acomp(looked, pale)"


def test_conjuncts_hang_on_the_first():
    rows = """
        Ann NNP 0 ROOT
        , , 1 punct
        Bob NNP 1 conj
        and CC 3 cc
        Eve NNP 3 conj"""
    assert arcs(rows) == [
        "root(ROOT, Ann)",
        "punct(Ann, ,)",
        "conj(Ann, Bob)",
        "cc(Ann, and)",
        "conj(Ann, Eve)",
    ]


def test_conjuncts_of_a_copula_hang_on_its_predicate():
    rows = """
        He PRP 2 nsubj
        was VBD 0 ROOT
        old JJ 2 acomp
        and CC 2 cc
        slept VBD 2 conj"""
    assert arcs(rows)[2:] == ["root(ROOT, old)", "cc(old, and)", "conj(old, slept)"]


@pytest.mark.parametrize(
    ("clause", "relation"),
    [
        ("found VBN 1 acl", "partmod"),
        ("lying VBG 1 acl", "partmod"),
        ("holds VBZ 1 acl", "ccomp"),
        ("holds VBZ 1 relcl", "rcmod"),
    ],
)
def test_a_clause_on_a_noun(clause, relation):
    assert arcs(f"fossil NN 0 ROOT\n{clause}")[1].startswith(f"{relation}(fossil")


@pytest.mark.parametrize("label", ["acl", "relcl"])
def test_an_infinitive_on_a_noun(label):
    rows = f"woman NN 0 ROOT\nto TO 3 aux\ncome VB 1 {label}"
    assert arcs(rows)[2] == "infmod(woman, come)"


def test_a_bare_participle_on_a_verb():
    assert arcs("left VBD 0 ROOT\nsinging VBG 1 advcl")[1] == "partmod(left, singing)"
    opened = "left VBD 0 ROOT\nwhile IN 3 mark\nsinging VBG 1 advcl"
    assert arcs(opened)[2] == "advcl(left, singing)"
    assert arcs("left VBD 0 ROOT\ncame VBD 1 advcl")[1] == "advcl(left, came)"


def test_a_time_of_a_clause():
    assert arcs("came VBD 0 ROOT\nyears NNS 1 npadvmod")[1] == "tmod(came, years)"
    assert arcs("later RB 0 ROOT\nyears NNS 1 npadvmod")[1] == "npadvmod(later, years)"
    assert arcs("came VBD 0 ROOT\nmiles NNS 1 npadvmod")[1] == "npadvmod(came, miles)"
    assert arcs("came VBD 0 ROOT\n1822 CD 1 npadvmod")[1] == "tmod(came, 1822)"
    predicate = "was VBD 0 ROOT\nglad JJ 1 acomp\ntoday NN 1 npadvmod"
    assert arcs(predicate)[2] == "tmod(glad, today)"


def test_a_numeral_in_a_numeral():
    rows = "two CD 2 compound\nhundred CD 3 nummod\nmen NNS 0 ROOT"
    assert arcs(rows)[:2] == ["number(hundred, two)", "num(men, hundred)"]


def test_what_modifies_a_numeral():
    rows = "nearly RB 2 advmod\nfifty CD 3 nummod\nmen NNS 0 ROOT"
    assert arcs(rows)[0] == "quantmod(fifty, nearly)"
    assert arcs("nearly RB 2 advmod\nfifty CD 0 ROOT")[0] == "advmod(fifty, nearly)"


def test_no_is_a_negation():
    assert arcs("no DT 2 det\nman NN 0 ROOT")[0] == "neg(man, no)"
    assert arcs("the DT 2 det\nman NN 0 ROOT")[0] == "det(man, the)"


def test_a_recipient():
    assert arcs("gave VBD 0 ROOT\nher PRP 1 dative")[1] == "iobj(gave, her)"
    assert arcs("gave VBD 0 ROOT\nto IN 1 dative")[1] == "prep(gave, to)"


def test_a_complement_that_is_not_finite_but_has_a_subject():
    rows = "made VBD 0 ROOT\nit PRP 3 nsubj\neasy JJ 1 ccomp"
    assert arcs(rows)[1:] == ["nsubj(easy, it)", "xcomp(made, easy)"]
    finite = "said VBD 0 ROOT\nit PRP 3 nsubj\nrained VBD 1 ccomp"
    assert arcs(finite)[2] == "ccomp(said, rained)"
    modal = "said VBD 0 ROOT\nit PRP 4 nsubj\nmay MD 4 aux\nrain VB 1 ccomp"
    assert arcs(modal)[3] == "ccomp(said, rain)"


def test_fixed_expressions():
    inner = "birds NNS 0 ROOT\nsuch JJ 3 amod\nas IN 1 prep\nowls NNS 3 pobj"
    assert arcs(inner)[1:] == ["prep(birds, such)", "mwe(such, as)", "pobj(such, owls)"]
    outer = "fell VBD 0 ROOT\nbecause IN 1 prep\nof IN 2 pcomp\nrain NN 2 pobj"
    assert arcs(outer)[1:] == ["prep(fell, because)", "mwe(because, of)", "pobj(because, rain)"]
    sisters = "ran VBD 0 ROOT\nrather RB 1 advmod\nthan IN 1 cc\nwalk VB 1 conj"
    assert arcs(sisters)[1:3] == ["advmod(ran, rather)", "mwe(rather, than)"]
    apart = "such JJ 2 amod\nas IN 0 ROOT\nof IN 1 prep"
    assert arcs(apart)[0] == "amod(as, such)"


def test_words_tags_and_names_are_kept():
    before = tree("She PRP 2 nsubj\nslept VBD 0 ROOT")
    after = converted(before)
    assert (after.id, after.words, after.tags) == (before.id, before.words, before.tags)
    assert before.relations == ("nsubj", "ROOT")


def test_every_relation_has_its_line_in_the_guidelines():
    text = (ROOT / "data" / "sample" / "trees" / "GUIDELINES.md").read_text()
    relations = set(RENAMED.values()) | {"partmod", "infmod", "tmod", "neg", "iobj", "mwe", "cop"}
    assert not [r for r in relations if f"`{r}`" not in text and r != "root"]


def test_against_gold_stanford_dependencies(gold_data):
    paths = sorted((gold_data / "gum" / "sd_v5").glob("*.conll10"))
    uas, las, _ = scores(paths, parsed_words)
    assert uas >= 86
    assert las >= 81
