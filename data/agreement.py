"""How far two readings of the same text agree.

Trees: UAS, the share of words with the same governor, and LAS, with the same governor and relation,
punctuation left out; F1 for each relation. Coreference: F1 of mentions, and the scores MUC (Vilain
et al. 1995), B-cubed (Bagga and Baldwin 1998) and CEAF over entities (Luo 2005), as F1.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from scipy.optimize import linear_sum_assignment

from bertattn.corpora.coreference import CorefDocument
from bertattn.corpora.trees import ParsedSentence

Arc = tuple[str, int, int | None, str]  # sentence, dependent, governor, relation
Entity = frozenset[tuple[str, int, int]]  # document, start and stop of each mention


class Score(NamedTuple):
    """What is right, of how much that one reading has and of how much the other has."""

    right_here: float
    right_there: float
    here: float
    there: float

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall, in per cent."""
        precision = self.right_here / self.here if self.here else 0.0
        recall = self.right_there / self.there if self.there else 0.0
        return 200 * precision * recall / (precision + recall) if precision + recall else 0.0


def arcs(sentences: Iterable[ParsedSentence]) -> set[Arc]:
    """The arcs of all words but punctuation, which has no letter and no figure in it."""
    return {
        (sentence.id, word, sentence.governors[word], sentence.relations[word])
        for sentence in sentences
        for word in range(len(sentence))
        if any(letter.isalnum() for letter in sentence.words[word])
    }


def attachment(here: set[Arc], there: set[Arc]) -> tuple[float, float]:
    """UAS and LAS in per cent, of two readings of the same words."""
    bare = [{arc[:3] for arc in reading} for reading in (here, there)]
    return 100 * len(bare[0] & bare[1]) / len(there), 100 * len(here & there) / len(there)


def by_relation(here: set[Arc], there: set[Arc]) -> dict[str, Score]:
    """The score of each relation, the commonest there first."""
    ours, theirs, both = (Counter(arc[3] for arc in x) for x in (here, there, here & there))
    return {
        relation: Score(both[relation], both[relation], ours[relation], theirs[relation])
        for relation in sorted(ours | theirs, key=lambda name: (-theirs[name], name))
    }


def entities(documents: Iterable[CorefDocument]) -> list[Entity]:
    """The mentions of each entity, told apart by document and place."""
    found: dict[tuple[str, str], set[tuple[str, int, int]]] = {}
    for document in documents:
        for mention in document.mentions:
            members = found.setdefault((document.id, mention.entity), set())
            members.add((document.id, mention.start, mention.stop))
    return [frozenset(members) for members in found.values()]


def mentions(here: Sequence[Entity], there: Sequence[Entity]) -> Score:
    """Mentions with the same first and last word."""
    ours, theirs = frozenset().union(*here), frozenset().union(*there)
    return Score(len(ours & theirs), len(ours & theirs), len(ours), len(theirs))


def muc(here: Sequence[Entity], there: Sequence[Entity]) -> Score:
    """Links that hold an entity together and need not be added to the other reading."""
    return Score(
        _kept_links(here, there),
        _kept_links(there, here),
        sum(len(entity) - 1 for entity in here),
        sum(len(entity) - 1 for entity in there),
    )


def b_cubed(here: Sequence[Entity], there: Sequence[Entity]) -> Score:
    """For each mention, the share of its entity that is with it in the other reading too."""
    return Score(
        _shared(here, there),
        _shared(there, here),
        sum(map(len, here)),
        sum(map(len, there)),
    )


def ceaf(here: Sequence[Entity], there: Sequence[Entity]) -> Score:
    """Entities matched one to one so that their overlaps (Dice) are greatest in sum."""
    overlap = np.array([[2 * len(a & b) / (len(a) + len(b)) for b in there] for a in here])
    best = overlap[linear_sum_assignment(overlap, maximize=True)].sum() if overlap.size else 0.0
    return Score(best, best, len(here), len(there))


def _kept_links(entities: Sequence[Entity], others: Sequence[Entity]) -> int:
    owner = _owners(others)
    return sum(len(e) - len({owner.get(mention, mention) for mention in e}) for e in entities)


def _shared(entities: Sequence[Entity], others: Sequence[Entity]) -> float:
    owner = _owners(others)
    return sum(
        count**2 / len(entity)
        for entity in entities
        for count in Counter(owner[m] for m in entity if m in owner).values()
    )


def _owners(entities: Sequence[Entity]) -> Mapping[tuple[str, int, int], int]:
    return {mention: number for number, entity in enumerate(entities) for mention in entity}
