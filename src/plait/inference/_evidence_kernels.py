"""log P(evidence) on a polytree, from the messages towards the roots.

A factor's message stands for the pair low * (1 : message). For every factor the logarithm of `low` is added, with what
the held ratios of its labels leave out; for every root the logarithm of the sum of its pair.
"""

import math

import numpy as np

from plait.core._exponentials import log
from plait.core._lanes import fill, larger, load, select_above, store
from plait.core.compilation import kernel
from plait.inference._lane_kernels import ROWS, WIDTH, set_odds
from plait.inference._polytree_kernels import FAR, MOST_UNSCALED, weigh_settings

__all__ = ["weigh_evidence"]

_LOG_FAR = math.log(FAR)


@kernel(error_model="numpy", forceinline=True)
def _low(r, j, slot, n_settings, ratio, table, weight):  # type: ignore[no-untyped-def]
    """Return the sum over all settings in which the target is 0."""
    low, child = fill(0.0), load(ratio, j, r)
    for m in range(n_settings):
        share = load(weight, m, r) / (1.0 + load(table, m, r))
        if slot < 0:
            low = low + share
        elif (m >> slot) & 1 == 0:
            low = low + share * (1.0 + load(table, m, r) * child)
    return low


@kernel(error_model="numpy", forceinline=True)
def _left_out(r, v, ratio, true_logs):  # type: ignore[no-untyped-def]
    """What a held ratio leaves out: that of a label known to be 1 stands for its true side, as does one beyond FAR."""
    return select_above(load(ratio, v, r), fill(0.99 * FAR), load(true_logs, v, r) - _LOG_FAR, fill(0.0))


@kernel(error_model="numpy", forceinline=True)
def _root_sum(r, v, ratio, true_logs):  # type: ignore[no-untyped-def]
    """Log of the sum of a root's pair (1 : ratio), or of its known side."""
    whole = load(ratio, v, r)
    return select_above(whole, fill(0.99 * FAR), load(true_logs, v, r), log(1.0 + whole))


@kernel(error_model="numpy", forceinline=True)
def weigh_evidence(families, scores, lanes, ratio, message, table, weight, total):  # type: ignore[no-untyped-def]
    """Add log P(evidence) of a block of rows to `total`; ratios are those after the way up.

    What a factor adds and what its labels left out nearly cancel, so they are put together first.
    """
    targets, slots, firsts, parents = families.target, families.slot, families.first, families.parents
    simple, linear, shifts, gains, entry = scores.simple, scores.linear, scores.shifts, scores.gains, families.entry
    true_logs, one = np.zeros(ratio.shape), fill(1.0)
    for j in range(targets.size):
        first, last, target = firsts[j], firsts[j + 1], targets[j]
        set_odds(j, entry[j], entry[j + 1], linear, simple[j], shifts, gains, lanes, table)
        n_settings = weigh_settings(first, last, target, parents, ratio, weight)
        for r in range(0, ROWS, WIDTH):
            part = log(_low(r, j, slots[j], n_settings, ratio, table, weight))
            if target != j:
                part = part + _left_out(r, j, ratio, true_logs)
            for t in range(first, last):
                if parents[t] != target:
                    part = part + _left_out(r, parents[t], ratio, true_logs)
                    if last - first > MOST_UNSCALED:
                        part = part + log(larger(load(ratio, parents[t], r), one))
            store(total, 0, r, load(total, 0, r) + part)
            store(true_logs, target, r, load(true_logs, target, r) + log(load(message, j, r)))
    for v in families.roots:
        for r in range(0, ROWS, WIDTH):
            store(total, 0, r, load(total, 0, r) + _root_sum(r, v, ratio, true_logs))
