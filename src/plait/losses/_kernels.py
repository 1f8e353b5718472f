"""Loops of the general F-measure maximiser and of ranked pairs: arrays in, arrays out, the caller allocates.

Notation
--------
vectors  : label vectors, `uint8` of shape (n_rows or 1, n_vectors, n_labels); one table may serve all rows
weights  : weights that sum to one, shape (n_rows, n_vectors)
joint    : joint[i, s] = P(y_i = 1, s(y) = s) of one row, shape (n_labels, n_labels + 1)
relevant : whether a label is relevant, `bool` of shape (n_rows, n_labels)
scores   : floats of the same shape
"""

import numpy as np

from plait.core.compilation import kernel

__all__ = ["joint_with_sizes", "largest_expected_f1", "ordered_pairs"]


@kernel
def joint_with_sizes(vectors, weights, joint):  # type: ignore[no-untyped-def]
    """Add the weights of one row to `joint`; return the weight of the empty set and the largest size."""
    n_vectors, n_labels = vectors.shape
    empty, largest = 0.0, np.int64(0)
    for m in range(n_vectors):
        weight = weights[m]
        if weight == 0.0:
            continue
        size = np.int64(0)
        for i in range(n_labels):
            size += np.int64(vectors[m, i])
        if size == 0:
            empty += weight
            continue
        largest = max(largest, size)
        for i in range(n_labels):
            if vectors[m, i]:
                joint[i, size] += weight
    return empty, largest


@kernel
def _shares(joint, labels, largest, k, shares):  # type: ignore[no-untyped-def]
    """Write Delta[i, k] of the labels that occur."""
    for a in range(labels.size):
        total = 0.0
        for s in range(1, largest + 1):
            total += joint[labels[a], s] / (s + k)
        shares[a] = total


@kernel
def _best_size(joint, labels, largest, empty, tie, shares):  # type: ignore[no-untyped-def]
    """Return the size of the best set; a larger one must be better by more than `tie`."""
    best, best_size = empty, 0
    for k in range(1, labels.size + 1):
        _shares(joint, labels, largest, k, shares)
        shares.sort()
        total = 0.0
        for a in range(labels.size - 1, labels.size - 1 - k, -1):
            total += shares[a]
        if 2.0 * total > best + tie:
            best, best_size = 2.0 * total, k
    return best_size


@kernel
def _labels_that_occur(joint, largest, labels):  # type: ignore[no-untyped-def]
    """Write the labels that occur in some vector, ascending; return how many they are."""
    n_found = 0
    for i in range(joint.shape[0]):
        for s in range(1, largest + 1):
            if joint[i, s] > 0.0:
                labels[n_found] = i
                n_found += 1
                break
    return n_found


@kernel
def _give_largest(labels, shares, ascending, size, decided):  # type: ignore[no-untyped-def]
    """Give the labels with the `size` largest shares; of equal ones those with smaller numbers."""
    if size == 0:
        return
    least = ascending[labels.size - size]
    room = size
    for a in range(labels.size):
        if shares[a] > least:
            decided[labels[a]] = 1
            room -= 1
    for a in range(labels.size):
        if shares[a] == least and room > 0:
            decided[labels[a]] = 1
            room -= 1


@kernel
def largest_expected_f1(vectors, weights, tie, joint, decided):  # type: ignore[no-untyped-def]
    """Write the set with the largest expected F1 of every row to zeros; `joint` is work space of zeros.

    A label that occurs in no vector of the row adds nothing to any set and makes it larger, so only sets of labels
    that occur are looked at.
    """
    n_labels = joint.shape[0]
    every, shares, ascending = np.empty(n_labels, np.int64), np.empty(n_labels), np.empty(n_labels)
    for row in range(weights.shape[0]):
        table = vectors[row if vectors.shape[0] > 1 else 0]
        empty, largest = joint_with_sizes(table, weights[row], joint)
        n_found = _labels_that_occur(joint, largest, every)
        labels = every[:n_found]
        size = _best_size(joint, labels, largest, empty, tie, ascending[:n_found])
        _shares(joint, labels, largest, size, shares[:n_found])
        _shares(joint, labels, largest, size, ascending[:n_found])
        ascending[:n_found].sort()
        _give_largest(labels, shares, ascending[:n_found], size, decided[row])
        for i in range(n_labels):
            for s in range(largest + 1):
                joint[i, s] = 0.0


@kernel
def _below(ascending, value):  # type: ignore[no-untyped-def]
    """Return how many of the ascending entries are below the value."""
    low, high = 0, ascending.size
    while low < high:
        middle = (low + high) // 2
        if ascending[middle] < value:
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def ordered_pairs(relevant, scores, wrong, right):  # type: ignore[no-untyped-def]
    """Write each row's number of pairs (relevant a, irrelevant b) with score a < score b, and with score a > score b.

    Only the relevant scores are sorted; every irrelevant one then finds by bisection how many of them are smaller.
    """
    n_rows, n_labels = scores.shape
    work = np.empty(n_labels, scores.dtype)
    for i in range(n_rows):
        size = 0
        for j in range(n_labels):
            if relevant[i, j]:
                work[size] = scores[i, j]
                size += 1
        ascending = work[:size]
        ascending.sort()
        n_wrong, n_right = np.int64(0), np.int64(0)
        for j in range(n_labels):
            if not relevant[i, j]:
                place = _below(ascending, scores[i, j])
                n_wrong += place
                while place < size and ascending[place] == scores[i, j]:
                    place += 1
                n_right += size - place
        wrong[i], right[i] = n_wrong, n_right
