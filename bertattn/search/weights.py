"""Attention along pairs of words, for some heads of a layer."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from array_api_compat import is_numpy_array
from jaxtyping import Float

from bertattn.attention import Kind
from bertattn.reducer import Batch, as_numpy
from bertattn.search.topics import MARKS, Pairs, Topic
from bertattn.words import Members


@dataclass(frozen=True, eq=False)
class Merger:
    """A batch's pieces and their words (section 4.1), made once for all its layers."""

    batch: Batch
    members: Members

    @classmethod
    def of(cls, batch: Batch, weights: Any) -> "Merger":
        """That of a batch, where its weights are."""
        return cls(batch, Members.of(batch, as_array=_beside(weights)))

    def of_layer(self, weights: Any) -> Callable[[Topic], np.ndarray]:
        """What gives a topic's weights of one layer; those between words are merged once."""
        between: list[np.ndarray] = []

        def of_words(topic: Topic) -> np.ndarray:
            if topic.name in MARKS:
                return self._to_mark(weights, MARKS[topic.name])
            if not between:
                between.append(as_numpy(self.members.between_words(weights)))
            return between[0]

        return of_words

    def _to_mark(self, weights: Any, kind: Kind) -> Float[np.ndarray, "batch head word"]:
        """Attention from words to all tokens of a kind together."""
        chosen = (as_numpy(self.batch.kinds) == kind).astype(np.float32)
        to_kind = weights @ _beside(weights)(chosen)[:, None, :, None]  # [batch, head, token, 1]
        return as_numpy(self.members.share[:, None] @ to_kind)[..., 0]


def along(
    pairs: Pairs,
    of_words: Float[np.ndarray, "batch head word *to_word"],
) -> Float[np.ndarray, "pair head"]:
    """The weights of pairs: between words, or from words to a mark.

    Example:
        >>> two = Pairs(np.array([0]), np.array([1]), np.array([0]))
        >>> along(two, np.eye(2, k=-1)[None, None]).tolist()
        [[1.0]]
    """
    if of_words.ndim == 3:
        return of_words[pairs.input, :, pairs.from_word]
    return of_words[pairs.input, :, pairs.from_word, pairs.to_word]


def _beside(weights: Any) -> Callable[[np.ndarray], Any]:
    """Moves an array to where the weights are."""
    return np.asarray if is_numpy_array(weights) else lambda array: weights.new_tensor(array)
