"""Modes of a polytree: the best values from the roots to the leaves, given the messages of `_polytree_kernels`.

Notation
--------
ratio[v, r]        : as in `_polytree_kernels`; from the roots down overwritten by the label's value in the mode
work[CHANCE, r]    : product of P(y_j | parents) that was not yet added to the log
total[r]           : log P(mode)
"""

import math

import numpy as np
from numba import njit

from plait.inference._lane_kernels import LANES, fill_lanes, limited, set_odds
from plait.inference._pair_kernels import choose_child_and_parent, choose_two_parents
from plait.inference._polytree_kernels import begin_ratios, send, weigh_settings

__all__ = ["find_modes"]

# Rows of `work`.
TOP, ODDS, PLACE, SHARE, CHANCE = range(5)

# So many factors of at least 1e-6 multiply without underflow.
_FACTORS = 48


@njit(cache=True, nogil=True, error_model="numpy", forceinline=True)
def _choose_child(j, parent, gain, lanes, ratio, work):  # type: ignore[no-untyped-def]
    """Value of the only child of a factor whose parent is known."""
    for r in range(ratio.shape[1]):
        on = limited(lanes[j, r] * (gain if ratio[parent, r] > 0.0 else 1.0))
        chosen = on * ratio[j, r] > 1.0
        ratio[j, r] = 1.0 if chosen else 0.0
        work[CHANCE, r] *= (on if chosen else 1.0) / (1.0 + on)


@njit(cache=True, nogil=True, error_model="numpy", forceinline=True)
def _choose_parent(j, parent, gain, lanes, ratio, work):  # type: ignore[no-untyped-def]
    """Value of the only parent of a factor whose child is known."""
    for r in range(ratio.shape[1]):
        off, on = limited(lanes[j, r]), limited(lanes[j, r] * gain)
        above = on if ratio[j, r] > 0.0 else 1.0
        below = off if ratio[j, r] > 0.0 else 1.0
        chosen = above * ratio[parent, r] * (1.0 + off) > below * (1.0 + on)
        ratio[parent, r] = 1.0 if chosen else 0.0
        work[CHANCE, r] *= (above if chosen else below) / (1.0 + (on if chosen else off))


@njit(cache=True, nogil=True, error_model="numpy", forceinline=True)
def _weigh_setting(j, m, slot, target, ratio, table, weight, work):  # type: ignore[no-untyped-def]
    """Set work[SHARE] to the weight of setting m with the better child; -1 where it contradicts the target."""
    if slot < 0:
        for r in range(ratio.shape[1]):
            on = table[m, r]
            work[SHARE, r] = weight[m, r] * (on if ratio[j, r] > 0.0 else 1.0) / (1.0 + on)
    else:
        side = np.float64((m >> slot) & 1)
        for r in range(ratio.shape[1]):
            reach = table[m, r] * ratio[j, r]
            share = weight[m, r] * (reach if reach > 1.0 else 1.0) / (1.0 + table[m, r])
            work[SHARE, r] = share if ratio[target, r] == side else -1.0


@njit(cache=True, nogil=True, error_model="numpy", forceinline=True)
def _choose_many(j, slot, target, first, last, parents, ratio, table, weight, work):  # type: ignore[no-untyped-def]
    """Take the best setting among those that agree with the target; ties go to the smallest."""
    work[TOP, :] = -1.0
    for m in range(1 << (last - first)):
        _weigh_setting(j, m, slot, target, ratio, table, weight, work)
        place = np.float64(m)
        for r in range(ratio.shape[1]):
            # All numbers are read before the comparison, else the compiler makes slow masked stores of these lines.
            share, top, on = work[SHARE, r], work[TOP, r], table[m, r]
            old_on, old_place = work[ODDS, r], work[PLACE, r]
            work[ODDS, r] = on if share > top else old_on
            work[PLACE, r] = place if share > top else old_place
        for r in range(ratio.shape[1]):
            share, top = work[SHARE, r], work[TOP, r]
            work[TOP, r] = share if share > top else top
    if slot >= 0:
        for r in range(ratio.shape[1]):
            ratio[j, r] = 1.0 if work[ODDS, r] * ratio[j, r] > 1.0 else 0.0
    for r in range(ratio.shape[1]):
        on = work[ODDS, r]
        work[CHANCE, r] *= (on if ratio[j, r] > 0.0 else 1.0) / (1.0 + on)
    # Bits of the place, the highest first.
    for t in range(last - 1, first - 1, -1):
        bit = np.float64(1 << (t - first))
        parent = parents[t]
        for r in range(ratio.shape[1]):
            on = work[PLACE, r] >= bit
            ratio[parent, r] = 1.0 if on else 0.0
            work[PLACE, r] -= bit if on else 0.0


@njit(cache=True, nogil=True, error_model="numpy")
def _choose(families, scores, lanes, ratio, table, weight, work, total):  # type: ignore[no-untyped-def]
    targets, slots, firsts = families.target, families.slot, families.first
    parents, entry = families.parents, families.entry
    simple, linear, shifts, gains = scores.simple, scores.linear, scores.shifts, scores.gains
    work[CHANCE, :], total[:] = 1.0, 0.0
    for v in families.roots:
        for r in range(ratio.shape[1]):
            ratio[v, r] = 1.0 if ratio[v, r] > 1.0 else 0.0
    for j in range(targets.size - 1, -1, -1):
        first, last, target = firsts[j], firsts[j + 1], targets[j]
        if last == first and linear:
            for r in range(ratio.shape[1]):
                on = limited(lanes[j, r])
                work[CHANCE, r] *= (on if ratio[j, r] > 0.0 else 1.0) / (1.0 + on)
        elif last - first == 1 and simple[j]:
            parent, gain = parents[first], gains[entry[j] + 1]
            if target == j:
                _choose_parent(j, parent, gain, lanes, ratio, work)
            else:
                _choose_child(j, parent, gain, lanes, ratio, work)
        elif last - first == 2 and simple[j]:
            a, b = parents[first], parents[first + 1]
            gain_a, gain_b, gain_both = gains[entry[j] + 1], gains[entry[j] + 2], gains[entry[j] + 3]
            if target == j:
                choose_two_parents(j, a, b, gain_a, gain_b, gain_both, lanes, ratio)
            elif target == a:
                choose_child_and_parent(j, a, b, gain_a, gain_b, gain_both, lanes, ratio)
            else:
                choose_child_and_parent(j, b, a, gain_b, gain_a, gain_both, lanes, ratio)
            for r in range(ratio.shape[1]):
                gain = gain_both if ratio[b, r] > 0.0 else gain_a
                gain_of_b = gain_b if ratio[b, r] > 0.0 else 1.0
                on = limited(lanes[j, r] * (gain if ratio[a, r] > 0.0 else gain_of_b))
                work[CHANCE, r] *= (on if ratio[j, r] > 0.0 else 1.0) / (1.0 + on)
        else:
            set_odds(j, entry[j], entry[j + 1], linear, simple[j], shifts, gains, lanes, table)
            weigh_settings(first, last, target, parents, ratio, weight)
            _choose_many(j, slots[j], target, first, last, parents, ratio, table, weight, work)
        if j % _FACTORS == 0:
            for r in range(ratio.shape[1]):
                total[r] += math.log(work[CHANCE, r])
            work[CHANCE, :] = 1.0


@njit(cache=True, nogil=True, error_model="numpy")
def find_modes(families, scores, known, n_hubs, most_settings, vectors, log_probs):  # type: ignore[no-untyped-def]
    """Write the mode of every row and its log probability."""
    n_rows, n_labels = vectors.shape
    lanes, ratio = np.empty((scores.values.shape[1], LANES)), np.empty((n_labels, LANES))
    power, work, total = np.empty((n_hubs, LANES)), np.empty((5, LANES)), np.empty(LANES)
    table, weight = np.empty((most_settings, LANES)), np.empty((most_settings, LANES))
    label, place = families.label, families.place
    message, evidence = np.empty((1, LANES)), known.shape[0] > 0
    for begin in range(0, n_rows, LANES):
        fill_lanes(scores, begin, lanes)
        begin_ratios(known, begin, label, ratio, power)
        send(families, scores, True, evidence, lanes, ratio, power, message, table, weight, work)
        _choose(families, scores, lanes, ratio, table, weight, work, total)
        for r in range(min(LANES, n_rows - begin)):
            log_probs[begin + r] = total[r]
        for k in range(n_labels):
            for r in range(min(LANES, n_rows - begin)):
                vectors[begin + r, k] = np.uint8(ratio[place[k], r])
