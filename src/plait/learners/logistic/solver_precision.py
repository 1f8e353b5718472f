"""`Precision`: which floats the logistic solver works with, and how small its tolerances may be."""

from typing import Any

import numpy as np

__all__ = ["Precision"]


class Precision:
    """Kinds of floats.

    Parameters
    ----------
    name : {"auto", "float32", "float64"}
        With "auto" gradients, scores and coefficients are float64 and the Newton systems float32: errors of the
        systems cost a step at most, never accuracy.
    """

    def __init__(self, name: str) -> None:
        self.exact: Any = np.dtype(np.float32 if name == "float32" else np.float64)
        self.work: Any = np.dtype(np.float64 if name == "float64" else np.float32)

    @property
    def least_tol(self) -> float:
        """Relative decrease of the objective below which rounding decides."""
        return float(8 * np.finfo(self.exact).eps)

    @property
    def least_ratio(self) -> float:
        """How far conjugate gradients can usefully reduce a residual."""
        return 1e-3 if self.work == np.float32 else 1e-8
