"""Maximum spanning forests, and trees grown outward from roots."""

from collections import deque
from collections.abc import Callable, Iterable

import numpy as np

from plait.core.arrays import Bools, Floats, Ints

__all__ = ["components", "directed_outward", "maximum_spanning_forest", "neighbours", "spanning_forest_of_rows"]

Edge = tuple[int, int]


def maximum_spanning_forest(weights: Floats) -> list[Edge]:
    """Return the edges of a spanning forest of greatest total weight, as sorted (smaller, larger) pairs.

    Parameters
    ----------
    weights : ndarray of float64, shape (n, n)
        Symmetric; only entries above 0 are edges. Among equal weights the edge with the smaller (smaller end, larger
        end) comes first, so the forest is always the same one.

    Returns
    -------
    list of (int, int)

    Notes
    -----
    Prim's algorithm, O(n^2). The order of edges by weight and then by ends is strict, and under a strict order the
    maximum spanning forest is unique: Kruskal's algorithm would give the same.

    Examples
    --------
    >>> maximum_spanning_forest(np.array([[0.0, 1.0, 2.0, 0.0], [1.0, 0.0, 3.0, 0.0], [2.0, 3.0, 0.0, 0.0], [0.0] * 4]))
    [(0, 2), (1, 2)]
    """
    return spanning_forest_of_rows(weights.shape[0], weights.__getitem__)


def spanning_forest_of_rows(n: int, weights_of: Callable[[int], Floats]) -> list[Edge]:
    """Return the same forest where `weights_of(node)` gives a row of the weights: each is asked for once.

    Examples
    --------
    >>> spanning_forest_of_rows(3, lambda node: np.array([1.0, 1.0, 0.0]) * (node < 2))
    [(0, 1)]
    """
    outside = np.ones(n, dtype=np.bool_)
    best, source = np.zeros(n), np.full(n, -1)
    edges: list[Edge] = []
    for _ in range(n):
        label = _next(best, source, outside)
        outside[label] = False
        if source[label] >= 0:
            edges.append((min(label, int(source[label])), max(label, int(source[label]))))
        row = weights_of(label)
        better = row > best
        equal = np.flatnonzero((row == best) & (row > 0.0))
        better[equal] = _names(equal, label, n) < _names(equal, source[equal], n)
        better &= outside
        best[better], source[better] = row[better], label
    return sorted(edges)


def _names(one: Ints, other: Ints | int, n: int) -> Ints:
    """Return a number for each edge that orders edges by their smaller and then by their larger end."""
    return np.asarray(np.minimum(one, other) * n + np.maximum(one, other))


def _next(best: Floats, source: Ints, outside: Bools) -> int:
    """Return the node at the end of the best edge, or the smallest node outside where there is no edge."""
    reach = np.where(outside, best, -1.0)
    top = reach.max()
    ties = np.flatnonzero(reach == top)
    if top <= 0.0:
        return int(ties[0])
    return int(ties[_names(ties, source[ties], best.size).argmin()])


def neighbours(n: int, edges: Iterable[Edge]) -> list[list[int]]:
    """Return the neighbours of every node, ascending.

    Examples
    --------
    >>> neighbours(3, [(0, 2), (1, 2)])
    [[2], [2], [0, 1]]
    """
    found: list[list[int]] = [[] for _ in range(n)]
    for a, b in edges:
        found[a].append(b)
        found[b].append(a)
    return [sorted(group) for group in found]


def components(n: int, edges: Iterable[Edge]) -> list[list[int]]:
    """Return the nodes of each connected part, ascending; parts by their smallest node.

    Examples
    --------
    >>> components(4, [(0, 2)])
    [[0, 2], [1], [3]]
    """
    around = neighbours(n, edges)
    seen, parts = [False] * n, []
    for start in range(n):
        if not seen[start]:
            part, seen[start] = [start], True
            for node in part:
                new = [other for other in around[node] if not seen[other]]
                for other in new:
                    seen[other] = True
                part.extend(new)
            parts.append(sorted(part))
    return parts


def directed_outward(n: int, edges: Iterable[Edge], roots: Iterable[int]) -> list[int]:
    """Return the parent of every node when edges of a forest point away from the roots; -1 at a root.

    Examples
    --------
    >>> directed_outward(3, [(0, 2), (1, 2)], [1])
    [2, -1, 1]
    """
    around = neighbours(n, edges)
    parents, reached = [-1] * n, [False] * n
    queue = deque(roots)
    for root in queue:
        reached[root] = True
    while queue:
        node = queue.popleft()
        for other in around[node]:
            if not reached[other]:
                reached[other], parents[other] = True, node
                queue.append(other)
    return parents
