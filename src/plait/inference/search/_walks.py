"""Greedy walks and beam search along a linear chain: arrays in, arrays out, the caller allocates.

A greedy walk comes with the proof that it is the mode, where it is.

Notation
--------
base[i, t]     : score of the label at place t of row i where no parent is 1
effects[a, b]  : what label a adds to the score of label b > a when it is 1
reach[a]       : label a touches labels below `reach[a]` only
known[i, t]    : the value of a known label, -1 where unknown; one row for all where nothing is known
limit          : scores are clipped to +-limit; 0 says that they are margins, without probabilities

Of the beam:
scores[s]          : scores of all later labels, given the prefix in slot s
log_prob[j]        : log P of the j-th prefix kept, the smallest prefix first; `slot[j]` is where its scores are
candidate[2j + v]  : log P of that prefix with the next label v
origin[t, j]       : which prefix of level t the j-th one of level t + 1 comes from, times two, plus the label's value
"""

import math

import numpy as np

from plait.core._exponentials import exp
from plait.core.compilation import kernel

__all__ = [
    "MOST_TOGETHER",
    "ROWS_TOGETHER",
    "beam_rows",
    "choose",
    "free_slots",
    "greedy_rows",
    "greedy_together",
    "least_kept",
    "odds_against",
    "summary",
]

ROWS_TOGETHER = 64
# Known labels cost up to 1 / EPSILON each: the product of so many still is a number.
MOST_TOGETHER = 32

_HUGE = 1e280


@kernel
def _walk(scores, effects, reach, known, labels):  # type: ignore[no-untyped-def]
    """Decide one label after the other; `scores` ends as the scores at which each was decided."""
    for t in range(scores.size):
        one = scores[t] > 0.0
        if known[t] >= 0:
            one = known[t] == 1
        labels[t] = one
        if one:
            for u in range(t + 1, reach[t]):
                scores[u] += effects[t, u]


@kernel
def odds_against(scores, labels, limit, odds):  # type: ignore[no-untyped-def]
    """Fill `odds` with P(other value) / P(value taken) of every label, given the labels before it."""
    for t in range(scores.size):
        against = -scores[t] if labels[t] == 1 else scores[t]
        odds[t] = exp(min(max(against, -limit), limit))


@kernel
def summary(odds, reach, known):  # type: ignore[no-untyped-def]
    """Return log P of the vector and whether no other vector can be more probable.

    A vector that leaves the walk at t has at most the probability of the prefix up to t with label t flipped, which
    exceeds that of the whole walk where odds[t] times the product of later 1 / P is above 1. A label that touches no
    later one never gains by a flip. Where P of the walk is above 1/2 no flip can win [PCC 13].
    """
    inverse, log_inverse, proved = 1.0, 0.0, True
    for t in range(odds.size - 1, -1, -1):
        flip_wins = odds[t] * inverse > 1.0 or log_inverse > 0.0
        proved = proved and not (flip_wins and reach[t] > t + 1 and known[t] < 0)
        inverse *= 1.0 + odds[t]
        if inverse > _HUGE:
            log_inverse += math.log(inverse)
            inverse = 1.0
    return -(log_inverse + math.log(inverse)), proved


@kernel
def greedy_rows(base, effects, reach, known, limit, scores, odds, labels, log_prob, proved):  # type: ignore[no-untyped-def]
    """Fill the greedy labels of every row, their log P, and whether they are proved to be the mode.

    `scores` and `odds` (n_labels,) are room to work in.
    """
    for i in range(base.shape[0]):
        row_known = known[min(i, known.shape[0] - 1)]
        for t in range(scores.size):
            scores[t] = base[i, t]
        _walk(scores, effects, reach, row_known, labels[i])
        if limit > 0.0:
            odds_against(scores, labels[i], limit, odds)
            log_prob[i], proved[i] = summary(odds, reach, row_known)


@kernel
def _walk_together(scores, effects, reach, known, taken):  # type: ignore[no-untyped-def]
    """Decide the labels of ROWS_TOGETHER rows, one in each column; `scores` ends as scores against the values taken."""
    lanes = scores.shape[1]
    for t in range(scores.shape[0]):
        for lane in range(lanes):
            decided = 1.0 if scores[t, lane] > 0.0 else 0.0
            taken[t, lane] = decided if known[t, lane] < 0.0 else known[t, lane]
        for u in range(t + 1, reach[t]):
            effect = effects[t, u]
            for lane in range(lanes):
                scores[u, lane] += taken[t, lane] * effect
        for lane in range(lanes):
            scores[t, lane] *= 1.0 - 2.0 * taken[t, lane]


@kernel
def _summary_together(against, reach, known, limit, inverse, wins):  # type: ignore[no-untyped-def]
    """Fill 1 / P of ROWS_TOGETHER rows, and how many flips win (see `summary`)."""
    lanes = against.shape[1]
    inverse[:] = 1.0
    wins[:] = 0.0
    for t in range(against.shape[0] - 1, -1, -1):
        branches = 1.0 if reach[t] > t + 1 else 0.0
        for lane in range(lanes):
            against[t, lane] = exp(min(max(against[t, lane], -limit), limit))
        for lane in range(lanes):
            wins[lane] += branches if against[t, lane] * inverse[lane] > 1.0 and known[t, lane] < 0.0 else 0.0
        for lane in range(lanes):
            inverse[lane] *= 1.0 + against[t, lane]


@kernel
def greedy_together(base, effects, reach, known, limit, room, labels, log_prob, proved):  # type: ignore[no-untyped-def]
    """Do the same for at most MOST_TOGETHER labels, ROWS_TOGETHER rows at a time.

    `room` (3, n_labels, ROWS_TOGETHER) starts as -1. With so few labels, adding nothing costs less than a branch that
    is guessed wrong.
    """
    n_rows, n_labels = base.shape
    scores, taken, lane_known = room[0], room[1], room[2]
    inverse, wins = np.empty(ROWS_TOGETHER), np.empty(ROWS_TOGETHER)
    for start in range(0, n_rows, ROWS_TOGETHER):
        size = min(ROWS_TOGETHER, n_rows - start)
        for lane in range(size):
            for t in range(n_labels):
                scores[t, lane] = base[start + lane, t]
        if known.shape[0] == n_rows:
            for lane in range(size):
                for t in range(n_labels):
                    lane_known[t, lane] = known[start + lane, t]
        _walk_together(scores, effects, reach, lane_known, taken)
        for lane in range(size):
            for t in range(n_labels):
                labels[start + lane, t] = np.uint8(taken[t, lane])
        if limit > 0.0:
            _summary_together(scores, reach, lane_known, limit, inverse, wins)
            for lane in range(size):
                log_prob[start + lane] = -math.log(inverse[lane])
                proved[start + lane] = wins[lane] == 0.0


@kernel
def least_kept(candidate, n, width, top):  # type: ignore[no-untyped-def]
    """Return the value of the `width`-th best of n candidates, -inf where there are no more than `width`."""
    if n <= width:
        return -np.inf
    # A heap of the best so far, the least of them first.
    for c in range(width):
        top[c] = -np.inf
    for c in range(n):
        if candidate[c] > top[0]:
            place, child = 0, 1
            while child < width:
                if child + 1 < width and top[child + 1] < top[child]:
                    child += 1
                if top[child] >= candidate[c]:
                    break
                top[place] = top[child]
                place, child = child, 2 * child + 1
            top[place] = candidate[c]
    return top[0]


@kernel
def _extend(scores, t, n, log_prob, slot, known, limit, candidate):  # type: ignore[no-untyped-def]
    """Fill the candidates: both values of label t after every prefix, -inf against what is known."""
    for j in range(n):
        score = min(max(scores[slot[j], t], -limit), limit)
        less = log_prob[j] - np.log1p(np.exp(-abs(score)))
        candidate[2 * j] = less + min(-score, 0.0) if known != 1 else -np.inf
        candidate[2 * j + 1] = less + min(score, 0.0) if known != 0 else -np.inf


@kernel
def choose(candidate, n, least, room_for_ties, kept):  # type: ignore[no-untyped-def]
    """Mark what is kept: all above `least`, and of those equal to it the smallest; return the best one left out."""
    left_out = -np.inf
    for c in range(2 * n):
        kept[c] = candidate[c] > least
        if not kept[c] and candidate[c] == least and room_for_ties > 0 and least > -np.inf:
            kept[c] = True
            room_for_ties -= 1
        if not kept[c]:
            left_out = max(left_out, candidate[c])
    return left_out


@kernel
def free_slots(n, kept, slot, used, free):  # type: ignore[no-untyped-def]
    """List the slots of prefixes of which nothing is kept, after those never used; return how many there are."""
    n_free = 0
    for s in range(used.size):
        used[s] = False
    for j in range(n):
        if kept[2 * j] or kept[2 * j + 1]:
            used[slot[j]] = True
    for s in range(used.size):
        if not used[s]:
            free[n_free] = s
            n_free += 1
    return n_free


@kernel
def _advance(scores, effects, reach, t, n, candidate, kept, free, n_free, slot, log_prob, origin):  # type: ignore[no-untyped-def]
    """Put the kept candidates in the place of the prefixes; `slot` and `log_prob` are (2, width): now, and next."""
    size = 0
    for j in range(n):
        source = slot[0, j]
        both = kept[2 * j] and kept[2 * j + 1]
        for value in range(2):
            if not kept[2 * j + value]:
                continue
            target = source
            if value == 1:
                if both:
                    n_free -= 1
                    target = free[n_free]
                    for u in range(t + 1, scores.shape[1]):
                        scores[target, u] = scores[source, u]
                for u in range(t + 1, reach[t]):
                    scores[target, u] += effects[t, u]
            slot[1, size], log_prob[1, size], origin[t, size] = target, candidate[2 * j + value], 2 * j + value
            size += 1
    for j in range(size):
        slot[0, j], log_prob[0, j] = slot[1, j], log_prob[1, j]
    return size


@kernel
def _read_back(j, origin, rank, labels):  # type: ignore[no-untyped-def]
    """Fill the labels of a vector by following its origins."""
    for t in range(origin.shape[0] - 1, -1, -1):
        labels[rank, t] = origin[t, j] & 1
        j = origin[t, j] >> 1


@kernel
def beam_rows(base, effects, reach, known, limit, width, labels, log_weights, left_out, n_nodes):  # type: ignore[no-untyped-def]
    """Fill the best vectors (n_rows, n_best, n_labels), their log P, log P of the best prefix dropped, and nodes."""
    n_labels, n_best = base.shape[1], labels.shape[1]
    scores, origin = np.empty((width, n_labels)), np.empty((n_labels, width), np.int64)
    slot, log_prob = np.empty((2, width), np.int64), np.empty((2, width))
    candidate, kept, top = np.empty(2 * width), np.empty(2 * width, np.bool_), np.empty(width)
    used, free = np.empty(width, np.bool_), np.empty(width, np.int64)
    for i in range(base.shape[0]):
        row_known = known[min(i, known.shape[0] - 1)]
        slot[0, 0], log_prob[0, 0], n = 0, 0.0, np.int64(1)
        for t in range(n_labels):
            scores[0, t] = base[i, t]
        left_out[i], n_nodes[i] = -np.inf, 0
        for t in range(n_labels):
            n_nodes[i] += n
            _extend(scores, t, n, log_prob[0], slot[0], row_known[t], limit, candidate)
            least = least_kept(candidate, 2 * n, width, top)
            above = 0
            for c in range(2 * n):
                above += candidate[c] > least
            left_out[i] = max(left_out[i], choose(candidate, n, least, width - above, kept))
            n_free = free_slots(n, kept, slot[0], used, free)
            n = _advance(scores, effects, reach, t, n, candidate, kept, free, n_free, slot, log_prob, origin)
        for s in range(n):
            used[s] = False
        for rank in range(min(n, n_best)):
            # The most probable of those left, the smallest of equals.
            best = -1
            for j in range(n):
                if not used[j] and (best < 0 or log_prob[0, j] > log_prob[0, best]):
                    best = j
            used[best], log_weights[i, rank] = True, log_prob[0, best]
            _read_back(best, origin, rank, labels[i])
