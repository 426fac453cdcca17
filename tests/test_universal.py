"""Trees of Universal Dependencies in the paper's labels, rule by rule."""

from dataclasses import replace
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bertattn import corpora, readings, syntax, tables
from bertattn.cli.options import LABELS
from bertattn.corpora import CorpusError, treebank, universal
from bertattn.corpora.treebank import Labels
from bertattn.corpora.trees import ParsedSentence, fault
from bertattn.corpora.universal import RELATIONS, converted
from bertattn.corpora.universal_labels import RENAMED
from tests.test_stanford import tree
from tests.test_syntax import made_up
from tests.test_tables import MADE
from tests.test_treebank import UD as WITHOUT_A_TAG

UD = WITHOUT_A_TAG.replace("PART\t_", "PART\tRB")


def arcs(rows):
    """Each word's relation and governor after conversion, as text."""
    found = converted(tree(rows))
    assert fault(found.governors) is None
    return [
        f"{relation}({'ROOT' if above is None else found.words[above]}, {word})"
        for word, above, relation in zip(found.words, found.governors, found.relations, strict=True)
    ]


# labels -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("label", "relation"),
    [
        ("acl:relcl", "rcmod"),
        ("advcl:relcl", "advcl"),
        ("aux:pass", "auxpass"),
        ("cc:preconj", "preconj"),
        ("compound", "nn"),
        ("compound:prt", "prt"),
        ("csubj:pass", "csubjpass"),
        ("det:predet", "predet"),
        ("dislocated", "dep"),
        ("fixed", "mwe"),
        ("list", "appos"),
        ("nmod:desc", "nn"),
        ("nmod:poss", "poss"),
        ("nsubj:pass", "nsubjpass"),
        ("obj", "dobj"),
        ("orphan", "dep"),
        ("reparandum", "dep"),
        ("vocative", "dep"),
    ],
)
def test_a_label_with_another_name(label, relation):
    assert arcs(f"ran VBD 0 root\nx NN 1 {label}")[1] == f"{relation}(ran, x)"


def test_all_other_names_are_tested_above():
    assert len(RENAMED) == 18 + 1  # and flat, which names have


SHARED = "amod appos cc ccomp conj cop dep discourse goeswith punct"


@pytest.mark.parametrize("label", SHARED.split())
def test_a_label_that_both_share(label):
    assert arcs(f"ran VBD 0 root\nx JJ 1 {label}")[1] == f"{label}(ran, x)"
    assert arcs(f"ran VBD 0 root\nx JJ 1 {label}:sub")[1] == f"{label}(ran, x)"


def test_to_is_an_auxiliary():
    rows = "wants VBZ 0 root\nto TO 3 mark\nrun VB 1 xcomp"
    assert arcs(rows)[1:] == ["aux(run, to)", "xcomp(wants, run)"]
    assert arcs("said VBD 0 root\nthat IN 3 mark\nran VBD 1 ccomp")[1] == "mark(ran, that)"


def test_a_possessor():
    rows = "Bob NNP 3 nmod:poss\n's POS 1 case\nhat NN 0 root"
    assert arcs(rows)[:2] == ["poss(hat, Bob)", "possessive(Bob, 's)"]


@pytest.mark.parametrize(
    ("word", "label", "relation"),
    [
        ("not RB", "advmod", "neg"),
        ("never RB", "advmod", "neg"),
        ("soon RB", "advmod", "advmod"),
        ("not RB", "advmod:neg", "neg"),
        ("no DT", "det", "neg"),
        ("the DT", "det", "det"),
    ],
)
def test_negations(word, label, relation):
    assert arcs(f"{word} 2 {label}\nx NN 0 root")[0].startswith(f"{relation}(x")


def test_numerals():
    rows = "two CD 2 compound\nhundred CD 3 nummod\nmen NNS 0 root"
    assert arcs(rows)[:2] == ["number(hundred, two)", "num(men, hundred)"]
    assert arcs("two CD 2 nummod\nmillion CD 0 root")[0] == "number(million, two)"


def test_what_modifies_a_numeral():
    assert arcs("nearly RB 2 advmod\nten CD 3 nummod\nmen NNS 0 root")[0] == "quantmod(ten, nearly)"
    assert arcs("nearly RB 2 advmod\nhalf NN 3 obj\nran VBD 0 root")[0] == "quantmod(half, nearly)"
    assert arcs("nearly RB 2 advmod\nten CD 0 root")[0] == "advmod(ten, nearly)"
    assert arcs("ten CD 2 nummod\nmen NNS 0 root\nnow RB 1 advmod")[2] == "advmod(ten, now)"


@pytest.mark.parametrize(
    ("rows", "relation"),
    [
        ("came VBD 0 root\nyesterday NN 1 obl:unmarked", "tmod"),
        ("came VBD 0 root\nEaster NNP 1 obl:tmod", "tmod"),
        ("came VBD 0 root\nmiles NNS 1 obl:npmod", "npadvmod"),
        ("came VBD 0 root\nmiles NNS 1 obl", "npadvmod"),
        ("seen VBN 0 root\nthem PRP 1 obl:agent", "npadvmod"),
        ("later RB 0 root\nyears NNS 1 obl:unmarked", "npadvmod"),
        ("more RBR 0 root\nlittle JJ 1 obl:unmarked", "advmod"),
        ("May NNP 0 root\n1860 CD 1 nmod:unmarked", "num"),
        ("12 CD 0 root\n1860 CD 1 nmod:unmarked", "num"),
        ("Baron NNP 0 root\n2014 CD 1 nmod:unmarked", "tmod"),
        ("room NN 0 root\n101 CD 1 nmod:unmarked", "num"),
        ("York NNP 0 root\nEngland NNP 1 nmod:unmarked", "appos"),
        ("York NNP 0 root\nitself PRP 1 nmod:unmarked", "npadvmod"),
    ],
)
def test_a_noun_without_a_preposition(rows, relation):
    assert arcs(rows)[1].startswith(f"{relation}(")


def test_a_time_of_a_predicate():
    rows = "was VBD 2 cop\nglad JJ 0 root\ntoday NN 2 obl:unmarked"
    assert arcs(rows)[2] == "tmod(glad, today)"


@pytest.mark.parametrize(
    ("clause", "relation"),
    [
        ("found VBN 1 acl", "partmod"),
        ("lying VBG 1 acl", "partmod"),
        ("holds VBZ 1 acl", "ccomp"),
        ("to TO 3 mark\ncome VB 1 acl", "infmod"),
        ("that IN 3 mark\nfound VBN 1 acl", "ccomp"),
        ("where WRB 3 advmod\nlies VBZ 1 acl", "rcmod"),
    ],
)
def test_a_clause_on_a_noun(clause, relation):
    assert arcs(f"fossil NN 0 root\n{clause}")[-1].startswith(f"{relation}(fossil")


@pytest.mark.parametrize(
    ("clause", "relation"),
    [
        ("singing VBG 1 advcl", "partmod"),
        ("beaten VBN 1 advcl", "partmod"),
        ("while IN 3 mark\nsinging VBG 1 advcl", "advcl"),
        ("when WRB 3 advmod\nsinging VBG 1 advcl", "advcl"),
        ("she PRP 3 nsubj\nsinging VBG 1 advcl", "advcl"),
        ("to TO 3 mark\nwin VB 1 advcl", "advcl"),
    ],
)
def test_a_clause_on_a_verb(clause, relation):
    assert arcs(f"left VBD 0 root\n{clause}")[-1].startswith(f"{relation}(left")


def test_it_is_a_subject_and_its_clause_a_complement():
    rows = "It PRP 3 expl\nis VBZ 3 cop\ngood JJ 0 root\nto TO 5 mark\nrun VB 3 csubj"
    assert (arcs(rows)[0], arcs(rows)[4]) == ("nsubj(good, It)", "xcomp(good, run)")
    finite = "It PRP 2 expl\nseems VBZ 0 root\nthat IN 4 mark\nran VBD 2 csubj"
    assert arcs(finite)[3] == "ccomp(seems, ran)"
    passive = "It PRP 3 expl\nwas VBD 3 aux:pass\nsaid VBN 0 root"
    assert arcs(passive)[0] == "nsubjpass(said, It)"
    assert arcs("It PRP 2 expl\nhelps VBZ 0 root\nrunning VBG 2 csubj")[2] == (
        "csubj(helps, running)"
    )
    assert arcs("To TO 2 mark\nrun VB 3 csubj\nhelps VBZ 0 root")[1] == "csubj(helps, run)"


def test_there_is_an_expletive():
    rows = "There EX 2 expl\nis VBZ 0 root\nhope NN 2 nsubj"
    assert arcs(rows) == ["expl(is, There)", "root(ROOT, is)", "nsubj(is, hope)"]


def test_complements():
    assert arcs("looked VBD 0 root\npale JJ 1 xcomp")[1] == "acomp(looked, pale)"
    assert arcs("became VBD 0 root\nking NN 1 xcomp")[1] == "xcomp(became, king)"
    passive = "was VBD 2 aux:pass\nfound VBN 0 root\ndead JJ 2 xcomp"
    assert arcs(passive)[2] == "xcomp(found, dead)"
    able = "needs VBZ 0 root\nto TO 4 mark\nbe VB 4 cop\nable JJ 1 xcomp"
    assert arcs(able)[3] == "xcomp(needs, able)"


def test_beside_a_clause():
    assert arcs("ran VBD 0 root\nknow VBP 1 parataxis")[1] == "parataxis(ran, know)"
    assert arcs("Cuba NNP 0 root\ndays NNS 1 parataxis")[1] == "dep(Cuba, days)"
    clause = "ran VBD 0 root\nit PRP 4 nsubj\nis VBZ 4 cop\nfun NN 1 parataxis"
    assert arcs(clause)[3] == "parataxis(ran, fun)"


def test_a_recipient():
    both = "gave VBD 0 root\nher PRP 1 iobj\ngold NN 1 obj"
    assert arcs(both)[1:] == ["iobj(gave, her)", "dobj(gave, gold)"]
    assert arcs("told VBD 0 root\nher PRP 1 iobj")[1] == "dobj(told, her)"


# who governs ------------------------------------------------------------------------------------


def test_a_preposition_governs_its_noun():
    rows = "She PRP 2 nsubj\nlived VBD 0 root\nin IN 5 case\nold JJ 5 amod\nBath NNP 2 obl"
    assert arcs(rows)[2:] == ["prep(lived, in)", "amod(Bath, old)", "pobj(in, Bath)"]
    assert arcs("city NN 0 root\nof IN 3 case\nTroy NNP 1 nmod")[1:] == [
        "prep(city, of)",
        "pobj(of, Troy)",
    ]
    agent = "found VBN 0 root\nby IN 3 case\nher PRP 1 obl:agent"
    assert arcs(agent)[1:] == ["prep(found, by)", "pobj(by, her)"]


def test_what_stands_before_a_preposition_modifies_it():
    rows = """
        years NNS 4 obl:unmarked
        just RB 4 advmod
        before IN 4 case
        death NN 5 obl
        left VBD 0 root"""
    assert arcs(rows) == [
        "npadvmod(before, years)",
        "advmod(before, just)",
        "prep(left, before)",
        "pobj(before, death)",
        "root(ROOT, left)",
    ]


def test_of_two_prepositions_the_first_governs():
    rows = "came VBD 0 root\nout IN 4 case\nof IN 4 case\nTroy NNP 1 obl"
    assert arcs(rows)[1:] == ["prep(came, out)", "prep(out, of)", "pobj(of, Troy)"]


def test_a_preposition_has_the_place_of_its_noun():
    rows = "From IN 2 case\nRome NNP 0 root"
    assert arcs(rows) == ["root(ROOT, From)", "pobj(From, Rome)"]


def test_a_prepositional_phrase_is_no_predicate():
    rows = """
        Now RB 5 advmod
        she PRP 5 nsubj
        was VBD 5 cop
        in IN 5 case
        debt NN 0 root
        , , 7 punct
        slept VBD 5 conj
        and CC 9 cc
        credit NN 5 conj"""
    assert arcs(rows) == [
        "advmod(was, Now)",
        "nsubj(was, she)",
        "root(ROOT, was)",
        "prep(was, in)",
        "pobj(in, debt)",
        "punct(slept, ,)",
        "conj(was, slept)",
        "cc(debt, and)",
        "conj(debt, credit)",
    ]


def test_an_adverb_is_no_predicate():
    rows = "Where WRB 0 root\nis VBZ 1 cop\nshe PRP 1 nsubj"
    assert arcs(rows) == ["advmod(is, Where)", "root(ROOT, is)", "nsubj(is, she)"]
    below = "know VB 0 root\nwhere WRB 4 mark\nthey PRP 5 nsubj\nare VBP 5 cop\nat IN 1 ccomp"
    assert arcs(below)[2:] == ["nsubj(are, they)", "ccomp(know, are)", "prep(are, at)"]


def test_other_predicates_govern_their_copula():
    rows = "She PRP 4 nsubj\nwas VBD 4 cop\na DT 4 det\npoet NN 0 root"
    assert arcs(rows) == ["nsubj(poet, She)", "cop(poet, was)", "det(poet, a)", "root(ROOT, poet)"]


def test_a_clause_in_ing_is_governed_by_what_opens_it():
    rows = "won VBD 0 root\nby IN 3 mark\ncheating VBG 1 advcl"
    assert arcs(rows)[1:] == ["prep(won, by)", "pcomp(by, cheating)"]
    noun = "art NN 0 root\nof IN 3 mark\nlosing VBG 1 acl"
    assert arcs(noun)[1:] == ["prep(art, of)", "pcomp(of, losing)"]
    subject = "left VBD 0 root\nwith IN 4 mark\nher PRP 4 nsubj\nlosing VBG 1 advcl"
    assert arcs(subject)[1] == "mark(losing, with)"
    case = "art NN 0 root\nof IN 3 case\nlosing VBG 1 nmod"
    assert arcs(case)[1:] == ["prep(art, of)", "pcomp(of, losing)"]


def test_as_and_than_without_a_verb():
    rows = "soon RB 0 root\nas IN 3 mark\npossible JJ 1 advcl"
    assert arcs(rows)[1:] == ["prep(soon, as)", "pobj(as, possible)"]
    clause = "soon RB 0 root\nas IN 4 mark\nit PRP 4 nsubj\nended VBD 1 advcl"
    assert arcs(clause)[1] == "mark(ended, as)"


def test_the_last_word_of_a_name_governs():
    rows = """
        Dr. NNP 2 nmod:desc
        Ada NNP 5 nsubj
        King NNP 2 flat
        Byron NNP 2 flat:name
        wrote VBD 0 root"""
    assert arcs(rows)[:4] == [
        "nn(Byron, Dr.)",
        "nn(Byron, Ada)",
        "nn(Byron, King)",
        "nsubj(wrote, Byron)",
    ]


def test_a_preposition_before_a_name_governs_its_last_word():
    rows = "by IN 2 case\nAda NNP 4 obl\nByron NNP 2 flat\nwritten VBN 0 root"
    assert arcs(rows)[:3] == ["prep(written, by)", "nn(Byron, Ada)", "pobj(by, Byron)"]


def test_a_conjunction_hangs_on_the_first_conjunct():
    rows = "Ann NNP 0 root\n, , 3 punct\nBob NNP 1 conj\nand CC 5 cc\nEve NNP 1 conj"
    assert arcs(rows)[2:] == ["conj(Ann, Bob)", "cc(Ann, and)", "conj(Ann, Eve)"]
    assert arcs("But CC 2 cc\nran VBD 0 root")[0] == "cc(ran, But)"


def test_prepositional_phrases_are_joined_by_their_prepositions():
    rows = (
        "ran VBD 0 root\nin IN 3 case\nParis NNP 1 obl\nand CC 6 cc\nin IN 6 case\nRome NNP 3 conj"
    )
    assert arcs(rows)[1:] == [
        "prep(ran, in)",
        "pobj(in, Paris)",
        "cc(in, and)",
        "conj(in, in)",
        "pobj(in, Rome)",
    ]
    found = converted(tree(rows))
    assert found.governors == (None, 0, 1, 1, 1, 4)
    one = "ran VBD 0 root\nin IN 3 case\nParis NNP 1 obl\nand CC 5 cc\nRome NNP 3 conj"
    assert arcs(one)[3:] == ["cc(Paris, and)", "conj(Paris, Rome)"]


def test_what_belongs_to_its_clause():
    rows = "know VBP 0 root\nwhat WP 1 obj\nshe PRP 4 nsubj\nsaid VBD 2 acl:relcl"
    assert arcs(rows)[1:] == ["dobj(said, what)", "nsubj(said, she)", "ccomp(know, said)"]
    subject = "know VBP 0 root\nwhat WP 1 obj\nhappened VBD 2 acl:relcl"
    assert arcs(subject)[1:] == ["nsubj(happened, what)", "ccomp(know, happened)"]
    passive = "know VBP 0 root\nwhat WP 1 obj\nwas VBD 4 aux:pass\nsaid VBN 2 acl:relcl"
    assert arcs(passive)[1] == "nsubjpass(said, what)"
    deep = """
        know VBP 0 root
        what WP 1 obj
        she PRP 4 nsubj
        wanted VBD 2 acl:relcl
        to TO 6 mark
        say VB 4 xcomp"""
    assert arcs(deep)[1] == "dobj(say, what)"
    way = (
        "on IN 2 case\nhow WRB 5 obl\nthey PRP 4 nsubj\nlook VBP 2 advcl:relcl\ndepends VBZ 0 root"
    )
    assert arcs(way)[:4] == [
        "prep(depends, on)",
        "advmod(look, how)",
        "nsubj(look, they)",
        "pcomp(on, look)",
    ]
    first = "What WP 4 nsubj\nshe PRP 3 nsubj\nsaid VBD 1 acl:relcl\nhurts VBZ 0 root"
    assert arcs(first)[2] == "csubj(hurts, said)"
    predicate = """
        that DT 3 nsubj
        's VBZ 3 cop
        what WP 0 root
        we PRP 5 nsubj
        want VBP 3 acl:relcl"""
    assert arcs(predicate) == [
        "nsubj('s, that)",
        "root(ROOT, 's)",
        "dobj(want, what)",
        "nsubj(want, we)",
        "ccomp('s, want)",
    ]


@pytest.mark.parametrize(
    ("verb", "complement", "relation"),
    [
        ("made", "easy JJ 1 xcomp", "nsubj(easy, it)"),
        ("let", "go VB 1 xcomp", "nsubj(go, it)"),
        ("wanted", "to TO 4 mark\ngo VB 1 xcomp", "nsubj(go, it)"),
        ("had", "done VBN 1 xcomp", "nsubjpass(done, it)"),
        ("asked", "to TO 4 mark\ngo VB 1 xcomp", "dobj(asked, it)"),
    ],
)
def test_an_object_that_is_a_subject(verb, complement, relation):
    assert arcs(f"{verb} VBD 0 root\nit PRP 1 obj\n{complement}")[1] == relation


def test_an_object_behind_the_complement_stays():
    assert arcs("made VBD 0 root\neasy JJ 1 xcomp\nit PRP 1 obj")[2] == "dobj(made, it)"


def test_at_least():
    rows = "at IN 2 case\nleast JJS 3 nmod\nten CD 4 nummod\nmen NNS 0 root"
    assert arcs(rows)[:2] == ["quantmod(ten, at)", "mwe(at, least)"]
    verb = "at IN 2 case\nleast JJS 3 obl\nran VBD 0 root"
    assert arcs(verb)[:2] == ["advmod(ran, at)", "mwe(at, least)"]


def test_each_other():
    rows = "knew VBD 0 root\nof IN 3 case\neach DT 1 obl\nother JJ 3 fixed"
    assert arcs(rows)[1:] == ["prep(knew, of)", "det(other, each)", "pobj(of, other)"]


# laws -------------------------------------------------------------------------------------------

TAGS = ["NN", "NNP", "VB", "VBD", "VBG", "VBN", "IN", "TO", "RB", "WRB", "WP", "CD", "PRP", "POS"]
LABELLED = [*RELATIONS.split(), *RENAMED, "nmod:unmarked", "obl:agent", "nsubj:outer"]
WORDS = ["at", "least", "it", "what", "made", "want", "each", "other", "no", "1860", "May"]


@st.composite
def any_trees(draw):
    n_words = draw(st.integers(1, 9))
    above = [None, *(draw(st.integers(0, i - 1)) for i in range(1, n_words))]
    order = draw(st.permutations(range(n_words)))
    governors = [None] * n_words
    for child, governor in enumerate(above):
        governors[order[child]] = None if governor is None else order[governor]
    labels = [draw(st.sampled_from(LABELLED)) if g is not None else "root" for g in governors]
    tags = [draw(st.sampled_from(TAGS)) for _ in governors]
    words = [draw(st.sampled_from(WORDS)) for _ in governors]
    return tuple(map(tuple, (words, tags, governors, labels)))


@settings(deadline=None)
@given(any_trees())
def test_a_tree_stays_a_tree_and_nothing_is_lost(parts):
    before = ParsedSentence("s", *parts)
    after = converted(before)
    assert fault(after.governors) is None
    assert after.relations[after.governors.index(None)] == "root"
    assert (after.id, after.words, after.tags) == (before.id, before.words, before.tags)
    assert not [r for r in after.relations if ":" in r or r in ("case", "obj", "obl", "nmod")]


# treebanks --------------------------------------------------------------------------------------


@pytest.fixture
def path(tmp_path):
    found = tmp_path / "a.conllu"
    found.write_text(UD, encoding="utf-8")
    return found


def test_a_treebank_is_read_with_the_papers_labels(path):
    found = treebank(path, labels="stanford")
    [sentence] = found
    assert sentence.relations == ("nsubj", "aux", "neg", "root", "dobj", "punct")
    assert found.drawn == "converted"
    assert found.sha256 != treebank(path).sha256
    assert found.relations == ("aux", "dobj", "neg", "nsubj", "punct", "root")


def test_fetched_corpora_with_other_labels_are_not_gold(path):
    gold = replace(treebank(path), name="ud-pud")
    assert gold.drawn == "gold"
    assert replace(gold, labels="stanford").drawn == "converted"


def test_silver_stays_silver(tmp_path):
    path = tmp_path / "a.conllu"
    path.write_text(f"# SILVER\n\n{UD}")
    assert treebank(path, labels="stanford").drawn == "silver"


def test_unknown_labels_are_refused(path):
    with pytest.raises(ValueError, match=r"wanted labels='stanford' or None .*, got 'penn'"):
        treebank(path, labels="penn")
    assert get_args(Labels) == LABELS


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("\tobj\t", "\tdobj\t", "sentence 'z-1' has the relation 'dobj', which is none of Univ"),
        (
            "\tPRP\t",
            "\t_\t",
            "sentence 'z-1' has the tag 'PRON'; conversion needs tags of the Penn",
        ),
    ],
)
def test_other_labels_and_tags_are_told_by_line(tmp_path, before, after, said):
    path = tmp_path / "a.conllu"
    path.write_text(UD.replace(before, after))
    assert len(list(treebank(path))) == 1
    with pytest.raises(CorpusError) as caught:
        list(treebank(path, labels="stanford"))
    assert str(caught.value).startswith(f"{path}:4: {said}")
    left = treebank(path, labels="stanford", skip=True)
    assert (list(left), len(left.skipped)) == ([], 1)


def test_trees_that_have_the_papers_labels_are_refused():
    with pytest.raises(CorpusError, match="has the relation 'prep', which is none of Universal"):
        next(iter(corpora.Treebank("x", treebank("sample").paths, labels="stanford")))


# tables -----------------------------------------------------------------------------------------

CONVERTED = {
    **MADE,
    "trees": "converted",
    "labels": {"converted_to": "stanford", "las": 93.6},
    "inputs": {"kind": "parsed sentences", "n": None},
}


@pytest.mark.parametrize(
    ("relation", "trust"),
    [("det", "converted"), ("pobj", "converted"), ("All", "converted"), ("advcl", "unreliable"),
     ("partmod", "unreliable"), ("goeswith", "unreliable"), ("no-such", "unreliable")],
)  # fmt: skip
def test_labels_that_come_out_wrong_are_flagged(relation, trust):
    assert tables.trees(relation, "converted") == trust


def test_a_flag_follows_the_measured_f1():
    for relation, row in tables.conversion().items():
        relied_on = relation == "All" or (row["f1"] >= 90 and row["n"] >= 10)
        assert tables.trees(relation, "converted") == ("converted" if relied_on else "unreliable")
    assert tables.conversion()["infmod"] == tables.conversion()["vmod"]


def test_a_table_says_that_labels_were_converted_and_how_well():
    table = tables.table_1(list(syntax.scores(made_up())), CONVERTED, 99)
    assert "|CONVERTED to stanford (LAS 93.6)|" in table.attrs["signature"]
    assert set(table["trees"]) == {"converted"}
    said = readings.silver(table)
    assert said.startswith("The trees were converted from Universal Dependencies by rules. Where")
    assert "94% of words get the governor and the label" in said
    assert "For 0 of 2 rows" in said
    flagged = table.assign(trees="unreliable")
    assert "For 2 of 2 rows the labels are too unreliable" in readings.silver(flagged)
    assert readings.trees(table) == "The trees were converted from Universal Dependencies by rules."


def test_the_manifest_of_a_converted_treebank(path, tiny_model):
    from bertattn.segments import Trees

    found, plain = treebank(path, labels="stanford"), treebank(path)
    inputs = Trees(found, tiny_model.encoder)
    made = tables.manifest(tiny_model, found, inputs)
    assert made["labels"] == {"converted_to": "stanford", "las": tables.conversion()["All"]["f1"]}
    assert made["trees"] == "converted"
    assert "labels" not in tables.manifest(tiny_model, plain, inputs)


def test_the_rule_for_foreign_trees_is_told_in_full():
    wrong = universal.foreign(tree("in IN 0 root\nBath NNP 1 pobj"))
    assert wrong == (
        "sentence 's' has the relation 'pobj', which is none of Universal Dependencies 2; "
        "read the trees without labels"
    )
