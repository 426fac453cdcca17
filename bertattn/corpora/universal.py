"""Trees of English Universal Dependencies, turned into the Stanford Dependencies of the paper.

Universal Dependencies (version 2; de Marneffe et al. 2021) grew out of the Stanford Dependencies
(de Marneffe and Manning 2008). Both let the predicate govern its copula and all conjuncts hang on
the first; what differs:

- A preposition governs: ``case`` becomes ``prep`` on what the phrase modifies, and the noun is its
  ``pobj``, a clause in *-ing* its ``pcomp``, *by leaving*. Of several the first governs, *out of*.
- A prepositional phrase and an adverb are no predicates: *she was in debt* has the root *was*.
- The last word of a name governs, the others are ``nn``: ``flat`` is read from its other end.
- A conjunction hangs on the first conjunct.
- *What* in *what we said* belongs to its clause, which takes the place of the whole.
- The object of a verb that has a complement of its own is that complement's subject, *made it
  easy*, *let her go*, *want it to end*; not so after verbs of asking, *asked her to go*.
- *At least* before a numeral is ``quantmod`` with ``mwe``; in *each other* the second word governs.

``universal_governors`` has the rules of who governs, ``universal_labels`` those of labels. Tags
must be those of the Penn Treebank (XPOS).

What Universal Dependencies do not tell stays as it is: the governor of a date is the treebank's
(*May 12* has *May* in the Penn Treebank), and a long name has one governor. Punctuation
hangs where it hung. How far the result is what people drew is measured: docs/UD_LABELS.md.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from bertattn.corpora import universal_governors
from bertattn.corpora.articles import CorpusError
from bertattn.corpora.drafts import Draft
from bertattn.corpora.trees import ParsedSentence
from bertattn.corpora.universal_labels import label

RELATIONS = """
    acl advcl advmod amod appos aux case cc ccomp clf compound conj cop csubj dep det discourse
    dislocated expl fixed flat goeswith iobj list mark nmod nsubj nummod obj obl orphan parataxis
    punct reparandum root vocative xcomp
"""
TAGS = "ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ VERB _"


def converted(tree: ParsedSentence) -> ParsedSentence:
    """A tree of Universal Dependencies as one of Stanford Dependencies, over the same words.

    Example:
        >>> words, tags = ("She", "lived", "in", "Bath"), ("PRP", "VBD", "IN", "NNP")
        >>> labels = ("nsubj", "root", "case", "obl")
        >>> tree = converted(ParsedSentence("1", words, tags, (1, None, 3, 1), labels))
        >>> tree.relations
        ('nsubj', 'root', 'prep', 'pobj')
        >>> tree.governors
        (1, None, 1, 2)
    """
    draft = Draft.of(tree)
    for rule in universal_governors.RULES:
        rule(draft)
    labels = tuple(label(draft, word) for word in range(len(draft.words)))
    return replace(tree, governors=tuple(draft.governors), relations=labels)


def all_converted(
    trees: Iterable[ParsedSentence], skipped: list[CorpusError] | None = None
) -> Iterator[ParsedSentence]:
    """Trees of English Universal Dependencies as trees of Stanford Dependencies.

    Args:
        trees: The trees.
        skipped: If given, a sentence in other labels or tags is left out and its error put there.

    Raises:
        CorpusError: If labels are not those of Universal Dependencies, version 2, or tags not
            those of the Penn Treebank.
    """
    for tree in trees:
        if (wrong := foreign(tree)) is None:
            yield converted(tree)
        elif skipped is None:
            raise CorpusError(tree.path, tree.line, wrong)
        else:
            skipped.append(CorpusError(tree.path, tree.line, wrong))


def foreign(tree: ParsedSentence) -> str | None:
    """What keeps a tree from being converted: the first of it, or None if nothing does.

    Example:
        >>> foreign(ParsedSentence("1", ("in", "Bath"), ("IN", "NNP"), (None, 0), ("root", "pobj")))
        "sentence '1' has the relation 'pobj', which is none of Universal Dependencies 2; ..."
    """
    for relation, tag in zip(tree.relations, tree.tags, strict=True):
        if relation.partition(":")[0] not in RELATIONS.split():
            known = "which is none of Universal Dependencies 2; read the trees without labels"
            return f"sentence {tree.id!r} has the relation {relation!r}, {known}"
        if tag in TAGS.split():
            wanted = "conversion needs tags of the Penn Treebank, in column 5"
            return f"sentence {tree.id!r} has the tag {tag!r}; {wanted}"
    return None
