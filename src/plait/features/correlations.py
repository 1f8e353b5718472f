"""Absolute Pearson correlations of features, a few columns at a time and without filling a sparse matrix."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from plait.core.arrays import Floats
from plait.features.number_matrix import column_bounds

__all__ = ["Correlations"]


# Cells of centred labels held at one time (32 MiB).
_MOST_CELLS = 1 << 22


@dataclass(frozen=True, eq=False)
class Correlations:
    """What correlations with the columns of a matrix are made from.

    Parameters
    ----------
    values : ndarray or CSR matrix
        The columns, scaled by powers of two so that squares stay finite; centred where they hold no zeros.
    means : ndarray
        Mean of each column of `values`, still to be taken off.
    norms : ndarray
        Length of each centred column, infinite for a column that does not vary, whose correlations are 0.
    """

    values: Any
    means: Floats
    norms: Floats

    @classmethod
    def of(cls, X: Any) -> "Correlations":
        """Prepare a matrix of numbers, dense or CSR."""
        low, high = column_bounds(X)
        scales = np.ldexp(1.0, -np.frexp(np.maximum(np.abs(low), np.abs(high)))[1])
        if sparse.issparse(X):
            values = X.copy()
            values.data *= scales[values.indices]
            means = _shifted_means(values)
            norms = _sparse_norms(values, means)
        else:
            values = X * scales
            values -= values.mean(axis=0)
            means = np.zeros(X.shape[1])
            norms = np.linalg.norm(values, axis=0)
        return cls(values, means, np.where(high > low, norms, np.inf))

    @property
    def varies(self) -> npt.NDArray[np.bool_]:
        """Which columns hold more than one value."""
        return np.isfinite(self.norms)

    def with_feature(self, column: int) -> Floats:
        """Return |r| of every column with one of them."""
        picked = self.values[:, [column]]
        centred = (picked.toarray() if sparse.issparse(picked) else picked).ravel() - self.means[column]
        return np.abs(self.values.T @ (centred / self.norms[column])) / self.norms

    def mean_with_labels(self, Y: Any) -> Floats:
        """Return the mean |r| of every column with the labels; a label that does not vary counts as 0."""
        n_rows, n_labels = Y.shape
        step = max(_MOST_CELLS // max(n_rows, 1), 1)
        total = np.zeros(self.norms.size)
        for first in range(0, n_labels, step):
            block = Y[:, first : first + step]
            labels = (block.toarray() if sparse.issparse(block) else block).astype(np.float64)
            varies = labels.max(axis=0) > labels.min(axis=0)
            labels -= labels.mean(axis=0)
            labels /= np.where(varies, np.linalg.norm(labels, axis=0), np.inf)
            total += np.abs(self.values.T @ labels).sum(axis=1)
        return total / (self.norms * max(n_labels, 1))


def _shifted_means(values: Any) -> Floats:
    """Centre the columns that hold no zero, in place, and return the means that are left to the others.

    A column without zeros may lie far from 0, where products lose digits; one with zeros varies as much as it is far.
    """
    n_rows, n_columns = values.shape
    means = np.asarray(values.mean(axis=0)).ravel()
    filled = np.bincount(values.indices, minlength=n_columns) == n_rows
    values.data -= np.where(filled, means, 0.0)[values.indices]
    return np.where(filled, 0.0, means)


def _sparse_norms(values: Any, means: Floats) -> Floats:
    """Return the lengths of the centred columns: stored entries one by one, zeros by their number."""
    n_rows, n_columns = values.shape
    squares = np.square(values.data - means[values.indices])
    stored = np.bincount(values.indices, weights=squares, minlength=n_columns)
    n_zeros = n_rows - np.bincount(values.indices, minlength=n_columns)
    return np.sqrt(stored + n_zeros * np.square(means))
