"""Scales of the columns of X by the house rule, once for all problems of a method; rows count by their weight."""

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.base import clone

from plait.learners import Learner, LinearConditionals
from plait.learners.column_scaling import column_scales

__all__ = ["divided_columns", "in_units_of_columns", "unscaled_learner", "weighted_means", "weighted_scales"]

Floats = npt.NDArray[np.float64]

# A column whose deviation is below this share of its size is constant up to rounding and is not scaled.
_CONSTANT = 1e-12


def weighted_scales(X: Any, standardize: bool | str, sample_weight: Any = None) -> Floats:
    """Return what to divide the columns by: `column_scales` where a row counts as often as its weight says.

    Examples
    --------
    >>> X = np.array([[1.0], [3.0], [5.0]])
    >>> np.isclose(weighted_scales(X, "auto", np.array([1.0, 2.0, 1.0]))[0], np.std([1, 3, 3, 5]))
    np.True_
    """
    if sample_weight is None or standardize is False:
        return column_scales(X, standardize)
    means = weighted_means(X, sample_weight)
    deviations, sizes, kept = (_sparse_columns if sparse.issparse(X) else _dense_columns)(X, sample_weight, means)
    chosen = deviations > _CONSTANT * sizes
    if standardize == "auto":
        chosen &= ~kept
    return np.where(chosen, deviations, 1.0)


def weighted_means(X: Any, sample_weight: Any = None) -> Floats:
    """Return the means of the columns, rows counted by their weight."""
    weights = np.ones(X.shape[0]) if sample_weight is None else sample_weight
    return np.asarray(X.T @ weights).ravel() / weights.sum()


def _dense_columns(X: Any, weights: Floats, means: Floats) -> tuple[Floats, Floats, npt.NDArray[np.bool_]]:
    """Return deviations, greatest absolute values, and which columns hold 0 and 1 only or mostly zeros."""
    deviations = np.sqrt(weights @ np.square(X - means) / weights.sum())
    kept = ((X == 0) | (X == 1)).all(axis=0) | (2 * (weights @ (X != 0)) < weights.sum())
    return deviations, np.abs(X).max(axis=0).astype(np.float64), np.asarray(kept)


def _sparse_columns(X: Any, weights: Floats, means: Floats) -> tuple[Floats, Floats, npt.NDArray[np.bool_]]:
    rows, n = np.repeat(weights, np.diff(X.indptr)), X.shape[1]
    apart = np.bincount(X.indices, rows * np.square(X.data - means[X.indices]), minlength=n)
    absent = weights.sum() - np.bincount(X.indices, rows, minlength=n)
    deviations = np.sqrt((apart + absent * means**2) / weights.sum())
    others = np.bincount(X.indices, (X.data != 0) & (X.data != 1), minlength=n)
    filled = np.bincount(X.indices, rows * (X.data != 0), minlength=n)
    sizes = np.asarray(abs(X).max(axis=0).toarray()).ravel().astype(np.float64)
    return deviations, sizes, (others == 0) | (2 * filled < weights.sum())


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
    scales = weighted_scales(X, learner.get_params(deep=False)["standardize"], sample_weight)
    return clone(learner).set_params(standardize=False), scales


def in_units_of_columns(conditionals: Any, scales: Floats) -> Any:
    """Return conditionals that were trained on divided columns, for columns as they are."""
    if not isinstance(conditionals, LinearConditionals):
        return conditionals
    return replace(conditionals, coef_=conditionals.coef_ / scales)
