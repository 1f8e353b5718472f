"""Max-product (Viterbi): modes of a polytree from the roots to the leaves, given the messages, and the k best vectors.

Notation
--------
ratio[v, r]      : as in `_messages`; from the roots down overwritten by the label's value in the mode
chance[0, r]     : product of P(y_j | parents) that was not yet added to the log
total[r]         : log P(mode)

The k most probable vectors of a polytree, row by row, by splitting the space around each vector found.

A vector is a list of decisions, from the roots down: the value of each root, then for each factor one of its options,
given the value of its target. An option of a factor is a setting of its parents in which, where the target is a
parent, the target's bit is the value of the child instead. All that lies below a decision takes its best value
independently of all else, so a changed decision costs the difference of two numbers [Nilsson1998].

The first vector takes the best option everywhere. Of a vector whose decision d was the last one changed, the vectors
that follow keep all decisions before d, and take the next option at d, or the second best at one decision after d
[Lawler1972]. So every vector is met once, and never before a better one.

Notation of the k best
----------------------
logs[2 * e + y]      : log P(y_j = y | setting e)
below[v]             : log of the label's ratio: best with value 1 minus best with value 0 of all below it
gaps[j, a]           : what the second best option of factor j costs, given value a of its target
choices[n, d]        : decision d of the n-th vector
waiting, origins     : values of the vectors met next, best first; the vector and the decision each comes from
"""

import math

import numpy as np

from plait.core._lanes import fill, larger, load, select_above, store, store_labels
from plait.core.compilation import kernel
from plait.inference.messages._factors import (
    ROWS,
    WIDTH,
    choose_child,
    choose_child_and_parent,
    choose_parent,
    choose_two_parents,
    fill_lanes,
    limited,
    set_odds,
)
from plait.inference.messages._messages import begin_ratios, send, weigh_settings
from plait.joint.graph_distribution import SCORE_LIMIT

__all__ = ["find_best", "find_modes"]


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
            for v in range(n_labels):
                known_row[v] = known[row, families.label[v]]
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
            for w in range(n_waiting):
                waiting[w], origins[w, 0], origins[w, 1] = waiting[w + 1], origins[w + 1, 0], origins[w + 1, 1]
            log_probs[row, n] = _follow(n, source, changed, families, known_row, logs, below, best, choices, values)
            for k in range(n_labels):
                vectors[row, n, k] = values[families.place[k]]
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


# So many factors of at least 1e-6 multiply without underflow.
_FACTORS = 48


@kernel(error_model="numpy", forceinline=True)
def _choose_many(j, slot, target, first, last, parents, ratio, table, weight, chance):  # type: ignore[no-untyped-def]
    """Take the best setting among those that agree with the target; ties go to the smallest."""
    zero, one = fill(0.0), fill(1.0)
    for r in range(0, ROWS, WIDTH):
        child, known = load(ratio, j, r), load(ratio, target, r)
        top, winner, place = fill(-1.0), one, zero
        for m in range(1 << (last - first)):
            odds = load(table, m, r)
            share = load(weight, m, r) / (1.0 + odds)
            if slot < 0:
                share = share * select_above(known, zero, odds, one)
            else:
                # Settings that contradict the target's value lose against all others.
                side = (m >> slot) & 1
                agrees = select_above(known, zero, fill(float(side)), fill(float(1 - side)))
                share = select_above(agrees, zero, share * larger(one, odds * child), fill(-2.0))
            winner = select_above(share, top, odds, winner)
            place = select_above(share, top, fill(float(m)), place)
            top = larger(share, top)
        value = select_above(winner * child, one, one, zero) if slot >= 0 else known
        store(ratio, j, r, value)
        store(chance, 0, r, load(chance, 0, r) * (select_above(value, zero, winner, one) / (1.0 + winner)))
        # Bits of the place, the highest first.
        for t in range(last - 1, first - 1, -1):
            bit = float(1 << (t - first))
            value = select_above(place + 0.5, fill(bit), one, zero)
            store(ratio, parents[t], r, value)
            place = place - value * bit


@kernel(error_model="numpy", forceinline=True)
def _choose_root(j, of_factor, lanes, ratio, chance):  # type: ignore[no-untyped-def]
    """Value of a root by its ratio; or, for the factor of a label without parents, the probability of its value."""
    zero, one = fill(0.0), fill(1.0)
    for r in range(0, ROWS, WIDTH):
        if of_factor:
            odds = limited(load(lanes, j, r))
            share = select_above(load(ratio, j, r), zero, odds, one) / (1.0 + odds)
            store(chance, 0, r, load(chance, 0, r) * share)
        else:
            store(ratio, j, r, select_above(load(ratio, j, r), one, one, zero))


@kernel(error_model="numpy", forceinline=True)
def _choose(families, scores, lanes, ratio, table, weight, chance, total):  # type: ignore[no-untyped-def]
    """Overwrite all ratios by the values of the mode, from the roots down."""
    targets, slots, firsts = families.target, families.slot, families.first
    parents, entry = families.parents, families.entry
    simple, linear, shifts, gains = scores.simple, scores.linear, scores.shifts, scores.gains
    chance[:], total[:] = 1.0, 0.0
    for v in families.roots:
        _choose_root(v, False, lanes, ratio, chance)
    for j in range(targets.size - 1, -1, -1):
        first, last, target = firsts[j], firsts[j + 1], targets[j]
        if last == first and linear:
            _choose_root(j, True, lanes, ratio, chance)
        elif last - first == 1 and simple[j]:
            gain = gains[entry[j] + 1]
            if target == j:
                choose_parent(j, parents[first], gain, lanes, ratio, chance)
            else:
                choose_child(j, target, gain, lanes, ratio, chance)
        elif last - first == 2 and simple[j]:
            a, b = parents[first], parents[first + 1]
            gain_a, gain_b, gain_both = gains[entry[j] + 1], gains[entry[j] + 2], gains[entry[j] + 3]
            if target == j:
                choose_two_parents(j, a, b, gain_a, gain_b, gain_both, lanes, ratio, chance)
            elif target == a:
                choose_child_and_parent(j, a, b, gain_a, gain_b, gain_both, lanes, ratio, chance)
            else:
                choose_child_and_parent(j, b, a, gain_b, gain_a, gain_both, lanes, ratio, chance)
        else:
            set_odds(j, entry[j], entry[j + 1], linear, simple[j], shifts, gains, lanes, table)
            weigh_settings(first, last, target, parents, ratio, weight)
            _choose_many(j, slots[j], target, first, last, parents, ratio, table, weight, chance)
        if j % _FACTORS == 0:
            for r in range(ROWS):
                total[r] += math.log(chance[0, r])
            chance[:] = 1.0


@kernel(error_model="numpy")
def _write(begin, n_used, place, ratio, vectors):  # type: ignore[no-untyped-def]
    """Write the values of a block of rows, eight rows and eight labels at a time where there are so many."""
    whole_rows, whole_labels = n_used - n_used % WIDTH, vectors.shape[1] - vectors.shape[1] % WIDTH
    for r in range(0, whole_rows, WIDTH):
        for k in range(0, whole_labels, WIDTH):
            low = load(ratio, place[k], r), load(ratio, place[k + 1], r), load(ratio, place[k + 2], r)
            middle = load(ratio, place[k + 3], r), load(ratio, place[k + 4], r), load(ratio, place[k + 5], r)
            high = (load(ratio, place[k + 6], r), load(ratio, place[k + 7], r))
            store_labels(vectors, begin + r, k, low + middle + high)
    for r in range(n_used):
        for k in range(whole_labels if r < whole_rows else 0, vectors.shape[1]):
            vectors[begin + r, k] = np.uint8(ratio[place[k], r])


@kernel(error_model="numpy")
def find_modes(families, scores, known, n_hubs, most_settings, vectors, log_probs):  # type: ignore[no-untyped-def]
    """Write the mode of every row and its log probability."""
    n_rows, n_labels = vectors.shape
    lanes, ratio = np.empty((scores.values.shape[1], ROWS)), np.empty((n_labels, ROWS))
    power, chance, total = np.empty((n_hubs, ROWS)), np.empty((1, ROWS)), np.empty(ROWS)
    table, weight = np.empty((most_settings, ROWS)), np.empty((most_settings, ROWS))
    label, place = families.label, families.place
    message, evidence = np.empty((1, ROWS)), known.shape[0] > 0
    for begin in range(0, n_rows, ROWS):
        fill_lanes(scores, begin, lanes)
        begin_ratios(known, begin, label, ratio, power)
        send(families, scores, True, evidence, lanes, ratio, power, message, table, weight)
        _choose(families, scores, lanes, ratio, table, weight, chance, total)
        n_used = min(ROWS, n_rows - begin)
        for r in range(n_used):
            log_probs[begin + r] = total[r]
        _write(begin, n_used, place, ratio, vectors)
