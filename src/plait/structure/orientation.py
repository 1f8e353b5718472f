"""Directions for the edges of a tree: where two neighbours are independent, both point inward [PACC 5.1.3; PACC 14]."""

from collections.abc import Callable
from itertools import combinations

import numpy as np
import numpy.typing as npt

from plait.structure.spanning import components, directed_outward, neighbours

__all__ = ["directed_edges"]

Edge = tuple[int, int]
Test = Callable[[int, int, int], bool]


def directed_edges(
    n: int, edges: list[Edge], independent: Test, weights: npt.NDArray[np.float64], max_parents: int
) -> list[list[int]]:
    """Return the parents of every node of a forest, ascending.

    Parameters
    ----------
    n : int
        Number of nodes.
    edges : list of (int, int)
        The forest.
    independent : callable
        `independent(a, b, j)` says whether the neighbours a and b of node j are independent.
    weights : ndarray of shape (n, n)
        Dependence, by which the most independent parents are kept where there are too many.
    max_parents : int
        Most parents of a node that are found by tests.

    Notes
    -----
    Nodes are visited in depth, from the smallest node of each part, smallest neighbour first. Of the neighbours of a
    visited node that are not its children, each two that are independent are its parents. A visited node with a
    parent passes the flow on: its edges without a direction point outward, also later, when a neighbour makes it a
    child. So every node has the parents that tests have found, or at most one. What has no direction in the end is
    rooted at the smallest node of each part.

    Examples
    --------
    >>> directed_edges(3, [(0, 2), (1, 2)], lambda a, b, j: True, np.ones((3, 3)), 6)
    [[], [], [0, 1]]
    >>> directed_edges(3, [(0, 2), (1, 2)], lambda a, b, j: False, np.ones((3, 3)), 6)
    [[], [2], [0]]
    """
    return _Orientation(n, edges, independent, weights, max_parents).parents()


class _Orientation:
    def __init__(
        self, n: int, edges: list[Edge], independent: Test, weights: npt.NDArray[np.float64], max_parents: int
    ) -> None:
        self.edges = edges
        self.around = neighbours(n, edges)
        self.independent = independent
        self.weights = weights
        self.max_parents = max_parents
        self.parents_of: list[set[int]] = [set() for _ in range(n)]
        self.open: list[set[int]] = [set(group) for group in self.around]  # neighbours without a direction yet
        self.visited = [False] * n

    def parents(self) -> list[list[int]]:
        for start in range(len(self.around)):
            if not self.visited[start]:
                self._visit_all(start)
        rest = [(a, b) for a, b in self.edges if b in self.open[a]]
        roots = [part[0] for part in components(len(self.around), rest)]
        for child, parent in enumerate(directed_outward(len(self.around), rest, roots)):
            if parent >= 0:
                self._direct(parent, child)
        return [sorted(group) for group in self.parents_of]

    def _visit_all(self, start: int) -> None:
        stack = [start]
        while stack:
            node = stack.pop()
            if not self.visited[node]:
                self.visited[node] = True
                self._visit(node)
                stack.extend(reversed([other for other in self.around[node] if not self.visited[other]]))

    def _visit(self, node: int) -> None:
        for parent in self._tested_parents(node):
            self._direct(parent, node)
        self._flow(node)

    def _tested_parents(self, node: int) -> list[int]:
        """Return the neighbours that tests make parents of a node, besides those that are parents already."""
        settled = self.parents_of[node]
        candidates = sorted(settled | self.open[node])
        found = {n for a, b in combinations(candidates, 2) if self.independent(a, b, node) for n in (a, b)}
        # Earlier directions stay and count towards the limit.
        room = max(self.max_parents - len(settled), 0)
        among = sorted(found | settled)
        apart = {a: float(self.weights[a, among].sum() - self.weights[a, a]) for a in found - settled}
        kept = sorted(apart, key=lambda a: (apart[a], a))[:room]
        # One parent alone is no meeting of two.
        return kept if len(kept) + len(settled) > 1 else []

    def _direct(self, parent: int, child: int) -> None:
        self.open[parent].discard(child)
        self.open[child].discard(parent)
        self.parents_of[child].add(parent)

    def _flow(self, node: int) -> None:
        """Let visited nodes with a parent point outward, and those that they make children, and so on."""
        waiting = [node]
        while waiting:
            place = waiting.pop()
            if self.visited[place] and self.parents_of[place]:
                for other in sorted(self.open[place]):
                    self._direct(place, other)
                    waiting.append(other)
