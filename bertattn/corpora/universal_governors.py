"""Who governs, from Universal Dependencies to Stanford's: rules that run one after another.

Each lets a word take the place of its governor, or hangs a word on one above or beside it, so that
a tree stays a tree. Relations keep the names of Universal Dependencies where they have one.
"""

from collections.abc import Callable
from itertools import pairwise

from bertattn.corpora.drafts import Draft
from bertattn.corpora.universal_labels import label_of_phrase

OF_CLAUSES = {
    "advcl", "aux", "aux:pass", "cc:preconj", "ccomp", "csubj", "csubj:outer", "discourse",
    "dislocated", "expl", "mark", "nsubj", "nsubj:outer", "nsubj:pass", "obl", "obl:npmod",
    "obl:tmod", "obl:unmarked", "parataxis", "prep", "punct", "vocative",
}  # fmt: skip
BEFORE_PREPOSITIONS = {"advmod", "nmod:npmod", "nmod:unmarked", "obl:npmod", "obl:unmarked"}
WITH_SUBJECTS = {
    "believe", "cause", "consider", "expect", "find", "get", "have", "know", "like", "need",
    "want", "wish",
}  # fmt: skip
IRREGULAR = {
    "believing": "believe", "causing": "cause", "found": "find", "getting": "get", "got": "get",
    "had": "have", "has": "have", "having": "have", "knew": "know", "known": "know",
}  # fmt: skip
OPENERS = {"if", "although", "though", "unless", "until", "whether", "while", "because", "that"}
LEASTS = {"least", "most", "best", "worst"}
AS_CLAUSES = {"nsubj": "csubj", "nsubj:pass": "csubj:pass", "obj": "ccomp"}


def _turn_names(draft: Draft) -> None:
    for first in range(len(draft.words)):
        rest = [w for w in draft.children(first) if draft.relations[w].partition(":")[0] == "flat"]
        if rest and rest[0] > first:
            _give(draft, draft.children(first), rest[-1])
            draft.take_place(rest[-1], first, "compound")
            for word in rest[:-1]:
                draft.governors[word], draft.relations[word] = rest[-1], "compound"


def _turn_each_other(draft: Draft) -> None:
    for first, second in pairwise(range(len(draft.words))):
        joined = draft.governors[second] == first and draft.relations[second] == "fixed"
        if joined and draft.words[first] in ("each", "one"):
            _give(draft, draft.children(first), second)
            draft.take_place(second, first, "det")


def _join_at_least(draft: Draft) -> None:
    for first in draft.labelled("case"):
        second = draft.governors[first]
        if second == first + 1 and draft.words[first] == "at" and draft.words[second] in LEASTS:
            draft.take_place(first, second, "fixed")
            draft.relations[first] = "advmod"


def _turn_free_relatives(draft: Draft) -> None:
    for word in range(len(draft.words)):
        clauses = draft.children(word, "acl:relcl", "advcl:relcl")
        if not draft.tags[word].startswith(("WP", "WRB")) or not clauses:
            continue
        verb = clauses[0]
        _give(draft, [c for c in draft.children(word) if c not in clauses], verb)
        draft.take_place(verb, word, _role(draft, word, verb))
        draft.relations[verb] = AS_CLAUSES.get(draft.relations[verb], draft.relations[verb])
        if draft.relations[word] == "obj":
            draft.governors[word] = _deepest(draft, verb)
        _raise_copula(draft, verb, "ccomp")


def _role(draft: Draft, word: int, verb: int) -> str:
    """What an interrogative is in its own clause."""
    if draft.tags[word] == "WRB":
        return "advmod"
    if draft.children(verb, "nsubj", "nsubj:pass"):
        return "obj"
    return "nsubj:pass" if draft.children(verb, "aux:pass") else "nsubj"


def _deepest(draft: Draft, verb: int) -> int:
    """The innermost of the infinitives and participles that a verb governs."""
    while inner := draft.children(verb, "xcomp"):
        verb = inner[0]
    return verb


def _raise_prepositions(draft: Draft) -> None:
    for noun in range(len(draft.words)):
        cases = [c for c in draft.children(noun, "case") if draft.tags[c] != "POS"]
        if not cases:
            continue
        first, last = cases[0], cases[-1]
        before = [c for c in draft.children(noun, *BEFORE_PREPOSITIONS) if c < first]
        is_clause = draft.tags[noun].startswith("VB")
        draft.take_place(first, noun, "pcomp" if is_clause else "pobj")
        draft.relations[first] = label_of_phrase(draft.relations[first])
        for upper, lower in pairwise(cases):
            draft.governors[lower], draft.relations[lower] = upper, "prep"
        draft.governors[noun] = last
        copulas = draft.children(noun, "cop")
        _give(draft, [] if copulas else before, first)
        if copulas:
            _take_clause(draft, copulas[0], noun, first)
            draft.take_place(copulas[0], first, "prep")


def _take_clause(draft: Draft, copula: int, predicate: int, place: int) -> None:
    """Hang a copula, and what belongs to its clause, on the word that has the predicate's place."""
    for child in draft.children(predicate):
        adverb = draft.relations[child] == "advmod" and child < place
        clause = draft.relations[child] == "conj" and _is_clause(draft, child)
        if draft.relations[child] in OF_CLAUSES or adverb or clause:
            draft.governors[child] = copula
    draft.governors[copula] = place


def _is_clause(draft: Draft, word: int) -> bool:
    """Has it a subject or a copula, or is it a verb?"""
    has = draft.children(word, "cop", "nsubj", "nsubj:pass", "expl")
    return bool(has) or draft.tags[word].startswith(("VB", "MD"))


def _raise_copulas_of_adverbs(draft: Draft) -> None:
    for word, tag in enumerate(draft.tags):
        if tag in ("RB", "WRB", "IN", "RP"):
            _raise_copula(draft, word, "advmod" if tag in ("RB", "WRB") else "prep")


def _raise_copula(draft: Draft, predicate: int, relation: str) -> None:
    copulas = draft.children(predicate, "cop")
    if copulas:
        below = [c for c in draft.children(predicate) if c > predicate]
        own = [c for c in draft.children(predicate, "aux", "nsubj") if c > copulas[0]]
        _take_clause(draft, copulas[0], predicate, predicate)
        if draft.tags[predicate].startswith("VB"):
            _give(draft, [*below, *own], predicate)
        draft.take_place(copulas[0], predicate, relation)


def _raise_subordinators(draft: Draft) -> None:
    """A preposition opens clauses in *-ing* without a subject, and *as*, *than* without a verb."""
    for mark in draft.labelled("mark"):
        word = draft.governors[mark]
        if word is None or draft.tags[mark] != "IN" or draft.words[mark] in OPENERS:
            continue
        bare = not draft.children(word, "nsubj", "nsubj:pass", "expl", "csubj", "cop")
        compares = draft.words[mark] in ("as", "than") and not draft.tags[word].startswith("VB")
        if bare and (draft.tags[word] == "VBG" or compares):
            draft.take_place(mark, word, "pobj" if compares else "pcomp")
            draft.relations[mark] = label_of_phrase(draft.relations[mark])


def _give_subjects(draft: Draft) -> None:
    for complement in draft.labelled("xcomp"):
        verb = draft.governors[complement]
        objects = [] if verb is None else draft.children(verb, "obj", "iobj")
        if verb is None or len(objects) != 1 or not verb < objects[0] < complement:
            continue
        tag = draft.tags[complement]
        asked = any(draft.tags[c] == "TO" for c in draft.children(complement, "mark"))
        if not asked or _stem(draft.words[verb]) in WITH_SUBJECTS:
            draft.governors[objects[0]] = complement
            draft.relations[objects[0]] = "nsubj:pass" if tag == "VBN" else "nsubj"


def _stem(verb: str) -> str:
    """The base form of the verbs in ``WITH_SUBJECTS``, and of others something else."""
    bare = (verb.removesuffix(end) for end in ("s", "ed", "d", "ing"))
    known = (form for form in bare if form in WITH_SUBJECTS)
    return IRREGULAR.get(verb) or next(known, verb)


def _hang_conjuncts(draft: Draft) -> None:
    """A conjunct that is a prepositional phrase hangs on the first one's preposition."""
    for word in draft.labelled("conj"):
        governor = draft.governors[word]
        while governor is not None and draft.children(word, "pobj", "pcomp"):
            if draft.relations[governor] not in ("pobj", "pcomp"):
                break
            governor = draft.governors[governor]
            draft.governors[word] = governor


def _hang_conjunctions(draft: Draft) -> None:
    for word in draft.labelled("cc"):
        governor = draft.governors[word]
        while governor is not None and draft.relations[governor] in ("pobj", "pcomp", "prep"):
            above = draft.governors[governor]
            if above is None or draft.relations[above] not in ("conj", "pobj", "pcomp", "prep"):
                break
            governor = above
        if governor is not None and draft.relations[governor] == "conj":
            draft.governors[word] = draft.governors[governor]


def _give(draft: Draft, children: list[int], governor: int) -> None:
    for child in children:
        if child != governor:
            draft.governors[child] = governor


RULES: tuple[Callable[[Draft], None], ...] = (
    _turn_names,
    _turn_each_other,
    _join_at_least,
    _turn_free_relatives,
    _raise_prepositions,
    _raise_copulas_of_adverbs,
    _raise_subordinators,
    _give_subjects,
    _hang_conjuncts,
    _hang_conjunctions,
)
