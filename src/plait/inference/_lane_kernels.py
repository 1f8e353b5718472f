"""Rows in lanes: scores of a block of rows turned into odds, with one line of numbers for each label.

Notation
--------
lanes[c, r]  : odds exp(score) of column c in row r of the block; where parents add too much, the score itself
column       : a label (linear scores), or a setting of a label's parents (tables)
shifts[m]    : what setting m adds to the score of its label; gains[m] = exp(shifts[m])

Eight rows are one value (`plait.core._lanes`); a block has several of them, which hide each other's waiting times.
"""

import numpy as np

from plait.core._exponentials import exp
from plait.core._lanes import load, load_column, store, within
from plait.core.compilation import kernel
from plait.joint.graph_distribution import SCORE_LIMIT

__all__ = ["ROWS", "fill_lanes", "WIDTH", "limited", "set_odds"]

# Rows in a block: long enough to hide what a label costs, short enough to keep all labels in the second cache.
ROWS = 32
# Rows in one SIMD value.
WIDTH = 8

_LEAST = np.exp(-SCORE_LIMIT)
_MOST = np.exp(SCORE_LIMIT)


@kernel(error_model="numpy", forceinline=True)
def limited(numbers):  # type: ignore[no-untyped-def]
    """Return odds moved into what clipped probabilities allow."""
    return within(numbers, _LEAST, _MOST)


@kernel(error_model="numpy")
def fill_lanes(scores, begin, lanes):  # type: ignore[no-untyped-def]
    """Set lanes from the rows that begin at `begin`; rows past the end repeat the last one.

    A score beyond its bound is moved there: with all that parents can add it stays beyond the limit.
    """
    values, bounds, place = scores.values, scores.bounds, scores.place
    n_rows, n_columns = values.shape
    for r in range(0, ROWS, WIDTH):
        if begin + r + WIDTH <= n_rows:
            for c in range(n_columns):
                numbers, bound = load_column(values, begin + r, c), bounds[place[c]]
                store(lanes, place[c], r, exp(within(numbers, -bound, bound)) if bound > 0.0 else numbers)
        else:
            for c in range(n_columns):
                for k in range(WIDTH):
                    lanes[place[c], r + k] = values[min(begin + r + k, n_rows - 1), c]
                numbers, bound = load(lanes, place[c], r), bounds[place[c]]
                store(lanes, place[c], r, exp(within(numbers, -bound, bound)) if bound > 0.0 else numbers)


@kernel(error_model="numpy", forceinline=True)
def set_odds(label, begin, end, linear, simple, shifts, gains, lanes, table):  # type: ignore[no-untyped-def]
    """Set table[m, r] to the odds of a label under setting m of its parents, numbers begin to end among all."""
    for m in range(end - begin):
        for r in range(0, ROWS, WIDTH):
            if not linear:
                store(table, m, r, limited(load(lanes, begin + m, r)))
            elif simple:
                store(table, m, r, limited(load(lanes, label, r) * gains[begin + m]))
            else:
                score = load(lanes, label, r) + shifts[begin + m]
                store(table, m, r, exp(within(score, -SCORE_LIMIT, SCORE_LIMIT)))
