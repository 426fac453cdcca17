"""Trees from scores: the maximum spanning tree, directed with ROOT, and without direction."""

import numpy as np
from jaxtyping import Bool, Float, Int


def arborescence(scores: Float[np.ndarray, "word candidate"]) -> Int[np.ndarray, " word"]:
    """The tree with the largest sum of scores, one word under ROOT.

    Chu and Liu 1965, Edmonds 1967.

    Args:
        scores: Of each candidate governor of each word; candidate 0 is ROOT, candidate j + 1 is
            word j. Minus infinity excludes one, but not ROOT.

    Returns:
        The candidate of each word.

    Example:
        >>> arborescence(np.array([[0.0, -9.0, 5.0], [2.0, 6.0, -9.0]])).tolist()
        [2, 0]
    """
    n_words = len(scores)
    finite = np.isfinite(scores)
    spread = float(np.ptp(scores[finite])) + 1.0 if n_words else 1.0
    square = np.full((n_words + 1, n_words + 1), -np.inf)
    square[1:] = np.where(finite, scores, scores[finite].min(initial=0.0) - n_words * spread)
    np.fill_diagonal(square, -np.inf)
    best = _best_governors(square)[1:]
    if (best == 0).sum() > 1:
        square[1:, 0] -= (n_words + 1) ** 2 * spread  # so that one arc from ROOT is better than two
        best = _best_governors(square)[1:]
    return best


def _best_governors(scores: np.ndarray) -> np.ndarray:
    """Governors of the best tree over a square of scores [dependent, governor], node 0 the root.

    Every node takes its best governor. If that makes circles, each of them becomes one node, which
    pays for the arc that it gives up, and the smaller problem is solved.
    """
    chosen = scores.argmax(axis=1)
    chosen[0] = 0
    group = _groups(chosen)
    if group.max() == len(scores) - 1:
        return chosen
    sizes = np.bincount(group)
    in_circle = sizes[group] > 1
    given_up = np.where(in_circle, scores[np.arange(len(scores)), chosen], 0.0)
    cost = scores - given_up[:, None]
    order, stops = np.argsort(group, kind="stable"), np.cumsum(sizes)
    starts = stops - sizes
    members = [order[start:stop] for start, stop in zip(starts, stops, strict=True)]
    by_governor = np.maximum.reduceat(cost[:, order], starts, axis=1)
    smaller = np.maximum.reduceat(by_governor[order], starts, axis=0)
    np.fill_diagonal(smaller, -np.inf)
    smaller[0] = -np.inf
    for number, above in enumerate(_best_governors(smaller)[1:], start=1):
        inside, outside = members[number], members[above]
        place = cost[inside[:, None], outside].argmax()
        dependent, governor = divmod(int(place), len(outside))
        chosen[inside[dependent]] = outside[governor]
    return chosen


def _groups(chosen: np.ndarray) -> np.ndarray:
    """A number for each node, from 0 up; nodes of one circle share theirs.

    Node 0 governs itself and is no circle.
    """
    group = np.full(len(chosen), -1)
    seen = np.zeros(len(chosen), dtype=np.int64)
    group[0], n_groups = 0, 1
    rings: list[list[int]] = []
    for start in range(1, len(chosen)):
        node = start
        while node and not seen[node]:
            seen[node] = start
            node = int(chosen[node])
        if node and seen[node] == start:
            rings.append(_ring(chosen, node))
    for ring in [*rings, *([node] for node in range(1, len(chosen)))]:
        if group[ring[0]] < 0:
            group[ring] = n_groups
            n_groups += 1
    return group


def _ring(chosen: np.ndarray, start: int) -> list[int]:
    ring = [start]
    while (node := int(chosen[ring[-1]])) != start:
        ring.append(node)
    return ring


def undirected(
    distances: Float[np.ndarray, "word word"], kept: Bool[np.ndarray, " word"]
) -> set[tuple[int, int]]:
    """The edges of the tree over some words with the smallest sum of distances.

    Kruskal 1956: pairs from the nearest up, those that would close a circle left out; of equally
    near pairs the first comes first.

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
    words = np.flatnonzero(kept).tolist()
    near = distances[np.ix_(kept, kept)]
    tree: set[tuple[int, int]] = set()
    part = list(range(len(words)))  # words that are joined already have one number
    for place in np.argsort(near, axis=None, kind="stable").tolist():
        a, b = divmod(place, len(words))
        if part[a] == part[b]:
            continue
        part = [part[a] if number == part[b] else number for number in part]
        tree.add((min(words[a], words[b]), max(words[a], words[b])))
        if len(tree) == len(words) - 1:
            break
    return tree


def edges(governors: Int[np.ndarray, " word"]) -> set[tuple[int, int]]:
    """The arcs of a tree without their direction; candidate 0 is ROOT and makes none.

    Example:
        >>> sorted(edges(np.array([2, 0, 2])))
        [(0, 1), (1, 2)]
    """
    pairs = ((word, int(g) - 1) for word, g in enumerate(governors) if g > 0)
    return {(min(pair), max(pair)) for pair in pairs}
