"""Belief propagation on a polytree: messages from the leaves to the roots, as odds, for a block of rows at once.

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

Arrays are taken out of tuples once, since each time costs as much as a factor.

log P(evidence) on a polytree, from the messages towards the roots.

A factor's message stands for the pair low * (1 : message). For every factor the logarithm of `low` is added, with what
the held ratios of its labels leave out; for every root the logarithm of the sum of its pair.
"""

import math

import numpy as np

from plait.core._exponentials import log
from plait.core._lanes import fill, larger, load, select_above, smaller, store
from plait.core.compilation import kernel
from plait.inference.messages._factors import (
    ROWS,
    WIDTH,
    joined,
    limited,
    send_from_two_to_child,
    send_from_two_to_parent,
    send_to_child,
    send_to_parent,
    set_odds,
)

__all__ = ["FAR", "MOST_UNSCALED", "begin_ratios", "held", "send", "weigh_evidence", "weigh_settings"]


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


FAR = 2.0**117
_LOG_FAR = math.log(FAR)
_NEAR = 2.0**-117
_STEP = 2.0**256
_STEP_BACK = 2.0**-256

# FAR to the power of so many parents, times the child's ratio, still is a number.
MOST_UNSCALED = 6

# The product of so many messages stays within FAR, unless the label is known.
_MOST_UNHELD = 5


@kernel(error_model="numpy", forceinline=True)
def held(numbers):  # type: ignore[no-untyped-def]
    """Return ratios moved into [1 / FAR, FAR]."""
    return smaller(larger(numbers, fill(_NEAR)), fill(FAR))


@kernel(error_model="numpy")
def begin_ratios(known, begin, label, ratio, power):  # type: ignore[no-untyped-def]
    """Start all ratios: 1, or 0 or inf where a label is known; without evidence `known` has no rows."""
    ratio[:] = 1.0
    power[:] = 0.0
    n_known = known.shape[0]
    for r in range(ROWS if n_known > 0 else 0):
        row = min(begin + r, n_known - 1)
        for v in range(ratio.shape[0]):
            if known[row, label[v]] >= 0:
                ratio[v, r] = np.inf if known[row, label[v]] == 1 else 0.0


@kernel(error_model="numpy", forceinline=True)
def _receive(v, h, i, message, ratio, power):  # type: ignore[no-untyped-def]
    """Multiply the ratio of label v by a message; the exponent of a hub is kept apart."""
    zero, one, step, back = fill(0.0), fill(1.0), fill(_STEP), fill(_STEP_BACK)
    for r in range(0, ROWS, WIDTH):
        product = load(ratio, v, r) * load(message, i, r)
        if h >= 0:
            store(power, h, r, load(power, h, r) + select_above(product, step, one, zero))
            store(power, h, r, load(power, h, r) - select_above(back, product, one, zero))
            product = product * select_above(product, step, back, select_above(back, product, step, one))
        store(ratio, v, r, product)


@kernel(error_model="numpy", forceinline=True)
def _settle(v, h, ratio, power):  # type: ignore[no-untyped-def]
    """Hold the ratio of a label that has got all its messages."""
    zero, one = fill(0.0), fill(1.0)
    for r in range(0, ROWS, WIDTH):
        whole = load(ratio, v, r)
        if h >= 0:
            exponent = load(power, h, r)
            down = select_above(zero, exponent, zero, one)
            whole = whole * select_above(exponent, zero, fill(np.inf), down)
        store(ratio, v, r, held(whole))


@kernel(error_model="numpy", forceinline=True)
def weigh_settings(first, last, skipped, parents, ratio, weight):  # type: ignore[no-untyped-def]
    """Set weight[m, r] for all settings of parents[first:last], leaving `skipped` out; return how many there are.

    Where there are many parents all weights are divided by the largest, or the products would overflow.
    """
    one, size = fill(1.0), 1
    for r in range(0, ROWS, WIDTH):
        store(weight, 0, r, one)
    for t in range(first, last):
        parent = parents[t]
        for m in range(size):
            for r in range(0, ROWS, WIDTH):
                factor = one if parent == skipped else load(ratio, parent, r)
                scaled = load(weight, m, r)
                if last - first > MOST_UNSCALED:
                    scaled = scaled / larger(factor, one)
                    store(weight, m, r, scaled)
                store(weight, size + m, r, scaled * factor)
        size *= 2
    return size


@kernel(error_model="numpy", forceinline=True)
def _send_of_many(i, j, slot, n_settings, best, ratio, table, weight, message):  # type: ignore[no-untyped-def]
    """Message of a factor with any number of parents, whose settings are weighed."""
    one = fill(1.0)
    for r in range(0, ROWS, WIDTH):
        low, high, child = fill(0.0), fill(0.0), load(ratio, j, r)
        for m in range(n_settings):
            odds = load(table, m, r)
            share = load(weight, m, r) / (1.0 + odds)
            if slot < 0:
                low, high = joined(low, share, best), joined(high, share * odds, best)
            elif (m >> slot) & 1 == 0:
                low = joined(low, share * joined(one, odds * child, best), best)
            else:
                high = joined(high, share * joined(one, odds * child, best), best)
        store(message, i, r, high / low)


@kernel(error_model="numpy", forceinline=True)
def send(families, scores, best, evidence, lanes, ratio, power, message, table, weight):  # type: ignore[no-untyped-def]
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
            for r in range(0, ROWS, WIDTH):
                store(message, i, r, limited(load(lanes, j, r)))
        elif last - first == 1 and simple[j]:
            gain = gains[entry[j] + 1]
            if target == j:
                send_to_child(i, j, parents[first], gain, best, lanes, ratio, message)
            else:
                send_to_parent(i, j, gain, best, lanes, ratio, message)
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
            _send_of_many(i, j, slots[j], n_settings, best, ratio, table, weight, message)
        _receive(target, hub[target], i, message, ratio, power)
    for v in families.roots:
        _settle(v, hub[v], ratio, power)
