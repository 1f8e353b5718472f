"""The best parent for every label, without cycles: maximum branchings [MC 5.3.1; MC 11; Edmonds1967]."""

from typing import Any

import numpy as np

from plait.core.arrays import Bools, Floats, Ints
from plait.core.sentences import ParameterError, shown

__all__ = ["maximum_branching"]


def maximum_branching(weights: Any, alone: Any) -> list[int]:
    """Return the parent of every node, or -1, so that the sum of what was chosen is greatest and no cycle arises.

    Parameters
    ----------
    weights : array of shape (n, n)
        weights[j, i] is the value of parent j for node i, of any sign; the diagonal is not used, -inf forbids.
    alone : array of shape (n,)
        Value of no parent; finite.

    Returns
    -------
    list of int
        Parents; -1 where a node stands alone. At equal values no parent comes before a parent, and a parent with a
        smaller index before one with a larger one.

    Notes
    -----
    The algorithm of Chu, Liu and Edmonds on a dense matrix with one more node, from which the edge to i has the value
    alone[i]: a way of best incoming edges is followed back until it reaches what is done; a cycle becomes one node,
    whose incoming edges count what they gain over the edge of the cycle that they replace. Time and memory O(n^2).

    Examples
    --------
    >>> maximum_branching([[0.0, -1.0], [-1.0, 0.0]], [-2.0, -4.0])
    [-1, 0]
    """
    alone = np.asarray(alone, dtype=np.float64)
    weights = np.asarray(weights, dtype=np.float64)
    _check(weights, alone)
    n = alone.size
    values = np.full((n + 1, n + 1), -np.inf)
    # Node 0 is the one above all others, so that the first of the largest values is no parent.
    values[0, 1:], values[1:, 1:] = alone, weights
    np.fill_diagonal(values, -np.inf)
    sources = _Contraction(values).chosen_sources()
    return [int(source) - 1 for source in sources[1:]]


def _check(weights: Floats, alone: Floats) -> None:
    if alone.ndim != 1 or weights.shape != (alone.size, alone.size):
        raise ParameterError(
            f"maximum_branching needs weights of shape (n, n) and alone of shape (n,), but they have {weights.shape} "
            f"and {alone.shape}. Pass one value for each pair and each node."
        )
    pairs = weights[~np.eye(alone.size, dtype=np.bool_)]
    wrong = np.concatenate((alone[~np.isfinite(alone)], pairs[np.isnan(pairs) | (pairs == np.inf)]))
    if wrong.size:
        raise ParameterError(
            f"maximum_branching needs finite values (-inf for a parent that is forbidden), but it got "
            f"{shown(float(wrong[0]))}. Pass finite values of alone, and none that is NaN or inf."
        )


class _Contraction:
    """Nodes that become one another: groups of nodes, with the best edge between every two groups.

    values[a, b]   : what the best edge from group a into group b gains, less what it replaces inside b
    ends[a, b]     : that edge as the nodes (source, end) of the graph, coded source * n + end
    parts, inside  : for a contracted group, the groups it is made of and the edge into each of them
    """

    def __init__(self, values: Floats) -> None:
        n = values.shape[0]
        self.n = n
        self.values = values
        self.ends = np.arange(n)[:, None] * n + np.arange(n)[None, :]
        self.group = list(range(n))  # the outermost group of the column that stands for it
        self.parts: dict[int, list[int]] = {}
        self.entering: dict[int, int] = {}  # group -> edge into it
        self.above: dict[int, int] = {}  # group -> the group it was contracted into

    def chosen_sources(self) -> Ints:
        """Return the source of the edge into every node; node 0 has none."""
        done = np.zeros(self.n, dtype=np.bool_)
        done[0] = True
        active = np.ones(self.n, dtype=np.bool_)
        for start in range(1, self.n):
            if active[start] and not done[start]:
                self._follow(start, done, active)
        return self._expanded()

    def _follow(self, start: int, done: Bools, active: Bools) -> None:
        """Follow best incoming edges back from a column until one comes from what is done."""
        way = [start]
        while True:
            column = way[-1]
            source = int(np.where(active, self.values[:, column], -np.inf).argmax())
            self.entering[self.group[column]] = int(self.ends[source, column])
            if done[source]:
                done[way] = True
                return
            if source in way:
                place = way.index(source)
                way[place:] = [self._contract(way[place:], active)]
            else:
                way.append(source)

    def _contract(self, cycle: list[int], active: Bools) -> int:
        """Make one group of a cycle of columns; the smallest column stands for it."""
        kept = min(cycle)
        name = self.n + len(self.parts)
        self.parts[name] = [self.group[column] for column in cycle]
        for column in cycle:
            self.above[self.group[column]] = name
            outside = self.values[:, column]
            chosen = np.where(active, outside, -np.inf).max()
            self.values[:, column] = outside - chosen
        order = sorted(cycle)
        best = self.values[:, order].argmax(axis=1)
        rows = np.arange(self.n)
        into, into_ends = self.values[:, order][rows, best], self.ends[:, order][rows, best]
        best = self.values[order].argmax(axis=0)
        out, out_ends = self.values[order][best, rows], self.ends[order][best, rows]
        self.values[:, kept], self.ends[:, kept] = into, into_ends
        self.values[kept], self.ends[kept] = out, out_ends
        self.values[kept, kept] = -np.inf
        active[order[1:]] = False
        self.group[kept] = name
        return kept

    def _expanded(self) -> Ints:
        """Return the edges that remain: an edge into a group replaces one edge inside it, and so on inward."""
        sources = np.zeros(self.n, dtype=np.int64)
        for name in sorted(self.parts, reverse=True):
            source, end = divmod(self.entering[name], self.n)
            part = end
            while self.above[part] != name:
                part = self.above[part]
            self.entering[part] = source * self.n + end
        for node in range(1, self.n):
            sources[node] = self.entering[node] // self.n
        return sources
