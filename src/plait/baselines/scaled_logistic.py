"""Logistic regression over several classes with the house rule for scales: the default for label sets as classes."""

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.utils.validation import check_array

from plait.baselines.scaling import divided_columns, weighted_means
from plait.core.arrays import Floats
from plait.learners.training.column_scaling import column_scales

__all__ = ["ScaledLogisticRegression"]


class ScaledLogisticRegression(LogisticRegression):
    """`LogisticRegression` on columns scaled as `LogisticLearner` scales them; coefficients are in units of X.

    Columns are divided by their standard deviation (0/1 columns and mostly empty ones are left as they are), so that
    the penalty treats columns alike. Dense columns are centred too, which a free intercept makes up for and which the
    solver likes.

    Examples
    --------
    >>> X = np.array([[0.0], [0.1], [0.4], [0.5]])
    >>> meters = ScaledLogisticRegression().fit(X, [0, 0, 1, 2])
    >>> millimeters = ScaledLogisticRegression().fit(1000 * X, [0, 0, 1, 2])
    >>> np.allclose(meters.predict_proba(X), millimeters.predict_proba(1000 * X))
    True
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "ScaledLogisticRegression":
        """Train on scaled columns."""
        X = check_array(X, accept_sparse="csr", dtype=(np.float64, np.float32))
        scales = column_scales(X, "auto", sample_weight)
        centred = self.fit_intercept and not sparse.issparse(X)
        centres = weighted_means(X, sample_weight) if centred else np.zeros(X.shape[1])
        super().fit(divided_columns(X, scales, centres), y, sample_weight)
        self.coef_: Floats = self.coef_ / scales
        self.intercept_: Floats = self.intercept_ - self.coef_ @ centres
        return self
