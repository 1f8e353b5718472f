"""Marginals of a polytree: one pass down the order without evidence, messages up and down with it.

Notation is that of `_polytree_kernels`. From the roots down, ratio[v] is overwritten by the odds of label v given all
evidence; beliefs[2 * e + y] gets P(setting e, y_j = y | evidence) for every entry e of the label's table.
"""

import numpy as np
from numba import njit

from plait.inference._evidence_kernels import weigh_evidence
from plait.inference._lane_kernels import LANES, fill_lanes, limited, set_odds
from plait.inference._polytree_kernels import begin_ratios, held, send, weigh_settings

__all__ = ["find_marginals", "find_marginals_given"]


@njit(cache=True, nogil=True, error_model="numpy", forceinline=True)
def _average(j, first, last, parents, marginal, table, weight):  # type: ignore[no-untyped-def]
    """P(y_j = 1) = sum over settings of P(setting) P(y_j = 1 | setting): parents of a polytree are independent."""
    weight[0, :] = 1.0
    size = 1
    for t in range(first, last):
        parent = parents[t]
        for m in range(size):
            for r in range(weight.shape[1]):
                whole, chance = weight[m, r], marginal[parent, r]
                weight[size + m, r] = whole * chance
                weight[m, r] = whole * (1.0 - chance)
        size *= 2
    marginal[j, :] = 0.0
    for m in range(size):
        for r in range(weight.shape[1]):
            marginal[j, r] += weight[m, r] * (table[m, r] / (1.0 + table[m, r]))


@njit(cache=True, nogil=True, error_model="numpy")
def find_marginals(families, scores, most_settings, marginals):  # type: ignore[no-untyped-def]
    """Write P(y_k = 1) of every row and label, without evidence."""
    n_rows, n_labels = marginals.shape
    order, firsts, parents, entry = families.order, families.first, families.parents, families.entry
    simple, linear, shifts, gains = scores.simple, scores.linear, scores.shifts, scores.gains
    lanes, marginal = np.empty((scores.values.shape[1], LANES)), np.empty((n_labels, LANES))
    table, weight = np.empty((most_settings, LANES)), np.empty((most_settings, LANES))
    for begin in range(0, n_rows, LANES):
        fill_lanes(scores, begin, lanes)
        for j in order:
            first, last = firsts[j], firsts[j + 1]
            if last == first and linear:
                for r in range(marginal.shape[1]):
                    on = limited(lanes[j, r])
                    marginal[j, r] = on / (1.0 + on)
            elif last - first == 1 and simple[j]:
                parent, gain = parents[first], gains[entry[j] + 1]
                for r in range(marginal.shape[1]):
                    off, on, chance = limited(lanes[j, r]), limited(lanes[j, r] * gain), marginal[parent, r]
                    share = off * (1.0 + on) * (1.0 - chance) + on * (1.0 + off) * chance
                    marginal[j, r] = share / ((1.0 + off) * (1.0 + on))
            else:
                set_odds(j, entry[j], entry[j + 1], linear, simple[j], shifts, gains, lanes, table)
                _average(j, first, last, parents, marginal, table, weight)
        for k in range(n_labels):
            for r in range(min(LANES, n_rows - begin)):
                marginals[begin + r, k] = marginal[families.place[k], r]


@njit(cache=True, nogil=True, error_model="numpy", forceinline=True)
def _spread_to_child(j, parent, gain, outside, lanes, ratio):  # type: ignore[no-untyped-def]
    """Odds of the child of a factor with one parent, where `outside` holds the odds of the parent without it."""
    for r in range(ratio.shape[1]):
        off, on = limited(lanes[j, r]), limited(lanes[j, r] * gain)
        above, below = 1.0 + on, (1.0 + off) * outside[0, r]
        ratio[j, r] *= (off * above + on * below) / (above + below)


@njit(cache=True, nogil=True, error_model="numpy", forceinline=True)
def _spread_to_parent(j, parent, gain, outside, lanes, ratio):  # type: ignore[no-untyped-def]
    """Odds of the only parent of a factor, where `outside` holds the odds of the child without it."""
    for r in range(ratio.shape[1]):
        off, on = limited(lanes[j, r]), limited(lanes[j, r] * gain)
        above = (1.0 + on * outside[0, r]) * (1.0 + off)
        ratio[parent, r] *= above / ((1.0 + off * outside[0, r]) * (1.0 + on))


@njit(cache=True, nogil=True, error_model="numpy", forceinline=True)
def _spread_of_many(j, slot, first, last, parents, table, weight, work, ratio):  # type: ignore[no-untyped-def]
    """Odds of all labels of a factor but its target, whose ratio stands for all the rest of the tree.

    On return weight[m] holds the unnormalised belief of setting m with either value of the child.
    """
    n_settings = 1 << (last - first)
    work[0, :], work[1, :] = 0.0, 0.0
    for m in range(n_settings):
        for r in range(ratio.shape[1]):
            share = weight[m, r] / (1.0 + table[m, r])
            child = share * table[m, r] * ratio[j, r]
            work[0, r] += share
            work[1, r] += child
        for r in range(ratio.shape[1]):
            weight[m, r] *= (1.0 + table[m, r] * ratio[j, r]) / (1.0 + table[m, r])
    if slot >= 0:
        for r in range(ratio.shape[1]):
            ratio[j, r] = work[1, r] / work[0, r]
    for t in range(last - first):
        if t != slot:
            work[0, :], work[1, :] = 0.0, 0.0
            for m in range(n_settings):
                side = (m >> t) & 1
                for r in range(ratio.shape[1]):
                    work[side, r] += weight[m, r]
            parent = parents[first + t]
            for r in range(ratio.shape[1]):
                ratio[parent, r] = work[1, r] / work[0, r]


@njit(cache=True, nogil=True, error_model="numpy", forceinline=True)
def _believe(j, begin, n_settings, table, weight, work, ratio, beliefs):  # type: ignore[no-untyped-def]
    """Set the beliefs of a factor whose settings are weighed with all ratios in place."""
    work[0, :] = 0.0
    for m in range(n_settings):
        low, high = 2 * (begin + m), 2 * (begin + m) + 1
        for r in range(ratio.shape[1]):
            beliefs[low, r] = weight[m, r] / (1.0 + table[m, r])
        for r in range(ratio.shape[1]):
            beliefs[high, r] = beliefs[low, r] * table[m, r] * ratio[j, r]
            work[0, r] += beliefs[low, r] + beliefs[high, r]
    for b in range(2 * begin, 2 * (begin + n_settings)):
        for r in range(ratio.shape[1]):
            beliefs[b, r] /= work[0, r]


@njit(cache=True, nogil=True, error_model="numpy")
def _spread(families, scores, lanes, ratio, message, table, weight, work, beliefs):  # type: ignore[no-untyped-def]
    """From the roots down, turn every ratio into the odds of the label given all evidence."""
    targets, slots, firsts, parents = families.target, families.slot, families.first, families.parents
    entry, believed, kept = families.entry, beliefs.shape[0] > 0, np.empty((1, ratio.shape[1]))
    simple, linear, shifts, gains = scores.simple, scores.linear, scores.shifts, scores.gains
    for j in range(targets.size - 1, -1, -1):
        first, last, target = firsts[j], firsts[j + 1], targets[j]
        if last == first and not believed:
            continue
        for r in range(ratio.shape[1]):
            kept[0, r] = ratio[target, r]
            ratio[target, r] = held(ratio[target, r] / message[j, r])
        if last - first == 1 and simple[j] and not believed:
            gain = gains[entry[j] + 1]
            work[0, :] = ratio[target, :]
            if target == j:
                _spread_to_parent(j, parents[first], gain, work, lanes, ratio)
            else:
                _spread_to_child(j, target, gain, work, lanes, ratio)
        else:
            set_odds(j, entry[j], entry[j + 1], linear, simple[j], shifts, gains, lanes, table)
            n_settings = weigh_settings(first, last, -1, parents, ratio, weight)
            if believed:
                _believe(j, entry[j], n_settings, table, weight, work, ratio, beliefs)
            _spread_of_many(j, slots[j], first, last, parents, table, weight, work, ratio)
        ratio[target, :] = kept[0, :]


@njit(cache=True, nogil=True, error_model="numpy")
def find_marginals_given(families, scores, known, n_hubs, most_settings, marginals, log_evidence, tables):  # type: ignore[no-untyped-def]
    """Write P(y_k = 1 | evidence), log P(evidence) and, where `tables` has columns, the beliefs of all families."""
    n_rows, n_labels = marginals.shape
    lanes, ratio = np.empty((scores.values.shape[1], LANES)), np.empty((n_labels, LANES))
    power, work, total = np.empty((n_hubs, LANES)), np.empty((2, LANES)), np.empty(LANES)
    table, weight = np.empty((most_settings, LANES)), np.empty((most_settings, LANES))
    message, beliefs = np.empty((n_labels, LANES)), np.empty((tables.shape[1], LANES))
    label, place = families.label, families.place
    for begin in range(0, n_rows, LANES):
        fill_lanes(scores, begin, lanes)
        begin_ratios(known, begin, label, ratio, power)
        send(families, scores, False, True, lanes, ratio, power, message, table, weight, work)
        total[:] = 0.0
        if known.shape[0] > 0:
            weigh_evidence(families, scores, known, begin, lanes, ratio, message, table, weight, total)
        _spread(families, scores, lanes, ratio, message, table, weight, work, beliefs)
        n_used = min(LANES, n_rows - begin)
        log_evidence[begin : begin + n_used] = total[:n_used]
        for k in range(n_labels):
            for r in range(n_used):
                marginals[begin + r, k] = ratio[place[k], r] / (1.0 + ratio[place[k], r])
        for b in range(tables.shape[1]):
            for r in range(n_used):
                tables[begin + r, b] = beliefs[b, r]
