"""Draws from a linear chain with shared prefixes, depth first: arrays in, arrays out.

The same draws as `counted_draws.draw_by_levels`, which explains them.

Notation
--------
odds[s]          : P(1) / P(0) of all later labels after the s-th label that is 1 and touches any
effects[a, b]    : what label a multiplies the odds of label b > a by when it is 1; or adds to its score, where such
                   factors would be no numbers
scores[s]        : the logarithms of `odds[s]`, where effects are added; without rows where they multiply
known[i, t]      : the value of a known label, -1 where unknown; one row for all where nothing is known
waiting          : 1-children still to be walked: label, samples, row of `odds`, number of ones before
streams          : of each, where its random numbers start
chances          : of each, P of its unknown labels, log of what was taken out of that, log P of its known labels
ones             : labels that are 1, leaf after leaf
"""

import math

import numpy as np

from plait.core._exponentials import exp
from plait.core.compilation import kernel

__all__ = [
    "binomial",
    "draw_rows",
    "expand_rows",
    "extend",
    "fill_uniforms",
    "fill_vectors",
    "mean_conditionals",
    "mixed",
    "start",
]

_STEP = np.uint64(0x9E3779B97F4A7C15)
_FIRST, _SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_30, _27, _31, _11, _12 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(11), np.uint64(12)
_UNIT = 1.0 / 9007199254740992.0
_STEP_OF_52_BITS = 1.0 / 4503599627370496.0
# Means up to this are searched from zero: there P(0) is far from the smallest number.
_FEW = 20.0
_TINY = 1e-200


@kernel
def mixed(state):  # type: ignore[no-untyped-def]
    """Return 64 random bits for a state; states one _STEP apart give independent bits [Steele2014]."""
    state = (state ^ (state >> _30)) * _FIRST
    state = (state ^ (state >> _27)) * _SECOND
    return state ^ (state >> _31)


@kernel
def _bits(stream, t):  # type: ignore[no-untyped-def]
    """Return the random bits of a node for the label at place t."""
    return mixed(stream + np.uint64(t + 1) * _STEP)


@kernel
def _from_zero(count, p, u, tables):  # type: ignore[no-untyped-def]
    """Return the quantile of Binomial(count, p) at u, p <= 1/2."""
    odds, term, square, left, k = p / (1.0 - p), 1.0, 1.0 - p, count, 0
    while left > 0:
        if left & 1:
            term *= square
        square *= square
        left >>= 1
    while u >= term and k < count:
        u -= term
        term *= odds * (count - k) * tables[1, k + 1]
        k += 1
    return k


@kernel
def _from_mode(count, p, u, tables):  # type: ignore[no-untyped-def]
    """Return a draw of Binomial(count, p) from one u: outcomes in turn above and below the mode."""
    odds = p / (1.0 - p)
    against = 1.0 / odds
    mode = int((count + 1) * p)
    term = tables[0, count] - tables[0, mode] - tables[0, count - mode]
    term = math.exp(term + mode * math.log(odds) + count * math.log1p(-p))
    up, down, term_up, term_down = mode, mode, term, term
    u -= term
    while u >= 0.0 and (up < count or down > 0):
        if up < count:
            term_up *= odds * (count - up) * tables[1, up + 1]
            up += 1
            u -= term_up
            if u < 0.0:
                return up
        if down > 0:
            term_down *= against * down * tables[1, count - down + 1]
            down -= 1
            u -= term_down
            if u < 0.0:
                return down
    return mode


@kernel
def binomial(count, p, u, tables):  # type: ignore[no-untyped-def]
    """Return a draw of Binomial(count, p), made from one uniform number u by inversion.

    `tables[0, k]` is log k!, `tables[1, k]` is 1 / k, both for k up to count + 1.
    """
    rare = min(p, 1.0 - p)
    k = _from_zero(count, rare, u, tables) if count * rare <= _FEW else _from_mode(count, rare, u, tables)
    return k if p <= 0.5 else count - k


@kernel
def extend(odds, scores, effects, here, t, last, limit):  # type: ignore[no-untyped-def]
    """Fill the odds of labels t + 1 .. last - 1 after label t, which is 1, in the row below `here`."""
    if scores.shape[0] == 0:
        for u in range(t + 1, last):
            odds[here + 1, u] = odds[here, u] * effects[t, u]
        return
    for u in range(t + 1, last):
        score = scores[here, u] + effects[t, u]
        scores[here + 1, u] = score
        odds[here + 1, u] = exp(min(max(score, -limit), limit))


@kernel
def _draw(  # type: ignore[no-untyped-def]
    levels, effects, reach, known, limit, tables, waiting, chances, streams, path, leaf, leaves, logs, ones, sums
):
    """Draw the samples of one row, the root waiting; return how many leaves there are now, and evaluations made.

    One loop, and at a node no calls but for binomials of several samples: others would cost more than the node.
    `path` are the ones so far; `leaves` (n, 2) takes samples and the end of the ones, `logs` (n, 2) log P and weight;
    `sums` adds up P(1) of every label over all samples.
    """
    odds, scores = levels
    n_labels, low, log_limit, n_waiting, n_evaluated = reach.size, 1.0 / limit, math.log(limit), 1, 0
    while n_waiting > 0:
        n_waiting -= 1
        t, count = waiting[n_waiting, 0], waiting[n_waiting, 1]
        here, depth, stream = waiting[n_waiting, 2], waiting[n_waiting, 3], streams[n_waiting]
        p, folded, weight = chances[n_waiting, 0], chances[n_waiting, 1], chances[n_waiting, 2]
        if p < _TINY:
            p, folded = 1.0, folded + math.log(p)
        if t >= 0:
            path[depth], depth = t, depth + 1
            if reach[t] > t + 1:
                extend(odds, scores, effects, here, t, n_labels, log_limit)
                here += 1
        t, alone, alive = t + 1, -1.0, 1.0
        while t < n_labels and count > 0:
            n_evaluated += 1
            odd = min(max(odds[here, t], low), limit)
            zero, went = 1.0 / (1.0 + odd), 0
            sums[t] += count * (zero * odd)
            if known[t] >= 0:
                weight += math.log(zero * odd if known[t] == 1 else zero)
                went, zero, odd = count if known[t] == 1 else 0, 1.0, 1.0
            elif count == 1:
                # A single sample needs one number for all labels up to its next one.
                if alone < 0.0:
                    alone, alive = np.float64(_bits(stream, t) >> _11) * _UNIT, 1.0
                alive *= zero
                went = 1 if alive <= alone else 0
            else:
                chance = np.float64(_bits(stream, t) >> _11) * _UNIT
                # P(none) >= 1 - count * p; where p is above 1/2 outcomes are tried in another order.
                if odd > 1.0 or chance >= 1.0 - count * zero * odd:
                    went = binomial(count, zero * odd, chance, tables)
            if went > 0:
                waiting[n_waiting, 0], waiting[n_waiting, 1], waiting[n_waiting, 2] = t, went, here
                waiting[n_waiting, 3], chances[n_waiting, 0] = depth, p * zero * odd
                chances[n_waiting, 1], chances[n_waiting, 2] = folded, weight
                streams[n_waiting] = mixed(~_bits(stream, t))
                n_waiting, count = n_waiting + 1, count - went
            p, t = p * zero, t + 1
        if count > 0:
            end = 0 if leaf == 0 else leaves[leaf - 1, 1]
            for k in range(depth):
                ones[end + k] = path[k]
            leaves[leaf, 0], leaves[leaf, 1] = count, end + depth
            logs[leaf, 0], logs[leaf, 1], leaf = math.log(p) + folded + weight, weight, leaf + 1
    return leaf, n_evaluated


@kernel
def start(odds, scores, base, limit):  # type: ignore[no-untyped-def]
    """Fill the odds of all labels where no label is 1."""
    for t in range(base.size):
        if scores.shape[0] > 0:
            scores[0, t] = base[t]
        odds[0, t] = exp(min(max(base[t], -limit), limit) if scores.shape[0] > 0 else base[t])


@kernel
def draw_rows(  # type: ignore[no-untyped-def]
    base,
    effects,
    additive,
    reach,
    known,
    limit,
    n_samples,
    most,
    seeds,
    tables,
    row,
    row_ends,
    leaves,
    logs,
    ones,
    n_evaluated,
    sums,
):
    """Draw the samples of rows from `row` on, as long as another row's leaves and ones surely fit; return the next row.

    `additive` says that effects are added to scores.
    `n_samples[i]` are the samples of row i, at most `most`; `row_ends[i]` is where its leaves end, in this call.
    `sums` (n_rows, n_labels) is zero before.
    """
    n_labels = base.shape[1]
    odds, path = np.empty((n_labels + 1, n_labels)), np.empty(n_labels, np.int32)
    scores, log_limit = np.empty((n_labels + 1 if additive else 0, n_labels)), math.log(limit)
    waiting, chances = np.empty((most + 1, 4), np.int64), np.empty((most + 1, 3))
    streams = np.empty(most + 1, np.uint64)
    leaf, end = 0, 0
    while row < base.shape[0] and leaf + most <= leaves.shape[0] and end + most * n_labels <= ones.size:
        start(odds, scores, base[row], log_limit)
        waiting[0, 0], waiting[0, 1], waiting[0, 2], waiting[0, 3] = -1, n_samples[row], 0, 0
        chances[0, 0], chances[0, 1], chances[0, 2], streams[0] = 1.0, 0.0, 0.0, seeds[row]
        row_known = known[min(row, known.shape[0] - 1)]
        leaf, n_evaluated[row] = _draw(
            (odds, scores), effects, reach, row_known, limit, tables,
            waiting, chances, streams, path, leaf, leaves, logs, ones, sums[row],
        )  # fmt: skip
        end = leaves[leaf - 1, 1] if leaf > 0 else 0
        row_ends[row] = leaf
        row += 1
    return row


@kernel
def _next_marked(marks, t, n_labels):  # type: ignore[no-untyped-def]
    """Return the first marked place from t on, `n_labels` where there is none; a place is a bit of `marks`."""
    word = t >> 6
    held = marks[word] >> np.uint64(t & 63) if word < marks.size else np.uint64(0)
    while held == np.uint64(0):
        word += 1
        if word >= marks.size:
            return n_labels
        t, held = word << 6, marks[word]
    while held & np.uint64(1) == np.uint64(0):
        held, t = held >> np.uint64(1), t + 1
    return t


@kernel
def _first_one(log_zero, first, last, goal):  # type: ignore[no-untyped-def]
    """Return the first place of first .. last - 1 whose running log P(no label so far) falls to the goal."""
    while first < last:
        middle = (first + last) >> 1
        if log_zero[middle + 1] <= goal:
            last = middle
        else:
            first = middle + 1
    return first


@kernel
def _draw_ones(odds, log_zero, lists, limit, state, on, ones, marks, sums):  # type: ignore[no-untyped-def]
    """Draw one label set, from one label that is 1 to the next; return the state and how many labels were looked at.

    Only labels with a parent that is 1, which are marked, differ from what they are without parents: between them one
    number finds the next label that is 1, by the running logarithms of P(none). `sums` gets by how much P of marked
    labels differs. `on` and `marks` are zero before and after.
    """
    starts, parents, factors, child_starts, children = lists
    n_labels, low, t, n_ones, n_looked = odds.size, 1.0 / limit, 0, 0, 0
    while t < n_labels:
        marked = _next_marked(marks, t, n_labels)
        state += _STEP
        goal = log_zero[t] + math.log((np.float64(mixed(state) >> _12) + 0.5) * _STEP_OF_52_BITS)
        n_looked += 1
        if log_zero[marked] <= goal:
            t = _first_one(log_zero, t, marked, goal)
        elif marked == n_labels:
            break
        else:
            odd = odds[marked]
            for place in range(starts[marked], starts[marked + 1]):
                if on[parents[place]]:
                    odd *= factors[place]
            odd, plain = min(max(odd, low), limit), min(max(odds[marked], low), limit)
            sums[marked] += odd / (1.0 + odd) - plain / (1.0 + plain)
            state += _STEP
            t = marked
            if (np.float64(mixed(state) >> _12) + 0.5) * _STEP_OF_52_BITS * (1.0 + odd) >= odd:
                t += 1
                continue
        on[t], ones[n_ones], n_ones = True, t, n_ones + 1
        for place in range(child_starts[t], child_starts[t + 1]):
            marks[children[place] >> 6] |= np.uint64(1) << np.uint64(children[place] & 63)
        t += 1
    for k in range(n_ones):
        on[ones[k]] = False
        for place in range(child_starts[ones[k]], child_starts[ones[k] + 1]):
            marks[children[place] >> 6] = np.uint64(0)
    return state, n_looked


@kernel
def mean_conditionals(base, starts, parents, factors, child_starts, children, limit, n_samples, seeds, means, n_looked):  # type: ignore[no-untyped-def]
    """Fill the means of P(1 | parents) of all labels over drawn label sets, where parents are lists.

    `parents[starts[t] : starts[t + 1]]` are those of the label at place t, which multiply its odds by `factors`;
    `children[child_starts[t] : child_starts[t + 1]]` come after it.
    """
    n_labels = base.shape[1]
    odds, log_zero, low = np.empty(n_labels), np.zeros(n_labels + 1), 1.0 / limit
    on, ones = np.zeros(n_labels, np.bool_), np.empty(n_labels, np.int64)
    marks, lists = np.zeros((n_labels + 63) >> 6, np.uint64), (starts, parents, factors, child_starts, children)
    for i in range(base.shape[0]):
        for t in range(n_labels):
            odds[t] = exp(base[i, t])
            odd = min(max(odds[t], low), limit)
            means[i, t], log_zero[t + 1] = n_samples * (odd / (1.0 + odd)), log_zero[t] - math.log1p(odd)
        state = seeds[i]
        for _ in range(n_samples):
            state, looked = _draw_ones(odds, log_zero, lists, limit, state, on, ones, marks, means[i])
            n_looked[i] += looked
        for t in range(n_labels):
            means[i, t] = max(means[i, t], 0.0) / n_samples


@kernel
def expand_rows(row_starts, leaf_samples, leaf_logs, one_starts, ones, states, vectors, log_weights):  # type: ignore[no-untyped-def]
    """Write every sample of every leaf, each row's in random order; `vectors` (n_rows, most, n_labels) is zero."""
    which = np.empty(vectors.shape[1], np.int64)
    for row in range(vectors.shape[0]):
        place, state = 0, states[row]
        for leaf in range(row_starts[row], row_starts[row + 1]):
            for _ in range(leaf_samples[leaf]):
                which[place] = leaf
                place += 1
        n_samples = place
        for place in range(n_samples):
            # One more sample of those not yet taken, all equally likely.
            u = np.float64(mixed(state) >> _11) * _UNIT
            state += _STEP
            other = place + min(int(u * (n_samples - place)), n_samples - place - 1)
            leaf = which[other]
            which[other] = which[place]
            log_weights[row, place] = leaf_logs[leaf]
            for k in range(one_starts[leaf], one_starts[leaf + 1]):
                vectors[row, place, ones[k]] = 1


@kernel
def fill_vectors(row_starts, one_starts, ones, vectors):  # type: ignore[no-untyped-def]
    """Write the vectors of all leaves, (n_rows, n_places, n_labels) zero before, each row's in its first places."""
    for row in range(vectors.shape[0]):
        for leaf in range(row_starts[row], row_starts[row + 1]):
            for k in range(one_starts[leaf], one_starts[leaf + 1]):
                vectors[row, leaf - row_starts[row], ones[k]] = 1


@kernel
def fill_uniforms(seeds, numbers):  # type: ignore[no-untyped-def]
    """Fill (n_rows, n) with numbers between 0 and 1, both left out, from the streams of the rows."""
    for row in range(seeds.size):
        state = seeds[row]
        for k in range(numbers.shape[1]):
            # The middle of each step of 2**-52: never 0 and never 1, whatever the rounding.
            numbers[row, k] = (np.float64(mixed(state) >> _12) + 0.5) * _STEP_OF_52_BITS
            state += _STEP
