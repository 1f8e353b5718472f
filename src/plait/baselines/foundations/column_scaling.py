"""Columns of X divided by their scales once for all problems of a method, and answers brought back to their units."""

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import clone

from plait.core.arrays import Floats
from plait.learners import Learner
from plait.learners.training.column_scaling import column_scales

__all__ = ["beside", "divided_columns", "unscaled_learner"]


def divided_columns(X: Any, scales: Floats) -> Any:
    """Return X with its columns divided; X itself where that changes nothing."""
    if (scales == 1).all():
        return X
    if not sparse.issparse(X):
        return X / scales
    X = X.copy()
    X.data = X.data / scales[X.indices]
    return X


def unscaled_learner(learner: Learner, X: Any, sample_weight: Any) -> tuple[Learner, Floats]:
    """Return a learner that leaves columns as they are, and by what to divide them first, for one that would scale."""
    if "standardize" not in learner.get_params(deep=False):
        return learner, np.ones(X.shape[1])
    scales = column_scales(X, learner.get_params(deep=False)["standardize"], sample_weight)
    return clone(learner).set_params(standardize=False), scales


def beside(left: Any, right: Any) -> Any:
    """Return two blocks of columns as one matrix, sparse if one of them is.

    Examples
    --------
    >>> beside(np.ones((2, 1)), sparse.eye_array(2)).toarray()
    array([[1., 1., 0.],
           [1., 0., 1.]])
    """
    if sparse.issparse(left) or sparse.issparse(right):
        return sparse.hstack([sparse.csr_matrix(left), sparse.csr_matrix(right)], format="csr")
    return np.hstack([left, right])
