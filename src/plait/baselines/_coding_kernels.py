"""Kernels that look for label vectors which violate a margin most.

A vector is its row's true labels with some flipped (u_j = 1, else 0); with r the predicted minus the true labels and
s_j = 1 - 2 y_j the direction of a flip, it violates the margin by sum_j u_j + 2 r'Q(s u) - (s u)'Q(s u).

Notation
--------
metric[j, k]      : Q, symmetric and positive semidefinite
residuals[i, j]   : r of row i
signs[i, j]       : s of row i
flips[i, j]       : u of row i: where the search starts, and in the end what it found
"""

import numpy as np

from plait.core.arrays import Floats
from plait.core.compilation import kernel

__all__ = ["flip_labels"]


# Gains below this are rounding.
_GAIN = 1e-10


@kernel
def _fill_slopes(metric, residuals, signs, flips, slopes):  # type: ignore[no-untyped-def]
    """Write the derivative of the violation in each flip, for one row."""
    for j in range(residuals.shape[0]):
        total = 0.0
        for k in range(residuals.shape[0]):
            total += metric[j, k] * (residuals[k] - signs[k] * flips[k])
        slopes[j] = 1.0 + 2.0 * signs[j] * total


@kernel
def _move_flip(label, step, metric, signs, flips, slopes):  # type: ignore[no-untyped-def]
    """Change one flip by a step, and bring the derivatives up to date."""
    flips[label] += step
    for k in range(slopes.shape[0]):
        slopes[k] -= 2.0 * signs[k] * metric[k, label] * signs[label] * step


@kernel
def _best_single(metric, flips, slopes):  # type: ignore[no-untyped-def]
    """Return the label whose flip adds most, or -1 where none adds anything."""
    best, most = -1, _GAIN
    for j in range(slopes.shape[0]):
        gain = (1.0 - 2.0 * flips[j]) * slopes[j] - metric[j, j]
        if gain > most:
            best, most = j, gain
    return best


@kernel
def _best_pair(metric, signs, flips, slopes):  # type: ignore[no-untyped-def]
    """Return two labels whose flips together add most, or -1, -1 where none do."""
    first, second, most = -1, -1, _GAIN
    for j in range(slopes.shape[0]):
        way = 1.0 - 2.0 * flips[j]
        alone = way * slopes[j] - metric[j, j]
        for k in range(j):
            other = 1.0 - 2.0 * flips[k]
            gain = alone + other * slopes[k] - metric[k, k] - 2.0 * way * signs[j] * other * signs[k] * metric[j, k]
            if gain > most:
                first, second, most = j, k, gain
    return first, second


@kernel
def flip_labels(metric: Floats, residuals: Floats, signs: Floats, flips: Floats) -> None:
    """Flip the label, or where none helps the two labels, that add most to the violation, as long as some do.

    Flips are 0 or 1; a flip may be taken back. In the end no one or two flips add anything.
    """
    n_rows, n_labels = residuals.shape
    slopes = np.empty(n_labels)
    for i in range(n_rows):
        _fill_slopes(metric, residuals[i], signs[i], flips[i], slopes)
        while True:
            first, second = _best_single(metric, flips[i], slopes), -1
            if first < 0:
                first, second = _best_pair(metric, signs[i], flips[i], slopes)
            if first < 0:
                break
            _move_flip(first, 1.0 - 2.0 * flips[i, first], metric, signs[i], flips[i], slopes)
            if second >= 0:
                _move_flip(second, 1.0 - 2.0 * flips[i, second], metric, signs[i], flips[i], slopes)
