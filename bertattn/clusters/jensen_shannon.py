"""The Jensen-Shannon divergence of rows of attention, for one pair and for all heads at once.

For two shares p and q of one token the divergence is a squared distance: it equals

    1/4 of the integral over t > 0 of (exp(-t p) - exp(-t q))^2 / t^2 dt

so with features exp(-t p), taken at doublings of t, the divergences of all pairs of heads are a
product of matrices, and no logarithm of any pair is needed. That it is a squared distance is known
(Fuglede and Topsoe 2004), and that its root obeys the triangle inequality (Endres and Schindelin
2003). The weights of the features are fitted, with none below 0, so what is computed is a squared
distance too: 0 between equal rows.
"""

from functools import lru_cache
from typing import Any

import numpy as np
from array_api_compat import array_namespace, is_numpy_array
from jaxtyping import Float, Shaped
from scipy.optimize import lsq_linear
from scipy.special import rel_entr

from bertattn.reducer import as_numpy

LOG_2 = float(np.log(2))
FIRST = 2**-0.5  # where t begins; found by trying
REACH = (3e-5, 1e-3)  # features reach down to shares as small as so much smoothing makes
CACHED_SHARES = 2**18  # taken at a time, for a processor's cache


def divergence(
    first: Float[np.ndarray, "*#rows token"], second: Float[np.ndarray, "*#rows token"]
) -> Float[np.ndarray, "..."]:
    """Jensen-Shannon divergence of rows, in nats, by its definition: from 0 to ln 2.

    The mean of the relative entropies of both rows to their average (Lin 1991; Clark et al. 2019,
    section 6). Where a share is 0 it adds nothing, so no smoothing is needed.

    Example:
        >>> apart = divergence(np.array([1.0, 0.0]), np.array([0.0, 1.0]))
        >>> round(float(apart), 4)  # ln 2
        0.6931
    """
    middle = (first + second) / 2
    return np.asarray((rel_entr(first, middle) + rel_entr(second, middle)).sum(axis=-1) / 2)


@lru_cache
def feature_weights(n_tokens: int, smoothing: float) -> Float[np.ndarray, " feature"]:
    """Weights of the features: of the share itself, then of exp(-t p) for each doubling of t.

    Fitted by least squares, none below 0, so that the error for any two rows of up to ``n_tokens``
    is under 1e-5, and commonly ten times smaller.

    Args:
        n_tokens: How wide rows are, a power of two.
        smoothing: The part of the uniform distribution mixed in.
    """
    lowest = min(max(smoothing, REACH[0]), REACH[1]) / n_tokens
    shares = np.geomspace(lowest, 1, 60)
    i, j = np.triu_indices(len(shares), 1)
    p, q = shares[i], shares[j]
    t = FIRST * 2.0 ** np.arange(np.ceil(np.log2(0.4 / lowest / FIRST)) + 1)
    squares = (np.exp(-np.outer(p, t)) - np.exp(-np.outer(q, t))) ** 2
    exact = (rel_entr(p, (p + q) / 2) + rel_entr(q, (p + q) / 2)) / 2
    scale = p + q + 2 / n_tokens  # an error may be as large: over a row this adds up to 4
    features = np.column_stack([(p - q) ** 2, squares]) / scale[:, None]
    size = np.linalg.norm(features, axis=0)
    return lsq_linear(features / size, exact / scale, bounds=(0, np.inf)).x / size


def between_heads(
    rows: Shaped[Any, "head row token"], smoothing: float
) -> Float[np.ndarray, "head head"]:
    """Jensen-Shannon divergence between all pairs of heads, summed over rows, in nats.

    Args:
        rows: Each head's rows, smoothed already; a column may be 0 throughout.
        smoothing: How much was mixed in.

    Example:
        >>> rows = np.array([[[1.0, 0.0]], [[0.0, 1.0]]], dtype=np.float32)
        >>> between_heads(rows, smoothing=0.0).round(4).tolist()
        [[0.0, 0.6931], [0.6931, 0.0]]
    """
    n_heads, n_rows, n_tokens = rows.shape
    weights = feature_weights(1 << max(n_tokens - 1, 1).bit_length(), smoothing)
    step = _rows_at_once(rows)
    products = np.zeros((n_heads, n_heads))
    xp = array_namespace(rows)
    for start in range(0, n_rows, step):
        shares = xp.permute_dims(rows[:, start : start + step], (1, 2, 0))
        if is_numpy_array(shares):  # products are faster where heads lie side by side in memory
            shares = np.ascontiguousarray(shares)
        shares = xp.reshape(shares, (-1, n_heads))
        products += as_numpy(_products(shares, weights)).astype(np.float64)
    own = np.diag(products)
    return np.maximum(own[:, None] + own - 2 * products, 0.0)


def _rows_at_once(rows: Any) -> int:
    """So many rows that working copies stay in a processor's cache, in steps of one size."""
    n_heads, n_rows, n_tokens = rows.shape
    n_steps = -(-n_heads * n_rows * n_tokens // CACHED_SHARES) if is_numpy_array(rows) else 1
    return -(-n_rows // n_steps)


def _products(shares: Shaped[Any, "share head"], weights: np.ndarray) -> Any:
    """Inner products of the heads' features, each doubling of t made from the one before.

    With f = exp(-t p) - 1, the next is exp(-2 t p) - 1 = f (2 + f). The first is written with a
    hyperbolic tangent, which keeps every digit of small shares and is quicker than ``expm1``.
    """
    xp = array_namespace(shares)
    total = float(weights[0]) * (shares.T @ shares)
    half = xp.tanh(shares * (FIRST / 2))
    other = half + 1
    feature = xp.divide(half, other, out=half)
    feature *= -2
    for weight in weights[1:]:
        total += float(weight) * (feature.T @ feature)
        xp.add(feature, 2, out=other)  # new memory would cost as much as the arithmetic
        feature *= other
    return total
