"""Branch and bound on a mixture of polytrees: its most probable vectors, row after row, best bound first.

A node fixes some labels. No completion of it is more probable than sum_c w_c max P_c, and the max-marginals of the
components give that bound for both values of every free label at once: values that cannot reach what was found are
ruled out, and the search branches on the label on which the components disagree most.

Notation
--------
a[k]           : the value of a label that is fixed, -1 where it is free
upper[k, v]    : bound of all completions where label k is v, as a share of the node's bound
modes[c]       : the best completion of component c, a candidate
found          : the best vectors so far, best first; `cut` is log P of the last of them
lost           : largest bound of what was left aside because it is below the floor

Max-marginals of one row of a polytree under a partial assignment: the best completions with each value of a label.

Notation of max-marginals
-------------------------
a[k]           : the value of a label that is fixed, -1 where it is free
below[k, v]    : best log P of the part below label k where it is v; -inf against `a`
message[k, v]  : what the factor of label k sent to its target
belief[k, v]   : best log P of all of label k's part of the graph where it is v
cavity         : belief of the target without what the factor itself sent
"""

import math

import numpy as np

from plait.core.compilation import kernel
from plait.inference.messages._mixtures import climb, fill_terms, log_total

__all__ = ["search_mixtures"]


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


# Bounds that exceed what was found by less than this may be rounding.
SLACK = 1e-10


@kernel
def _set_bounds(graphs, log_weights, row, a, below, message, belief, peaks, gaps, modes, upper):  # type: ignore[no-untyped-def]
    """Write the bounds of both values of every label and the components' modes; return the bound of the node."""
    n_labels, n_parts = a.size, log_weights.size
    for c in range(n_parts):
        peaks[c] = log_weights[c] + max_marginals(c, graphs, row, a, below, message, belief)
        for k in range(n_labels):
            modes[c, k] = 1 if belief[k, 1] > belief[k, 0] else 0
            gaps[c, k] = abs(belief[k, 1] - belief[k, 0])
    bound = log_total(peaks)
    upper[:] = 0.0
    for c in range(n_parts):
        share = math.exp(peaks[c] - bound)
        for k in range(n_labels):
            upper[k, modes[c, k]] += share
            if a[k] < 0:
                upper[k, 1 - modes[c, k]] += share * math.exp(-gaps[c, k])
    return bound


@kernel
def _same(y, z):  # type: ignore[no-untyped-def]
    for k in range(y.size):  # noqa: SIM110
        if y[k] != z[k]:
            return False
    return True


@kernel
def _insert(y, value, found, found_logs):  # type: ignore[no-untyped-def]
    """Put a vector among the best ones unless it is there."""
    n_best = found_logs.size
    if value <= found_logs[n_best - 1]:
        return
    for n in range(n_best):
        if found_logs[n] > -np.inf and _same(found[n], y):
            return
    place = n_best - 1
    while place > 0 and found_logs[place - 1] < value:
        found_logs[place] = found_logs[place - 1]
        for k in range(y.size):
            found[place, k] = found[place - 1, k]
        place -= 1
    found_logs[place] = value
    for k in range(y.size):
        found[place, k] = y[k]


@kernel
def _score_modes(graphs, log_weights, row, modes, places, terms, found, found_logs):  # type: ignore[no-untyped-def]
    """Put the modes of all components that differ among the best vectors, as probable as the mixture says."""
    for c in range(modes.shape[0]):
        again = False
        for b in range(c):
            again = again or _same(modes[b], modes[c])
        if not again:
            fill_terms(graphs, log_weights, row, modes[c], places, terms)
            _insert(modes[c], log_total(terms), found, found_logs)


@kernel
def _climb_from_best(graphs, log_weights, row, a, y, free, places, terms, moved, found, found_logs):  # type: ignore[no-untyped-def]
    """Flip labels of the best vector as long as that gains: a better start cuts more."""
    n_free = 0
    for k in range(a.size):
        y[k] = found[0, k]
        if a[k] < 0:
            free[n_free] = k
            n_free += 1
    fill_terms(graphs, log_weights, row, y, places, terms)
    climb(free, n_free, graphs, row, y, places, terms, moved)
    fill_terms(graphs, log_weights, row, y, places, terms)
    _insert(y, log_total(terms), found, found_logs)


@kernel
def _rule_out(bound, cut, floor, upper, a):  # type: ignore[no-untyped-def]
    """Fix labels one of whose values cannot reach the cut; return how many (-1: the node is closed), and what is lost.

    Lost is the largest bound among values that were ruled out by the floor only.
    """
    n_fixed, lost = 0, -np.inf
    for k in range(a.size):
        if a[k] >= 0:
            continue
        for v in range(2):
            value = bound + math.log(upper[k, v]) if upper[k, v] > 0.0 else -np.inf
            if value <= max(cut + SLACK, floor):
                lost = max(lost, value) if value > cut + SLACK else lost
                if a[k] >= 0:
                    return -1, lost
                a[k] = 1 - v
                n_fixed += 1
    return n_fixed, lost


@kernel
def _widest(upper, a):  # type: ignore[no-untyped-def]
    """Return the free label whose better value lowers the bound most, -1 if none is free; ties by the worse value."""
    winner, top, second = -1, np.inf, np.inf
    for k in range(a.size):
        if a[k] < 0:
            high, low = max(upper[k, 0], upper[k, 1]), min(upper[k, 0], upper[k, 1])
            if high < top or (high == top and low < second):
                winner, top, second = k, high, low
    return winner


@kernel
def _push(bound, node, n_waiting, bounds, nodes):  # type: ignore[no-untyped-def]
    """Put a node into the heap, the largest bound first."""
    place = n_waiting
    while place > 0 and bounds[(place - 1) // 2] < bound:
        bounds[place], nodes[place] = bounds[(place - 1) // 2], nodes[(place - 1) // 2]
        place = (place - 1) // 2
    bounds[place], nodes[place] = bound, node
    return n_waiting + 1


@kernel
def _pop(n_waiting, bounds, nodes):  # type: ignore[no-untyped-def]
    """Take the first node out of the heap; return how many are left."""
    n_waiting -= 1
    bound, node, place = bounds[n_waiting], nodes[n_waiting], 0
    while 2 * place + 1 < n_waiting:
        child = 2 * place + 1
        if child + 1 < n_waiting and bounds[child + 1] > bounds[child]:
            child += 1
        if bounds[child] <= bound:
            break
        bounds[place], nodes[place] = bounds[child], nodes[child]
        place = child
    bounds[place], nodes[place] = bound, node
    return n_waiting


@kernel
def _grown(bounds, nodes, fixed):  # type: ignore[no-untyped-def]
    """Return room for twice as many nodes."""
    size = nodes.size
    more_bounds, more_nodes = np.empty(2 * size), np.empty(2 * size, np.int64)
    more_fixed = np.empty((2 * size, fixed.shape[1]), np.int8)
    for n in range(size):
        more_bounds[n], more_nodes[n], more_nodes[size + n] = bounds[n], nodes[n], size + n
        for k in range(fixed.shape[1]):
            more_fixed[n, k] = fixed[n, k]
    return more_bounds, more_nodes, more_fixed


@kernel
def _settle(a, most, n_done, floor, graphs, log_weights, row, work, found, found_logs):  # type: ignore[no-untyped-def]
    """Fix labels of a node while values can be ruled out; return its bound (-inf: closed), passes and losses."""
    below, message, belief, peaks, gaps, modes, upper, places, terms, moved, y, free = work
    lost, climbed = -np.inf, n_done > 0 or found_logs.size > 1
    while n_done < most:
        bound = _set_bounds(graphs, log_weights, row, a, below, message, belief, peaks, gaps, modes, upper)
        n_done += 1
        _score_modes(graphs, log_weights, row, modes, places, terms, found, found_logs)
        if not climbed:
            _climb_from_best(graphs, log_weights, row, a, y, free, places, terms, moved, found, found_logs)
            climbed = True
        cut = found_logs[-1]
        if bound <= max(cut + SLACK, floor):
            return -np.inf, n_done, max(lost, bound) if bound > cut + SLACK else lost, True
        n_fixed, more_lost = _rule_out(bound, cut, floor, upper, a)
        lost = max(lost, more_lost)
        if n_fixed < 0:
            return -np.inf, n_done, lost, True
        if n_fixed == 0:
            return bound, n_done, lost, True
    return np.inf, n_done, lost, False


@kernel
def _search(known, most, floor, graphs, log_weights, row, work, found, found_logs):  # type: ignore[no-untyped-def]
    """Search one row; return whether it was finished, whether what was found is proved, and the passes made.

    The heap's places from `n_waiting` on hold the numbers of free nodes.
    """
    upper, n_labels = work[6], known.size
    bounds, nodes, fixed = np.empty(8), np.arange(8), np.empty((8, n_labels), np.int8)
    a = np.empty(n_labels, np.int8)
    bounds[0] = np.inf
    for k in range(n_labels):
        fixed[0, k] = known[k]
    n_waiting, n_done, lost, finished = 1, 0, -np.inf, True
    while n_waiting > 0:
        bound, node = bounds[0], nodes[0]
        if bound <= max(found_logs[-1] + SLACK, floor):
            lost = max(lost, bound)
            break
        for k in range(n_labels):
            a[k] = fixed[node, k]
        n_waiting = _pop(n_waiting, bounds, nodes)
        nodes[n_waiting] = node
        bound, n_done, more_lost, finished = _settle(
            a, most, n_done, floor, graphs, log_weights, row, work, found, found_logs
        )
        lost = max(lost, more_lost)
        if not finished:
            break
        k = _widest(upper, a) if bound > -np.inf else -1
        if k >= 0:
            for v in range(2):
                if n_waiting + 1 >= nodes.size:
                    bounds, nodes, fixed = _grown(bounds, nodes, fixed)
                node = nodes[n_waiting]
                for u in range(n_labels):
                    fixed[node, u] = a[u]
                fixed[node, k] = v
                n_waiting = _push(bound + math.log(upper[k, v]), node, n_waiting, bounds, nodes)
    return finished, finished and lost <= found_logs[-1] + SLACK, n_done


@kernel
def search_mixtures(graphs, log_weights, logs, known, most, floor, found, found_logs, finished, proved, n_passes):  # type: ignore[no-untyped-def]
    """Write the most probable vectors of every row, best first, whether it was finished and proved, and passes made."""
    n_rows, _, n_labels = found.shape
    n_parts = log_weights.size
    work = (
        np.empty((n_labels, 2)), np.empty((n_labels, 2)), np.empty((n_labels, 2)), np.empty(n_parts),
        np.empty((n_parts, n_labels)), np.empty((n_parts, n_labels), np.int64), np.empty((n_labels, 2)),
        np.empty(n_parts * n_labels, np.int64), np.empty(n_parts), np.empty(n_parts),
        np.empty(n_labels, np.int64), np.empty(n_labels, np.int64),
    )  # fmt: skip
    nothing = np.full(n_labels, -1, np.int8)
    for row in range(n_rows):
        found_logs[row] = -np.inf
        row_known = known[row] if known.shape[0] > 0 else nothing
        finished[row], proved[row], n_passes[row] = _search(
            row_known, most, floor, graphs, log_weights, logs[row], work, found[row], found_logs[row]
        )
