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

from typing import Any

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
CACHED_WEIGHTS = 2**18

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

    Weights to padding must be 0; rows of padding are ignored. A measure that an input does
    not have (no separator, say) is 0: ``defined`` tells.
    """
    xp = array_namespace(weights)
    n = batch.lengths[:, None]
    valid = _as(batch.kinds >= 0, weights)
    start, separator, punctuation = (
        _as(batch.kinds == kind, weights) for kind in (Kind.START, Kind.SEPARATOR, Kind.PUNCTUATION)
    )
    to_marks = weights @ xp.stack([start, separator, punctuation], axis=-1)[:, None]
    rows = xp.stack([valid, separator], axis=-2)
    flow = rows[:, None] @ to_marks  # [batch, head, all or separators, to mark]
    n_separators = xp.sum(separator, axis=-1)[:, None]
    row_entropies = _row_entropies(weights, batch, valid)
    return xp.stack(
        [
            _diagonal(weights, valid, 0) / n,
            _diagonal(weights, valid, 1) / n,
            _diagonal(weights, valid, -1) / n,
            xp.linalg.vecdot(weights[..., 0], valid[:, None]) / n,
            flow[:, :, 0, 0] / n,
            flow[:, :, 0, 1] / n,
            flow[:, :, 0, 2] / n,
            flow[:, :, 1, 1] / _at_least_one(n_separators),
            (flow[:, :, 0, 1] - flow[:, :, 1, 1]) / _at_least_one(n - n_separators),
            xp.linalg.vecdot(row_entropies, valid[:, None]) / n,
            xp.linalg.vecdot(row_entropies, start[:, None])
            / _at_least_one(xp.sum(start, axis=-1)[:, None]),
        ],
        axis=0,
    )


def _as(mask: Any, like: Any) -> Any:
    return array_namespace(like).astype(mask, like.dtype)


def _at_least_one(count: Any) -> Any:
    return array_namespace(count).where(count < 1, 1.0, count)


def _diagonal(weights: Any, valid: Any, offset: int) -> Any:
    """Sum of a[i, i + offset] over the pairs of positions that both exist."""
    xp = array_namespace(weights)
    width = valid.shape[-1] - abs(offset)
    both = valid[:, None, abs(offset) :] if width > 0 else valid[:, None, :0]
    return xp.linalg.vecdot(xp.linalg.diagonal(weights, offset=offset), both)


def _row_entropies(weights: Any, batch: Batch, valid: Any) -> Any:
    """Entropy of each row; what smoothing puts on padding is taken out again."""
    xp = array_namespace(weights)
    n = batch.lengths[:, None, None]
    on_padding = SMOOTHING / n
    n_padding = valid.shape[-1] - n
    step = _inputs_at_once(weights)
    together = xp.concat(
        [
            _entropy(weights[i : i + step], SMOOTHING, 1 / n[i : i + step, ..., None])
            for i in range(0, len(weights), step)
        ]
    )
    return together + n_padding * on_padding * xp.log(on_padding)


def _inputs_at_once(weights: Any) -> int:
    """So many inputs that working copies stay in a processor's cache: 4 to 8 times faster."""
    if not is_numpy_array(weights):
        return len(weights)
    return max(1, CACHED_WEIGHTS // weights[0].size)


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
