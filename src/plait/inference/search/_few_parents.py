"""Greedy walks, branch and bound and beam search along a chain of many labels with few parents each.

Arrays in, arrays out, the caller allocates. The odds of a label are worked out when it is met, from its parents among
the labels before it: nothing is kept for all later labels, as the kernels of dense chains do.

Searches look at likely labels only. P(y_t = 1 | x) is at most sigmoid(base + all that parents can add): where that is
below the probability of vectors that are known, no better vector has label t. Such a label is 0; its factor is looked
at only where one of its parents is open, all others are constants of the row.

Notation (and that of `_walks` and `_branch_and_bound`)
-------------------------------------------------------
parents[starts[t] : starts[t + 1]]  : places of the parents of the label at place t, ascending
weights, factors                    : what each parent adds to the score when it is 1, and its exponential
odds[t]                             : P(1) / P(0) where no parent is 1, not clipped
visit[:m]                           : the places that are looked at
free[t]                             : whether both values of the label are open
"""

import math

import numpy as np

from plait.core._exponentials import exp
from plait.core.compilation import kernel
from plait.inference.search._branch_and_bound import FINISHED, STOPPED, VANISHED, record
from plait.inference.search._walks import choose, free_slots, least_kept, odds_against, summary

__all__ = ["beam_few", "greedy_few", "search_few"]

_TINY = 1e-290
_ALMOST = 1.0 - 1e-12


@kernel
def greedy_few(base, starts, parents, weights, reach, known, limit, scores, odds, labels, log_prob, proved):  # type: ignore[no-untyped-def]
    """Fill the greedy labels of every row, their log P, and whether they are proved to be the mode."""
    for i in range(base.shape[0]):
        row_known, row = known[min(i, known.shape[0] - 1)], labels[i]
        for t in range(scores.size):
            score = base[i, t]
            for place in range(starts[t], starts[t + 1]):
                if row[parents[place]] == 1:
                    score += weights[place]
            scores[t] = score
            row[t] = row_known[t] == 1 if row_known[t] >= 0 else score > 0.0
        if limit > 0.0:
            odds_against(scores, row, limit, odds)
            log_prob[i], proved[i] = summary(odds, reach, row_known)


@kernel
def _odds_here(t, odds, starts, parents, factors, labels, limit):  # type: ignore[no-untyped-def]
    odd = odds[t]
    for place in range(starts[t], starts[t + 1]):
        if labels[parents[place]] == 1:
            odd *= factors[place]
    return min(max(odd, 1.0 / limit), limit)


@kernel
def _likely(base, rise, known, starts, parents, limit, least, odds, free, open_label, visit):  # type: ignore[no-untyped-def]
    """Fill `odds`, `free` and `visit` of one row; return how many are visited, log P of all others, most P left out.

    `rise` is the most that parents can add; labels whose P(1) stays below `least` are 0 and not free. `open_label` says
    which labels are free or known to be 1: their children differ from vector to vector.
    """
    m, log_rest, left_out, low = 0, 0.0, 0.0, 1.0 / limit
    for t in range(base.size):
        odds[t] = exp(base[t])
        highest = min(max(exp(base[t] + rise[t]), low), limit)
        chance = highest / (1.0 + highest)
        free[t] = known[t] < 0 and chance >= least
        if known[t] < 0 and not free[t]:
            left_out = max(left_out, chance)
        open_label[t] = free[t] or known[t] == 1
        seen = free[t] or known[t] >= 0
        for place in range(starts[t], starts[t + 1]):
            seen = seen or open_label[parents[place]]
        if seen:
            visit[m], m = t, m + 1
        else:
            log_rest -= math.log1p(min(max(odds[t], low), limit))
    return m, log_rest, left_out


@kernel
def _search(row, lists, reach, known, visit, limit, cut, path, most, room, best, vectors):  # type: ignore[no-untyped-def]
    """Search one row, exactly; return how it ended and how many nodes it took.

    `row` are the odds and what is free; `path` starts as P of what is constant; `room` is to work in.
    """
    odds, free = row
    starts, parents, factors = lists
    turns, other, labels = room
    one_wanted, m, j, n_turns, n_nodes = best.size == 1, visit.size, np.int64(0), np.int64(0), np.int64(0)
    while True:
        if j == m:
            record(math.log(path), labels, best, vectors)
            cut = max(cut, math.exp(best[-1]) * _ALMOST)
        else:
            if n_nodes == most:
                return STOPPED, n_nodes
            n_nodes += 1
            t = visit[j]
            odd = _odds_here(t, odds, starts, parents, factors, labels, limit)
            zero = path / (1.0 + odd)
            taken, reached, less = odd > 1.0, max(zero, odd * zero), min(zero, odd * zero)
            if not free[t]:
                taken, less = known[t] == 1, 0.0
                reached = odd * zero if taken else zero
            # With one vector wanted, a label that touches no later one has nothing to gain by its other value.
            less = 0.0 if one_wanted and reach[t] == t + 1 else less
            if less >= cut and less > 0.0:
                other[n_turns], turns[n_turns], n_turns = less, j, n_turns + 1
            if reached >= cut:
                if reached < _TINY:
                    return VANISHED, n_nodes
                labels[t], path, j = taken, reached, j + 1
                continue
        while n_turns > 0 and other[n_turns - 1] < cut:
            n_turns -= 1
        if n_turns == 0:
            return FINISHED, n_nodes
        n_turns -= 1
        j, path = turns[n_turns], other[n_turns]
        labels[visit[j]] = labels[visit[j]] == 0
        j += 1


@kernel
def search_few(base, lists, rise, reach, known, limit, cuts, most, vectors, log_weights, ended, n_nodes):  # type: ignore[no-untyped-def]
    """Fill the best vectors (n_rows, n_best, n_labels) of all rows, their log P, how each row ended, and nodes.

    `cuts` are probabilities that as many vectors as wanted are known to have: labels that no better vector has are not
    free.
    """
    starts, parents, _ = lists
    n_labels = base.shape[1]
    odds, other = np.empty(n_labels), np.empty(n_labels)
    visit, turns = np.empty(n_labels, np.int64), np.empty(n_labels, np.int64)
    free, open_label = np.empty(n_labels, np.bool_), np.empty(n_labels, np.bool_)
    labels = np.empty(n_labels, np.uint8)
    for i in range(base.shape[0]):
        log_weights[i], labels[:] = -np.inf, 0
        row_known = known[min(i, known.shape[0] - 1)]
        numbers = starts, parents, limit, cuts[i]
        m, log_rest, _ = _likely(base[i], rise, row_known, *numbers, odds, free, open_label, visit)
        ended[i], n_nodes[i] = VANISHED, 0
        if log_rest > math.log(_TINY):
            given = (odds, free), lists, reach, row_known, visit[:m], limit, cuts[i], math.exp(log_rest), most
            ended[i], n_nodes[i] = _search(*given, (turns, other, labels), log_weights[i], vectors[i])


@kernel
def _advance(t, n, candidate, kept, free, n_free, held, slot, log_prob):  # type: ignore[no-untyped-def]
    """Put the kept candidates in the place of the prefixes, whose labels are in `held`; return how many there are."""
    size = np.int64(0)
    for j in range(n):
        for value in range(2):
            if not kept[2 * j + value]:
                continue
            target = slot[0, j]
            if value == 1 and kept[2 * j]:
                n_free -= 1
                target = free[n_free]
                held[target, :t] = held[slot[0, j], :t]
            held[target, t] = value
            slot[1, size], log_prob[1, size], size = target, candidate[2 * j + value], size + 1
    slot[0, :size], log_prob[0, :size] = slot[1, :size], log_prob[1, :size]
    return size


@kernel
def beam_few(base, lists, rise, known, limit, least, width, vectors, log_weights, left_out, n_nodes):  # type: ignore[no-untyped-def]
    """Fill the best vectors of a beam, their log P, log P that those left out may have, and nodes.

    Labels whose P(1) stays below `least[i]` are 0 in all vectors of row i.
    """
    starts, parents, factors = lists
    n_labels, n_best = base.shape[1], vectors.shape[1]
    odds, visit = np.empty(n_labels), np.empty(n_labels, np.int64)
    open_both, open_label = np.empty(n_labels, np.bool_), np.empty(n_labels, np.bool_)
    held = np.zeros((width, n_labels), np.uint8)
    slot, log_prob = np.empty((2, width), np.int64), np.empty((2, width))
    candidate, kept, top = np.empty(2 * width), np.empty(2 * width, np.bool_), np.empty(width)
    used, free = np.empty(width, np.bool_), np.empty(width, np.int64)
    for i in range(base.shape[0]):
        row_known = known[min(i, known.shape[0] - 1)]
        m, log_rest, most_out = _likely(
            base[i], rise, row_known, starts, parents, limit, least[i], odds, open_both, open_label, visit
        )
        left_out[i] = math.log(most_out) if most_out > 0.0 else -np.inf
        held[:], slot[0, 0], log_prob[0, 0], n, n_nodes[i] = 0, 0, log_rest, np.int64(1), 0
        for t in visit[:m]:
            n_nodes[i] += n
            for j in range(n):
                score = math.log(_odds_here(t, odds, starts, parents, factors, held[slot[0, j]], limit))
                less = log_prob[0, j] - math.log1p(math.exp(-abs(score)))
                may_be_one = open_both[t] or row_known[t] == 1
                candidate[2 * j] = less + min(-score, 0.0) if open_both[t] or not may_be_one else -np.inf
                candidate[2 * j + 1] = less + min(score, 0.0) if may_be_one else -np.inf
            lowest = least_kept(candidate, 2 * n, width, top)
            above = 0
            for c in range(2 * n):
                above += candidate[c] > lowest
            left_out[i] = max(left_out[i], choose(candidate, n, lowest, width - above, kept))
            n_free = free_slots(n, kept, slot[0], used, free)
            n = _advance(t, n, candidate, kept, free, n_free, held, slot, log_prob)
        for s in range(n):
            used[s] = False
        for rank in range(min(n, n_best)):
            best = -1
            for j in range(n):
                if not used[j] and (best < 0 or log_prob[0, j] > log_prob[0, best]):
                    best = j
            used[best], log_weights[i, rank] = True, log_prob[0, best]
            vectors[i, rank] = held[slot[0, best]]
