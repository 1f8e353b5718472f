"""Modes of a polytree: the best values from the roots to the leaves, given the messages of `_polytree_kernels`.

Notation
--------
ratio[v, r]      : as in `_polytree_kernels`; from the roots down overwritten by the label's value in the mode
chance[0, r]     : product of P(y_j | parents) that was not yet added to the log
total[r]         : log P(mode)
"""

import math

import numpy as np

from plait.core._lanes import fill, larger, load, select_above, store, store_labels
from plait.core.compilation import kernel
from plait.inference._lane_kernels import ROWS, WIDTH, fill_lanes, limited, set_odds
from plait.inference._pair_kernels import choose_child, choose_child_and_parent, choose_parent, choose_two_parents
from plait.inference._polytree_kernels import begin_ratios, send, weigh_settings

__all__ = ["find_modes"]

# So many factors of at least 1e-6 multiply without underflow.
_FACTORS = 48


@kernel(error_model="numpy", forceinline=True)
def _choose_many(j, slot, target, first, last, parents, ratio, table, weight, chance):  # type: ignore[no-untyped-def]
    """Take the best setting among those that agree with the target; ties go to the smallest."""
    zero, one = fill(0.0), fill(1.0)
    for r in range(0, ROWS, WIDTH):
        child, known = load(ratio, j, r), load(ratio, target, r)
        top, winner, place = fill(-1.0), one, zero
        for m in range(1 << (last - first)):
            odds = load(table, m, r)
            share = load(weight, m, r) / (1.0 + odds)
            if slot < 0:
                share = share * select_above(known, zero, odds, one)
            else:
                # Settings that contradict the target's value lose against all others.
                side = (m >> slot) & 1
                agrees = select_above(known, zero, fill(float(side)), fill(float(1 - side)))
                share = select_above(agrees, zero, share * larger(one, odds * child), fill(-2.0))
            winner = select_above(share, top, odds, winner)
            place = select_above(share, top, fill(float(m)), place)
            top = larger(share, top)
        value = select_above(winner * child, one, one, zero) if slot >= 0 else known
        store(ratio, j, r, value)
        store(chance, 0, r, load(chance, 0, r) * (select_above(value, zero, winner, one) / (1.0 + winner)))
        # Bits of the place, the highest first.
        for t in range(last - 1, first - 1, -1):
            bit = float(1 << (t - first))
            value = select_above(place + 0.5, fill(bit), one, zero)
            store(ratio, parents[t], r, value)
            place = place - value * bit


@kernel(error_model="numpy", forceinline=True)
def _choose_root(j, of_factor, lanes, ratio, chance):  # type: ignore[no-untyped-def]
    """Value of a root by its ratio; or, for the factor of a label without parents, the probability of its value."""
    zero, one = fill(0.0), fill(1.0)
    for r in range(0, ROWS, WIDTH):
        if of_factor:
            odds = limited(load(lanes, j, r))
            share = select_above(load(ratio, j, r), zero, odds, one) / (1.0 + odds)
            store(chance, 0, r, load(chance, 0, r) * share)
        else:
            store(ratio, j, r, select_above(load(ratio, j, r), one, one, zero))


@kernel(error_model="numpy", forceinline=True)
def _choose(families, scores, lanes, ratio, table, weight, chance, total):  # type: ignore[no-untyped-def]
    """Overwrite all ratios by the values of the mode, from the roots down."""
    targets, slots, firsts = families.target, families.slot, families.first
    parents, entry = families.parents, families.entry
    simple, linear, shifts, gains = scores.simple, scores.linear, scores.shifts, scores.gains
    chance[:], total[:] = 1.0, 0.0
    for v in families.roots:
        _choose_root(v, False, lanes, ratio, chance)
    for j in range(targets.size - 1, -1, -1):
        first, last, target = firsts[j], firsts[j + 1], targets[j]
        if last == first and linear:
            _choose_root(j, True, lanes, ratio, chance)
        elif last - first == 1 and simple[j]:
            gain = gains[entry[j] + 1]
            if target == j:
                choose_parent(j, parents[first], gain, lanes, ratio, chance)
            else:
                choose_child(j, target, gain, lanes, ratio, chance)
        elif last - first == 2 and simple[j]:
            a, b = parents[first], parents[first + 1]
            gain_a, gain_b, gain_both = gains[entry[j] + 1], gains[entry[j] + 2], gains[entry[j] + 3]
            if target == j:
                choose_two_parents(j, a, b, gain_a, gain_b, gain_both, lanes, ratio, chance)
            elif target == a:
                choose_child_and_parent(j, a, b, gain_a, gain_b, gain_both, lanes, ratio, chance)
            else:
                choose_child_and_parent(j, b, a, gain_b, gain_a, gain_both, lanes, ratio, chance)
        else:
            set_odds(j, entry[j], entry[j + 1], linear, simple[j], shifts, gains, lanes, table)
            weigh_settings(first, last, target, parents, ratio, weight)
            _choose_many(j, slots[j], target, first, last, parents, ratio, table, weight, chance)
        if j % _FACTORS == 0:
            for r in range(ROWS):
                total[r] += math.log(chance[0, r])
            chance[:] = 1.0


@kernel(error_model="numpy")
def _write(begin, n_used, place, ratio, vectors):  # type: ignore[no-untyped-def]
    """Write the values of a block of rows, eight rows and eight labels at a time where there are so many."""
    whole_rows, whole_labels = n_used - n_used % WIDTH, vectors.shape[1] - vectors.shape[1] % WIDTH
    for r in range(0, whole_rows, WIDTH):
        for k in range(0, whole_labels, WIDTH):
            low = load(ratio, place[k], r), load(ratio, place[k + 1], r), load(ratio, place[k + 2], r)
            middle = load(ratio, place[k + 3], r), load(ratio, place[k + 4], r), load(ratio, place[k + 5], r)
            high = (load(ratio, place[k + 6], r), load(ratio, place[k + 7], r))
            store_labels(vectors, begin + r, k, low + middle + high)
    for r in range(n_used):
        for k in range(whole_labels if r < whole_rows else 0, vectors.shape[1]):
            vectors[begin + r, k] = np.uint8(ratio[place[k], r])


@kernel(error_model="numpy")
def find_modes(families, scores, known, n_hubs, most_settings, vectors, log_probs):  # type: ignore[no-untyped-def]
    """Write the mode of every row and its log probability."""
    n_rows, n_labels = vectors.shape
    lanes, ratio = np.empty((scores.values.shape[1], ROWS)), np.empty((n_labels, ROWS))
    power, chance, total = np.empty((n_hubs, ROWS)), np.empty((1, ROWS)), np.empty(ROWS)
    table, weight = np.empty((most_settings, ROWS)), np.empty((most_settings, ROWS))
    label, place = families.label, families.place
    message, evidence = np.empty((1, ROWS)), known.shape[0] > 0
    for begin in range(0, n_rows, ROWS):
        fill_lanes(scores, begin, lanes)
        begin_ratios(known, begin, label, ratio, power)
        send(families, scores, True, evidence, lanes, ratio, power, message, table, weight)
        _choose(families, scores, lanes, ratio, table, weight, chance, total)
        n_used = min(ROWS, n_rows - begin)
        log_probs[begin : begin + n_used] = total[:n_used]
        _write(begin, n_used, place, ratio, vectors)
