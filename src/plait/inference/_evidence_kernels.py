"""log P(evidence) on a polytree, from the messages towards the roots.

A factor's message stands for the pair low * (1 : message). Its logarithm of `low` is added for every factor; for every
label what its held ratio leaves out of its true one, or of its known value; for every root the sum of its pair.
"""

import math

import numpy as np
from numba import njit

from plait.inference._lane_kernels import set_odds
from plait.inference._polytree_kernels import MOST_UNSCALED, weigh_settings

__all__ = ["weigh_evidence"]

_LOG_FAR = 117.0 * math.log(2.0)


@njit(cache=True, nogil=True, error_model="numpy", forceinline=True)
def _low(j, slot, n_settings, ratio, table, weight, low):  # type: ignore[no-untyped-def]
    """Set low[r] to the sum over all settings in which the target is 0."""
    low[:] = 0.0
    for m in range(n_settings):
        if slot < 0:
            for r in range(ratio.shape[1]):
                low[r] += weight[m, r] / (1.0 + table[m, r])
        elif (m >> slot) & 1 == 0:
            for r in range(ratio.shape[1]):
                low[r] += weight[m, r] * (1.0 + table[m, r] * ratio[j, r]) / (1.0 + table[m, r])


@njit(cache=True, nogil=True, error_model="numpy", forceinline=True)
def _label_part(known, is_root, true_log):  # type: ignore[no-untyped-def]
    """What one label adds: its true pair is (1 : exp(true_log)), its factors were given the held one."""
    if known == 0:
        return 0.0
    if is_root:
        largest = max(true_log, 0.0)
        return true_log if known == 1 else largest + math.log1p(math.exp(-abs(true_log)))
    return true_log - _LOG_FAR if known == 1 or true_log > _LOG_FAR else 0.0


@njit(cache=True, nogil=True, error_model="numpy")
def weigh_evidence(families, scores, known, begin, lanes, ratio, message, table, weight, total):  # type: ignore[no-untyped-def]
    """Add log P(evidence) of a block of rows to `total`; ratios are those after the way up."""
    targets, slots, firsts, parents = families.target, families.slot, families.first, families.parents
    entry, label, low = families.entry, families.label, np.empty(ratio.shape[1])
    simple, linear, shifts, gains = scores.simple, scores.linear, scores.shifts, scores.gains
    true_logs, is_root = np.zeros(ratio.shape), np.zeros(targets.size, dtype=np.bool_)
    is_root[families.roots] = True
    for j in range(targets.size):
        first, last, target = firsts[j], firsts[j + 1], targets[j]
        set_odds(j, entry[j], entry[j + 1], linear, simple[j], shifts, gains, lanes, table)
        n_settings = weigh_settings(first, last, target, parents, ratio, weight)
        _low(j, slots[j], n_settings, ratio, table, weight, low)
        for r in range(ratio.shape[1]):
            total[r] += math.log(low[r])
            true_logs[target, r] += math.log(message[j, r])
        for t in range(first, last if last - first > MOST_UNSCALED else first):
            if parents[t] != target:
                for r in range(ratio.shape[1]):
                    total[r] += max(math.log(ratio[parents[t], r]), 0.0)
    for v in range(targets.size):
        for r in range(ratio.shape[1]):
            row = min(begin + r, known.shape[0] - 1)
            total[r] += _label_part(known[row, label[v]], is_root[v], true_logs[v, r])
