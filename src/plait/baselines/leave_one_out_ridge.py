"""Ridge regression of all labels at once, with predictions for every training row by a model that has not seen it."""

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from plait.baselines.scaling import divided_columns, weighted_means
from plait.core.arrays import Floats
from plait.core.parallel import one_blas_thread
from plait.learners.training.column_scaling import column_scales

__all__ = ["RidgeFit", "fitted_ridge"]


# Penalties to choose from, the strongest first: half powers of ten.
ALPHAS = np.geomspace(1e5, 1e-2, 15)
_LEAST_SHARE = 1e-6


class RidgeFit(NamedTuple):
    """Coefficients in units of X, predictions for the training rows, and the penalty.

    `left_out` is predicted without the row itself, `in_sample` with it.
    """

    coef: Floats
    intercept: Floats
    left_out: Floats
    in_sample: Floats
    alpha: float

    def predict(self, X: Any) -> Floats:
        """Return predictions, (n_rows, n_targets)."""
        return np.asarray(X @ self.coef.T) + self.intercept


class _Basis(NamedTuple):
    """Rows z turned so that x_i'(X'WX + alpha)^-1 x_j = sum_k z_ik z_jk / (strength_k + alpha)."""

    rows: Floats
    strengths: Floats
    directions: Floats


def fitted_ridge(X: Any, targets: Floats, sample_weight: Any = None, alpha: float | None = None) -> RidgeFit:
    """Return the ridge regression with a free intercept on scaled columns.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        Features; columns are scaled by the house rule.
    targets : ndarray of float64, shape (n_samples, n_targets)
        What to predict.
    sample_weight : ndarray of shape (n_samples,), optional
        Weights of rows; leaving a row out takes one copy away, or all of a row that weighs less.
    alpha : float, optional
        The penalty; None takes the one of least squared error on rows left out, for all targets together.
    """
    weights = np.ones(len(targets)) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    scales = column_scales(X, "auto", sample_weight)
    X = divided_columns(X, scales)
    X = X.astype(np.float64) if sparse.issparse(X) else np.asarray(X, dtype=np.float64)
    means, centre = weighted_means(X, weights), weights @ targets / weights.sum()
    with one_blas_thread():
        basis = _wide_basis(X, weights, means) if X.shape[1] > X.shape[0] else _long_basis(X, weights, means)
    turned = basis.rows.T @ (weights[:, None] * (targets - centre))
    choices = ALPHAS if alpha is None else np.array([alpha])
    fits = [_predictions(basis, turned, targets, centre, weights, choice) for choice in choices]
    errors = [float((weights[:, None] * (left_out - targets) ** 2).sum()) for _, left_out in fits]
    best = int(np.argmin(errors))
    coef = (basis.directions @ (turned / (basis.strengths + choices[best])[:, None])).T
    return RidgeFit(coef / scales, centre - coef @ means, fits[best][1], fits[best][0], float(choices[best]))


def _predictions(
    basis: _Basis, turned: Floats, targets: Floats, centre: Floats, weights: Floats, alpha: float
) -> tuple[Floats, Floats]:
    """Return predictions for the training rows with and without each row."""
    shrunk = 1.0 / (basis.strengths + alpha)
    fitted = centre + basis.rows @ (shrunk[:, None] * turned)
    leverage = basis.rows**2 @ shrunk + 1.0 / weights.sum()
    others = np.maximum(1.0 - np.minimum(weights, 1.0) * leverage, _LEAST_SHARE)
    return fitted, targets + (fitted - targets) / others[:, None]


def _long_basis(X: Any, weights: Floats, means: Floats) -> _Basis:
    """Return the basis from the products of columns."""
    weighted = sparse.diags_array(weights) @ X if sparse.issparse(X) else weights[:, None] * X
    products = X.T @ weighted
    products = products.toarray() if sparse.issparse(products) else products
    strengths, directions = np.linalg.eigh(products - weights.sum() * np.outer(means, means))
    return _Basis(np.asarray(X @ directions) - means @ directions, np.maximum(strengths, 0.0), directions)


def _wide_basis(X: Any, weights: Floats, means: Floats) -> _Basis:
    """Return the basis from the products of rows, of which there are fewer."""
    roots = np.sqrt(weights)
    products = X @ X.T
    products = products.toarray() if sparse.issparse(products) else products
    middle = np.asarray(X @ means)
    centred = products - middle[:, None] - middle + means @ means
    strengths, vectors = np.linalg.eigh(roots[:, None] * centred * roots)
    kept = strengths > 1e-12 * max(strengths[-1], 1e-300)
    strengths, vectors = strengths[kept], vectors[:, kept]
    duals = roots[:, None] * vectors / np.sqrt(strengths)
    directions = np.asarray(X.T @ duals) - np.outer(means, duals.sum(axis=0))
    return _Basis(vectors * np.sqrt(strengths) / roots[:, None], strengths, directions)
