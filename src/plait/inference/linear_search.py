"""Exact and epsilon-approximate search of a linear chain, by compiled walks."""

import math

import numpy as np
import numpy.typing as npt

from plait.core.arrays import Bools, Floats
from plait.inference._search_kernels import FINISHED, VANISHED, search_rows
from plait.inference.chain_scores import ChainScores, scores_along
from plait.inference.found_vectors import Found
from plait.inference.level_search import search_levels
from plait.joint import LinearDistribution
from plait.joint.counted_draws import LARGEST_SCORE

__all__ = ["search_linear"]


# Less than the probability of a vector that is known, by what rounding may take from it.
_ALMOST = 1.0 - 1e-10


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
    if np.abs(distribution.base).max(initial=0.0) + effects.spread > LARGEST_SCORE:
        return search_levels(distribution, floor, n_best, most)
    found, ended = _walked(scores_along(distribution), effects.factors, floor, n_best, most, reached)
    finished = ended == FINISHED
    # Without evidence a row whose mode has probability p takes at least 1 / (2 p) nodes: it would never be finished.
    vanished = np.flatnonzero(ended == VANISHED)
    if distribution.evidence is not None and vanished.size:
        rest, finished[vanished] = search_levels(distribution.take(vanished), floor, n_best, most)
        found.put(vanished, rest)
    return found, finished


def _walked(
    chain: ChainScores, factors: Floats, floor: float, n_best: int, most: int, reached: Floats
) -> tuple[Found, npt.NDArray[np.uint8]]:
    n_rows, n_labels = chain.base.shape
    vectors = np.zeros((n_rows, n_best, n_labels), dtype=np.uint8)
    log_weights, exact = np.empty((n_rows, n_best)), np.empty(n_rows, dtype=np.bool_)
    ended, n_nodes = np.empty(n_rows, dtype=np.uint8), np.empty(n_rows, dtype=np.int64)
    cuts = np.exp(reached) * _ALMOST if floor == -math.inf else np.zeros(n_rows)
    numbers = (chain.base, factors, chain.reach, chain.known, math.exp(chain.limit), math.exp(floor), cuts)
    search_rows(*numbers, min(most, 2**62), vectors, log_weights, exact, ended, n_nodes)
    return Found(chain.by_label(vectors), log_weights, exact, n_nodes), ended
