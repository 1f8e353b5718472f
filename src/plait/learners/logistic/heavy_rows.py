"""`HeavyRows`: the few rows that make a Newton system hard, taken into account exactly by the preconditioner.

Word counts have rows whose entries are a hundred times those of others. Each adds a large eigenvalue to A' S A that no
diagonal sees, and conjugate gradients need hundreds of steps. With M = D + R' S_R R, where R holds the rows with the
largest leverage s_i sum_k a_ik^2 / d_k and D is the diagonal of all others, M^-1 follows from the Woodbury identity
    M^-1 = D^-1 - D^-1 R' (S_R^-1 + R D^-1 R')^-1 R D^-1.
"""

import numpy as np

from plait.core.arrays import Array, Floats
from plait.core.lazy_modules import lazy_module
from plait.learners.logistic.logistic_design import SparseDesign

__all__ = ["HeavyRows"]

_kernels = lazy_module("plait.learners.logistic._logistic_kernels")


_ROWS = 64


class HeavyRows:
    """The rows of one lane.

    Parameters
    ----------
    design : SparseDesign
        The shared matrix.
    curvature : ndarray of shape (n_rows,)
        S of the lane.
    leverage : ndarray of shape (n_rows,)
        What each row adds to the system, relative to its diagonal.
    diagonal : ndarray of shape (n_columns,)
        Diagonal of I + A' S A; infinite off the support.
    """

    def __init__(self, design: SparseDesign, curvature: Floats, leverage: Floats, diagonal: Floats) -> None:
        n_rows = min(_ROWS, int((curvature > 0).sum()))
        rows = np.sort(np.argpartition(-leverage, n_rows - 1)[:n_rows])
        entries = design.rows(rows)
        weights = curvature[rows].astype(np.float64)
        remaining = diagonal.astype(np.float64)
        _kernels.without_rows(*entries, weights, remaining)
        self.inverse = 1 / np.maximum(remaining, 1.0)
        pointers, indices, values = entries
        used = np.zeros(design.n_columns, dtype=np.bool_)
        used[indices] = True
        self._columns, places = np.flatnonzero(used), (np.cumsum(used) - 1)[indices].astype(np.int32)
        self._entries, self._few = (pointers, places, values), self.inverse[self._columns]
        K = np.empty((n_rows, n_rows))
        _kernels.row_gram(*self._entries, self._few, np.zeros_like(self._few), K)
        K[np.diag_indices(n_rows)] += 1 / weights
        self._middle = np.linalg.inv(K)
        self._sums, self._column = np.empty(n_rows), np.empty_like(self._few)

    def correct(self, conditioned: Array, lane: int) -> None:
        """Turn D^-1 r in one lane of a panel into M^-1 r."""
        room = (self._sums, self._column)
        _kernels.corrected(*self._entries, self._columns, self._middle, self._few, conditioned, lane, *room)
