"""log P(evidence) on a polytree, from the messages towards the roots.

A factor's message stands for the pair low * (1 : message). For every factor the logarithm of `low` is added, with what
the held ratios of its labels leave out; for every root the logarithm of the sum of its pair.
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
def _left_out(known, true_log):  # type: ignore[no-untyped-def]
    """What the held ratio of a label leaves out: its true pair is (1 : exp(true_log)), or one side of it if known."""
    return true_log - _LOG_FAR if known == 1 or (known < 0 and true_log > _LOG_FAR) else 0.0


@njit(cache=True, nogil=True, error_model="numpy", forceinline=True)
def _root_sum(known, true_log):  # type: ignore[no-untyped-def]
    """Log of the sum of a root's pair, or of its known side."""
    if known >= 0:
        return true_log * known
    return max(true_log, 0.0) + math.log1p(math.exp(-abs(true_log)))


@njit(cache=True, nogil=True, error_model="numpy")
def weigh_evidence(families, scores, known, begin, lanes, ratio, message, table, weight, total):  # type: ignore[no-untyped-def]
    """Add log P(evidence) of a block of rows to `total`; ratios are those after the way up.

    What a factor adds and what its labels left out nearly cancel, so they are put together first.
    """
    targets, slots, firsts, parents = families.target, families.slot, families.first, families.parents
    entry, label, low = families.entry, families.label, np.empty(ratio.shape[1])
    simple, linear, shifts, gains = scores.simple, scores.linear, scores.shifts, scores.gains
    true_logs = np.zeros(ratio.shape)
    for j in range(targets.size):
        first, last, target = firsts[j], firsts[j + 1], targets[j]
        set_odds(j, entry[j], entry[j + 1], linear, simple[j], shifts, gains, lanes, table)
        n_settings = weigh_settings(first, last, target, parents, ratio, weight)
        _low(j, slots[j], n_settings, ratio, table, weight, low)
        for r in range(ratio.shape[1]):
            row = min(begin + r, known.shape[0] - 1)
            part = math.log(low[r])
            if target != j:
                part += _left_out(known[row, label[j]], true_logs[j, r])
            for t in range(first, last):
                v = parents[t]
                if v != target:
                    part += _left_out(known[row, label[v]], true_logs[v, r])
                    part += max(math.log(ratio[v, r]), 0.0) if last - first > MOST_UNSCALED else 0.0
            total[r] += part
            true_logs[target, r] += math.log(message[j, r])
    for v in families.roots:
        for r in range(ratio.shape[1]):
            row = min(begin + r, known.shape[0] - 1)
            total[r] += _root_sum(known[row, label[v]], true_logs[v, r])
