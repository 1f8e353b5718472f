"""What kernels of mixtures share: tables of log P(y_k | parents), and log P(y) of a whole vector.

Notation
--------
logs[2 * (entry[c, k] + setting) + v] : log P_c(y_k = v | setting of the parents), of one row
setting[c, k]                         : the setting of label k's parents in component c, for the vector at hand
terms[c]                              : log w_c + log P_c(y)
"""

import math

import numpy as np
from numba import njit

__all__ = ["fill_logs", "fill_terms", "log_total"]


@njit(cache=True, nogil=True)
def fill_logs(scores, begin, logs):  # type: ignore[no-untyped-def]
    """Write log P(0) and log P(1) for scores (n_rows, n_settings), columns from `begin` on."""
    for row in range(scores.shape[0]):
        for s in range(scores.shape[1]):
            score = scores[row, s]
            both = math.log1p(math.exp(-abs(score)))
            logs[row, begin + 2 * s] = min(-score, 0.0) - both
            logs[row, begin + 2 * s + 1] = min(score, 0.0) - both


@njit(cache=True, nogil=True)
def fill_terms(graphs, log_weights, logs, y, setting, terms):  # type: ignore[no-untyped-def]
    """Write the settings and the terms of a vector."""
    for c in range(log_weights.size):
        term = log_weights[c]
        for k in range(y.size):
            number, first = 0, graphs.first[c, k]
            for t in range(first, graphs.first[c, k + 1]):
                number |= np.int64(y[graphs.parents[t]]) << (t - first)
            setting[c, k] = number
            term += logs[2 * (graphs.entry[c, k] + number) + np.int64(y[k])]
        terms[c] = term


@njit(cache=True, nogil=True)
def log_total(terms):  # type: ignore[no-untyped-def]
    """Return log sum exp, all terms being finite."""
    top = terms[0]
    for c in range(1, terms.size):
        top = max(top, terms[c])
    total = 0.0
    for c in range(terms.size):
        total += math.exp(terms[c] - top)
    return top + math.log(total)
