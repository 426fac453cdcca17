"""The labels of Universal Dependencies, once words hang where they hang in Stanford's.

============================== =============================================================
Universal Dependencies         here
============================== =============================================================
obj                            dobj
iobj                           iobj; dobj where it is the only object
nsubj:pass, csubj:pass         nsubjpass, csubjpass
aux:pass                       auxpass
mark                           mark; aux for *to*
case                           prep (a phrase's first); possessive for *'s*
nmod, obl, obl:agent           prep with pobj; without a preposition as the next line
nmod, obl of :unmarked,        tmod for a time that a clause has; num for a numeral; appos for a
:npmod, :tmod                  name behind a noun, *York, England*; else npadvmod
nmod:poss                      poss
nmod:desc, compound, flat      nn; ``number`` for one numeral in another
compound:prt                   prt
nummod                         num; ``number`` on a numeral
det                            det; neg for *no*
det:predet, cc:preconj         predet, preconj
advmod                         advmod; neg for *not*, *never*; quantmod on a numeral
acl:relcl                      rcmod
acl                            infmod (*to*), partmod (*-ing*, *-ed*), rcmod (*when*, *where*),
                               else ccomp
advcl                          partmod if a bare participle, else advcl
csubj                          csubj; behind its verb and *it* xcomp (*to*) or ccomp
expl                           expl for *there*; nsubj for *it*
xcomp                          xcomp; acomp for an adjective, if nothing else is the object
parataxis                      parataxis; dep for a bare noun
fixed                          mwe
list                           appos
dep, dislocated, orphan,       dep
reparandum, vocative
============================== =============================================================

All others keep their name, without what stands behind a colon.
"""

from bertattn.corpora.drafts import Draft

RENAMED = {
    "acl:relcl": "rcmod",
    "advcl:relcl": "advcl",
    "aux:pass": "auxpass",
    "cc:preconj": "preconj",
    "compound": "nn",
    "compound:prt": "prt",
    "csubj:pass": "csubjpass",
    "det:predet": "predet",
    "dislocated": "dep",
    "fixed": "mwe",
    "flat": "nn",
    "list": "appos",
    "nmod:desc": "nn",
    "nmod:poss": "poss",
    "nsubj:pass": "nsubjpass",
    "obj": "dobj",
    "orphan": "dep",
    "reparandum": "dep",
    "vocative": "dep",
}
NEGATIONS = {"not", "n't", "never"}
HALVES = {"half", "twice", "double"}
OF_PHRASES = {
    "acl", "advcl", "advmod", "nmod", "nmod:poss", "obl", "obl:agent", "orphan", "xcomp",
}  # fmt: skip
SUBJECTS = ("nsubj", "nsubj:pass", "nsubj:outer", "csubj", "expl")


def label_of_phrase(relation: str) -> str:
    """What a preposition is that takes the place of a noun with some relation.

    Example:
        >>> label_of_phrase("obl"), label_of_phrase("conj")
        ('prep', 'conj')
    """
    plain = relation.partition(":")[0]
    return "prep" if relation in OF_PHRASES or plain in ("nmod", "obl") else relation


def label(draft: Draft, word: int) -> str:
    """The label of a word in the Stanford Dependencies."""
    relation = draft.relations[word]
    if draft.governors[word] is None:
        return "root"
    plain = relation.partition(":")[0]
    rule = RULES.get(relation) or (None if relation in RENAMED else RULES.get(plain))
    named = rule(draft, word) if rule else relation
    plain = named.partition(":")[0]
    return RENAMED.get(named) or RENAMED.get(plain, plain)


def _mark(draft: Draft, word: int) -> str:
    return "aux" if draft.tags[word] == "TO" else "mark"


def _case(draft: Draft, word: int) -> str:
    return "possessive" if draft.tags[word] == "POS" else "prep"


def _adverb(draft: Draft, word: int) -> str:
    governor = _above(draft, word)
    numeral = draft.tags[governor] == "CD" or draft.words[governor] in HALVES
    if draft.words[word] in NEGATIONS:
        return "neg"
    alone = draft.governors[governor] is None or draft.children(governor, "cop", *SUBJECTS)
    return "quantmod" if numeral and not alone and word < governor else "advmod"


def _determiner(draft: Draft, word: int) -> str:
    return "neg" if draft.words[word] == "no" else "det"


def _numeral(draft: Draft, word: int) -> str:
    inside = draft.tags[word] == draft.tags[_above(draft, word)] == "CD"
    return "number" if inside else "num" if draft.relations[word] == "nummod" else "nn"


def _unmarked(draft: Draft, word: int) -> str:
    """A noun phrase that modifies without a preposition."""
    relation, governor, tag = draft.relations[word], _above(draft, word), draft.tags[word]
    noun = relation.startswith("nmod")
    if tag.startswith(("JJ", "RB")):
        return "advmod"
    if noun and tag == "CD" and (draft.is_time(governor) or draft.tags[governor] == "CD"):
        return "num"
    if relation.endswith("tmod") or draft.is_time(word):
        modifies = draft.tags[governor][:2] in ("IN", "JJ", "RB") and not draft.children(
            governor, "cop"
        )
        return "npadvmod" if modifies else "tmod"
    if noun and tag == "CD":
        return "num"
    return "appos" if noun and tag.startswith("NNP") and word > governor else "npadvmod"


def _clause_on_noun(draft: Draft, word: int) -> str:
    if _is_infinitive(draft, word):
        return "infmod"
    if any(draft.tags[c] == "WRB" for c in draft.children(word, "advmod")):
        return "acl:relcl"
    opened = draft.children(word, "mark", *SUBJECTS)
    participle = draft.tags[word] in ("VBG", "VBN")
    return "partmod" if participle and not opened else "ccomp"


def _clause(draft: Draft, word: int) -> str:
    opened = draft.children(word, "mark", "cop", *SUBJECTS)
    asked = any(draft.tags[c] == "WRB" for c in draft.children(word, "advmod"))
    bare = draft.tags[word] in ("VBG", "VBN") and not opened and not asked
    return "partmod" if bare else "advcl"


def _clause_as_subject(draft: Draft, word: int) -> str:
    governor = _above(draft, word)
    it = [c for c in draft.children(governor, "expl", "nsubj") if draft.words[c] == "it"]
    if word < governor or not it or draft.tags[word] == "VBG":
        return "csubj"
    return "xcomp" if _is_infinitive(draft, word) else "ccomp"


def _expletive(draft: Draft, word: int) -> str:
    if draft.words[word] != "it":
        return "expl"
    return "nsubj:pass" if draft.children(_above(draft, word), "aux:pass") else "nsubj"


def _complement(draft: Draft, word: int) -> str:
    governor = _above(draft, word)
    clause = draft.children(word, "cop", *SUBJECTS) or draft.children(governor, "obj", "aux:pass")
    return "acomp" if draft.tags[word].startswith("JJ") and not clause else "xcomp"


def _beside(draft: Draft, word: int) -> str:
    clause = draft.children(word, "cop", "aux", *SUBJECTS)
    noun = draft.tags[word].startswith(("NN", "CD"))
    return "dep" if noun and not clause else "parataxis"


def _recipient(draft: Draft, word: int) -> str:
    others = draft.children(_above(draft, word), "obj", "ccomp")
    return "iobj" if others else "dobj"


def _is_infinitive(draft: Draft, word: int) -> bool:
    return any(draft.tags[child] == "TO" for child in draft.children(word, "mark"))


def _above(draft: Draft, word: int) -> int:
    governor = draft.governors[word]
    assert governor is not None, "the root is named first"
    return governor


RULES = {
    "acl": _clause_on_noun,
    "advcl": _clause,
    "advmod": _adverb,
    "case": _case,
    "compound": _numeral,
    "csubj": _clause_as_subject,
    "det": _determiner,
    "expl": _expletive,
    "iobj": _recipient,
    "mark": _mark,
    "nmod": _unmarked,
    "nummod": _numeral,
    "obl": _unmarked,
    "parataxis": _beside,
    "xcomp": _complement,
}
