"""Factors of belief propagation in SIMD lanes: scores of a block of rows as odds, one line of numbers for each label.

Notation
--------
lanes[c, r]  : odds exp(score) of column c in row r of the block; where parents add too much, the score itself
column       : a label (linear scores), or a setting of a label's parents (tables)
shifts[m]    : what setting m adds to the score of its label; gains[m] = exp(shifts[m])

Eight rows are one value (`plait.core._lanes`); a block has several of them, which hide each other's waiting times.

Below them factors with one or two parents, the most common ones: all settings in registers.

Notation is that of `_messages`. The parents are a and b; x is the child's odds where both are 0, and gain_a,
gain_b, gain_both multiply them. Instead of dividing each weight by 1 + odds, all are multiplied by the other
denominators: a message is a ratio, so what they share falls out.
"""

import numpy as np

from plait.core._exponentials import exp
from plait.core._lanes import fill, larger, load, load_column, select_above, store, within
from plait.core.compilation import kernel
from plait.joint.graph_distribution import SCORE_LIMIT

__all__ = [
    "ROWS",
    "WIDTH",
    "choose_child",
    "choose_child_and_parent",
    "choose_parent",
    "choose_two_parents",
    "fill_lanes",
    "joined",
    "limited",
    "send_from_two_to_child",
    "send_from_two_to_parent",
    "send_to_child",
    "send_to_parent",
    "set_odds",
]


@kernel(error_model="numpy", forceinline=True)
def joined(a, b, best):  # type: ignore[no-untyped-def]
    """Return the larger numbers, or the sums."""
    if best:
        return larger(a, b)
    return a + b


@kernel(error_model="numpy", forceinline=True)
def send_to_parent(i, j, gain, best, lanes, ratio, message):  # type: ignore[no-untyped-def]
    """Message of a factor with one parent to this parent."""
    for r in range(0, ROWS, WIDTH):
        x, child, one = load(lanes, j, r), load(ratio, j, r), fill(1.0)
        off, on = limited(x), limited(x * gain)
        above = joined(one, on * child, best) * (1.0 + off)
        store(message, i, r, above / (joined(one, off * child, best) * (1.0 + on)))


@kernel(error_model="numpy", forceinline=True)
def send_to_child(i, j, a, gain, best, lanes, ratio, message):  # type: ignore[no-untyped-def]
    """Message of a factor with one parent to its child."""
    for r in range(0, ROWS, WIDTH):
        x = load(lanes, j, r)
        off, on = limited(x), limited(x * gain)
        above, below = 1.0 + on, (1.0 + off) * load(ratio, a, r)
        store(message, i, r, joined(off * above, on * below, best) / joined(above, below, best))


@kernel(error_model="numpy", forceinline=True)
def send_from_two_to_child(i, j, a, b, gain_a, gain_b, gain_both, best, lanes, ratio, message):  # type: ignore[no-untyped-def]
    """Message of a factor with two parents to its child."""
    for r in range(0, ROWS, WIDTH):
        x, ratio_a, ratio_b = load(lanes, j, r), load(ratio, a, r), load(ratio, b, r)
        none, on_a, on_b, both = limited(x), limited(x * gain_a), limited(x * gain_b), limited(x * gain_both)
        left, right = (1.0 + none) * (1.0 + on_a), (1.0 + on_b) * (1.0 + both)
        w_none, w_a = (1.0 + on_a) * right, (1.0 + none) * right * ratio_a
        w_b, w_both = (1.0 + both) * left * ratio_b, (1.0 + on_b) * left * (ratio_a * ratio_b)
        low = joined(joined(w_none, w_a, best), joined(w_b, w_both, best), best)
        high = joined(joined(w_none * none, w_a * on_a, best), joined(w_b * on_b, w_both * both, best), best)
        store(message, i, r, high / low)


@kernel(error_model="numpy", forceinline=True)
def send_from_two_to_parent(i, j, b, gain_a, gain_b, gain_both, best, lanes, ratio, message):  # type: ignore[no-untyped-def]
    """Message of a factor with two parents to one of them, a."""
    for r in range(0, ROWS, WIDTH):
        x, child, ratio_b, one = load(lanes, j, r), load(ratio, j, r), load(ratio, b, r), fill(1.0)
        none, on_a, on_b, both = limited(x), limited(x * gain_a), limited(x * gain_b), limited(x * gain_both)
        w_none = (1.0 + on_b) * joined(one, none * child, best)
        w_b = (1.0 + none) * joined(one, on_b * child, best) * ratio_b
        w_a = (1.0 + both) * joined(one, on_a * child, best)
        w_both = (1.0 + on_a) * joined(one, both * child, best) * ratio_b
        high = joined(w_a, w_both, best) * ((1.0 + none) * (1.0 + on_b))
        store(message, i, r, high / (joined(w_none, w_b, best) * ((1.0 + on_a) * (1.0 + both))))


@kernel(error_model="numpy", forceinline=True)
def choose_child(j, a, gain, lanes, ratio, chance):  # type: ignore[no-untyped-def]
    """Overwrite the child's ratio by its best value, given that of its only parent."""
    zero, one = fill(0.0), fill(1.0)
    for r in range(0, ROWS, WIDTH):
        on = limited(load(lanes, j, r) * select_above(load(ratio, a, r), zero, fill(gain), one))
        reach = on * load(ratio, j, r)
        store(ratio, j, r, select_above(reach, one, one, zero))
        store(chance, 0, r, load(chance, 0, r) * (select_above(reach, one, on, one) / (1.0 + on)))


@kernel(error_model="numpy", forceinline=True)
def choose_parent(j, a, gain, lanes, ratio, chance):  # type: ignore[no-untyped-def]
    """Overwrite the ratio of the only parent by its best value, given that of the child."""
    zero, one = fill(0.0), fill(1.0)
    for r in range(0, ROWS, WIDTH):
        x, known = load(lanes, j, r), load(ratio, j, r)
        off, on = limited(x), limited(x * gain)
        above, below = select_above(known, zero, on, one), select_above(known, zero, off, one)
        within, without = above * load(ratio, a, r) * (1.0 + off), below * (1.0 + on)
        store(ratio, a, r, select_above(within, without, one, zero))
        share = select_above(within, without, above, below) / (1.0 + select_above(within, without, on, off))
        store(chance, 0, r, load(chance, 0, r) * share)


@kernel(error_model="numpy", forceinline=True)
def choose_two_parents(j, a, b, gain_a, gain_b, gain_both, lanes, ratio, chance):  # type: ignore[no-untyped-def]
    """Overwrite the ratios of both parents by their best values, given that of the child; ties go to the 0."""
    zero, one = fill(0.0), fill(1.0)
    for r in range(0, ROWS, WIDTH):
        x, known, ratio_a, ratio_b = load(lanes, j, r), load(ratio, j, r), load(ratio, a, r), load(ratio, b, r)
        none, on_a, on_b, both = limited(x), limited(x * gain_a), limited(x * gain_b), limited(x * gain_both)
        left, right = (1.0 + none) * (1.0 + on_a), (1.0 + on_b) * (1.0 + both)
        w_none = (1.0 + on_a) * right * select_above(known, zero, none, one)
        w_a = (1.0 + none) * right * ratio_a * select_above(known, zero, on_a, one)
        w_b = (1.0 + both) * left * ratio_b * select_above(known, zero, on_b, one)
        w_both = (1.0 + on_b) * left * (ratio_a * ratio_b) * select_above(known, zero, both, one)
        without, within = larger(w_a, w_none), larger(w_both, w_b)
        choice_without, choice_within = select_above(w_a, w_none, one, zero), select_above(w_both, w_b, one, zero)
        store(ratio, a, r, select_above(within, without, choice_within, choice_without))
        store(ratio, b, r, select_above(within, without, one, zero))
        odds_within, odds_without = select_above(w_both, w_b, both, on_b), select_above(w_a, w_none, on_a, none)
        on = select_above(within, without, odds_within, odds_without)
        store(chance, 0, r, load(chance, 0, r) * (select_above(known, zero, on, one) / (1.0 + on)))


@kernel(error_model="numpy", forceinline=True)
def choose_child_and_parent(j, a, b, gain_a, gain_b, gain_both, lanes, ratio, chance):  # type: ignore[no-untyped-def]
    """Overwrite the ratios of the child and of parent b by their best values, given that of parent a."""
    zero, one = fill(0.0), fill(1.0)
    for r in range(0, ROWS, WIDTH):
        x, child, known = load(lanes, j, r), load(ratio, j, r), load(ratio, a, r)
        off = limited(x * select_above(known, zero, fill(gain_a), one))
        on = limited(x * select_above(known, zero, fill(gain_both), fill(gain_b)))
        without = larger(one, off * child) * (1.0 + on)
        within = larger(one, on * child) * (1.0 + off) * load(ratio, b, r)
        chosen = select_above(within, without, on, off)
        store(ratio, b, r, select_above(within, without, one, zero))
        store(ratio, j, r, select_above(chosen * child, one, one, zero))
        store(chance, 0, r, load(chance, 0, r) * (select_above(chosen * child, one, chosen, one) / (1.0 + chosen)))


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
