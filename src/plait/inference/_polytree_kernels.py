"""Messages on a polytree from the leaves to the roots, as odds, for a block of rows at once.

Notation
--------
ratio[v, r]    : product of the messages that label v of row r got so far, as odds: (0 : 1) is (1 : ratio)
power[h, r]    : exponent of the ratio of hub h, in units of 2**256
message[j, r]  : what factor j sent to its target, as odds
table[m, r]    : odds P(1) / P(0) of the factor's label under setting m of its parents
weight[m, r]   : product over parents of what setting m takes of their ratios
known          : a known label starts from the ratio 0 or inf instead of 1
best           : whether to maximise (max-product) or to add up (sum-product)

Products of odds take the place of sums of logarithms. Probabilities lie within [1e-6, 1 - 1e-6], so every message lies
within [1e-6, 1e6], and odds beyond FAR = 2**117 = 2e35 count as FAR: even after a division by two messages, what that
leaves out is below the last bit.

Loops over rows read and write few arrays, and read before they compare: else the compiler leaves vectors aside. Arrays
are taken out of tuples once, since each time costs more than a loop.
"""

import numpy as np
from numba import njit

from plait.inference._lane_kernels import LANES, limited, set_odds
from plait.inference._pair_kernels import send_from_two_to_child, send_from_two_to_parent
from plait.inference._semiring import joined

__all__ = ["MOST_UNSCALED", "begin_ratios", "held", "send", "weigh_settings"]

_FAR = 2.0**117
_NEAR = 2.0**-117
_STEP = 2.0**256
_STEP_BACK = 2.0**-256

# FAR to the power of so many parents, times the child's ratio, still is a number.
MOST_UNSCALED = 6

# The product of so many messages stays within FAR, unless the label is known.
_MOST_UNHELD = 5


@njit(cache=True, nogil=True, error_model="numpy", forceinline=True)
def held(ratio):  # type: ignore[no-untyped-def]
    """Return a ratio moved into [1 / FAR, FAR]."""
    ratio = ratio if ratio > _NEAR else _NEAR
    return ratio if ratio < _FAR else _FAR


@njit(cache=True, nogil=True, error_model="numpy")
def begin_ratios(known, begin, label, ratio, power):  # type: ignore[no-untyped-def]
    """Start all ratios: 1, or 0 or inf where a label is known; without evidence `known` has no rows."""
    ratio[:] = 1.0
    power[:] = 0.0
    n_known = known.shape[0]
    for r in range(LANES if n_known > 0 else 0):
        row = min(begin + r, n_known - 1)
        for v in range(ratio.shape[0]):
            if known[row, label[v]] >= 0:
                ratio[v, r] = np.inf if known[row, label[v]] == 1 else 0.0


@njit(cache=True, nogil=True, error_model="numpy", forceinline=True)
def _receive(v, h, i, message, ratio, power):  # type: ignore[no-untyped-def]
    """Multiply the ratio of label v by a message; the exponent of a hub is kept apart."""
    if h < 0:
        for r in range(ratio.shape[1]):
            ratio[v, r] *= message[i, r]
    else:
        for r in range(ratio.shape[1]):
            product = ratio[v, r] * message[i, r]
            high, low = product > _STEP, product < _STEP_BACK
            ratio[v, r] = product * (_STEP_BACK if high else (_STEP if low else 1.0))
            power[h, r] += 1.0 if high else (-1.0 if low else 0.0)


@njit(cache=True, nogil=True, error_model="numpy", forceinline=True)
def _settle(v, h, ratio, power):  # type: ignore[no-untyped-def]
    """Hold the ratio of a label that has got all its messages."""
    if h >= 0:
        for r in range(ratio.shape[1]):
            exponent = power[h, r]
            ratio[v, r] *= np.inf if exponent > 0.0 else (0.0 if exponent < 0.0 else 1.0)
    for r in range(ratio.shape[1]):
        ratio[v, r] = held(ratio[v, r])


@njit(cache=True, nogil=True, error_model="numpy", forceinline=True)
def weigh_settings(first, last, skipped, parents, ratio, weight):  # type: ignore[no-untyped-def]
    """Set weight[m, r] for all settings of parents[first:last], leaving `skipped` out; return how many there are.

    Where there are many parents all weights are divided by the largest, or the products would overflow.
    """
    weight[0, :] = 1.0
    size = 1
    for t in range(first, last):
        parent = parents[t]
        for m in range(size):
            if parent == skipped:
                for r in range(weight.shape[1]):
                    weight[size + m, r] = weight[m, r]
            else:
                for r in range(weight.shape[1]):
                    weight[size + m, r] = weight[m, r] * ratio[parent, r]
        if last - first > MOST_UNSCALED and parent != skipped:
            for m in range(2 * size):
                for r in range(weight.shape[1]):
                    scale = ratio[parent, r]
                    weight[m, r] /= scale if scale > 1.0 else 1.0
        size *= 2
    return size


@njit(cache=True, nogil=True, error_model="numpy", forceinline=True)
def _send_to_parent(i, j, gain, best, lanes, ratio, message):  # type: ignore[no-untyped-def]
    """Message of a factor with one parent to this parent."""
    for r in range(ratio.shape[1]):
        off, on = limited(lanes[j, r]), limited(lanes[j, r] * gain)
        ratio_j = ratio[j, r]
        above = joined(1.0, on * ratio_j, best) * (1.0 + off)
        message[i, r] = above / (joined(1.0, off * ratio_j, best) * (1.0 + on))


@njit(cache=True, nogil=True, error_model="numpy", forceinline=True)
def _send_to_child(i, j, parent, gain, best, lanes, ratio, message):  # type: ignore[no-untyped-def]
    """Message of a factor with one parent to its child: both sides times (1 + off) (1 + on)."""
    for r in range(ratio.shape[1]):
        off, on = limited(lanes[j, r]), limited(lanes[j, r] * gain)
        above, below = 1.0 + on, (1.0 + off) * ratio[parent, r]
        message[i, r] = joined(off * above, on * below, best) / joined(above, below, best)


@njit(cache=True, nogil=True, error_model="numpy", forceinline=True)
def _send_of_many(i, j, slot, n_settings, best, ratio, table, weight, work, message):  # type: ignore[no-untyped-def]
    """Message of a factor with any number of parents, whose settings are weighed."""
    work[0, :], work[1, :] = 0.0, 0.0
    for m in range(n_settings):
        if slot < 0:
            for r in range(ratio.shape[1]):
                share = weight[m, r] / (1.0 + table[m, r])
                work[0, r] = joined(work[0, r], share, best)
                work[1, r] = joined(work[1, r], share * table[m, r], best)
        else:
            side = (m >> slot) & 1
            for r in range(ratio.shape[1]):
                share = weight[m, r] / (1.0 + table[m, r]) * joined(1.0, table[m, r] * ratio[j, r], best)
                work[side, r] = joined(work[side, r], share, best)
    for r in range(ratio.shape[1]):
        message[i, r] = work[1, r] / work[0, r]


@njit(cache=True, nogil=True, error_model="numpy")
def send(families, scores, best, evidence, lanes, ratio, power, message, table, weight, work):  # type: ignore[no-untyped-def]
    """Send all messages towards the roots; at the end every ratio is that of the part below its label.

    Messages are kept where `message` has a row for each factor; where it has one row each overwrites the last.
    """
    targets, slots, firsts, parents = families.target, families.slot, families.first, families.parents
    entry, hub, n_messages = families.entry, families.hub, families.n_messages
    simple, linear, shifts, gains = scores.simple, scores.linear, scores.shifts, scores.gains
    for j in range(targets.size):
        i = min(j, message.shape[0] - 1)
        first, last, target = firsts[j], firsts[j + 1], targets[j]
        if target != j and (evidence or n_messages[j] > _MOST_UNHELD):
            _settle(j, hub[j], ratio, power)
        for t in range(first, last):
            if parents[t] != target and (evidence or n_messages[parents[t]] > _MOST_UNHELD):
                _settle(parents[t], hub[parents[t]], ratio, power)
        if last == first and linear:
            for r in range(ratio.shape[1]):
                message[i, r] = limited(lanes[j, r])
        elif last - first == 1 and simple[j]:
            gain = gains[entry[j] + 1]
            if target == j:
                _send_to_child(i, j, parents[first], gain, best, lanes, ratio, message)
            else:
                _send_to_parent(i, j, gain, best, lanes, ratio, message)
        elif last - first == 2 and simple[j]:
            a, b = parents[first], parents[first + 1]
            gain_a, gain_b, gain_both = gains[entry[j] + 1], gains[entry[j] + 2], gains[entry[j] + 3]
            if target == j:
                send_from_two_to_child(i, j, a, b, gain_a, gain_b, gain_both, best, lanes, ratio, message)
            elif target == a:
                send_from_two_to_parent(i, j, b, gain_a, gain_b, gain_both, best, lanes, ratio, message)
            else:
                send_from_two_to_parent(i, j, a, gain_b, gain_a, gain_both, best, lanes, ratio, message)
        else:
            set_odds(j, entry[j], entry[j + 1], linear, simple[j], shifts, gains, lanes, table)
            n_settings = weigh_settings(first, last, target, parents, ratio, weight)
            _send_of_many(i, j, slots[j], n_settings, best, ratio, table, weight, work, message)
        _receive(target, hub[target], i, message, ratio, power)
    for v in families.roots:
        _settle(v, hub[v], ratio, power)
