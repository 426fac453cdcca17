"""The arcs of a batch of parsed sentences as arrays: what is asked, and what is right."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from jaxtyping import Bool, Int

from bertattn.corpora import ParsedSentence
from bertattn.reducer import Batch

Direction = Literal["dependent->governor", "governor->dependent"]
DIRECTIONS: tuple[Direction, ...] = ("dependent->governor", "governor->dependent")
PUNCTUATION = "punct"
ROOT = "root"
POSSESSORS = ("poss", "nmod:poss")
POSSESSIVE = ("'s", "'", "’s", "’")


@dataclass(frozen=True, eq=False)
class Arcs:
    """Dependents of a batch, one an entry; the order is that of inputs and of their words.

    Attributes:
        input: Which input of the batch it stands in.
        dependent: The word that has a governor.
        asked: The word whose prediction counts: the dependent, or the possessive after it.
        governor: The right answer; -1 for the root, which no word is.
        relation: The number of the relation.
        document: The document.
        visible: Whether attention in each direction can see it; all but in decoders.
    """

    input: Int[np.ndarray, " arc"]
    dependent: Int[np.ndarray, " arc"]
    asked: Int[np.ndarray, " arc"]
    governor: Int[np.ndarray, " arc"]
    relation: Int[np.ndarray, " arc"]
    document: Int[np.ndarray, " arc"]
    visible: Bool[np.ndarray, "direction arc"]


def arcs_of(
    batch: Batch, relations: Mapping[str, int], poss_rule: bool
) -> tuple[Arcs, Counter[str]]:
    """The arcs of a batch whose inputs are parsed sentences, and a count of what has no score.

    What no word governs is the root, whatever its label. Words without pieces have no attention:
    arcs from or to one are left out and counted.

    Args:
        batch: The inputs.
        relations: The number of each relation.
        poss_rule: Whether the possessive's prediction counts for the possessor before it (Clark et
            al. 2019, section 4.2).

    Raises:
        ValueError: If an input is no parsed sentence, or a relation has no number.
    """
    rows: list[tuple[int, ...]] = []
    left_out: Counter[str] = Counter()
    for number, tokens in enumerate(batch.tokens):
        sentence = sentence_of(tokens.source)
        silent, document = tokens.words_without_pieces, tokens.document
        pairs = zip(sentence.governors, sentence.relations, strict=True)
        for word, (governor, relation) in enumerate(pairs):
            if silent and (word in silent or governor in silent):
                left_out["arcs_without_pieces"] += 1
                continue
            possessor = poss_rule and relation in POSSESSORS
            asked = possessor_asks(sentence, word) if possessor else word
            right = -1 if governor is None else governor
            name = ROOT if governor is None else relation
            if name not in relations:
                known = ", ".join(relations)
                raise ValueError(f"{sentence.id}: relation {name!r}, wanted one of {known}")
            rows.append((number, word, asked, right, relations[name], document))
    of, dependent, asks, above, names, documents = np.array(rows, dtype=np.int64).reshape(-1, 6).T
    visible = _visible(asks, above, batch.causal)
    if batch.causal:
        for direction, seen in zip(DIRECTIONS, visible, strict=True):
            left_out[f"arcs_unseen_{direction}"] += int((~seen).sum())
    return Arcs(of, dependent, asks, above, names, documents, visible), +left_out


def sentence_of(source: object) -> ParsedSentence:
    """What an input was made of, if that is a parsed sentence.

    Raises:
        ValueError: If not.
    """
    if not isinstance(source, ParsedSentence):
        raise ValueError("wanted inputs made of parsed sentences (bertattn.segments.Trees)")
    return source


def possessor_asks(sentence: ParsedSentence, word: int) -> int:
    """The word whose prediction counts for a word by the rule for possessors."""
    follows = sentence.words[word + 1 : word + 2]
    possessor = sentence.relations[word] in POSSESSORS
    return word + 1 if possessor and follows and follows[0] in POSSESSIVE else word


def is_punctuation(sentence: ParsedSentence) -> Bool[np.ndarray, " word"]:
    """Which words the tree has as punctuation."""
    return np.array([relation == PUNCTUATION for relation in sentence.relations])


def _visible(asked: np.ndarray, governor: np.ndarray, causal: bool) -> np.ndarray:
    if not causal:
        return np.ones((2, len(asked)), dtype=bool)
    root = governor < 0
    return np.stack([(governor < asked) | root, (governor > asked) | root])
