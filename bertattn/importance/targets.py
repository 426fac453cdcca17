"""Kinds of token that are attended to, as section 3.2 tells them apart."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from array_api_compat import is_numpy_array
from jaxtyping import Bool, Float, Int

from bertattn.attention import Kind, Tokens
from bertattn.reducer import padded_to
from bertattn.stats import N_GROUPS, group_of

TARGETS = ("to_start", "to_separator", "to_punctuation", "to_first", "to_mask", "to_other")


def targets_of(
    tokens: Tokens, masked: Bool[np.ndarray, " token"] | None = None
) -> Int[np.ndarray, " token"]:
    """Which of ``TARGETS`` each token is.

    Args:
        tokens: The input.
        masked: Which tokens are hidden behind a mask, and so are no commas any more.

    Example:
        >>> from bertattn.attention import Kind
        >>> kinds = np.array([Kind.START, 0, Kind.PUNCTUATION, Kind.SEPARATOR])
        >>> zeros = np.zeros(4, dtype=np.int64)
        >>> tokens = Tokens(("[CLS]", "a", ".", "[SEP]"), zeros, zeros, zeros, kinds, ("a", "."))
        >>> [TARGETS[t] for t in targets_of(tokens)]
        ['to_start', 'to_other', 'to_punctuation', 'to_separator']
    """
    found = np.full(len(tokens), TARGETS.index("to_other"))
    if not (tokens.kinds == Kind.START).any():
        found[0] = TARGETS.index("to_first")  # the sink of models that have no [CLS]
    for kind, name in NAMED.items():
        found[tokens.kinds == kind] = TARGETS.index(name)
    if masked is not None:
        found[masked] = TARGETS.index("to_mask")
    return found


NAMED = {
    Kind.START: "to_start",
    Kind.SEPARATOR: "to_separator",
    Kind.PUNCTUATION: "to_punctuation",
}


def member(
    targets: Sequence[Int[np.ndarray, " _"]], like: Any, n_targets: int = len(TARGETS)
) -> Float[Any, "batch token target"]:
    """1 where a token of a padded batch is of a kind, of the type and device of ``like``."""
    columns = padded_to(targets, like.shape[-1])
    return beside(np.equal.outer(columns, np.arange(n_targets)).astype(np.float32), like)


def beside(array: np.ndarray, like: Any) -> Any:
    """An array of the kind and on the device of another one."""
    return array if is_numpy_array(like) else like.new_tensor(array)


def by_group(
    inputs: Sequence[Tokens], values: np.ndarray, counted: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Sums of "batch ..." values by group of documents, and how many they are of.

    What is not counted may be NaN.
    """
    groups = group_of(np.array([tokens.document for tokens in inputs]))
    sums = np.zeros((N_GROUPS, *values.shape[1:]))
    counts = np.zeros((N_GROUPS, *counted.shape[1:]), dtype=np.int64)
    np.add.at(sums, groups, np.where(_spread(counted, values), values, 0.0))
    np.add.at(counts, groups, counted)
    return sums, counts


def _spread(counted: np.ndarray, values: np.ndarray) -> np.ndarray:
    """A mask with axes of length 1 behind it, as many as values have more."""
    return counted.reshape(*counted.shape, *(1,) * (values.ndim - counted.ndim))
