"""Rows in lanes: scores of a block of rows turned into odds, with one column of numbers for each label.

Notation
--------
lanes[c, r]  : odds exp(score) of column c in row r of the block; a wide column keeps the score itself
column       : a label (linear scores), or a setting of a label's parents (tables)
shifts[m]    : what setting m adds to the score of its label; gains[m] = exp(shifts[m])

All loops over r are free of branches and calls, so that the compiler puts rows into vector registers.
"""

import numpy as np
from numba import njit, types
from numba.extending import intrinsic

from plait.joint.graph_distribution import SCORE_LIMIT

__all__ = ["LANES", "fill_lanes", "limited", "odds", "set_odds"]

# Rows in a block: long enough to hide the cost of a loop, short enough to keep all labels in the second cache.
LANES = 32

_LOG2E = 1.4426950408889634
_LN2_HIGH = 0.693147180369123816490
_LN2_LOW = 1.90821492927058770002e-10
# Adding this to a number of at most 2**51 leaves the nearest integer in the lowest bits.
_ROUNDER = 6755399441055744.0
_LEAST = np.exp(-SCORE_LIMIT)
_MOST = np.exp(SCORE_LIMIT)


@intrinsic
def _bits(typing_context, number):  # type: ignore[no-untyped-def]
    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        return builder.bitcast(arguments[0], context.get_value_type(types.int64))

    return types.int64(types.float64), generate


@intrinsic
def _number(typing_context, bits):  # type: ignore[no-untyped-def]
    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        return builder.bitcast(arguments[0], context.get_value_type(types.float64))

    return types.float64(types.int64), generate


@njit(cache=True, fastmath={"contract"}, error_model="numpy")
def odds(score):  # type: ignore[no-untyped-def]
    """Return exp(score) for |score| < 700, within a few units of the last place, without branches.

    exp(score) = 2**k exp(rest) with |rest| <= log(2) / 2, where the series to the 12th power errs by 2e-16.
    """
    shifted = score * _LOG2E + _ROUNDER
    k = shifted - _ROUNDER
    rest = (score - k * _LN2_HIGH) - k * _LN2_LOW
    series = 1.0 / 479001600.0
    series = series * rest + 1.0 / 39916800.0
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
    return series * _number((_bits(shifted) + 1023) << 52)


@njit(cache=True, nogil=True, fastmath={"contract"}, error_model="numpy", forceinline=True)
def limited(value):  # type: ignore[no-untyped-def]
    """Return odds moved into what clipped probabilities allow."""
    value = value if value > _LEAST else _LEAST
    return value if value < _MOST else _MOST


@njit(cache=True, nogil=True, fastmath={"contract"}, error_model="numpy")
def fill_lanes(scores, begin, lanes):  # type: ignore[no-untyped-def]
    """Set lanes from the rows that begin at `begin`; rows past the end repeat the last one.

    A score beyond its bound is moved there: with all that parents can add it stays beyond the limit.
    """
    values, bounds, place = scores.values, scores.bounds, scores.place
    n_rows, n_columns = values.shape
    for r in range(lanes.shape[1]):
        row = min(begin + r, n_rows - 1)
        for c in range(n_columns):
            lanes[place[c], r] = values[row, c]
    for c in range(n_columns):
        bound = bounds[c]
        if bound > 0.0:
            for r in range(lanes.shape[1]):
                score = lanes[c, r]
                score = score if score > -bound else -bound
                lanes[c, r] = odds(score if score < bound else bound)


@njit(cache=True, nogil=True, fastmath={"contract"}, error_model="numpy", forceinline=True)
def set_odds(label, begin, end, linear, simple, shifts, gains, lanes, table):  # type: ignore[no-untyped-def]
    """Set table[m, r] to the odds of a label under setting m of its parents, numbers begin to end among all."""
    for m in range(end - begin):
        gain, shift = gains[begin + m], shifts[begin + m]
        if not linear:
            for r in range(table.shape[1]):
                table[m, r] = limited(lanes[begin + m, r])
        elif simple:
            for r in range(table.shape[1]):
                table[m, r] = limited(lanes[label, r] * gain)
        else:
            for r in range(table.shape[1]):
                score = lanes[label, r] + shift
                score = score if score > -SCORE_LIMIT else -SCORE_LIMIT
                table[m, r] = odds(score if score < SCORE_LIMIT else SCORE_LIMIT)
