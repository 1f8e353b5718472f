"""Mixtures of graphs: tables of log P(y_k | parents), log P(y) of a whole vector, and simulated annealing over vectors.

Notation
--------
logs[at]       : log P_c(y_k = v | parents) of one row, at = 2 * (entry[c, k] + setting of the parents) + v
places         : `at` of label k in component c, for the vector at hand; its own place is n_components * k + c
terms[c]       : log w_c + log P_c(y)

Simulated annealing over label vectors of a mixture, row after row [MC, section 5.4].

Flipping one label changes its own conditional and those of its children in every component, and nothing else.

Notation of annealing
---------------------
picks[i, t]    : which of the free labels step t of row i flips, as a number from 0 to 1
hurdles[i, t]  : what the step has to gain to be taken, T_t * log(u): at most 0
terms[c]       : log w_c + log P_c(y) of the vector at hand; `moved` the same after a flip
places         : where the conditionals of the vector stand in the tables, as in `_mixtures`
"""

import math

import numpy as np

from plait.core._exponentials import exp, log1p
from plait.core.compilation import kernel

__all__ = ["anneal_rows", "climb", "fill_linear_logs", "fill_logs", "fill_terms", "log_total", "score_rows"]

# Gains below this may be rounding.
_GAIN = 1e-10


@kernel(forceinline=True)
def _flip_terms(i, first, link_place, link_part, link_step, logs, y, places, terms, moved):  # type: ignore[no-untyped-def]
    """Write the terms after a flip of label i; return the largest."""
    n_parts, sign = terms.size, 1 - 2 * y[i]
    for c in range(n_parts):
        at = places[n_parts * i + c]
        moved[c] = terms[c] + (logs[at ^ 1] - logs[at])
    for t in range(first[i], first[i + 1]):
        at = places[link_place[t]]
        moved[link_part[t]] += logs[at + sign * link_step[t]] - logs[at]
    top = moved[0]
    for c in range(1, n_parts):
        top = max(top, moved[c])
    return top


@kernel
def _take(i, first, link_place, link_step, y, places, terms, moved):  # type: ignore[no-untyped-def]
    """Flip label i."""
    n_parts, sign = terms.size, 1 - 2 * y[i]
    y[i] ^= 1
    for c in range(n_parts):
        terms[c] = moved[c]
    for c in range(n_parts):
        places[n_parts * i + c] ^= 1
    for t in range(first[i], first[i + 1]):
        places[link_place[t]] += sign * link_step[t]


@kernel
def walk(free, n_free, picks, hurdles, graphs, logs, y, places, terms, moved, best):  # type: ignore[no-untyped-def]
    """Walk at random for as many steps as there are hurdles; write the best vector that was visited."""
    first, link_place, link_part, link_step = graphs.first_link, graphs.link_place, graphs.link_part, graphs.link_step
    total, spread = log_total(terms), math.log(terms.size) + _GAIN
    top = total
    for k in range(y.size):
        best[k] = y[k]
    for t in range(hurdles.size):
        i = free[min(np.int64(picks[t] * n_free), n_free - 1)]
        peak = _flip_terms(i, first, link_place, link_part, link_step, logs, y, places, terms, moved)
        # The sum of the terms is at most their number times the largest: most steps are refused by that.
        if peak + spread < total + hurdles[t]:
            continue
        there = log_total(moved)
        if there - total >= hurdles[t]:
            _take(i, first, link_place, link_step, y, places, terms, moved)
            total = there
            if total > top + _GAIN:
                top = total
                for k in range(y.size):
                    best[k] = y[k]


@kernel
def climb(free, n_free, graphs, logs, y, places, terms, moved):  # type: ignore[no-untyped-def]
    """Flip the label that gains most, until none does."""
    first, link_place, link_part, link_step = graphs.first_link, graphs.link_place, graphs.link_part, graphs.link_step
    total, spread = log_total(terms), math.log(terms.size) + _GAIN
    while True:
        winner, top = -1, total + _GAIN
        for a in range(n_free):
            peak = _flip_terms(free[a], first, link_place, link_part, link_step, logs, y, places, terms, moved)
            if peak + spread > top:
                there = log_total(moved)
                if there > top:
                    winner, top = free[a], there
        if winner < 0:
            return
        _flip_terms(winner, first, link_place, link_part, link_step, logs, y, places, terms, moved)
        _take(winner, first, link_place, link_step, y, places, terms, moved)
        total = top


@kernel
def anneal_rows(graphs, log_weights, logs, known, picks, hurdles, vectors, log_probs):  # type: ignore[no-untyped-def]
    """Overwrite the vector of every row by the best one found from it, and write its log probability."""
    n_rows, n_labels = vectors.shape
    places = np.empty(log_weights.size * n_labels, np.int64)
    terms, moved = np.empty(log_weights.size), np.empty(log_weights.size)
    y, best, free = np.empty(n_labels, np.int64), np.empty(n_labels, np.int64), np.empty(n_labels, np.int64)
    for row in range(n_rows):
        tables, n_free = logs[row], 0
        for k in range(n_labels):
            y[k] = vectors[row, k]
            if known.shape[0] == 0 or known[row, k] < 0:
                free[n_free] = k
                n_free += 1
        fill_terms(graphs, log_weights, tables, y, places, terms)
        if n_free > 0:
            if hurdles.shape[1] > 0:
                walk(free, n_free, picks[row], hurdles[row], graphs, tables, y, places, terms, moved, best)
                for k in range(n_labels):
                    y[k] = best[k]
                fill_terms(graphs, log_weights, tables, y, places, terms)
            climb(free, n_free, graphs, tables, y, places, terms, moved)
            # Once more from the start: what rounding added up over the steps is gone.
            fill_terms(graphs, log_weights, tables, y, places, terms)
        for k in range(n_labels):
            vectors[row, k] = np.uint8(y[k])
        log_probs[row] = log_total(terms)


@kernel
def score_rows(graphs, log_weights, logs, vectors, log_probs):  # type: ignore[no-untyped-def]
    """Write log P of several vectors of every row, (n_rows, n_vectors, n_labels)."""
    n_rows, n_vectors, n_labels = vectors.shape
    places, terms = np.empty(log_weights.size * n_labels, np.int64), np.empty(log_weights.size)
    y = np.empty(n_labels, np.int64)
    for row in range(n_rows):
        for m in range(n_vectors):
            same = m > 0
            for k in range(n_labels):
                y[k] = vectors[row, m, k]
                same = same and vectors[row, m, k] == vectors[row, m - 1, k]
            if same:
                log_probs[row, m] = log_probs[row, m - 1]
            else:
                fill_terms(graphs, log_weights, logs[row], y, places, terms)
                log_probs[row, m] = log_total(terms)


@kernel(error_model="numpy")
def fill_logs(scores, begin, logs):  # type: ignore[no-untyped-def]
    """Write log P(0) and log P(1) for scores (n_rows, n_settings), columns from `begin` on; scores are clipped."""
    for row in range(scores.shape[0]):
        for s in range(scores.shape[1]):
            score = scores[row, s]
            both = log1p(exp(-abs(score)))
            logs[row, begin + 2 * s] = min(-score, 0.0) - both
            logs[row, begin + 2 * s + 1] = min(score, 0.0) - both


@kernel(error_model="numpy")
def fill_linear_logs(base, label, shifts, limit, begin, work, logs):  # type: ignore[no-untyped-def]
    """Write the same for scores `base[row, label[s]] + shifts[s]`; `work` has room for one row."""
    n_settings = shifts.size
    for row in range(base.shape[0]):
        for s in range(n_settings):
            work[s] = min(max(base[row, label[s]] + shifts[s], -limit), limit)
        out = logs[row, begin : begin + 2 * n_settings]
        for s in range(n_settings):
            both = log1p(exp(-abs(work[s])))
            out[2 * s] = min(-work[s], 0.0) - both
            out[2 * s + 1] = min(work[s], 0.0) - both


@kernel
def fill_terms(graphs, log_weights, logs, y, places, terms):  # type: ignore[no-untyped-def]
    """Write the places and the terms of a vector."""
    first, link_place, link_step = graphs.first_link, graphs.link_place, graphs.link_step
    n_parts, n_labels = log_weights.size, y.size
    for p in range(places.size):
        places[p] = graphs.begin[p]
    for k in range(n_labels):
        if y[k] == 1:
            for c in range(n_parts):
                places[n_parts * k + c] += 1
            for t in range(first[k], first[k + 1]):
                places[link_place[t]] += link_step[t]
    for c in range(n_parts):
        terms[c] = log_weights[c]
    for k in range(n_labels):
        for c in range(n_parts):
            terms[c] += logs[places[n_parts * k + c]]


@kernel
def log_total(terms):  # type: ignore[no-untyped-def]
    """Return log sum exp, all terms being finite."""
    top = terms[0]
    for c in range(1, terms.size):
        top = max(top, terms[c])
    total = 0.0
    for c in range(terms.size):
        total += math.exp(terms[c] - top)
    return top + math.log(total)
