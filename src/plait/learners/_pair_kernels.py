"""Compiled loops of the label pairs: the parents' share of scores, and scores of held-out rows."""

import math

from numba import njit

__all__ = ["add_parents", "score_pairs"]


@njit(cache=True)
def add_parents(scores, coefficient, parent, labels):  # type: ignore[no-untyped-def]
    """Add `coefficient[j] * labels[parent[j]]` to row j of `scores`."""
    for j in range(scores.shape[0]):
        c, k = coefficient[j], parent[j]
        for n in range(scores.shape[1]):
            scores[j, n] += c * labels[k, n]


@njit(cache=True)
def _clipped(t, epsilon):  # type: ignore[no-untyped-def]
    """Return the probability of score t, kept away from 0 and 1."""
    return min(max(1.0 / (1.0 + math.exp(-t)), epsilon), 1.0 - epsilon) if t > -700.0 else epsilon


@njit(cache=True)
def score_pairs(without, coefficient, parent, labels, target, weight, alone, epsilon, consistent, found):  # type: ignore[no-untyped-def]
    """Add to found[j] the weighted sums, over rows, of log P(y_i | x, y_j) and of the information of the pair.

    `without[j]` are the scores of label i where its parent is 0, `alone` the probabilities of all labels without
    parents, already clipped; `labels` are (n_labels, n_samples), row `parent[j]` is y_j. [PACC 13]
    """
    for j in range(without.shape[0]):
        k = parent[j]
        for n in range(without.shape[1]):
            off = _clipped(without[j, n], epsilon)
            on = _clipped(without[j, n] + coefficient[j], epsilon)
            right = on if labels[k, n] > 0 else off
            found[j, 0] += weight[n] * math.log(right if labels[target, n] > 0 else 1.0 - right)
            share = alone[k, n]
            base = share * on + (1.0 - share) * off if consistent else alone[target, n]
            gain = share * _divergence(on, base) + (1.0 - share) * _divergence(off, base)
            found[j, 1] += weight[n] * gain


@njit(cache=True)
def _divergence(p, base):  # type: ignore[no-untyped-def]
    """Return the divergence of a coin with P(1) = p from one with P(1) = base, in nats."""
    return p * math.log(p / base) + (1.0 - p) * math.log((1.0 - p) / (1.0 - base))
