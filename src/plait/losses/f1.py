"""`F1`: one minus the harmonic mean of precision and recall of a label set."""

from typing import Any

import numpy as np
import numpy.typing as npt

from plait.core.arrays import Floats
from plait.core.lazy_modules import lazy_module
from plait.inference import LabelSupport
from plait.losses.loss import TIE, Loss, checked_pair, set_sizes

__all__ = ["F1"]

_kernels = lazy_module("plait.losses._kernels")


class F1(Loss):
    """`1 - 2 |y and h| / (s(y) + s(h))`, and 0 where both sets are empty.

    The decision is that of the general F-measure maximiser [Dembczynski2011]: for every size k the best set of k labels
    is read off the sums `Delta[i, k] = sum_s P(y_i = 1, s(y) = s) / (s + k)`, and the best of these sets and the empty
    one wins. Exact for the weights given, at O(a ** 3) for a row in whose vectors a labels occur. Ties go to the
    smaller set, and within a set to the labels with smaller numbers.

    Examples
    --------
    >>> F1().value([[1, 1, 0], [0, 0, 0]], [[0, 1, 0], [0, 0, 0]]).round(4)
    array([0.3333, 0.    ])
    """

    def value(self, Y: Any, Y_pred: Any) -> Floats:
        """Return the loss of every row."""
        true, answers = checked_pair("F1", Y, Y_pred)
        return _one_minus_f1(set_sizes((true == 1) & (answers == 1)), set_sizes(true == 1) + set_sizes(answers == 1))

    def pairwise(self, Y: npt.NDArray[np.uint8], Y_pred: Any) -> Floats:
        """Return the loss of every true vector under every answer, with one product for the common labels."""
        both = (Y.astype(np.float32) @ np.asarray(Y_pred, dtype=np.float32).T).astype(np.float64)
        return _one_minus_f1(both, set_sizes(Y)[:, None] + set_sizes(Y_pred))

    def decide(self, support: LabelSupport) -> npt.NDArray[np.uint8]:
        """Return the label set with the largest expected F1 of every row."""
        shared = support.shared_vectors()
        vectors = np.ascontiguousarray(support.vectors if shared is None else shared[None])
        decided = np.zeros((support.n_rows, support.n_labels), dtype=np.uint8)
        work = np.zeros((support.n_labels, support.n_labels + 1))
        _kernels.largest_expected_f1(vectors, support.weights(), TIE, work, decided)
        return decided


def _one_minus_f1(both: Floats, sizes: Floats) -> Floats:
    return np.asarray(1.0 - np.divide(2.0 * both, sizes, out=np.ones_like(both), where=sizes > 0))
