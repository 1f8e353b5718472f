"""`OverlapLoss`: losses that are functions of how many labels two sets share, defined once for every form of labels."""

from abc import abstractmethod
from typing import Any, ClassVar, NamedTuple

import numpy as np
from scipy import sparse

from plait.core.arrays import Array, Floats, Labels
from plait.core.products import product
from plait.losses.loss import Loss, checked_pair

__all__ = ["Overlap", "OverlapLoss", "label_overlap", "row_overlap", "row_sums"]

# Labels are turned into floats in blocks of about this many entries, which stay in the cache of a processor.
_ENTRIES = 1 << 18


class Overlap(NamedTuple):
    """Sizes of the common part of two sets, of the true one and of the predicted one; and the number of all labels."""

    both: Floats
    true: Floats
    predicted: Floats
    n_labels: int


class OverlapLoss(Loss):
    """A loss of the sizes of two label sets and of their common part: a subclass says which in `of_overlap`.

    Examples
    --------
    >>> class Surplus(OverlapLoss):
    ...     def of_overlap(self, overlap):
    ...         return overlap.predicted - overlap.both
    >>> Surplus().value([[1, 0, 0], [1, 1, 0]], [[1, 1, 1], [1, 0, 0]])
    array([2., 0.])
    """

    takes_sparse: ClassVar[bool] = True

    @abstractmethod
    def of_overlap(self, overlap: Overlap) -> Floats:
        """Return the loss of every pair of sets whose sizes are given; arrays of any one shape.

        Parameters
        ----------
        overlap : Overlap
            Sizes of the common labels, of both sets, and of all labels.
        """

    def value(self, Y: Any, Y_pred: Any) -> Floats:
        """Return the loss of every row; both tables dense, or both canonical CSR of ones."""
        if sparse.issparse(Y):
            return self.of_overlap(row_overlap(Y, Y_pred))
        true, answers = checked_pair(type(self).__name__, Y, Y_pred)
        return self.of_overlap(row_overlap(_as_bits(true), _as_bits(answers)))

    def pairwise(self, Y: Labels, Y_pred: Any) -> Floats:
        """Return the loss of every true vector under every answer, with one product for the common labels."""
        true, answers = Y.astype(np.float32), np.asarray(Y_pred, dtype=np.float32)
        both = product(true, answers.T).astype(np.float64)
        true_sizes = np.broadcast_to(row_sums(true)[:, None], both.shape)
        return self.of_overlap(Overlap(both, true_sizes, np.broadcast_to(row_sums(answers), both.shape), Y.shape[1]))


def row_overlap(true: Any, predicted: Any) -> Overlap:
    """Return the sizes of every row: both tables 0/1 (or boolean) and dense, or both canonical CSR of ones."""
    count = _row_entries if sparse.issparse(true) else row_sums
    return Overlap(count(_common(true, predicted)), count(true), count(predicted), true.shape[1])


def label_overlap(true: Any, predicted: Any) -> Overlap:
    """Return the sizes of every column, rows in the place of labels; tables as for `row_overlap`."""
    count = _column_entries if sparse.issparse(true) else _column_sums
    return Overlap(count(_common(true, predicted)), count(true), count(predicted), true.shape[1])


def _as_bits(table: Array) -> Array:
    return table if table.dtype == np.bool_ else table == 1


def _common(true: Any, predicted: Any) -> Any:
    return sparse.csr_matrix(true.multiply(predicted)) if sparse.issparse(true) else true & predicted


def _row_entries(table: Any) -> Floats:
    return np.asarray(np.diff(table.indptr), dtype=np.float64)


def _column_entries(table: Any) -> Floats:
    return np.bincount(table.indices, minlength=table.shape[1]).astype(np.float64)


def row_sums(table: Array) -> Floats:
    """Return how many ones every row has; products with ones count several times as fast as `sum` does."""
    ones, total = np.ones(table.shape[1], dtype=np.float32), np.empty(len(table))
    for rows in _blocks(table):
        total[rows] = product(table[rows].astype(np.float32), ones)
    return total


def _column_sums(table: Array) -> Floats:
    total = np.zeros(table.shape[1])
    for rows in _blocks(table):
        part = table[rows].astype(np.float32)
        total += product(np.ones(len(part), dtype=np.float32), part)
    return total


def _blocks(table: Array) -> list[slice]:
    step = max(1, _ENTRIES // max(1, table.shape[1]))
    return [slice(start, start + step) for start in range(0, len(table), step)]
