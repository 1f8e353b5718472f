"""What kernels of mixtures share: tables of log P(y_k | parents), and log P(y) of a whole vector.

Notation
--------
logs[at]       : log P_c(y_k = v | parents) of one row, at = 2 * (entry[c, k] + setting of the parents) + v
places         : `at` of label k in component c, for the vector at hand; its own place is n_components * k + c
terms[c]       : log w_c + log P_c(y)
"""

import math

from plait.core._exponentials import exp, log1p
from plait.core.compilation import kernel

__all__ = ["fill_linear_logs", "fill_logs", "fill_terms", "log_total"]


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
    places[:] = graphs.begin
    for k in range(n_labels):
        if y[k] == 1:
            for c in range(n_parts):
                places[n_parts * k + c] += 1
            for t in range(first[k], first[k + 1]):
                places[link_place[t]] += link_step[t]
    terms[:] = log_weights
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
