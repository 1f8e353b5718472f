"""Projection of the features onto the directions that depend most on the labels [ZhangZhou2010]."""

import warnings
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from plait.core.arrays import Floats
from plait.core.checks import Interval, Nothing, OneOf, check_parameters
from plait.core.labels import as_label_matrix
from plait.core.plain_rejections import plainly_rejected
from plait.features.dependence_directions import (
    Centred,
    first_positive,
    orthonormal_directions,
    uncorrelated_directions,
)
from plait.features.number_matrix import as_numbers
from plait.features.selector import SelectionWarning
from plait.features.sizes import n_wanted

__all__ = ["MDDM"]


class MDDM(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Multi-label dimension reduction by dependence maximisation: new features, not a choice of old ones.

    With C the centring of rows, the directions p maximise p' A p, A = X'C YY' CX, the Hilbert-Schmidt dependence
    between projected features and labels. Use it when many correlated features carry the same few directions; there
    are at most as many directions as labels.

    Parameters
    ----------
    n_components : int, float or None, default=None
        Directions: a number, a share of the features, or all that carry dependence. More than those are not given,
        with a warning.
    variant : {"orthonormal", "uncorrelated"}, default="orthonormal"
        P'P = I, or P'(mu X'CX + (1 - mu) I)P = I.
    mu : float, default=0.5
        Weight of the features' own scatter in the uncorrelated variant, at least 0 and below 1.

    Attributes
    ----------
    components_ : ndarray of shape (n_components_, n_features)
        Directions, by falling dependence; in each the entry of the largest size is positive.
    eigenvalues_ : ndarray of shape (n_components_,)
        Dependence of each direction.
    mean_ : ndarray of shape (n_features,)
        Means that `transform` takes off.
    n_components_ : int

    References
    ----------
    Zhang, Zhou: Multilabel dimensionality reduction via dependence maximization [ZhangZhou2010].

    Examples
    --------
    >>> X = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [2.0, 1.0, 1.0], [2.0, 0.0, 0.0]])
    >>> Y = np.array([[0], [0], [1], [1]])
    >>> MDDM().fit_transform(X, Y)
    array([[-1.],
           [-1.],
           [ 1.],
           [ 1.]])
    """

    parameter_rules: ClassVar = {
        "n_components": (Interval(int, 1, None), Interval(float, 0, 1, closed="right"), Nothing()),
        "variant": (OneOf(("orthonormal", "uncorrelated")),),
        "mu": (Interval(float, 0, 1, closed="left"),),
    }

    def __init__(self, n_components: Any = None, variant: str = "orthonormal", mu: float = 0.5) -> None:
        self.n_components = n_components
        self.variant = variant
        self.mu = mu

    def fit(self, X: Any, y: Any) -> "MDDM":
        """Find the directions.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_samples, n_features)
            Features.
        y : array or sparse matrix of shape (n_samples, n_labels)
            0/1 labels, or one column of classes.
        """
        check_parameters(self)
        with plainly_rejected(type(self).__name__, X):
            X, y = validate_data(self, X, y, accept_sparse="csr", multi_output=True)
        numbers = as_numbers(type(self).__name__, X)
        labels = as_label_matrix(type(self).__name__, y).astype(np.float64)
        self.mean_ = np.asarray(numbers.mean(axis=0)).ravel()
        directions, values = self._directions(Centred.of(numbers), Centred.of(labels))
        kept = self._n_kept(values.size, numbers.shape)
        self.components_ = first_positive(directions[:, :kept]).T
        self.eigenvalues_ = values[:kept]
        self.n_components_ = kept
        return self

    def transform(self, X: Any) -> Floats:
        """Return the projected features, centred, shape (n_samples, n_components_)."""
        check_is_fitted(self)
        with plainly_rejected(type(self).__name__, X):
            X = validate_data(self, X, accept_sparse="csr", reset=False, dtype=np.float64)
        return np.asarray(X @ self.components_.T - self.mean_ @ self.components_.T)

    def _directions(self, X: Centred, Y: Centred) -> tuple[Floats, Floats]:
        if self.variant == "orthonormal":
            directions, values = orthonormal_directions(X, Y)
        else:
            directions, values = uncorrelated_directions(X, Y, self.mu)
        if values.size:
            return directions, values
        self._warn("found no direction that depends on the labels; it gives the first feature.")
        return np.eye(X.values.shape[1], 1), np.zeros(1)

    def _n_kept(self, found: int, shape: tuple[int, int]) -> int:
        wanted = found if self.n_components is None else n_wanted(self.n_components, *shape)
        if wanted > found:
            self._warn(f"was asked for {wanted} directions, but only {found} depend on the labels; it gives those.")
        return min(wanted, found)

    def _warn(self, what: str) -> None:
        warnings.warn(f"MDDM {what}", SelectionWarning, stacklevel=4)

    @property
    def _n_features_out(self) -> int:
        return self.n_components_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.target_tags.multi_output = True
        tags.input_tags.sparse = True
        return tags
