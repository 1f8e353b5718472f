"""The lengths of the steps of all lanes: where the slope of each convex objective along its step is nearly zero."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from plait.core.arrays import Floats
from plait.core.lazy_modules import lazy_module

__all__ = ["step_lengths"]

_kernels = lazy_module("plait.learners.logistic._logistic_kernels")

Slopes = Callable[[Floats], tuple[Floats, Floats]]

# A step is long enough when the slope along it has fallen to this share; Newton steps near the optimum have length 1.
_FALL = 0.3
_MOST = 30


def step_lengths(slopes: Slopes, first_slope: Floats, running: npt.NDArray[np.bool_]) -> Floats:
    """Return step lengths, 0 where `running` is False or where the first slope is not negative.

    `slopes(lengths)` gives first and second derivatives of the objectives at these lengths. The objectives are convex,
    so a root of the slope is bracketed as soon as one positive slope was seen; Newton's method stays in the bracket.
    """
    running = running & (first_slope < 0)
    lengths = np.where(running, 1.0, 0.0)
    low, high = np.zeros_like(lengths), np.full_like(lengths, np.inf)
    for _ in range(_MOST):
        slope, bend = slopes(lengths)
        if not _kernels.next_lengths(slope, bend, _FALL * np.abs(first_slope), low, high, lengths, running):
            break
    return lengths
