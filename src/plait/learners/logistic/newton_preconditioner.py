"""Approximate inverses of the Hessians I + A' S A - h h' / bend of sparse designs, for conjugate gradients.

Their diagonals; where that is too little, a few heavy rows besides, by Woodbury's identity.
"""

import numpy as np
import numpy.typing as npt

from plait.core.arrays import Array, Floats
from plait.core.lazy_modules import lazy_module
from plait.learners.logistic.logistic_design import SparseDesign

__all__ = ["DiagonalPreconditioner", "HeavyRows"]

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
        """Turn D^-1 r in one lane of a block into M^-1 r."""
        room = (self._sums, self._column)
        _kernels.corrected(*self._entries, self._columns, self._middle, self._few, conditioned, lane, *room)


# The inverses of wider matrices cost more than they save.
_WIDEST = 1000

_PREPARING = 60_000
_LEAST_PATIENCE = 12


class DiagonalPreconditioner:
    """M = I + diag(A' S A - h h' / bend), infinite off the support of each lane.

    Parameters
    ----------
    design : SparseDesign
        The shared matrix.
    """

    diagonal = True

    # Conjugate gradients stop when what is left to gain, as the preconditioner sees it, is this share of the tolerance:
    # so little that the preconditioner may be wrong by a factor.
    spare = 0.05

    def __init__(self, design: SparseDesign) -> None:
        self.design = design

    def inverse(self, curvature: Array, means: Array, inverse_bend: Floats, allowed: Array | None) -> Array:
        """Return the diagonal of M^-1; `allowed` is 1 on the support, 0 elsewhere."""
        diagonal = np.empty_like(means)
        self.design.squares(curvature, means, diagonal)
        diagonal -= means * means * inverse_bend.astype(means.dtype)
        inverse = 1 / (1 + np.maximum(diagonal, 0))
        return inverse if allowed is None else inverse * allowed

    def conditioned(self, residual: Array, inverse: Array) -> Array:
        """Return M^-1 residual."""
        return inverse * residual

    @property
    def patience(self) -> int:
        """After how many steps of conjugate gradients heavy rows pay; 0 where they cannot be taken into account.

        To prepare them costs about as much as `_PREPARING` rows of one step, so with many rows it pays soon.
        """
        return max(_LEAST_PATIENCE, _PREPARING // self.design.n_rows) if isinstance(self.design, SparseDesign) else 0

    def heavy(
        self, curvature: Array, means: Array, inverse_bend: Floats, inverse: Array, lanes: npt.NDArray[np.int64]
    ) -> dict[int, HeavyRows]:
        """Return the heavy rows of some lanes, and change `inverse` there to the diagonal of all other rows."""
        if not len(lanes) or not isinstance(self.design, SparseDesign):
            return {}
        sizes = np.empty_like(curvature)
        self.design.leverage(inverse, sizes)
        found = {}
        for lane in lanes:
            # The diagonal of I + A' S A: `inverse` without the part of the intercept.
            column, mean = inverse[:, lane].astype(np.float64), means[:, lane].astype(np.float64)
            whole = np.divide(1.0, column, out=np.full_like(column, np.inf), where=column > 0)
            whole += mean * mean * inverse_bend[lane]
            s = curvature[:, lane].astype(np.float64)
            if not s.any():
                continue
            found[int(lane)] = HeavyRows(self.design, s, s * sizes[:, lane], whole)
            inverse[:, lane] = found[int(lane)].inverse
        return found
