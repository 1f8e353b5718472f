"""The k most probable vectors of a polytree, row by row, by splitting the space around each vector found.

A vector is a list of decisions, from the roots down: the value of each root, then for each factor one of its options,
given the value of its target. An option of a factor is a setting of its parents in which, where the target is a
parent, the target's bit is the value of the child instead. All that lies below a decision takes its best value
independently of all else, so a changed decision costs the difference of two numbers [Nilsson1998].

The first vector takes the best option everywhere. Of a vector whose decision d was the last one changed, the vectors
that follow keep all decisions before d, and take the next option at d, or the second best at one decision after d
[Lawler1972]. So every vector is met once, and never before a better one.

Notation
--------
logs[2 * e + y]      : log P(y_j = y | setting e)
below[v]             : log of the label's ratio: best with value 1 minus best with value 0 of all below it
gaps[j, a]           : what the second best option of factor j costs, given value a of its target
choices[n, d]        : decision d of the n-th vector
waiting, origins     : values of the vectors met next, best first; the vector and the decision each comes from
"""

import math

import numpy as np

from plait.core.compilation import kernel
from plait.joint.graph_distribution import SCORE_LIMIT

__all__ = ["find_best"]


@kernel
def _fill_logs(row, families, scores, logs):  # type: ignore[no-untyped-def]
    for j in range(families.label.size):
        begin = families.entry[j]
        for e in range(begin, families.entry[j + 1]):
            score = scores.values[row, families.label[j]] + scores.shifts[e] if scores.linear else scores.values[row, e]
            score = min(max(score, -SCORE_LIMIT), SCORE_LIMIT)
            soft = max(score, 0.0) + math.log1p(math.exp(-abs(score)))
            logs[2 * e], logs[2 * e + 1] = -soft, score - soft


@kernel
def _option_value(j, option, a, families, known, logs, below):  # type: ignore[no-untyped-def]
    """Log weight of one option of factor j given value a of its target, with the best of all below it.

    Minus infinity stands for what contradicts the evidence.
    """
    slot, first = families.slot[j], families.first[j]
    setting, child, total = option, a, 0.0
    if slot >= 0:
        child = (option >> slot) & 1
        setting = (option & ~(1 << slot)) | (a << slot)
        if known[j] == 1 - child:
            return -np.inf
        total += below[j] * child
    for t in range(families.first[j + 1] - first):
        parent, value = families.parents[first + t], (setting >> t) & 1
        if t != slot:
            if known[parent] == 1 - value:
                return -np.inf
            total += below[parent] * value
    return total + logs[2 * (families.entry[j] + setting) + child]


@kernel
def _next_option(j, a, old, families, known, logs, below):  # type: ignore[no-untyped-def]
    """Return the best option after `old` (-1: of all) in order of value, then number, and its value; -1 if none."""
    limit = _option_value(j, old, a, families, known, logs, below) if old >= 0 else np.inf
    winner, top = -1, -np.inf
    for option in range(families.entry[j + 1] - families.entry[j]):
        value = _option_value(j, option, a, families, known, logs, below)
        later = old < 0 or value < limit or (value == limit and option > old)
        if later and value > top:
            winner, top = option, value
    return winner, top


@kernel
def _climb(families, known, logs, below, best, gaps):  # type: ignore[no-untyped-def]
    """Send messages to the roots; keep the best option of every factor and what the second best costs.

    Return the log weight of all factors whose targets are 0.
    """
    below[:] = 0.0
    total, values = 0.0, np.zeros(2)
    for j in range(families.label.size):
        for a in range(2):
            best[j, a], values[a] = _next_option(j, a, -1, families, known, logs, below)
            second, value = _next_option(j, a, best[j, a], families, known, logs, below)
            gaps[j, a] = values[a] - value if second >= 0 else np.inf
        total += values[0]
        below[families.target[j]] += values[1] - values[0]
    return total


@kernel
def _queue(value, source, decision, n_waiting, capacity, waiting, origins):  # type: ignore[no-untyped-def]
    """Put a candidate into the list sorted by value, best first; what exceeds the capacity falls out."""
    if n_waiting >= capacity:
        if capacity == 0 or value <= waiting[capacity - 1]:
            return min(n_waiting, capacity)
        n_waiting = capacity - 1
    place = n_waiting
    while place > 0 and waiting[place - 1] < value:
        waiting[place] = waiting[place - 1]
        origins[place, 0], origins[place, 1] = origins[place - 1, 0], origins[place - 1, 1]
        place -= 1
    waiting[place] = value
    origins[place, 0], origins[place, 1] = source, decision
    return n_waiting + 1


@kernel
def _apply(j, option, families, values, logs):  # type: ignore[no-untyped-def]
    """Set the labels of a factor as an option says; return log P(y_j | parents)."""
    slot, first = families.slot[j], families.first[j]
    setting = option
    if slot >= 0:
        setting = (option & ~(1 << slot)) | (np.int64(values[families.target[j]]) << slot)
        values[j] = (option >> slot) & 1
    for t in range(families.first[j + 1] - first):
        values[families.parents[first + t]] = (setting >> t) & 1
    return logs[2 * (families.entry[j] + setting) + np.int64(values[j])]


@kernel
def _next_root(root, old, known, below):  # type: ignore[no-untyped-def]
    """Return the value of a root after `old` (-1: the better one) and what it costs; -1 if none is left."""
    best = np.int64(known[root]) if known[root] >= 0 else np.int64(below[root] > 0.0)
    if old < 0:
        return best, 0.0
    if old != best or known[root] >= 0:
        return -1, np.inf
    return 1 - best, abs(below[root])


@kernel
def _follow(n, source, changed, families, known, logs, below, best, choices, values):  # type: ignore[no-untyped-def]
    """Write vector n: the decisions of vector `source`, the next option at `changed`, the best ones after it."""
    n_roots, n_labels, total = families.roots.size, families.label.size, 0.0
    for d in range(n_roots + n_labels):
        old = choices[source, d] if d <= changed else -1
        if d < n_roots:
            choice = old
            if d >= changed:
                choice, _ = _next_root(families.roots[d], old, known, below)
            values[families.roots[d]] = choice
        else:
            j = n_roots + n_labels - 1 - d
            choice = old
            if d >= changed:
                a = np.int64(values[families.target[j]])
                choice = best[j, a]
                if d == changed:
                    choice, _ = _next_option(j, a, old, families, known, logs, below)
            total += _apply(j, choice, families, values, logs)
        choices[n, d] = choice
    return total


@kernel
def _branch(n, value, changed, room, families, known, logs, below, gaps, choices, values, n_waiting, waiting, origins):  # type: ignore[no-untyped-def]
    """Queue all vectors that follow from vector n: one other decision at `changed` or after it."""
    n_roots, n_labels = families.roots.size, families.label.size
    for d in range(max(changed, 0), n_roots + n_labels):
        if d < n_roots:
            other, cost = _next_root(families.roots[d], choices[n, d], known, below)
        else:
            j = n_roots + n_labels - 1 - d
            a = np.int64(values[families.target[j]])
            cost = gaps[j, a]
            if d == changed:
                here = _option_value(j, choices[n, d], a, families, known, logs, below)
                other, there = _next_option(j, a, choices[n, d], families, known, logs, below)
                cost = here - there if other >= 0 else np.inf
        if cost < np.inf:
            n_waiting = _queue(value - cost, n, d, n_waiting, room, waiting, origins)
    return n_waiting


@kernel
def find_best(families, scores, known, vectors, log_probs):  # type: ignore[no-untyped-def]
    """Write the most probable vectors of every row, best first; places left over keep what they hold."""
    n_rows, n_best, n_labels = vectors.shape
    logs, below = np.empty(2 * families.entry[-1]), np.empty(n_labels)
    best, gaps = np.empty((n_labels, 2), dtype=np.int64), np.empty((n_labels, 2))
    choices = np.full((n_best + 1, families.roots.size + n_labels), -1, dtype=np.int64)
    waiting, origins = np.empty(n_best), np.empty((n_best, 2), dtype=np.int64)
    values, known_row = np.empty(n_labels, dtype=np.uint8), np.full(n_labels, -1, dtype=np.int8)
    for row in range(n_rows):
        if known.shape[0] > 0:
            known_row[:] = known[row][families.label]
        _fill_logs(row, families, scores, logs)
        start = _climb(families, known_row, logs, below, best, gaps)
        for root in families.roots:
            start += below[root] if known_row[root] == 1 else (max(below[root], 0.0) if known_row[root] < 0 else 0.0)
        # The first vector follows from no other: all its decisions come after place -1.
        n_waiting = _queue(start, n_best, -1, 0, n_best, waiting, origins)
        for n in range(n_best):
            if n_waiting == 0:
                break
            value, source, changed = waiting[0], origins[0, 0], origins[0, 1]
            n_waiting -= 1
            waiting[:n_waiting] = waiting[1 : n_waiting + 1]
            origins[:n_waiting] = origins[1 : n_waiting + 1]
            log_probs[row, n] = _follow(n, source, changed, families, known_row, logs, below, best, choices, values)
            vectors[row, n] = values[families.place]
            room = n_best - n - 1
            n_waiting = _branch(
                n,
                value,
                changed,
                room,
                families,
                known_row,
                logs,
                below,
                gaps,
                choices,
                values,
                min(n_waiting, room),
                waiting,
                origins,
            )
