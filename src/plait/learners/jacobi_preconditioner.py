"""The diagonal of the Hessians as a preconditioner, for designs that are sparse or too wide for more."""

from typing import Any

import numpy as np
import numpy.typing as npt

from plait.learners._logistic_kernels import scale_by
from plait.learners.logistic_design import Design

__all__ = ["JacobiPreconditioner"]

Panel = npt.NDArray[Any]


class JacobiPreconditioner:
    """M = I + diag(A' S A - h h' / bend) for each lane, infinite off the support.

    Parameters
    ----------
    design : Design
        The shared matrix.
    """

    def __init__(self, design: Design) -> None:
        self._design = design
        self._inverse: Panel | None = None

    def refresh(
        self, curvature: Panel, means: Panel, inverse_bend: npt.NDArray[np.float64], allowed: Panel | None
    ) -> None:
        """Take over new second derivatives; `allowed` is 1 on the support of each lane."""
        diagonal = np.empty_like(means)
        self._design.squares(curvature, diagonal)
        diagonal -= means * means * inverse_bend.astype(means.dtype)
        self._inverse = 1 / (1 + np.maximum(diagonal, 0))
        if allowed is not None:
            self._inverse *= allowed

    def apply(self, residual: Panel, out: Panel) -> None:
        """Write M^-1 residual to `out`."""
        scale_by(residual, self._inverse, out)
