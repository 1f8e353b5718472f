"""`GaussianColumns`: numbers as evidence for labels, each normal given the label."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.utils.sparsefuncs import mean_variance_axis

from plait.baselines.class_sums import ClassSums
from plait.core.arrays import Floats
from plait.features.engine.columns import column_bounds

__all__ = ["GaussianColumns"]


# Variances are at least so much of the variance of the whole column, plus so much.
FLOOR_SHARE, FLOOR = 1e-9, 1e-12


@dataclass(frozen=True, eq=False)
class GaussianColumns:
    """Log-odds of labels that are quadratic in the columns: the log-ratio of two normal densities each.

    Parameters
    ----------
    means, variances : ndarray of float64, shape (n_labels, 2, n_columns)
        Of each column over the rows without and with each label; NaN where there are none.
    centres, scales : ndarray of float64, shape (n_columns,)
        Columns are moved and divided by these before they are squared, which keeps digits; sparse ones are not moved.
    squares, slopes : ndarray of float64, shape (n_labels, n_columns)
        Coefficients of the squared and of the plain scaled columns.
    constant : ndarray of float64, shape (n_labels,)
        What is left.
    """

    means: Floats
    variances: Floats
    centres: Floats
    scales: Floats
    squares: Floats
    slopes: Floats
    constant: Floats

    @staticmethod
    def fitted(X: Any, classes: ClassSums) -> "GaussianColumns":
        """Return normal densities of the columns of X (dense or CSR) given each label."""
        centres, scales, varies = _scaling(X, classes.weights)
        Z = _scaled(X, centres, scales)
        with np.errstate(invalid="ignore", divide="ignore"):
            means = classes.sums(Z) / classes.mass[:, :, None]
            variances = classes.sums(_squared(Z)) / classes.mass[:, :, None] - means**2
        variances = np.maximum(variances, FLOOR_SHARE * varies + FLOOR / scales**2)
        m0, m1, v0, v1 = means[:, 0], means[:, 1], variances[:, 0], variances[:, 1]
        # A column that does not vary has the same density under both classes.
        known = varies & (classes.mass.min(axis=1) > 0)[:, None]
        squares = np.where(known, 0.5 / v0 - 0.5 / v1, 0.0)
        slopes = np.where(known, m1 / v1 - m0 / v0, 0.0)
        rest = np.where(known, 0.5 * np.log(v0 / v1) + 0.5 * m0**2 / v0 - 0.5 * m1**2 / v1, 0.0)
        return GaussianColumns(
            means * scales + centres, variances * scales**2, centres, scales, squares, slopes, rest.sum(axis=1)
        )

    def log_odds(self, X: Any) -> Floats:
        """Return the sum over columns of log P(x | label) - log P(x | no label), (n_samples, n_labels)."""
        Z = _scaled(X, self.centres, self.scales)
        return np.asarray(_squared(Z) @ self.squares.T) + np.asarray(Z @ self.slopes.T) + self.constant


def _scaling(X: Any, weights: Floats) -> tuple[Floats, Floats, npt.NDArray[np.bool_]]:
    low, high = column_bounds(X)
    varies = high > low
    if sparse.issparse(X):
        _, variances = mean_variance_axis(X.astype(np.float64), axis=0, weights=weights)
        centres = np.zeros(X.shape[1])
    else:
        centres = np.where(varies, weights @ X / weights.sum(), low)
        variances = weights @ (X - centres) ** 2 / weights.sum()
    return centres, np.sqrt(np.where(varies & (variances > 0), variances, 1.0)), varies


def _scaled(X: Any, centres: Floats, scales: Floats) -> Any:
    if not sparse.issparse(X):
        return (X - centres) / scales
    Z = sparse.csr_matrix(X, dtype=np.float64, copy=True)
    Z.data /= scales[Z.indices]
    return Z


def _squared(Z: Any) -> Any:
    return Z.multiply(Z).tocsr() if sparse.issparse(Z) else Z * Z
