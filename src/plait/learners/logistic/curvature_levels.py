"""`CurvatureLevels`: inverses of I + s A'A for a few values of s, which stand in for all others.

If all rows had the same second derivative s, the Hessian of a logistic regression would be I + s A'A, minus what the
intercept takes where the columns are not centred. Powers of four are near enough to any s, and labels share them.
"""

import math
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.linalg import lapack

from plait.core.arrays import Array, Floats
from plait.learners.logistic._dense_products import dense_forward, dense_forward_eights, dense_forward_pairs
from plait.learners.logistic._lanes import WIDTHS
from plait.learners.logistic._logistic_kernels import copy_lanes
from plait.learners.logistic.logistic_design import DenseDesign

__all__ = ["CurvatureLevels"]


_RATIO = 4.0

# What rounding leaves of A'A, as a share of its largest entry.
_ROUNDING = 1e-6


class CurvatureLevels:
    """Inverses for some columns of a design, made when asked for.

    Parameters
    ----------
    design : DenseDesign
        The shared matrix.
    columns : ndarray of int
        Which columns.
    dtype : dtype
        Floats of the panels.
    """

    def __init__(self, design: DenseDesign, columns: npt.NDArray[np.int64], dtype: Any) -> None:
        self._gram, self._dtype = design.gram(columns), dtype
        self._inverses: dict[float, Array] = {}

    @staticmethod
    def near(curvature: Floats) -> Floats:
        """Return the levels nearest to mean second derivatives; 0 stays 0."""
        known = curvature > 1e-290
        powers = np.round(np.log(curvature, where=known, out=np.zeros_like(curvature)) / math.log(_RATIO))
        return np.asarray(np.where(known, _RATIO**powers, 0.0))

    def solve(self, levels: Floats, panel: Array) -> Array:
        """Return (I + level A'A)^-1 times each lane of a panel; zeros in lanes of level 0."""
        found: Array | None = None
        for level in sorted(set(levels.tolist()) - {0.0}):
            product = np.empty_like(panel)
            _PRODUCTS[panel.strides[0]](self._inverse(level), panel, product, WIDTHS[panel.shape[1]])
            if found is None:
                found = product
            else:
                lanes = np.flatnonzero(levels == level)
                copy_lanes(product, lanes, found, lanes)
        if found is None:
            return np.zeros_like(panel)
        found[:, levels == 0] = 0
        return found

    def _inverse(self, level: float) -> Array:
        if level not in self._inverses:
            self._inverses[level] = self._made(level)
        return self._inverses[level]

    def _made(self, level: float) -> Array:
        """Return the inverse, by Cholesky's factors; a little more is added to the diagonal where rounding asks it."""
        scaled = self._gram * np.float32(level)
        size = float(scaled.diagonal().max(initial=0.0))
        more = _ROUNDING * size
        while True:
            H = scaled.astype(np.float64) if size > 1e4 else scaled.copy()
            H[np.diag_indices_from(H)] += 1.0 + more
            factor, failed = (lapack.dpotrf if size > 1e4 else lapack.spotrf)(H.T, lower=1, overwrite_a=1)
            if not failed:
                break
            more *= 10.0
        lower = (lapack.dpotri if size > 1e4 else lapack.spotri)(factor, lower=1, overwrite_c=1)[0]
        return np.ascontiguousarray(np.tril(lower) + np.tril(lower, -1).T, dtype=self._dtype)


_PRODUCTS = {32: dense_forward_eights, 64: dense_forward, 128: dense_forward_pairs}
