"""Beam search, and branch and bound: the most probable label vectors of a product over a graph."""

import math

import numpy as np
import numpy.typing as npt

from plait.core.arrays import Bools, Floats, Ints
from plait.core.lazy_modules import lazy_module
from plait.inference.search.chain_walks import ChainScores, compiled_search, greedy_walk, scores_along
from plait.inference.search.label_tables import best_by_table, table_serves
from plait.inference.search.prefixes import Found, Prefixes, best_distinct, best_of_rows, rank_in_row
from plait.joint import GraphDistribution, LabelDistribution, LinearDistribution
from plait.joint.counted_draws import LARGEST_SPREAD

__all__ = ["beam_search", "best_vectors", "level_beam", "search_levels", "search_linear", "tabulated"]

_kernels = lazy_module("plait.inference.search._branch_and_bound")
_walk_kernels = lazy_module("plait.inference.search._walks")
_few_kernels = lazy_module("plait.inference.search._few_parents")


# Less than the probability of a vector that is known, by what rounding may take from it.
_ALMOST = 1.0 - 1e-10
# Of many labels a beam leaves those aside whose probability is below this share of that of the greedy vector.
_NEGLIGIBLE = 1e-3


def best_vectors(
    tree: GraphDistribution, n_best: int, most: int, floor: float = -math.inf, reached: Floats | None = None
) -> tuple[Found, Bools]:
    """Return the best vectors of every row and for which rows `most` nodes were enough; a beam helps where not.

    With `reached`, log P (n_rows,) that vectors must have, those below it may be left out of a list of several.
    """
    found, finished = _search(tree, floor, n_best, most, reached)
    if not finished.all():
        found = _with_beam(tree, found, np.flatnonzero(~finished), n_best)
    return found, finished


def _search(
    tree: GraphDistribution, floor: float, n_best: int, most: int, reached: Floats | None
) -> tuple[Found, Bools]:
    """Return the best vectors of every row and which rows were finished; one vector may be proved by a greedy walk."""
    if n_best > 1:
        reached = np.full(tree.n_rows, -np.inf) if reached is None else reached
        return _any_search(tree, floor, n_best, most, reached)
    labels, log_prob, proved = greedy_walk(tree)
    n_nodes = np.full(tree.n_rows, tree.n_labels, dtype=np.int64)
    found, finished = Found(labels[:, None], log_prob[:, None], proved, n_nodes), np.ones(tree.n_rows, np.bool_)
    open_rows = np.flatnonzero(~proved)
    if open_rows.size:
        rest, finished[open_rows] = _any_search(tree.take(open_rows), floor, n_best, most, log_prob[open_rows])
        found.put(open_rows, rest)
        n_nodes[open_rows] += tree.n_labels
    return found, finished


def _any_search(tree: GraphDistribution, floor: float, n_best: int, most: int, reached: Floats) -> tuple[Found, Bools]:
    if isinstance(tree, LinearDistribution):
        if floor == -math.inf and table_serves(tree, most):
            return tabulated(tree, n_best, (1 << tree.n_labels) - 1), np.ones(tree.n_rows, dtype=np.bool_)
        if compiled_search(tree):
            return search_linear(tree, floor, n_best, most, reached)
    return search_levels(tree, floor, n_best, most)


def tabulated(distribution: LabelDistribution, n_best: int, n_nodes: int) -> Found:
    """Return the best vectors by the table of all of them, which stands for so many nodes."""
    n_evaluations = np.full(distribution.n_rows, n_nodes, dtype=np.int64)
    found = best_by_table("BestFirst", distribution, n_best)
    return Found(*found, np.ones(distribution.n_rows, dtype=np.bool_), n_evaluations)


def _with_beam(tree: GraphDistribution, found: Found, rows: npt.NDArray[np.int64], n_best: int) -> Found:
    """Return what was found, in the listed rows together with a beam and the greedy vector, the best of all."""
    part = tree.take(rows)
    # A compiled walk through so wide a beam costs less than the search that did not end.
    width = _WIDE if isinstance(part, LinearDistribution) and compiled_search(part) else _WIDTH
    beam = beam_search(part, max(width, n_best), n_best)
    labels, log_prob, _ = greedy_walk(part)
    vectors = np.concatenate([found.vectors[rows], beam.vectors, labels[:, None]], axis=1)
    log_weights = np.concatenate([found.log_weights[rows], beam.log_weights, log_prob[:, None]], axis=1)
    for k, row in enumerate(rows):
        found.vectors[row], found.log_weights[row] = best_distinct(vectors[k], log_weights[k], n_best)
    # The beam may have proved what the search could not.
    found.exact[rows] = beam.exact
    found.n_evaluations[rows] += beam.n_evaluations + tree.n_labels
    return found


def search_linear(
    distribution: LinearDistribution, floor: float, n_best: int, most: int, reached: Floats
) -> tuple[Found, Bools]:
    """Return the best vectors of every row, and for which rows `most` nodes were enough.

    Parameters
    ----------
    distribution : LinearDistribution
        What is searched.
    floor : float
        log epsilon, less the slack; -inf for an exact search.
    n_best : int
        How many vectors are wanted.
    most : int
        Most nodes expanded for each row.
    reached : ndarray of float64, shape (n_rows,)
        log P that as many vectors are known to have; -inf where none are. Counts in an exact search only.
    """
    effects = distribution.along_the_order()
    if effects.few and (effects.spread > LARGEST_SPREAD or floor > -math.inf):
        return search_levels(distribution, floor, n_best, most)
    chain = scores_along(distribution, bounded=True)
    if effects.few:
        if n_best > 1:
            # A beam knows as many vectors: labels that are less probable than the last of them are not looked at.
            reached = np.maximum(reached, _linear_beam(distribution, max(_WIDTH, n_best), n_best).log_weights[:, -1])
        found, ended = _walked_few(chain, n_best, most, reached)
    else:
        found, ended = _walked(chain, floor, n_best, most, reached)
    finished = ended == _kernels.FINISHED
    # Without evidence a row whose mode has probability p takes at least 1 / (2 p) nodes: it would never be finished.
    vanished = np.flatnonzero(ended == _kernels.VANISHED)
    if distribution.evidence is not None and vanished.size:
        rest, finished[vanished] = search_levels(distribution.take(vanished), floor, n_best, most)
        found.put(vanished, rest)
    return found, finished


def _walked(
    chain: ChainScores, floor: float, n_best: int, most: int, reached: Floats
) -> tuple[Found, npt.NDArray[np.uint8]]:
    n_rows, n_labels = chain.base.shape
    vectors = np.zeros((n_rows, n_best, n_labels), dtype=np.uint8)
    log_weights, exact = np.empty((n_rows, n_best)), np.empty(n_rows, dtype=np.bool_)
    ended, n_nodes = np.empty(n_rows, dtype=np.uint8), np.empty(n_rows, dtype=np.int64)
    cuts = np.exp(reached) * _ALMOST if floor == -math.inf else np.zeros(n_rows)
    limits = math.exp(chain.limit), math.exp(floor), cuts
    numbers = (chain.base, *chain.effects.of_walks, chain.reach, chain.known, *limits)
    _kernels.search_rows(*numbers, min(most, 2**62), vectors, log_weights, exact, ended, n_nodes)
    return Found(chain.by_label(vectors), log_weights, exact, n_nodes), ended


def _walked_few(chain: ChainScores, n_best: int, most: int, reached: Floats) -> tuple[Found, npt.NDArray[np.uint8]]:
    """Return the same of many labels with few parents: only labels that a better vector may have are looked at."""
    n_rows, n_labels = chain.base.shape
    vectors = np.zeros((n_rows, n_best, n_labels), dtype=np.uint8)
    log_weights, cuts = np.empty((n_rows, n_best)), np.exp(reached) * _ALMOST
    ended, n_nodes = np.empty(n_rows, dtype=np.uint8), np.empty(n_rows, dtype=np.int64)
    lists, rise = _parent_lists(chain)
    numbers = (chain.base, lists, rise, chain.reach, chain.known, math.exp(chain.limit), cuts)
    _few_kernels.search_few(*numbers, min(most, 2**62), vectors, log_weights, ended, n_nodes)
    exact = ended == _kernels.FINISHED
    return Found(chain.by_label(vectors), log_weights, exact, n_nodes), ended


def _parent_lists(chain: ChainScores) -> tuple[tuple[Ints, Ints, Floats], Floats]:
    """Return the parents of every place with their factors, and the most that they can add to its score."""
    starts, parents, weights, factors = chain.effects.by_child
    child = np.repeat(np.arange(starts.size - 1), np.diff(starts))
    rise = np.bincount(child, np.maximum(weights, 0.0), minlength=starts.size - 1).astype(np.float64)
    return (starts, parents, factors), rise


# A level with more prefixes than this is searched again in two halves of the rows.
_MOST_PREFIXES = 1 << 20
_WIDTH, _WIDE = 10, 100
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
    beam, bound = None, np.full(tree.n_rows, -np.inf)
    if floor == -math.inf:
        beam = level_beam(tree, max(_WIDTH, n_best), n_best)
        # A classifier's scores may have other last digits here, where it is asked about other prefixes at a time.
        worst = beam.log_weights[:, -1]
        bound = worst - _SLACK * (1.0 + np.abs(worst))
    search = _Levels(tree, floor, bound, n_best, most)
    if search.too_wide:
        halves = (slice(0, tree.n_rows // 2), slice(tree.n_rows // 2, None))
        parts = [search_levels(tree.take(half), floor, n_best, most) for half in halves]
        return Found.joined(found for found, _ in parts), np.concatenate([finished for _, finished in parts])
    found = Found(search.vectors, search.log_weights, search.exact, search.n_nodes)
    if beam is not None:
        _join_lost(found, beam)
    return found, search.finished


def _join_lost(found: Found, beam: Found) -> None:
    """Put in what a beam found and the search behind it lost, where digits of scores differ by more than the slack."""
    found.n_evaluations[:] += beam.n_evaluations
    for row in np.flatnonzero((np.isneginf(found.log_weights) & ~np.isneginf(beam.log_weights)).any(axis=1)):
        vectors = np.concatenate([found.vectors[row], beam.vectors[row]])
        logs = np.concatenate([found.log_weights[row], beam.log_weights[row]])
        found.vectors[row], found.log_weights[row] = best_distinct(vectors, logs, logs.size // 2)


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


def beam_search(tree: GraphDistribution, width: int, n_best: int) -> Found:
    """Return the best vectors among those reached by the `width` most probable prefixes of every length."""
    # More prefixes than there are vectors need no room.
    width = min(width, 2 ** min(tree.n_labels, 62))
    if isinstance(tree, LinearDistribution) and compiled_search(tree):
        return _linear_beam(tree, width, n_best)
    return level_beam(tree, width, n_best)


def _linear_beam(distribution: LinearDistribution, width: int, n_best: int) -> Found:
    few = distribution.few_parents
    chain = scores_along(distribution, bounded=few)
    n_rows, n_labels = chain.base.shape
    vectors = np.zeros((n_rows, n_best, n_labels), dtype=np.uint8)
    log_weights, left_out = np.full((n_rows, n_best), -np.inf), np.empty(n_rows)
    n_nodes = np.empty(n_rows, dtype=np.int64)
    if few:
        lists, rise = _parent_lists(chain)
        least = np.exp(greedy_walk(distribution)[1]) * _NEGLIGIBLE
        numbers = (chain.base, lists, rise, chain.known, math.exp(chain.limit), least)
        _few_kernels.beam_few(*numbers, width, vectors, log_weights, left_out, n_nodes)
    else:
        dense = (chain.base, chain.effects.matrix, chain.reach, chain.known, chain.limit)
        _walk_kernels.beam_rows(*dense, width, vectors, log_weights, left_out, n_nodes)
    return Found(chain.by_label(vectors), log_weights, log_weights[:, -1] >= left_out, n_nodes)


def level_beam(tree: GraphDistribution, width: int, n_best: int) -> Found:
    """Return the same for any distribution over a graph, all rows at once, label by label."""
    prefixes = Prefixes.roots(tree)
    left_out = np.full(tree.n_rows, -np.inf)
    n_nodes = np.zeros(tree.n_rows, dtype=np.int64)
    for label in tree.graph.order:
        n_nodes += np.bincount(prefixes.rows, minlength=tree.n_rows)
        children = prefixes.children(tree, label)
        rows = np.repeat(prefixes.rows, 2)
        kept = (rank_in_row(rows, children.ravel()) < width) & (children.ravel() > -np.inf)
        np.maximum.at(left_out, rows[~kept], children.ravel()[~kept])
        prefixes = prefixes.grown(label, children, kept.reshape(-1, 2))
    vectors, log_weights = best_of_rows(prefixes, tree.n_rows, n_best)
    return Found(vectors, log_weights, log_weights[:, -1] >= left_out, n_nodes)
