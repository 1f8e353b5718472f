"""Beam search along a linear chain: arrays in, arrays out, the caller allocates.

Notation (and that of `_greedy`)
----------------------------------------
scores[s]          : scores of all later labels, given the prefix in slot s
log_prob[j]        : log P of the j-th prefix kept, the smallest prefix first; `slot[j]` is where its scores are
candidate[2j + v]  : log P of that prefix with the next label v
origin[t, j]       : which prefix of level t the j-th one of level t + 1 comes from, times two, plus the label's value
"""

import numpy as np

from plait.core.compilation import kernel

__all__ = ["beam_rows"]


@kernel
def _least_kept(candidate, n, width, top):  # type: ignore[no-untyped-def]
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
def _choose(candidate, n, least, room_for_ties, kept):  # type: ignore[no-untyped-def]
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
def _free_slots(n, kept, slot, used, free):  # type: ignore[no-untyped-def]
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
            least = _least_kept(candidate, 2 * n, width, top)
            above = 0
            for c in range(2 * n):
                above += candidate[c] > least
            left_out[i] = max(left_out[i], _choose(candidate, n, least, width - above, kept))
            n_free = _free_slots(n, kept, slot[0], used, free)
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
