"""Greedy walks along a linear chain, and the proof that one is the mode: arrays in, arrays out, the caller allocates.

Notation
--------
base[i, t]     : score of the label at place t of row i where no parent is 1
effects[a, b]  : what label a adds to the score of label b > a when it is 1
reach[a]       : label a touches labels below `reach[a]` only
known[i, t]    : the value of a known label, -1 where unknown; one row for all where nothing is known
limit          : scores are clipped to +-limit; 0 says that they are margins, without probabilities
"""

import math

import numpy as np

from plait.core._exponentials import exp
from plait.core.compilation import kernel

__all__ = ["ROWS_TOGETHER", "MOST_TOGETHER", "greedy_together", "greedy_rows"]

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
def _odds_against(scores, labels, limit, odds):  # type: ignore[no-untyped-def]
    """Fill `odds` with P(other value) / P(value taken) of every label, given the labels before it."""
    for t in range(scores.size):
        against = -scores[t] if labels[t] == 1 else scores[t]
        odds[t] = exp(min(max(against, -limit), limit))


@kernel
def _summary(odds, reach, known):  # type: ignore[no-untyped-def]
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
            _odds_against(scores, labels[i], limit, odds)
            log_prob[i], proved[i] = _summary(odds, reach, row_known)


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
    """Fill 1 / P of ROWS_TOGETHER rows, and how many flips win (see `_summary`)."""
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
