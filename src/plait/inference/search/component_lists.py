"""The most probable label vectors of a mixture, from its components' best vectors and a bound on all others."""

from collections.abc import Callable
from typing import Any

import numpy as np

from plait.core.arrays import Floats, Ints, Labels
from plait.core.logspace import log_sum_exp
from plait.inference.search.prefixes import Found, Prefixes, best_of_rows, rank_in_row
from plait.joint import LinearDistribution, MixtureDistribution

__all__ = ["Search", "all_listed", "bound_beyond", "takes_lists", "threshold_search"]

# From a component, a number of vectors and the log P that they must have to the best ones.
Search = Callable[[Any, int, Floats], Found]

# How long lists are. One vector proves rows on which all components agree, and shows what others must reach.
_DEPTHS = (1, 8, 64)
# What rounding may put between a vector and a bound of the same probability.
_SLACK = 1e-10
_FIELDS = ("vectors", "log_weights")


def takes_lists(mixture: MixtureDistribution) -> bool:
    """Say whether all components are linear along their orders, so that lists of their best vectors are cheap."""
    return all(isinstance(part, LinearDistribution) for part in mixture.components)


def threshold_search(mixture: MixtureDistribution, n_best: int, search: Search) -> tuple[Found, Ints, Found, Floats]:
    """Return the best vectors of every row; and of rows that are not proved, all vectors listed and a bound on others.

    The threshold algorithm [Fagin2003]: every component lists its best vectors, and the mixture weighs them. A vector
    on no list has at most P = sum_c w_c (P of the last on the list of c); where the vectors found reach that, they are
    the best of all. Where they do not, lists grow, but only by vectors as probable as those found: a better vector is
    at least that probable in some component.

    Parameters
    ----------
    mixture : MixtureDistribution
        Flat, of linear components.
    n_best : int
        How many vectors are wanted.
    search : callable
        Finds the best vectors of a component.

    Returns
    -------
    found : Found
        Of all rows.
    rows : ndarray of int64
        Those that are not proved.
    listed : Found
        What was found there and what the components listed, in no order.
    bound : ndarray of shape (len(rows),)
        The most that log P of other vectors can be.

    References
    ----------
    [Fagin2003] Fagin, Lotem and Naor: Optimal aggregation algorithms for middleware, 2003.
    """
    n_vectors = int(min(n_best, 2.0 ** min(mixture.n_labels, 62)))
    shape = (mixture.n_rows, n_vectors)
    vectors, n_evaluations = np.zeros((*shape, mixture.n_labels), dtype=np.uint8), np.zeros(shape[0], dtype=np.int64)
    found = Found(vectors, np.full(shape, -np.inf), np.zeros(shape[0], dtype=np.bool_), n_evaluations)
    rows, listed, bound = np.arange(mixture.n_rows), found, np.full(mixture.n_rows, np.inf)
    for depth in _DEPTHS:
        part, before = mixture.take(rows), found.take(rows)
        reached = before.log_weights[:, -1]
        lists = [
            search(each, depth * n_vectors, reached) for each in part.components if isinstance(each, LinearDistribution)
        ]
        bound = bound_beyond(part, lists, reached)
        best = _best_listed(part, before, lists, n_vectors, bound)
        found.put(rows, best)
        left = np.flatnonzero(~best.exact)
        rows, bound, listed = rows[left], bound[left], all_listed([best, *lists]).take(left)
        if not rows.size:
            break
    return found, rows, listed, bound


def all_listed(lists: list[Found]) -> Found:
    """Return several lists as one, in no order."""
    vectors, log_weights = (np.concatenate([getattr(each, name) for each in lists], axis=1) for name in _FIELDS)
    exact = np.logical_and.reduce([each.exact for each in lists])
    return Found(vectors, log_weights, exact, np.sum([each.n_evaluations for each in lists], axis=0))


def bound_beyond(mixture: MixtureDistribution, lists: list[Found], reached: Floats | float = -np.inf) -> Floats:
    """Return the most that log P of a vector on no list can be, less what rounding takes.

    Parameters
    ----------
    mixture : MixtureDistribution
        Flat.
    lists : list of Found
        Of every component.
    reached : ndarray of shape (n_rows,), optional
        log P that vectors needed to be listed.
    """
    return log_sum_exp(_caps(lists, reached) + mixture.log_weights, axis=1) - _SLACK


def _caps(lists: list[Found], reached: Floats | float) -> Floats:
    """Return the most that log P of a vector that is not listed can be in each component, (n_rows, n_components)."""
    last = np.stack([np.where(found.exact, found.log_weights[:, -1], np.inf) for found in lists], axis=1)
    return np.asarray(np.maximum(last, np.broadcast_to(reached, len(last))[:, None]))


def _best_listed(
    mixture: MixtureDistribution, before: Found, lists: list[Found], n_vectors: int, bound: Floats
) -> Found:
    """Return the best vectors, proved where they reach the bound, of all listed ones and those found before.

    Only vectors that may be among the best are weighed: those whose P in the components that list them, with the most
    that it can be in the others, is not below what as many as wanted have in the former alone.
    """
    caps = np.exp(_caps(lists, before.log_weights[:, -1]) + mixture.log_weights)
    listed = all_listed([before, *lists])
    rows, places = np.nonzero(listed.log_weights > -np.inf)
    vectors = listed.vectors[rows, places]
    # Which component lists a vector, and what that adds to its P; the last column is for what was found before.
    parts = np.repeat(np.arange(-1, len(lists)), [each.vectors.shape[1] for each in (before, *lists)])[places]
    weights, caps = np.append(np.exp(mixture.log_weights), 0.0), np.column_stack([caps, np.zeros(len(caps))])
    first, group = _distinct(rows, vectors)
    least = _sums(group, weights[parts] * np.exp(listed.log_weights[rows, places]))
    with np.errstate(invalid="ignore"):  # a component that is not finished has no cap, and what lacks it no bound
        most = least + caps.sum(axis=1)[rows[first]] - _sums(group, caps[rows, parts])
    hurdles, rank = np.zeros(mixture.n_rows), rank_in_row(rows[first], least)
    hurdles[rows[first][rank == n_vectors - 1]] = least[rank == n_vectors - 1]
    hopeful = first[~(most < hurdles[rows[first]] * (1.0 - _SLACK))]
    rows, vectors = rows[hopeful], vectors[hopeful]
    best, logs = best_of_rows(Prefixes(rows, vectors, mixture.take(rows).log_prob(vectors)), mixture.n_rows, n_vectors)
    return Found(best, logs, logs[:, -1] >= bound, listed.n_evaluations)


def _sums(group: Ints, numbers: Floats) -> Floats:
    return np.asarray(np.bincount(group, numbers), dtype=np.float64)


def _distinct(rows: Ints, vectors: Labels) -> tuple[Ints, Ints]:
    """Return where each vector of each row occurs first, by row, then by vector; and to which all are equal."""
    packed = np.packbits(vectors, axis=1)
    keys = np.pad(packed, ((0, 0), (0, -packed.shape[1] % 8))).view(">u8")
    order = np.lexsort((*keys.T[::-1], rows))
    changes = (np.diff(keys[order], axis=0) != 0).any(axis=1) | (np.diff(rows[order]) != 0)
    group = np.empty(len(rows), dtype=np.int64)
    group[order] = np.concatenate([np.zeros(min(1, len(rows)), dtype=np.int64), np.cumsum(changes)])
    return order[np.concatenate([np.ones(min(1, len(rows)), dtype=np.bool_), changes])], group
