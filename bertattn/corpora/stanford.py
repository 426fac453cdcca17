"""spaCy's English trees, turned into the Stanford Dependencies that the paper is written in.

spaCy's English models learned the labels of ClearNLP (Choi and Palmer 2012), which descend from
the Stanford Dependencies (de Marneffe and Manning 2008) and differ from them in names and in a few
attachments. What has another name:

============================ ===============================================================
spaCy                        here
============================ ===============================================================
ROOT                         root
compound, nmod               nn; ``number`` for one numeral in another, *two hundred*
relcl                        rcmod; infmod where it is an infinitive, *the first to come*
acl                          partmod (*-ing*, *-ed*), infmod (*to*), else ccomp, *the fact that*
advcl                        partmod if a bare participle, else advcl
nummod                       num
npadvmod                     tmod if a time that a clause or a predicate has, else npadvmod
case                         possessive
agent                        prep
dative                       prep, or iobj without a preposition
attr                         the predicate of a copula; nsubj after *there is*; else xcomp
acomp                        the predicate of a copula; else acomp
oprd                         xcomp
ccomp                        xcomp if it has its subject but is not finite, *made it easy*
det                          neg for *no*
intj                         discourse
meta                         dep
============================ ===============================================================

What hangs elsewhere:

- The predicate governs the copula: in *Anning was a collector* spaCy's root is *was*, here it is
  *collector*, and *was* is its ``cop``. A prepositional phrase is no predicate: in *she was in
  debt* the root stays *was*.
- All conjuncts, and the words that join them, hang on the first: spaCy makes a chain.
- Fixed expressions of two words are ``mwe``, the later word on the first: *such as*, *because of*.

What has no counterpart keeps its name: acl of other forms, parataxis and the relations that both
schemes share (nsubj, dobj, pobj, prep, det, amod, advmod, aux, auxpass, mark, poss, prt, ...). What
spaCy doesn't tell apart cannot be told here: purpose clauses, ``rcmod`` without a subject or object
gap, names of places and times in apposition. Punctuation hangs where spaCy hung it.
"""

from collections.abc import Callable
from dataclasses import replace

from bertattn.corpora.drafts import Draft
from bertattn.corpora.trees import ParsedSentence

RENAMED = {
    "ROOT": "root",
    "agent": "prep",
    "case": "possessive",
    "compound": "nn",
    "intj": "discourse",
    "meta": "dep",
    "nmod": "nn",
    "nummod": "num",
    "oprd": "xcomp",
    "relcl": "rcmod",
}
COPULAS = {"be", "is", "am", "are", "was", "were", "been", "being", "'s", "'re", "'m"}
SUBJECTS = {"nsubj", "nsubjpass", "csubj", "csubjpass", "expl"}
SUBORDINATORS = {"mark", "advmod", *SUBJECTS}
FIXED = {
    ("according", "to"),
    ("as", "well"),
    ("at", "least"),
    ("because", "of"),
    ("due", "to"),
    ("in", "order"),
    ("instead", "of"),
    ("kind", "of"),
    ("more", "than"),
    ("less", "than"),
    ("of", "course"),
    ("rather", "than"),
    ("sort", "of"),
    ("such", "as"),
}
JOINABLE = {"advmod", "amod", "cc", "mark", "pcomp", "prep", "quantmod", "num"}


def converted(parse: ParsedSentence) -> ParsedSentence:
    """A tree with spaCy's labels as a tree of Stanford Dependencies, over the same words.

    Example:
        >>> words, tags = ("She", "was", "eleven", "."), ("PRP", "VBD", "CD", ".")
        >>> labels = ("nsubj", "ROOT", "acomp", "punct")
        >>> tree = converted(ParsedSentence("1", words, tags, (1, None, 1, 1), labels))
        >>> tree.relations
        ('nsubj', 'cop', 'root', 'punct')
        >>> tree.governors
        (2, 2, None, 2)
    """
    draft = Draft.of(parse)
    for rule in RULES:
        rule(draft)
    draft.relations = [RENAMED.get(relation, relation) for relation in draft.relations]
    governors, relations = tuple(draft.governors), tuple(draft.relations)
    return replace(parse, governors=governors, relations=relations)


def _hang_conjuncts_on_the_first(draft: Draft) -> None:
    for word in draft.labelled("conj", "cc", "preconj"):
        first = draft.governors[word]
        while first is not None and draft.relations[first] == "conj":
            first = draft.governors[first]
        draft.governors[word] = first


def _turn_copulas(draft: Draft) -> None:
    """Predicates first inside, then outside, so that a predicate clause is whole when moved."""
    for copula in reversed(range(len(draft.words))):
        if draft.words[copula] in COPULAS and draft.tags[copula].startswith("VB"):
            predicates = draft.children(copula, "attr", "acomp")
            if predicates and not draft.children(copula, "expl"):
                _turn(draft, copula, predicates[0])


def _turn(draft: Draft, copula: int, predicate: int) -> None:
    for child in draft.children(copula):
        draft.governors[child] = predicate
    draft.governors[predicate] = draft.governors[copula]
    draft.relations[predicate] = draft.relations[copula]
    draft.governors[copula], draft.relations[copula] = predicate, "cop"


def _name_complements(draft: Draft) -> None:
    for word in draft.labelled("attr"):
        governor = draft.governors[word]
        exists = governor is not None and draft.children(governor, "expl")
        draft.relations[word] = "nsubj" if exists else "xcomp"
    for word in draft.labelled("ccomp"):
        if draft.children(word, *SUBJECTS) and not draft.is_finite(word):
            draft.relations[word] = "ccomp" if draft.children(word, "mark") else "xcomp"


def _name_clauses_on_nouns(draft: Draft) -> None:
    for word in draft.labelled("acl", "relcl"):
        if draft.is_infinitive(word):
            draft.relations[word] = "infmod"
        elif draft.relations[word] == "acl":
            participle = draft.tags[word] in ("VBG", "VBN")
            draft.relations[word] = "partmod" if participle else "ccomp"


def _name_participles(draft: Draft) -> None:
    for word in draft.labelled("advcl"):
        if draft.tags[word] in ("VBG", "VBN") and not draft.children(word, *SUBORDINATORS):
            draft.relations[word] = "partmod"


def _name_times(draft: Draft) -> None:
    for word in draft.labelled("npadvmod"):
        governor = draft.governors[word]
        clause = governor is not None and _is_clause(draft, governor)
        if clause and draft.is_time(word):
            draft.relations[word] = "tmod"


def _is_clause(draft: Draft, word: int) -> bool:
    return draft.tags[word].startswith("VB") or bool(draft.children(word, "cop", *SUBJECTS))


def _name_numbers(draft: Draft) -> None:
    for word in draft.labelled("compound", "nummod"):
        governor = draft.governors[word]
        if governor is not None and draft.tags[word] == draft.tags[governor] == "CD":
            draft.relations[word] = "number"


def _name_modifiers_of_numbers(draft: Draft) -> None:
    for word in draft.labelled("advmod"):
        governor = draft.governors[word]
        if governor is not None and _is_numeral(draft, governor):
            draft.relations[word] = "quantmod"


def _is_numeral(draft: Draft, word: int) -> bool:
    modifies = draft.relations[word] in ("nummod", "number", "quantmod")
    return modifies and draft.tags[word] == "CD"


def _name_negative_determiners(draft: Draft) -> None:
    for word in draft.labelled("det"):
        if draft.words[word] == "no":
            draft.relations[word] = "neg"


def _name_recipients(draft: Draft) -> None:
    for word in draft.labelled("dative"):
        draft.relations[word] = "prep" if draft.tags[word] in ("IN", "TO") else "iobj"


def _join_fixed_expressions(draft: Draft) -> None:
    for first in range(len(draft.words) - 1):
        second = first + 1
        if (draft.words[first], draft.words[second]) in FIXED:
            _join(draft, first, second)


def _join(draft: Draft, first: int, second: int) -> None:
    """The two must hang together: one on the other, or both on one word."""
    governors, relations = draft.governors, draft.relations
    if governors[first] == second and relations[second] in JOINABLE:
        governors[first], relations[first] = governors[second], relations[second]
    elif governors[second] not in (first, governors[first]) or relations[first] not in JOINABLE:
        return
    for child in draft.children(second):
        governors[child] = first
    governors[second], relations[second] = first, "mwe"


RULES: tuple[Callable[[Draft], None], ...] = (
    _hang_conjuncts_on_the_first,
    _turn_copulas,
    _name_complements,
    _name_clauses_on_nouns,
    _name_participles,
    _name_times,
    _name_numbers,
    _name_modifiers_of_numbers,
    _name_negative_determiners,
    _name_recipients,
    _join_fixed_expressions,
)
