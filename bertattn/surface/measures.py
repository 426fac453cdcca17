"""Section 3: where attention goes by position, to separators and marks, and how broadly.

All measures are averages over the rows of one input, then over inputs (Clark et al. 2019,
section 3.1). With ``n`` tokens and ``a[i, j]`` the attention of position i to position j:

===================== ==================================================================
to_self               sum of a[i, i] / n
to_next, to_previous  sum of a[i, i+1] / n, of a[i, i-1] / n
to_first              sum of a[i, 0] / n: the sink of models that have no [CLS] (ours)
to_start              attention to [CLS] (or <s>) / n
to_separator          attention to [SEP] (or </s>) / n
to_punctuation        attention to "." and "," / n
from_separator        attention from separators to separators / number of separators
from_others           attention from all other tokens to separators / their number
entropy               mean over rows of -sum a' ln a', a' = 0.9999 a + 0.0001 / n; in nats
start_entropy         the same of the row of [CLS] alone
===================== ==================================================================
"""

from functools import lru_cache
from math import log
from typing import Any, NamedTuple

import numpy as np
from array_api_compat import array_namespace, is_numpy_array
from jaxtyping import Int, Shaped

from bertattn.attention import Kind
from bertattn.reducer import Batch, as_numpy

MEASURES = (
    "to_self",
    "to_next",
    "to_previous",
    "to_first",
    "to_start",
    "to_separator",
    "to_punctuation",
    "from_separator",
    "from_others",
    "entropy",
    "start_entropy",
)
SMOOTHING = 1e-4
CACHED_WEIGHTS = 2**16  # so many at a time that working copies stay in a processor's cache

Map = Shaped[Any, "*heads token token"]


def at_offset(weights: Map, offset: int) -> Shaped[Any, "*heads"]:
    """The share of attention that goes a fixed number of positions ahead (behind: negative).

    Example:
        >>> shift = np.eye(4, k=1)  # each position attends to the next, the last to nothing
        >>> float(at_offset(shift, 1)), float(at_offset(shift, -1))
        (0.75, 0.0)
    """
    xp = array_namespace(weights)
    return xp.sum(xp.linalg.diagonal(weights, offset=offset), axis=-1) / weights.shape[-1]


def entropy(weights: Map, smoothing: float = SMOOTHING) -> Shaped[Any, "*heads token"]:
    """Entropy of each row, in nats (Clark et al. 2019, section 3.3, figure 4).

    Args:
        weights: Attention maps without padding.
        smoothing: The part of the uniform distribution mixed in; the paper's is 0.0001.

    Example:
        >>> entropy(np.full((2, 2), 0.5), smoothing=0.0).round(4).tolist()  # ln 2
        [0.6931, 0.6931]
    """
    n = weights.shape[-1]
    return _entropy(weights, smoothing, uniform=1 / n)


def _entropy(weights: Any, smoothing: float, uniform: Any) -> Any:
    xp = array_namespace(weights)
    smoothed = weights * (1 - smoothing)
    smoothed += smoothing * uniform
    logs = xp.log(smoothed) if smoothing else xp.log(xp.where(smoothed > 0, smoothed, 1.0))
    return -xp.linalg.vecdot(smoothed, logs)


def averages(
    weights: Shaped[Any, "batch head token token"], batch: Batch
) -> Shaped[Any, "measure batch head"]:
    """Every measure of ``MEASURES`` for every head and input of a padded batch.

    Rows must sum to 1 and weights to padding be 0; rows of padding are ignored. A measure that
    an input does not have (no separator, say) is 0: ``defined`` tells.
    """
    xp = array_namespace(weights)
    places = _places(batch, weights.dtype)
    to_columns = places.rows[:, None] @ weights  # from all rows, and from separators
    to_marks = to_columns @ places.marks[:, None]  # [batch, head, all or separators, mark]
    from_all, from_separators = to_marks[:, :, 0], to_marks[:, :, 1]
    entropies = _row_entropies(weights, places) @ places.averaged  # of all rows, of [CLS]
    sums = [
        _diagonal(weights, places.valid, 0),
        _diagonal(weights, places.valid, 1),
        _diagonal(weights, places.valid, -1),
        to_columns[:, :, 0, 0],
        *(from_all[..., mark] for mark in range(3)),
        from_separators[..., 1],
        from_all[..., 1] - from_separators[..., 1],
        entropies[..., 0],
        entropies[..., 1],
    ]
    return xp.stack(sums, axis=0) / places.counts[..., None]


class _Places(NamedTuple):
    """Where a batch has what, as 0 and 1 of the type of its maps."""

    valid: Shaped[Any, "batch token"]
    rows: Shaped[Any, "batch 2 token"]  # all, separators
    marks: Shaped[Any, "batch token 3"]  # [CLS], separators, punctuation
    averaged: Shaped[Any, "batch token 2"]  # all, [CLS]
    counts: Shaped[Any, "measure batch"]  # what a sum is divided by
    smoothing: Shaped[Any, "batch 1 1"]  # what is added to a weight before its logarithm
    of_padding: Shaped[Any, "batch 1 1"]  # what x ln x of a row's padding comes to


@lru_cache(maxsize=4)
def _places(batch: Batch, dtype: Any) -> _Places:
    """Made once a batch: the layers of a pass come one after another."""
    xp = array_namespace(batch.kinds)
    n = xp.astype(batch.lengths, dtype)
    valid = xp.astype(batch.kinds >= 0, dtype)
    start, separator, punctuation = (
        xp.astype(batch.kinds == kind, dtype)
        for kind in (Kind.START, Kind.SEPARATOR, Kind.PUNCTUATION)
    )
    n_separators, n_starts = xp.sum(separator, axis=-1), xp.sum(start, axis=-1)
    others = [n_separators, n - n_separators, n, n_starts]
    smoothing = SMOOTHING / (1 - SMOOTHING) / n
    of_padding = (valid.shape[-1] - n) * smoothing * xp.log(smoothing)
    return _Places(
        valid,
        xp.stack([valid, separator], axis=-2),
        xp.stack([start, separator, punctuation], axis=-1),
        xp.stack([valid, start], axis=-1),
        xp.stack([n] * 7 + [xp.where(count < 1, 1.0, count) for count in others], axis=0),
        smoothing[:, None, None],
        of_padding[:, None, None],
    )


def _diagonal(weights: Any, valid: Any, offset: int) -> Any:
    """Sum of a[i, i + offset] over the pairs of positions that both exist."""
    xp = array_namespace(weights)
    width = valid.shape[-1] - abs(offset)
    both = valid[:, None, abs(offset) :] if width > 0 else valid[:, None, :0]
    return xp.linalg.vecdot(xp.linalg.diagonal(weights, offset=offset), both)


def _row_entropies(weights: Any, places: _Places) -> Any:
    """Entropy of each row that sums to 1; what smoothing puts on padding is taken out again.

    With a' = (1 - s) x, where x = a + s / (1 - s) / n, the sum of a' ln a' over a row is that
    of (1 - s) x ln x and ln(1 - s): so the map is read and written once less.
    """
    x_log_x = _x_log_x(weights, places.smoothing) - places.of_padding
    return -(1 - SMOOTHING) * x_log_x - log(1 - SMOOTHING)


def _x_log_x(weights: Any, added: Any) -> Any:
    """Sums of x ln x over rows, x = weights + added."""
    xp = array_namespace(weights)
    if not is_numpy_array(weights):
        x = weights + added[..., None]
        return xp.linalg.vecdot(x, xp.log(x))
    n_inputs, n_heads, n_tokens, _ = weights.shape
    maps, of_maps = weights.reshape(-1, n_tokens, n_tokens), np.repeat(added, n_heads, axis=0)
    step = max(1, CACHED_WEIGHTS // n_tokens**2)
    x, logs = np.empty((2, min(step, len(maps)), n_tokens, n_tokens), weights.dtype)
    sums = np.empty(maps.shape[:2], weights.dtype)
    for i in range(0, len(maps), step):
        some = maps[i : i + step]
        np.add(some, of_maps[i : i + step], out=x[: len(some)])
        np.log(x[: len(some)], out=logs[: len(some)])
        np.vecdot(x[: len(some)], logs[: len(some)], out=sums[i : i + step])
    return sums.reshape(n_inputs, n_heads, n_tokens)


def defined(batch: Batch) -> Int[np.ndarray, "measure batch"]:
    """Which measures each input has: 1 or 0."""
    kinds = as_numpy(batch.kinds)
    start = (kinds == Kind.START).any(axis=1)
    separator = (kinds == Kind.SEPARATOR).any(axis=1)
    always = np.ones_like(start)
    has = {
        "to_start": start,
        "to_separator": separator,
        "from_separator": separator,
        "from_others": separator,
        "start_entropy": start,
    }
    return np.array([has.get(name, always) for name in MEASURES], dtype=np.int64)
