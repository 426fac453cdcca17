"""Trees from scores: the maximum spanning tree, directed with ROOT, and without direction."""

import numpy as np
from jaxtyping import Bool, Float, Int
from scipy.sparse.csgraph import minimum_spanning_tree


def arborescence(scores: Float[np.ndarray, "word candidate"]) -> Int[np.ndarray, " word"]:
    """The tree with the largest sum of scores, one word under ROOT.

    Chu and Liu 1965, Edmonds 1967.

    Args:
        scores: Of each candidate governor of each word; candidate 0 is ROOT, candidate j + 1 is
            word j. Minus infinity excludes one, but not ROOT.

    Returns:
        The candidate of each word.

    Example:
        >>> arborescence(np.array([[0.0, -9.0, 5.0], [1.0, 6.0, -9.0]])).tolist()
        [2, 0]
    """
    n_words = len(scores)
    finite = np.isfinite(scores)
    spread = float(np.ptp(scores[finite])) + 1.0 if n_words else 1.0
    square = np.full((n_words + 1, n_words + 1), -np.inf)
    square[1:] = np.where(finite, scores, scores[finite].min(initial=0.0) - n_words * spread)
    square[1:, 0] -= (n_words + 1) ** 2 * spread  # so that one arc from ROOT is better than two
    np.fill_diagonal(square, -np.inf)
    return _best_governors(square)[1:]


def _best_governors(scores: np.ndarray) -> np.ndarray:
    """Governors of the best tree over a square of scores [dependent, governor], node 0 the root."""
    chosen = scores.argmax(axis=1)
    chosen[0] = 0
    ring = _cycle(chosen)
    if ring is None:
        return chosen
    others = np.setdiff1d(np.arange(len(scores)), ring)
    gain = scores[np.ix_(ring, others)] - scores[ring, chosen[ring]][:, None]
    smaller = np.full((len(others) + 1, len(others) + 1), -np.inf)
    smaller[:-1, :-1] = scores[np.ix_(others, others)]
    smaller[-1, :-1] = gain.max(axis=0)
    smaller[:-1, -1] = scores[np.ix_(others, ring)].max(axis=1)
    smaller[0] = -np.inf
    above = _best_governors(smaller)
    best = chosen.copy()
    for node, governor in zip(others[1:], above[1:-1], strict=True):
        inside = governor == len(others)
        best[node] = ring[scores[node, ring].argmax()] if inside else others[governor]
    broken = int(gain[:, above[-1]].argmax())
    best[ring[broken]] = others[above[-1]]
    return best


def _cycle(chosen: np.ndarray) -> np.ndarray | None:
    """The nodes of one cycle of governors, or None; node 0 governs itself."""
    seen = np.zeros(len(chosen), dtype=np.int64)
    for start in range(1, len(chosen)):
        node = start
        while node and not seen[node]:
            seen[node] = start
            node = int(chosen[node])
        if node and seen[node] == start:
            ring = [node]
            while (node := int(chosen[node])) != ring[0]:
                ring.append(node)
            return np.array(ring)
    return None


def undirected(
    distances: Float[np.ndarray, "word word"], kept: Bool[np.ndarray, " word"]
) -> set[tuple[int, int]]:
    """The edges of the tree over some words with the smallest sum of distances.

    Args:
        distances: Between words; of a pair the smaller of both directions counts.
        kept: Which words are in the tree.

    Returns:
        Pairs of words, the smaller number first.

    Example:
        >>> far = np.array([[0, 1, 9], [1, 0, 2], [9, 2, 0.0]])
        >>> sorted(undirected(far, np.array([True, True, True])))
        [(0, 1), (1, 2)]
    """
    words = np.flatnonzero(kept)
    if len(words) < 2:
        return set()
    near = np.minimum(distances, distances.T)[np.ix_(words, words)]
    tree = minimum_spanning_tree(near - near.min() + 1.0).tocoo()  # 0 would be no edge
    pairs = zip(words[tree.row].tolist(), words[tree.col].tolist(), strict=True)
    return {(min(pair), max(pair)) for pair in pairs}


def edges(governors: Int[np.ndarray, " word"]) -> set[tuple[int, int]]:
    """The arcs of a tree without their direction; candidate 0 is ROOT and makes none.

    Example:
        >>> sorted(edges(np.array([2, 0, 2])))
        [(0, 1), (1, 2)]
    """
    pairs = ((word, int(g) - 1) for word, g in enumerate(governors) if g > 0)
    return {(min(pair), max(pair)) for pair in pairs}
