"""The lengths of the steps of all lanes: where the slope of each convex objective along its step is nearly zero."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

__all__ = ["step_lengths"]

Floats = npt.NDArray[np.float64]
Slopes = Callable[[Floats], tuple[Floats, Floats]]

# A step is long enough when the slope along it has fallen to this share; Newton steps near the optimum have length 1.
_FALL = 0.3
_MOST = 30
_GROWTH = 4.0


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
        running = running & ~(np.abs(slope) <= _FALL * np.abs(first_slope))
        if not running.any():
            break
        low = np.where(running & (slope < 0), lengths, low)
        high = np.where(running & ~(slope < 0), lengths, high)
        guess = lengths - slope / np.where(bend > 0, bend, np.inf)
        lengths = np.where(running, _inside(guess, lengths, low, high), lengths)
    return lengths


def _inside(guess: Floats, lengths: Floats, low: Floats, high: Floats) -> Floats:
    """Return the guess where it lies well inside the bracket, else the middle; a little further where there is none."""
    bracketed = np.isfinite(high)
    width = np.where(bracketed, high - low, 0.0)
    well = (guess > low + 0.05 * width) & (guess < low + 0.95 * width)
    halved = np.where(well, guess, low + 0.5 * width)
    return np.where(bracketed, halved, np.clip(guess, 1.01 * lengths, _GROWTH * lengths))
