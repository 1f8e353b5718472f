"""`F1`: one minus the harmonic mean of precision and recall of a label set."""

import numpy as np

from plait.core.arrays import Floats, Ints, Labels
from plait.core.kernel_policy import kernels_pay
from plait.core.lazy_modules import lazy_module
from plait.inference import LabelSupport
from plait.losses.loss import TIE
from plait.losses.overlap import Overlap, OverlapLoss

__all__ = ["F1"]

_kernels = lazy_module("plait.losses._kernels")

# Work of a row: its label vectors times their labels, and the third power of the number of labels. At this amount a
# row takes about 0.35 ms without kernels and 0.08 ms with them; at a hundredth of it both take 3 microseconds.
_WORK = 1 << 16
# Ones of the vectors of a block of rows, or sums of a block of rows, that are held at the same time (32 MiB).
_ENTRIES = 1 << 22


class F1(OverlapLoss):
    """`1 - 2 |y and h| / (s(y) + s(h))`, and 0 where both sets are empty.

    The decision is that of the general F-measure maximiser [Dembczynski2011]: for every size k the best set of k labels
    is read off the sums `Delta[i, k] = sum_s P(y_i = 1, s(y) = s) / (s + k)`, and the best of these sets and the empty
    one wins. Exact for the weights given, at O(a ** 3) for a row in whose vectors a labels occur. Ties go to the
    smaller set, and within a set to the labels with smaller numbers.

    References
    ----------
    [Dembczynski2011] Dembczynski, Waegeman, Cheng and Huellermeier: An Exact Algorithm for F-Measure Maximization,
    2011.

    Examples
    --------
    >>> F1().value([[1, 1, 0], [0, 0, 0]], [[0, 1, 0], [0, 0, 0]]).round(4)
    array([0.3333, 0.    ])
    """

    def of_overlap(self, overlap: Overlap) -> Floats:
        """Return one minus twice the common labels divided by the sum of both sizes."""
        both, true, predicted, _ = overlap
        sizes = true + predicted
        return np.asarray(1.0 - np.divide(2.0 * both, sizes, out=np.ones_like(both), where=sizes > 0))

    def decide(self, support: LabelSupport) -> Labels:
        """Return the label set with the largest expected F1 of every row."""
        shared, q = support.shared_vectors(), support.n_labels
        vectors = np.ascontiguousarray(support.vectors if shared is None else shared[None])
        decided = np.zeros((support.n_rows, q), dtype=np.uint8)
        if kernels_pay(vectors.shape[1] * q + q**3, _WORK):
            _kernels.largest_expected_f1(vectors, support.weights(), TIE, np.zeros((q, q + 1)), decided)
            return decided
        weights = support.weights()
        step = max(1, _ENTRIES // max(1, vectors[:1].size, q**3))
        for start in range(0, support.n_rows, step):
            rows = slice(start, start + step)
            decided[rows] = _largest_expected_f1(vectors if shared is not None else vectors[rows], weights[rows])
        return decided


def _largest_expected_f1(vectors: Labels, weights: Floats) -> Labels:
    """Return the best set of every row, as the kernel finds it: the same sums in the same order."""
    joint = _joint_with_sizes(vectors, weights)
    n_rows, q = joint.shape[:2]
    best = joint[:, :, 0].max(axis=1, initial=0.0)
    size = np.zeros(n_rows, dtype=np.int64)
    # Delta[i, k] at [:, i, k], for sets of k = 0, 1, ..., q labels.
    shares = np.zeros((n_rows, q, q + 1))
    for s in range(1, q + 1):
        shares += joint[:, :, s, None] / (s + np.arange(q + 1))
    for k in range(1, q + 1):
        total = 2.0 * np.cumsum(-np.sort(-shares[:, :, k], axis=1), axis=1)[:, k - 1]
        better = total > best + TIE
        best[better], size[better] = total[better], k
    of_size = np.take_along_axis(shares, size[:, None, None], axis=2)[:, :, 0]
    order: Ints = np.argsort(-of_size, axis=1, kind="stable")
    decided = np.zeros((n_rows, q), dtype=np.uint8)
    np.put_along_axis(decided, order, (np.arange(q) < size[:, None]).astype(np.uint8), axis=1)
    return decided


def _joint_with_sizes(vectors: Labels, weights: Floats) -> Floats:
    """Return P(y_i = 1, s(y) = s) at [row, i, s], and the probability of the empty set at [row, 0, 0]."""
    n_rows, q = len(weights), vectors.shape[2]
    sizes = vectors.sum(axis=2, dtype=np.int64)
    n_bins = q * (q + 1)
    row, place, label = np.nonzero(vectors)
    bins = label * (q + 1) + sizes[row, place]
    if len(vectors) == 1:  # one table for all rows
        bins, entries = bins + n_bins * np.arange(n_rows)[:, None], weights[:, place]
    else:
        bins, entries = bins + n_bins * row, weights[row, place]
    sums: Floats = np.bincount(bins.ravel(), weights=entries.ravel(), minlength=n_rows * n_bins).astype(np.float64)
    joint = sums.reshape(n_rows, q, q + 1)
    joint[:, 0, 0] = np.where(sizes == 0, weights, 0.0).sum(axis=1)
    return joint
