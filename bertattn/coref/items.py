"""The mentions of a batch of windows as arrays: who is asked, who may be chosen, who is right."""

from collections import Counter
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Int

from bertattn.coref import rules
from bertattn.coref.windows import Window
from bertattn.corpora.mentions import KINDS
from bertattn.reducer import Batch

CANDIDATES = ("all words", "words before", "other mentions", "mentions before")
DISTANCES = (5, 15, 30, 60)  # words back to the nearest antecedent, at most; the last bin is open


@dataclass(frozen=True, eq=False)
class Items:
    """Mentions with an antecedent in their window, one an entry.

    Attributes:
        input: Which input of the batch it stands in.
        head_word: Its head word.
        kind: The number of its kind.
        distance: The number of its bin of ``DISTANCES``.
        document: The document.
        candidates: Which words may be chosen, for each set of ``CANDIDATES``.
        right: Which words are heads of its antecedents.
        by_rule: Whether each rule of ``rules.RULES`` chooses one of those.
    """

    input: Int[np.ndarray, " item"]
    head_word: Int[np.ndarray, " item"]
    kind: Int[np.ndarray, " item"]
    distance: Int[np.ndarray, " item"]
    document: Int[np.ndarray, " item"]
    candidates: Bool[np.ndarray, "set item word"]
    right: Bool[np.ndarray, "item word"]
    by_rule: Bool[np.ndarray, "item rule"]

    def __len__(self) -> int:
        return len(self.input)

    @property
    def chance(self) -> Float[np.ndarray, "set item"]:
        """The share of candidates that are right."""
        n = self.candidates.sum(axis=2)
        return (self.candidates & self.right).sum(axis=2) / np.maximum(n, 1)


def items_of(batch: Batch, n_words: int) -> tuple[Items, Counter[str]]:
    """The asked mentions of a batch of windows, and a count of what has no score.

    Words without pieces have no attention: they are no candidates, and mentions whose head is one
    are left out, as are those all of whose antecedents have such heads.

    Raises:
        ValueError: If an input is no window.
    """
    left_out: Counter[str] = Counter()
    rows: list[tuple[int, ...]] = []
    sets: list[np.ndarray] = []
    right: list[np.ndarray] = []
    guessed: list[list[bool]] = []
    for number, tokens in enumerate(batch.tokens):
        window = window_of(tokens.source)
        alive = np.zeros(n_words, dtype=bool)
        alive[: len(window.words)] = True
        alive[list(tokens.words_without_pieces)] = False
        heads = np.zeros(n_words, dtype=bool)
        heads[[m.head_word for m in window.mentions]] = True
        for mention in window.asked:
            answers = np.zeros(n_words, dtype=bool)
            answers[[a.head_word for a in window.antecedents(mention)]] = True
            answers &= alive
            if not (alive[mention.head_word] and answers.any()):
                left_out["mentions_without_pieces"] += 1
                continue
            back = mention.head_word - int(np.flatnonzero(answers)[-1])
            kind = KINDS.index(mention.kind)
            distance = int(np.searchsorted(DISTANCES, back))
            rows.append((number, mention.head_word, kind, distance, tokens.document))
            sets.append(_candidates(alive, heads, mention.head_word))
            right.append(answers)
            chosen = [rule(window, mention) for rule in rules.RULES.values()]
            guessed.append([place >= 0 and bool(answers[place]) for place in chosen])
    of, own, kinds, distances, documents = np.array(rows, dtype=np.int64).reshape(-1, 5).T
    shape = (len(rows), n_words)
    items = Items(
        input=of,
        head_word=own,
        kind=kinds,
        distance=distances,
        document=documents,
        candidates=np.array(sets, dtype=bool).reshape(len(rows), 4, n_words).swapaxes(0, 1),
        right=np.array(right, dtype=bool).reshape(shape),
        by_rule=np.array(guessed, dtype=bool).reshape(len(rows), len(rules.RULES)),
    )
    return items, left_out


def window_of(source: object) -> Window:
    """What an input was made of, if that is a window of a document.

    Raises:
        ValueError: If not.
    """
    if not isinstance(source, Window):
        raise ValueError("wanted inputs made of windows of documents (bertattn.coref.Windows)")
    return source


def _candidates(alive: np.ndarray, heads: np.ndarray, own: int) -> np.ndarray:
    others = alive.copy()
    others[own] = False
    before = others.copy()
    before[own:] = False
    return np.stack([others, before, others & heads, before & heads])
