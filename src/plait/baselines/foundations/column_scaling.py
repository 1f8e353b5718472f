"""Columns of X divided by their scales once for all problems of a method, and answers brought back to their units."""

from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import clone

from plait.core.arrays import Floats
from plait.learners import Learner, LinearConditionals
from plait.learners.training.column_scaling import column_scales

__all__ = ["beside", "divided_columns", "in_units_of_columns", "unscaled_learner", "weighted_means"]


def weighted_means(X: Any, sample_weight: Any = None) -> Floats:
    """Return the means of the columns, rows counted by their weight."""
    weights = np.ones(X.shape[0]) if sample_weight is None else sample_weight
    return np.asarray(X.T @ weights).ravel() / weights.sum()


def divided_columns(X: Any, scales: Floats, centres: Any = 0.0) -> Any:
    """Return X with centres taken away (dense X only) and columns divided; X itself where that changes nothing."""
    if (scales == 1).all() and not np.any(centres):
        return X
    if not sparse.issparse(X):
        return (X - centres) / scales
    X = X.copy()
    X.data = X.data / scales[X.indices]
    return X


def unscaled_learner(learner: Learner, X: Any, sample_weight: Any) -> tuple[Learner, Floats]:
    """Return a learner that leaves columns as they are, and by what to divide them first, for one that would scale."""
    if "standardize" not in learner.get_params(deep=False):
        return learner, np.ones(X.shape[1])
    scales = column_scales(X, learner.get_params(deep=False)["standardize"], sample_weight)
    return clone(learner).set_params(standardize=False), scales


def in_units_of_columns(conditionals: Any, scales: Floats) -> Any:
    """Return conditionals that were trained on divided columns, for columns as they are."""
    if not isinstance(conditionals, LinearConditionals):
        return conditionals
    return replace(conditionals, coef_=conditionals.coef_ / scales)


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
