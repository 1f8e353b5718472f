"""Rows in lanes: scores of a block of rows turned into odds, with one line of numbers for each label.

Notation
--------
lanes[c, r]  : odds exp(score) of column c in row r of the block; where parents add too much, the score itself
column       : a label (linear scores), or a setting of a label's parents (tables)
shifts[m]    : what setting m adds to the score of its label; gains[m] = exp(shifts[m])

Eight rows are one value (`_row_vectors`); a block has several of them, which hide each other's waiting times.
"""

import numpy as np

from plait.core.compilation import kernel
from plait.inference._row_vectors import WIDTH, larger, load, load_column, power_of_two, smaller, spread, store
from plait.joint.graph_distribution import SCORE_LIMIT

__all__ = ["LANES", "fill_lanes", "limited", "odds", "set_odds"]

# Rows in a block: long enough to hide what a label costs, short enough to keep all labels in the second cache.
LANES = 32

_LOG2E = 1.4426950408889634
_LN2_HIGH = 0.693147180369123816490
_LN2_LOW = 1.90821492927058770002e-10
# Adding this to a number of at most 2**51 leaves the nearest integer in the lowest bits.
_ROUNDER = 6755399441055744.0
_LEAST = np.exp(-SCORE_LIMIT)
_MOST = np.exp(SCORE_LIMIT)


@kernel(error_model="numpy", forceinline=True)
def odds(score):  # type: ignore[no-untyped-def]
    """Return exp(score) for |score| < 700, within a few units of the last place, without branches.

    exp(score) = 2**k exp(rest) with |rest| <= log(2) / 2, where the series to the 12th power errs by 2e-16.
    """
    shifted = score * _LOG2E + _ROUNDER
    k = shifted - _ROUNDER
    rest = (score - k * _LN2_HIGH) - k * _LN2_LOW
    series = rest * (1.0 / 479001600.0) + 1.0 / 39916800.0
    series = series * rest + 1.0 / 3628800.0
    series = series * rest + 1.0 / 362880.0
    series = series * rest + 1.0 / 40320.0
    series = series * rest + 1.0 / 5040.0
    series = series * rest + 1.0 / 720.0
    series = series * rest + 1.0 / 120.0
    series = series * rest + 1.0 / 24.0
    series = series * rest + 1.0 / 6.0
    series = series * rest + 0.5
    series = series * rest + 1.0
    series = series * rest + 1.0
    return series * power_of_two(shifted)


@kernel(error_model="numpy", forceinline=True)
def _within(numbers, low, high):  # type: ignore[no-untyped-def]
    return smaller(larger(numbers, spread(low)), spread(high))


@kernel(error_model="numpy", forceinline=True)
def limited(numbers):  # type: ignore[no-untyped-def]
    """Return odds moved into what clipped probabilities allow."""
    return _within(numbers, _LEAST, _MOST)


@kernel(error_model="numpy")
def fill_lanes(scores, begin, lanes):  # type: ignore[no-untyped-def]
    """Set lanes from the rows that begin at `begin`; rows past the end repeat the last one.

    A score beyond its bound is moved there: with all that parents can add it stays beyond the limit.
    """
    values, bounds, place = scores.values, scores.bounds, scores.place
    n_rows, n_columns = values.shape
    for r in range(0, LANES, WIDTH):
        if begin + r + WIDTH <= n_rows:
            for c in range(n_columns):
                numbers, bound = load_column(values, begin + r, c), bounds[place[c]]
                store(lanes, place[c], r, odds(_within(numbers, -bound, bound)) if bound > 0.0 else numbers)
        else:
            for c in range(n_columns):
                for k in range(WIDTH):
                    lanes[place[c], r + k] = values[min(begin + r + k, n_rows - 1), c]
                numbers, bound = load(lanes, place[c], r), bounds[place[c]]
                store(lanes, place[c], r, odds(_within(numbers, -bound, bound)) if bound > 0.0 else numbers)


@kernel(error_model="numpy", forceinline=True)
def set_odds(label, begin, end, linear, simple, shifts, gains, lanes, table):  # type: ignore[no-untyped-def]
    """Set table[m, r] to the odds of a label under setting m of its parents, numbers begin to end among all."""
    for m in range(end - begin):
        for r in range(0, LANES, WIDTH):
            if not linear:
                store(table, m, r, limited(load(lanes, begin + m, r)))
            elif simple:
                store(table, m, r, limited(load(lanes, label, r) * gains[begin + m]))
            else:
                score = load(lanes, label, r) + shifts[begin + m]
                store(table, m, r, odds(_within(score, -SCORE_LIMIT, SCORE_LIMIT)))
