"""Counting loops of the metrics: arrays in, arrays out, the caller allocates.

Notation
--------
Y, H              : true and predicted labels, `uint8` of shape (n_samples, n_labels)
indptr, indices   : the same labels as CSR rows, column numbers ascending within a row
both, true, predicted : counts of labels in both sets, in the true one and in the predicted one
"""

import numpy as np

from plait.core.compilation import kernel

__all__ = [
    "coverage_ranks",
    "dense_label_counts",
    "dense_row_counts",
    "ranking_errors",
    "sparse_label_counts",
    "sparse_row_counts",
]


@kernel
def dense_row_counts(Y, H, both, true, predicted):  # type: ignore[no-untyped-def]
    """Count by row."""
    n_samples, n_labels = Y.shape
    for i in range(n_samples):
        in_both, in_true, in_predicted = np.int64(0), np.int64(0), np.int64(0)
        for j in range(n_labels):
            y, h = np.int64(Y[i, j]), np.int64(H[i, j])
            in_both += y & h
            in_true += y
            in_predicted += h
        both[i], true[i], predicted[i] = in_both, in_true, in_predicted


@kernel
def dense_label_counts(Y, H, both, true, predicted):  # type: ignore[no-untyped-def]
    """Add the counts by label to zeros."""
    n_samples, n_labels = Y.shape
    for i in range(n_samples):
        for j in range(n_labels):
            y, h = np.int64(Y[i, j]), np.int64(H[i, j])
            both[j] += y & h
            true[j] += y
            predicted[j] += h


@kernel
def sparse_row_counts(indptr, indices, H_indptr, H_indices, both, true, predicted):  # type: ignore[no-untyped-def]
    """Count by row, walking along the two sorted rows together."""
    for i in range(indptr.size - 1):
        a, a_end, b, b_end = indptr[i], indptr[i + 1], H_indptr[i], H_indptr[i + 1]
        true[i], predicted[i] = a_end - a, b_end - b
        shared = 0
        while a < a_end and b < b_end:
            if indices[a] == H_indices[b]:
                shared += 1
                a += 1
                b += 1
            elif indices[a] < H_indices[b]:
                a += 1
            else:
                b += 1
        both[i] = shared


@kernel
def sparse_label_counts(indptr, indices, H_indptr, H_indices, both, true, predicted):  # type: ignore[no-untyped-def]
    """Add the counts by label to zeros, walking along the two sorted rows together."""
    for i in range(indptr.size - 1):
        a, a_end, b, b_end = indptr[i], indptr[i + 1], H_indptr[i], H_indptr[i + 1]
        for k in range(a, a_end):
            true[indices[k]] += 1
        for k in range(b, b_end):
            predicted[H_indices[k]] += 1
        while a < a_end and b < b_end:
            if indices[a] == H_indices[b]:
                both[indices[a]] += 1
                a += 1
                b += 1
            elif indices[a] < H_indices[b]:
                a += 1
            else:
                b += 1


@kernel
def _at_most(ascending, value):  # type: ignore[no-untyped-def]
    """Return how many of the ascending entries are at most the value."""
    low, high = 0, ascending.size
    while low < high:
        middle = (low + high) // 2
        if ascending[middle] <= value:
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def ranking_errors(indptr, indices, scores, relevant, errors):  # type: ignore[no-untyped-def]
    """Write each row's number of pairs (relevant a, irrelevant b) with score a <= score b.

    Only the relevant scores are sorted, into the work space `relevant`; every label then finds its errors by
    bisection. Pairs of two relevant labels are counted too and taken off again.
    """
    n_samples, n_labels = scores.shape
    for i in range(n_samples):
        start, size = indptr[i], indptr[i + 1] - indptr[i]
        for k in range(size):
            relevant[k] = scores[i, indices[start + k]]
        ascending = relevant[:size]
        ascending.sort()
        wrong = 0
        for j in range(n_labels):
            wrong += _at_most(ascending, scores[i, j])
        for k in range(size):
            wrong -= _at_most(ascending, ascending[k])
        errors[i] = wrong


@kernel
def coverage_ranks(indptr, indices, scores, ranks):  # type: ignore[no-untyped-def]
    """Write each row's number of labels that score at least as much as its worst relevant label; 1 without any."""
    n_samples, n_labels = scores.shape
    for i in range(n_samples):
        if indptr[i] == indptr[i + 1]:
            ranks[i] = 1
            continue
        worst = scores[i, indices[indptr[i]]]
        for k in range(indptr[i], indptr[i + 1]):
            worst = min(worst, scores[i, indices[k]])
        rank = 0
        for j in range(n_labels):
            if scores[i, j] >= worst:
                rank += 1
        ranks[i] = rank
