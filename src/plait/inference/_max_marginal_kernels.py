"""Max-marginals of one row of a polytree under a partial assignment: the best completions with each value of a label.

Notation
--------
a[k]           : the value of a label that is fixed, -1 where it is free
below[k, v]    : best log P of the part below label k where it is v; -inf against `a`
message[k, v]  : what the factor of label k sent to its target
belief[k, v]   : best log P of all of label k's part of the graph where it is v
cavity         : belief of the target without what the factor itself sent
"""

import numpy as np

from plait.core.compilation import kernel

__all__ = ["max_marginals"]


@kernel
def _send_of_many(k, t, slot, first, last, parents, row, at, below, message):  # type: ignore[no-untyped-def]
    """Message of a factor with any number of parents."""
    message[k, 0], message[k, 1] = -np.inf, -np.inf
    for m in range(1 << (last - first)):
        rest = 0.0
        for s in range(first, last):
            if parents[s] != t:
                rest += below[parents[s], (m >> (s - first)) & 1]
        for v in range(2):
            value = rest + row[at + 2 * m + v] + (below[k, v] if slot >= 0 else 0.0)
            side = (m >> slot) & 1 if slot >= 0 else v
            message[k, side] = max(message[k, side], value)


@kernel
def _spread_to_many(k, slot, first, last, parents, row, at, cavity, below, belief):  # type: ignore[no-untyped-def]
    """Beliefs of all labels of a factor but its target."""
    t = k if slot < 0 else parents[first + slot]
    for s in range(first, last):
        if parents[s] != t:
            belief[parents[s], 0], belief[parents[s], 1] = -np.inf, -np.inf
    if slot >= 0:
        belief[k, 0], belief[k, 1] = -np.inf, -np.inf
    for m in range(1 << (last - first)):
        for v in range(2):
            value = row[at + 2 * m + v] + cavity[(m >> slot) & 1 if slot >= 0 else v]
            value += below[k, v] if slot >= 0 else 0.0
            for s in range(first, last):
                if parents[s] != t:
                    value += below[parents[s], (m >> (s - first)) & 1]
            for s in range(first, last):
                if parents[s] != t:
                    side = (m >> (s - first)) & 1
                    belief[parents[s], side] = max(belief[parents[s], side], value)
            if slot >= 0:
                belief[k, v] = max(belief[k, v], value)


@kernel
def _send(c, graphs, row, below, message):  # type: ignore[no-untyped-def]
    """Send all messages to the roots."""
    order, target, slots, entry = graphs.order[c], graphs.target[c], graphs.slot[c], graphs.entry[c]
    firsts, parents = graphs.first[c], graphs.parents
    for j in range(order.size):
        k = order[j]
        first, last, at, t = firsts[k], firsts[k + 1], 2 * entry[k], target[k]
        if last == first:
            message[k, 0], message[k, 1] = row[at], row[at + 1]
        elif last - first == 1 and t == k:
            zero, one = below[parents[first], 0], below[parents[first], 1]
            message[k, 0] = max(zero + row[at], one + row[at + 2])
            message[k, 1] = max(zero + row[at + 1], one + row[at + 3])
        elif last - first == 1:
            zero, one = below[k, 0], below[k, 1]
            message[k, 0] = max(zero + row[at], one + row[at + 1])
            message[k, 1] = max(zero + row[at + 2], one + row[at + 3])
        else:
            _send_of_many(k, t, slots[k], first, last, parents, row, at, below, message)
        below[t, 0] += message[k, 0]
        below[t, 1] += message[k, 1]


@kernel
def _spread(c, graphs, row, below, message, belief):  # type: ignore[no-untyped-def]
    """Go back from the roots; every label but a root gets its belief from one factor."""
    order, target, slots, entry = graphs.order[c], graphs.target[c], graphs.slot[c], graphs.entry[c]
    firsts, parents = graphs.first[c], graphs.parents
    cavity = np.empty(2)
    for j in range(order.size - 1, -1, -1):
        k = order[j]
        first, last, at, t = firsts[k], firsts[k + 1], 2 * entry[k], target[k]
        if last == first:
            continue
        zero, one = belief[t, 0] - message[k, 0], belief[t, 1] - message[k, 1]
        if last - first == 1 and t == k:
            p = parents[first]
            belief[p, 0] = below[p, 0] + max(zero + row[at], one + row[at + 1])
            belief[p, 1] = below[p, 1] + max(zero + row[at + 2], one + row[at + 3])
        elif last - first == 1:
            belief[k, 0] = below[k, 0] + max(zero + row[at], one + row[at + 2])
            belief[k, 1] = below[k, 1] + max(zero + row[at + 1], one + row[at + 3])
        else:
            cavity[0], cavity[1] = zero, one
            _spread_to_many(k, slots[k], first, last, parents, row, at, cavity, below, belief)


@kernel
def max_marginals(c, graphs, row, a, below, message, belief):  # type: ignore[no-untyped-def]
    """Write the beliefs of component c for the tables of one row; return the best log P of a completion."""
    n_labels = a.size
    for k in range(n_labels):
        below[k, 0] = -np.inf if a[k] == 1 else 0.0
        below[k, 1] = -np.inf if a[k] == 0 else 0.0
    _send(c, graphs, row, below, message)
    total = 0.0
    for k in range(n_labels):
        if graphs.root[c, k]:
            belief[k, 0], belief[k, 1] = below[k, 0], below[k, 1]
            total += max(below[k, 0], below[k, 1])
    _spread(c, graphs, row, below, message, belief)
    return total
