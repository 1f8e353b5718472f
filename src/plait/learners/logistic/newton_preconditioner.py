"""Approximate inverses of the Hessians I + A' S A - h h' / bend of a panel, for conjugate gradients.

Two forms: the diagonal, and for dense designs of moderate width the inverse of I + s A'A. The latter replaces S by its
mean, which is close where all rows matter about alike, and leaves few steps to conjugate gradients.
"""

import numpy as np
import numpy.typing as npt

from plait.core.arrays import Array, Floats
from plait.learners.logistic.heavy_rows import HeavyRows
from plait.learners.logistic.logistic_design import SparseDesign

__all__ = ["DiagonalPreconditioner"]


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
