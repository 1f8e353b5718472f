"""Branch and bound along a linear chain, exact or with epsilon: arrays in, arrays out, the caller allocates.

Depth first instead of best first: of the two, the more probable child is walked to its end before the other, so that
a good vector is known early, and a prefix less probable than the worst vector of the list is left. What is found is
the same, because a best-first search stops at the first complete vector it meets, the most probable one, and below
epsilon it completes greedily exactly the prefixes that are left here; but there is no queue, and odds are kept for
one path only. Everything is a product of odds and probabilities: no logarithm and no exponential at a node.

Notation (and that of `_walks`)
----------------------------------------
odds[s]        : P(1) / P(0) of all later labels, given the path down to its s-th label that is 1
effects[a, b]  : what label a multiplies the odds of label b > a by when it is 1; or adds to its score, with `scores`,
                 the logarithms of the odds (see `plait.joint._draw_kernels`)
limit          : odds are clipped to [1 / limit, limit]
slot[t]        : which row of `odds` belongs to the path before label t
turns, other   : labels whose other value is still to be walked, and P of the path with that value
cut, floor     : paths less probable than `cut` are left; those below `floor`, which is epsilon, are completed greedily
best, vectors  : log P and labels of the best vectors so far, best first, -inf where there are fewer
tally          : nodes expanded; conditionals evaluated in completions
"""

import math

import numpy as np

from plait.core.compilation import kernel
from plait.joint._draw_kernels import extend, start

__all__ = ["FINISHED", "STOPPED", "VANISHED", "record", "search_rows"]

STOPPED, FINISHED, VANISHED = 0, 1, 2
# A path less probable than this is about to vanish.
_TINY = 1e-290
# A probability that went through its logarithm is compared with others less what rounding took from it.
_SLACK = 1e-12
_ALMOST = 1.0 - _SLACK


@kernel
def _is_smaller(labels, others):  # type: ignore[no-untyped-def]
    for t in range(labels.size):
        if labels[t] != others[t]:
            return labels[t] < others[t]
    return False


@kernel
def record(log_prob, labels, best, vectors):  # type: ignore[no-untyped-def]
    """Put a vector into the list if it is better than the last, or as good and smaller."""
    place = best.size
    while place > 0 and (
        log_prob > best[place - 1] or (log_prob == best[place - 1] and _is_smaller(labels, vectors[place - 1]))
    ):
        place -= 1
    for k in range(best.size - 1, place, -1):
        best[k] = best[k - 1]
        for t in range(labels.size):
            vectors[k, t] = vectors[k - 1, t]
    if place < best.size:
        best[place] = log_prob
        for t in range(labels.size):
            vectors[place, t] = labels[t]


@kernel
def _complete(t, here, odds, scores, effects, reach, known, limit, path, labels, best, vectors):  # type: ignore[no-untyped-def]
    """Decide the labels from t on greedily, `path` being P of those before, and record the vector."""
    spare, log_prob, additive = odds[here + 1], math.log(path), scores.shape[0] > 0
    for k in range(t, labels.size):
        spare[k] = scores[here, k] if additive else odds[here, k]
    for k in range(t, labels.size):
        odd = min(max(math.exp(min(spare[k], 700.0)) if additive else spare[k], 1.0 / limit), limit)
        value = odd > 1.0 if known[k] < 0 else known[k] == 1
        labels[k] = value
        log_prob -= math.log1p(1.0 / odd if value else odd)
        if value:
            for u in range(k + 1, reach[k]):
                spare[u] = spare[u] + effects[k, u] if additive else spare[u] * effects[k, u]
    record(log_prob, labels, best, vectors)


@kernel
def _search(levels, effects, reach, known, limit, floor, cut, most, slot, turns, other, labels, best, vectors, tally):  # type: ignore[no-untyped-def]
    """Search one row, its odds without parents in `odds[0]`; return how it ended, and what the floor left out.

    One loop without calls at a node: a call would cost more than the node. `path` is P of the labels before t, `here`
    the row of their odds, `taken` the value of the last of them.
    """
    odds, scores = levels
    n_labels, one_wanted, left_out, low = labels.size, best.size == 1, 0.0, 1.0 / limit
    # Types that do not change later: what is called below is compiled once.
    t, here, path, taken, n_turns, log_limit = np.int64(0), np.int64(0), 1.0, False, np.int64(0), math.log(limit)
    while True:
        if taken and reach[t - 1] > t:
            extend(odds, scores, effects, here, t - 1, reach[t - 1], log_limit)
            for u in range(reach[t - 1], n_labels):
                odds[here + 1, u] = odds[here, u]
                if scores.shape[0] > 0:
                    scores[here + 1, u] = scores[here, u]
            here += 1
        if t == n_labels:
            record(math.log(path), labels, best, vectors)
            cut = max(cut, math.exp(best[-1]) * _ALMOST)
        else:
            if tally[0] == most:
                return STOPPED, left_out
            tally[0] += 1
            slot[t] = here
            odd = min(max(odds[here, t], low), limit)
            zero = path / (1.0 + odd)
            taken, reached, less = odd > 1.0, max(zero, odd * zero), min(zero, odd * zero)
            if known[t] >= 0:
                taken, reached, less = known[t] == 1, odd * zero if known[t] == 1 else zero, 0.0
            # With one vector wanted, a label that touches no later one has nothing to gain by its other value.
            less = 0.0 if one_wanted and reach[t] == t + 1 else less
            if less >= cut and less > 0.0:
                other[t], turns[n_turns], n_turns = less, t, n_turns + 1
            elif less < floor:
                left_out = max(left_out, less)
            if reached >= cut:
                if reached < _TINY:
                    return VANISHED, left_out
                labels[t], path, t = taken, reached, t + 1
                continue
            if reached < floor:
                left_out = max(left_out, reached)
                if best[-1] < math.log(floor):
                    _complete(t, here, odds, scores, effects, reach, known, limit, path, labels, best, vectors)
                    tally[1] += n_labels - t
        while n_turns > 0 and other[turns[n_turns - 1]] < cut:
            n_turns -= 1
        if n_turns == 0:
            return FINISHED, left_out
        n_turns -= 1
        t = turns[n_turns]
        here, path, taken = slot[t], other[t], labels[t] == 0
        labels[t], t = taken, t + 1


@kernel
def search_rows(  # type: ignore[no-untyped-def]
    base, effects, additive, reach, known, limit, floor, cuts, most, vectors, log_weights, exact, ended, n_nodes
):
    """Fill the best vectors (n_rows, n_best, n_labels) of all rows, their log P, how each row ended, and nodes.

    `additive` says that effects are added to scores.
    `exact` says that no path that was left can hold a better vector; `cuts` are probabilities that some vectors (as
    many as wanted) are known to have.
    """
    n_labels = base.shape[1]
    odds, other = np.empty((n_labels + 2, n_labels)), np.empty(n_labels)
    scores, log_limit = np.empty((n_labels + 2 if additive else 0, n_labels)), math.log(limit)
    slot, turns = np.empty(n_labels, np.int64), np.empty(n_labels, np.int64)
    labels, tally = np.empty(n_labels, np.uint8), np.empty(2, np.int64)
    for i in range(base.shape[0]):
        log_weights[i] = -np.inf
        tally[:] = 0
        start(odds, scores, base[i], log_limit)
        ended[i], left_out = _search(
            (odds, scores), effects, reach, known[min(i, known.shape[0] - 1)], limit, floor, max(floor, cuts[i]), most,
            slot, turns, other, labels, log_weights[i], vectors[i], tally,
        )  # fmt: skip
        above = left_out == 0.0 or log_weights[i, -1] >= math.log(left_out) - _SLACK
        exact[i] = ended[i] == FINISHED and above
        n_nodes[i] = tally[0] + tally[1]
