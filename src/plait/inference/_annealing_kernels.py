"""Simulated annealing over label vectors of a mixture, row after row [MC, section 5.4].

Flipping one label changes its own conditional and those of its children in every component, and nothing else.

Notation
--------
picks[i, t]    : which of the free labels step t of row i flips, as a number from 0 to 1
hurdles[i, t]  : what the step has to gain to be taken, T_t * log(u): at most 0
terms[c]       : log w_c + log P_c(y) of the vector at hand; `moved` the same after a flip
"""

import numpy as np
from numba import njit

from plait.inference._mixture_kernels import fill_terms, log_total

__all__ = ["anneal_rows", "climb", "score_rows"]

# Gains below this may be rounding.
_GAIN = 1e-10


@njit(cache=True, nogil=True)
def _flip_terms(i, graphs, logs, y, setting, terms, moved):  # type: ignore[no-untyped-def]
    """Write the terms after a flip of label i."""
    for c in range(terms.size):
        entry = graphs.entry[c]
        at = 2 * (entry[i] + setting[c, i])
        change = logs[at + 1 - y[i]] - logs[at + y[i]]
        for t in range(graphs.first_child[c, i], graphs.first_child[c, i + 1]):
            child = graphs.children[t]
            old = setting[c, child]
            at = 2 * entry[child] + np.int64(y[child])
            change += logs[at + 2 * (old ^ graphs.bits[t])] - logs[at + 2 * old]
        moved[c] = terms[c] + change


@njit(cache=True, nogil=True)
def _take(i, graphs, y, setting, terms, moved):  # type: ignore[no-untyped-def]
    """Flip label i."""
    y[i] ^= 1
    terms[:] = moved
    for c in range(terms.size):
        for t in range(graphs.first_child[c, i], graphs.first_child[c, i + 1]):
            setting[c, graphs.children[t]] ^= graphs.bits[t]


@njit(cache=True, nogil=True)
def _walk(free, n_free, picks, hurdles, graphs, logs, y, setting, terms, moved, best):  # type: ignore[no-untyped-def]
    """Walk at random for as many steps as there are hurdles; write the best vector that was visited."""
    total = log_total(terms)
    top = total
    best[:] = y
    for t in range(hurdles.size):
        i = free[min(np.int64(picks[t] * n_free), n_free - 1)]
        _flip_terms(i, graphs, logs, y, setting, terms, moved)
        there = log_total(moved)
        if there - total >= hurdles[t]:
            _take(i, graphs, y, setting, terms, moved)
            total = there
            if total > top + _GAIN:
                top = total
                best[:] = y


@njit(cache=True, nogil=True)
def climb(free, n_free, graphs, logs, y, setting, terms, moved):  # type: ignore[no-untyped-def]
    """Flip the label that gains most, until none does."""
    total = log_total(terms)
    while True:
        winner, top = -1, total + _GAIN
        for a in range(n_free):
            _flip_terms(free[a], graphs, logs, y, setting, terms, moved)
            there = log_total(moved)
            if there > top:
                winner, top = free[a], there
        if winner < 0:
            return
        _flip_terms(winner, graphs, logs, y, setting, terms, moved)
        _take(winner, graphs, y, setting, terms, moved)
        total = top


@njit(cache=True, nogil=True)
def anneal_rows(graphs, log_weights, logs, known, picks, hurdles, vectors, log_probs):  # type: ignore[no-untyped-def]
    """Overwrite the vector of every row by the best one found from it, and write its log probability."""
    n_rows, n_labels = vectors.shape
    shape = (log_weights.size, n_labels)
    setting, terms, moved = np.empty(shape, np.int64), np.empty(shape[0]), np.empty(shape[0])
    y, best, free = np.empty(n_labels, np.int64), np.empty(n_labels, np.int64), np.empty(n_labels, np.int64)
    for row in range(n_rows):
        n_free = 0
        for k in range(n_labels):
            y[k] = vectors[row, k]
            if known.shape[0] == 0 or known[row, k] < 0:
                free[n_free] = k
                n_free += 1
        fill_terms(graphs, log_weights, logs[row], y, setting, terms)
        if n_free > 0:
            _walk(free, n_free, picks[row], hurdles[row], graphs, logs[row], y, setting, terms, moved, best)
            y[:] = best
            fill_terms(graphs, log_weights, logs[row], y, setting, terms)
            climb(free, n_free, graphs, logs[row], y, setting, terms, moved)
            # Once more from the start: what rounding added up over the steps is gone.
            fill_terms(graphs, log_weights, logs[row], y, setting, terms)
        for k in range(n_labels):
            vectors[row, k] = np.uint8(y[k])
        log_probs[row] = log_total(terms)


@njit(cache=True, nogil=True)
def score_rows(graphs, log_weights, logs, vectors, log_probs):  # type: ignore[no-untyped-def]
    """Write log P of several vectors of every row, (n_rows, n_vectors, n_labels)."""
    n_rows, n_vectors, n_labels = vectors.shape
    setting, terms = np.empty((log_weights.size, n_labels), np.int64), np.empty(log_weights.size)
    for row in range(n_rows):
        for m in range(n_vectors):
            fill_terms(graphs, log_weights, logs[row], vectors[row, m], setting, terms)
            log_probs[row, m] = log_total(terms)
