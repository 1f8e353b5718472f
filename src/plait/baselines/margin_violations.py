"""`MarginViolations`: the label vectors that come too close to the predictions, under a metric of label vectors."""

from typing import NamedTuple

import numpy as np

from plait.baselines import _coding_kernels as kernels
from plait.core.arrays import Floats

__all__ = ["Cut", "MarginViolations"]


# Violations closer than this are equal up to rounding.
_EQUAL = 1e-9


class Cut(NamedTuple):
    """A linear bound on the mean violation, met at the metric it was made for: <slope, Q> + offset."""

    slope: Floats
    offset: float
    value: float


class MarginViolations:
    """The mean over the rows of how far the worst label vector violates its margin, a convex function of the metric Q.

    For predictions m and true labels y of a row, a vector v should be farther from m than y is, by the number of labels
    in which v and y differ: the violation is |y - v| + (m - y)'Q(m - y) - (m - v)'Q(m - v), at least 0 since v = y.

    Parameters
    ----------
    predictions : ndarray of float64, shape (n_rows, n_labels)
        m.
    Y : ndarray of float64, shape (n_rows, n_labels)
        y.
    weights : ndarray of float64, shape (n_rows,)
        Weights of rows.

    Notes
    -----
    The worst vector is looked for by flips of one or two labels, from the true labels, from the labels that m is
    closest to, and from the last worst vector. What is found is a label vector, so that every cut holds, but there may
    be a worse one.
    """

    def __init__(self, predictions: Floats, Y: Floats, weights: Floats) -> None:
        self.residuals = np.ascontiguousarray(predictions - Y)
        self.signs = np.ascontiguousarray(1.0 - 2.0 * Y)
        self.shares = weights / weights.sum()
        self._rounded = ((predictions > 0.5) != (Y > 0.5)).astype(np.float64)
        self._last = np.zeros_like(self.residuals)

    def cut(self, metric: Floats) -> Cut:
        """Return the bound that is met at this metric, from the worst vector of every row."""
        flips = self._last = self.worst_flips(metric)
        apart = self.residuals - self.signs * flips
        slope = self._scatter(self.residuals) - self._scatter(apart)
        offset = float(self.shares @ flips.sum(axis=1))
        return Cut(slope, offset, float((slope * metric).sum()) + offset)

    def _scatter(self, rows: Floats) -> Floats:
        return (self.shares[:, None] * rows).T @ rows

    def violations(self, metric: Floats, flips: Floats) -> Floats:
        """Return the violation of one vector for every row, given as flips of the true labels."""
        moved = self.signs * flips
        return flips.sum(axis=1) + ((2.0 * self.residuals - moved) @ metric * moved).sum(axis=1)

    def worst_flips(self, metric: Floats) -> Floats:
        """Return the worst vector found for every row, as flips of the true labels."""
        found = [np.zeros_like(self._last), self._rounded.copy(), self._last.copy()]
        for flips in found:
            kernels.flip_labels(metric, self.residuals, self.signs, flips)
        values = np.stack([self.violations(metric, flips) for flips in found])
        # Of equals, up to rounding, the first: which one it is must not depend on the last digit.
        best = (values >= values.max(axis=0) - _EQUAL).argmax(axis=0)
        return np.stack(found)[best, np.arange(len(best))]
