"""Draws from a polytree given evidence: messages to the roots, then values from the roots down.

Notation
--------
option              : a setting of a factor's parents in which, where the target is a parent, the target's bit is the
                      value of the child instead
shares[o, r]        : P(option <= o | value a of the target, evidence); rows 2 * entry[j] + a * n_settings onward
uniforms[i, s, k]   : numbers between 0 and 1, both left out, one for each row, draw and label
"""

import numpy as np

from plait.core.compilation import kernel
from plait.inference._lane_kernels import ROWS, fill_lanes, set_odds
from plait.inference._polytree_kernels import begin_ratios, send, weigh_settings

__all__ = ["draw_given"]


@kernel(error_model="numpy")
def _set_shares(families, scores, lanes, ratio, table, weight, shares):  # type: ignore[no-untyped-def]
    """Set the cumulative shares of all options of all factors."""
    firsts, slots, entry, parents = families.first, families.slot, families.entry, families.parents
    simple, linear, shifts, gains = scores.simple, scores.linear, scores.shifts, scores.gains
    for j in range(slots.size):
        slot = slots[j]
        set_odds(j, entry[j], entry[j + 1], linear, simple[j], shifts, gains, lanes, table)
        n_settings = weigh_settings(firsts[j], firsts[j + 1], families.target[j], parents, ratio, weight)
        for a in range(2):
            begin = 2 * entry[j] + a * n_settings
            for o in range(n_settings):
                setting, child = o, a
                if slot >= 0:
                    child = (o >> slot) & 1
                    setting = (o & ~(1 << slot)) | (a << slot)
                for r in range(ROWS):
                    odds = table[setting, r]
                    share = weight[setting, r] / (1.0 + odds) * (odds if child == 1 else 1.0)
                    share *= ratio[j, r] if child == 1 and slot >= 0 else 1.0
                    shares[begin + o, r] = share + (shares[begin + o - 1, r] if o > 0 else 0.0)
            for o in range(n_settings):
                for r in range(ROWS):
                    shares[begin + o, r] /= shares[begin + n_settings - 1, r]


@kernel(error_model="numpy")
def _draw(r, families, ratio, shares, uniforms, values):  # type: ignore[no-untyped-def]
    """Set the values of all labels of one draw in lane r."""
    n_labels, slots, targets, firsts = values.size, families.slot, families.target, families.first
    parents, entry = families.parents, families.entry
    for v in families.roots:
        values[v] = np.uint8(uniforms[families.label[v]] * (1.0 + ratio[v, r]) < ratio[v, r])
    for j in range(n_labels - 1, -1, -1):
        slot, target, first, n_settings = slots[j], targets[j], firsts[j], entry[j + 1] - entry[j]
        if n_settings == 1:
            continue
        a = np.int64(values[target])
        begin, option = 2 * entry[j] + a * n_settings, 0
        # Every label but a root is drawn by one factor, so the number of one of them is this factor's own.
        owner = j if slot >= 0 else parents[first]
        number = uniforms[families.label[owner]]
        while option < n_settings - 1 and shares[begin + option, r] <= number:
            option += 1
        setting = option
        if slot >= 0:
            values[j] = (option >> slot) & 1
            setting = (option & ~(1 << slot)) | (a << slot)
        for t in range(firsts[j + 1] - first):
            values[parents[first + t]] = (setting >> t) & 1


@kernel(error_model="numpy")
def draw_given(families, scores, known, n_hubs, most_settings, uniforms, vectors):  # type: ignore[no-untyped-def]
    """Write draws from P(y | evidence) of every row."""
    n_rows, n_samples, n_labels = vectors.shape
    lanes, ratio = np.empty((scores.values.shape[1], ROWS)), np.empty((n_labels, ROWS))
    power, message = np.empty((n_hubs, ROWS)), np.empty((1, ROWS))
    table, weight = np.empty((most_settings, ROWS)), np.empty((most_settings, ROWS))
    shares, values = np.empty((2 * families.entry[-1], ROWS)), np.empty(n_labels, dtype=np.uint8)
    for begin in range(0, n_rows, ROWS):
        fill_lanes(scores, begin, lanes)
        begin_ratios(known, begin, families.label, ratio, power)
        send(families, scores, False, True, lanes, ratio, power, message, table, weight)
        _set_shares(families, scores, lanes, ratio, table, weight, shares)
        for r in range(min(ROWS, n_rows - begin)):
            for s in range(n_samples):
                _draw(r, families, ratio, shares, uniforms[begin + r, s], values)
                for k in range(n_labels):
                    vectors[begin + r, s, k] = values[families.place[k]]
