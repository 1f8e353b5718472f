"""What flipping each label of a chain does to log P: arrays in, arrays out."""

import math

import numpy as np

from plait.core.compilation import kernel

__all__ = ["flips"]


@kernel
def flips(scores, vectors, factors, inverses, reach, limit, ratios):  # type: ignore[no-untyped-def]
    """Write what flipping each label does to log P, (n_rows, n_labels), along the order: of itself and of its children.

    A child's odds against its value, `against`, become those times a factor: no exponential for a pair of labels, and a
    logarithm for 32 of them. `inverses` are 1 / factors, `limit` is the largest odds.
    """
    n_labels, low = reach.size, 1.0 / limit
    against, before, after = np.empty(n_labels), np.empty(n_labels), np.empty(n_labels)
    for row in range(scores.shape[0]):
        y = vectors[row]
        for k in range(n_labels):
            against[k] = math.exp(-scores[row, k] if y[k] else scores[row, k])
            bounded = min(max(against[k], low), limit)
            before[k] = 1.0 + bounded
            ratios[row, k] = math.log(bounded)
        for a in range(n_labels):
            same, other = (factors[a], inverses[a]) if y[a] else (inverses[a], factors[a])
            for b in range(a + 1, reach[a]):
                odds = against[b] * (same[b] if y[b] else other[b])
                odds = odds if odds > low else low
                odds = odds if odds < limit else limit
                after[b] = before[b] / (1.0 + odds)
            total, product = 0.0, 1.0
            for b in range(a + 1, reach[a]):
                product *= after[b]
                if b & 31 == 0:
                    total += math.log(product)
                    product = 1.0
            ratios[row, a] += total + math.log(product)
