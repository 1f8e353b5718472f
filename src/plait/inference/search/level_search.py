"""Exact and epsilon-approximate search of any distribution over a graph, level by level, all rows at once."""

import math

import numpy as np
import numpy.typing as npt

from plait.core.arrays import Bools, Floats
from plait.inference.beam import level_beam
from plait.inference.search.found_vectors import Found
from plait.inference.search.prefixes import Prefixes, best_of_rows
from plait.joint import GraphDistribution

__all__ = ["search_levels"]

# A level with more prefixes than this is searched again in two halves of the rows.
_MOST_PREFIXES = 1 << 20
_WIDTH = 10
# What rounding may put between a vector and a prefix of the same probability.
_SLACK = 1e-12


def search_levels(tree: GraphDistribution, floor: float, n_best: int, most: int) -> tuple[Found, Bools]:
    """Return the best vectors of every row, and for which rows `most` nodes were enough.

    Parameters
    ----------
    tree : GraphDistribution
        What is searched; asked once a level for all prefixes of all rows, twice if `floor` is -inf.
    floor : float
        log epsilon, less the slack: prefixes below it are not grown; -inf for an exact search, which then leaves
        prefixes below the worst vector of a beam.
    n_best : int
        How many vectors are wanted.
    most : int
        Most nodes expanded for each row.
    """
    bound, n_spent = np.full(tree.n_rows, -np.inf), np.zeros(tree.n_rows, dtype=np.int64)
    if floor == -math.inf:
        beam = level_beam(tree, max(_WIDTH, n_best), n_best)
        bound, n_spent = beam.log_weights[:, -1], beam.n_evaluations
    search = _Levels(tree, floor, bound, n_best, most)
    if search.too_wide:
        halves = (slice(0, tree.n_rows // 2), slice(tree.n_rows // 2, None))
        parts = [search_levels(tree.take(half), floor, n_best, most) for half in halves]
        return Found.joined(found for found, _ in parts), np.concatenate([finished for _, finished in parts])
    found = Found(search.vectors, search.log_weights, search.exact, n_spent + search.n_nodes)
    return found, search.finished


class _Levels:
    """All prefixes of one length at a time; those that ran below the floor go on as greedy completions."""

    def __init__(self, tree: GraphDistribution, floor: float, bound: Floats, n_best: int, most: int) -> None:
        self.tree, self.floor, self.bound, self.most = tree, floor, bound, most
        self.n_nodes = np.zeros(tree.n_rows, dtype=np.int64)
        self.n_expanded = np.zeros(tree.n_rows, dtype=np.int64)
        self.dropped = np.full(tree.n_rows, -np.inf)
        self.too_wide = False
        # With one vector wanted, a label without children has nothing to gain by its other value.
        self.settled = [n_best == 1 and not children for children in tree.graph.children]
        prefixes, greedy = Prefixes.roots(tree), np.zeros(tree.n_rows, dtype=np.bool_)
        for label in tree.graph.order:
            prefixes, greedy = self._grow(prefixes, greedy, label)
            self.too_wide = prefixes.rows.size > _MOST_PREFIXES and tree.n_rows > 1
            if self.too_wide:
                return
        self.finished = self.n_expanded <= most
        self.vectors, self.log_weights = best_of_rows(prefixes, tree.n_rows, n_best)
        self.exact = self.finished & (self.log_weights[:, -1] >= self.dropped - _SLACK)

    def _grow(self, prefixes: Prefixes, greedy: Bools, label: int) -> tuple[Prefixes, Bools]:
        n_rows = self.tree.n_rows
        self.n_nodes += np.bincount(prefixes.rows, minlength=n_rows)
        self.n_expanded += np.bincount(prefixes.rows[~greedy], minlength=n_rows)
        children = prefixes.children(self.tree, label)
        children[self.n_expanded[prefixes.rows] > self.most] = -np.inf
        # A child against the evidence has -inf and is never kept, not even without a floor.
        possible = children > -np.inf
        if self.settled[label]:
            possible &= _likelier(children)
        below = (children < self.floor) & possible
        self._note_dropped(prefixes.rows, children, below)
        greedy = greedy | (below.any(axis=1) & ~((children >= self.floor) & possible).any(axis=1))
        kept = (children >= self.floor) & (children >= self.bound[prefixes.rows, None]) & possible
        kept[greedy] = _likelier(children[greedy]) & possible[greedy]
        return prefixes.grown(label, children, kept), np.repeat(greedy, kept.sum(axis=1))

    def _note_dropped(self, rows: npt.NDArray[np.int64], children: Floats, dropped: Bools) -> None:
        where = np.broadcast_to(rows[:, None], children.shape)[dropped]
        np.maximum.at(self.dropped, where, children[dropped])


def _likelier(children: Floats) -> Bools:
    one = children[:, 1] > children[:, 0]
    return np.column_stack([~one, one])
