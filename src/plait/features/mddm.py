"""Projection of the features onto the directions that depend most on the labels [ZhangZhou2010].

Notation
--------
C   : centring of rows, C = I - 11'/N;  X and Y below are centred by it, which stays implicit where they are sparse
M   : X'Y, shape (n_features, n_labels); A = M M' is never made
B   : mu X'X + (1 - mu) I
"""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy import linalg, sparse
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from plait.core.arrays import Floats
from plait.core.checks import Boolean, Interval, Nothing, OneOf, check_parameters
from plait.core.label_forms import read_labels
from plait.core.labels import as_label_matrix
from plait.core.plain_rejections import plainly_rejected
from plait.core.sentences import ParameterError, warn_user
from plait.features.engine.columns import as_numbers
from plait.features.engine.sizes import n_wanted
from plait.features.selector import SelectionWarning

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
        with a warning, unless `beyond_rank` says so.
    variant : {"orthonormal", "uncorrelated"}, default="orthonormal"
        P'P = I, or P'(mu X'CX + (1 - mu) I)P = I.
    mu : float, optional
        Weight of the features' own scatter in the uncorrelated variant, at least 0 and below 1; None is 0.5. The
        orthonormal variant has no such weight.
    beyond_rank : bool, default=False
        Whether the orthonormal variant goes on with directions that carry no dependence where more are asked for: any
        that are orthogonal to those before. The experiments of [OCC 8.2] did so.
    centred : bool, default=True
        Whether `transform` takes the means off. The program of the experiments of [OCC 8.2] does not, which matters
        to a learner that penalises its intercept.

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
    [OCC] Sun and Kudo: Optimization of classifier chains via conditional likelihood maximization, 2018.

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
        "mu": (Interval(float, 0, 1, closed="left"), Nothing()),
        "beyond_rank": (Boolean(),),
        "centred": (Boolean(),),
    }

    def __init__(
        self,
        n_components: Any = None,
        variant: str = "orthonormal",
        mu: float | None = None,
        beyond_rank: bool = False,
        centred: bool = True,
    ) -> None:
        self.n_components = n_components
        self.variant = variant
        self.mu = mu
        self.beyond_rank = beyond_rank
        self.centred = centred

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
        self._check_variant()
        y = None if y is None else read_labels(type(self).__name__, "y", y).table
        with plainly_rejected(type(self).__name__, X):
            X, y = validate_data(self, X, y, accept_sparse="csr", multi_output=True)
        numbers = as_numbers(type(self).__name__, X)
        labels = as_label_matrix(type(self).__name__, y).astype(np.float64)
        self.mean_ = np.asarray(numbers.mean(axis=0)).ravel()
        directions, values = self._directions(Centred.of(numbers), Centred.of(labels))
        if self.beyond_rank and self.n_components is not None:
            directions, values = completed(directions, values, n_wanted(self.n_components, *numbers.shape))
        kept = self._n_kept(values.size, numbers.shape)
        self.components_ = first_positive(directions[:, :kept]).T
        self.eigenvalues_ = values[:kept]
        self.n_components_ = kept
        return self

    def _check_variant(self) -> None:
        for name, without in (("mu", "uncorrelated"), ("beyond_rank", "orthonormal")):
            given = getattr(self, name)
            if given not in (None, False) and self.variant != without:
                raise ParameterError(
                    f"MDDM needs {name} only where variant is {without!r}, but variant is {self.variant!r} and {name} "
                    f"is {given!r}. Leave {name} out, or set variant={without!r}."
                )

    def transform(self, X: Any) -> Floats:
        """Return the projected features, shape (n_samples, n_components_).

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            Features.
        """
        check_is_fitted(self)
        with plainly_rejected(type(self).__name__, X):
            X = validate_data(self, X, accept_sparse="csr", reset=False, dtype=np.float64)
        shift = self.mean_ @ self.components_.T if self.centred else 0.0
        return np.asarray(X @ self.components_.T - shift)

    def _directions(self, X: "Centred", Y: "Centred") -> tuple[Floats, Floats]:
        if self.variant == "orthonormal":
            directions, values = orthonormal_directions(X, Y)
        else:
            directions, values = uncorrelated_directions(X, Y, 0.5 if self.mu is None else self.mu)
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
        warn_user(f"MDDM {what}", SelectionWarning)

    @property
    def _n_features_out(self) -> int:
        return self.n_components_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.target_tags.multi_output = True
        tags.input_tags.sparse = True
        return tags


_EPSILON = float(np.finfo(np.float64).eps)
# Entries this close to the largest one may decide the sign of a direction; the first of them does.
_SAME_SIZE = 1e-9


@dataclass(frozen=True, eq=False)
class Centred:
    """A matrix with its column means taken off: at once where it is dense, in every product where it is sparse."""

    values: Any
    means: Floats

    @classmethod
    def of(cls, matrix: Any) -> "Centred":
        """Centre a matrix."""
        means = np.asarray(matrix.mean(axis=0)).ravel()
        return cls(matrix, means) if sparse.issparse(matrix) else cls(matrix - means, np.zeros(means.size))

    def scatter_with(self, other: "Centred") -> Floats:
        """Return (C X)'(C Z), shape (columns of X, columns of Z)."""
        return _dense(self.values.T @ other.values) - self.values.shape[0] * np.outer(self.means, other.means)

    def kernel(self) -> Floats:
        """Return (C X)(C X)', shape (n_rows, n_rows)."""
        shift = self.values @ self.means
        return _dense(self.values @ self.values.T) - shift[:, None] - shift[None, :] + self.means @ self.means

    def combined(self, weights: Floats) -> Floats:
        """Return (C X)' weights, shape (columns of X, columns of weights)."""
        return self.values.T @ weights - np.outer(self.means, weights.sum(axis=0))

    def length(self) -> float:
        """Return the Frobenius norm of the stored matrix, to which rounding errors are in proportion."""
        return float(linalg.norm(self.values.data if sparse.issparse(self.values) else self.values))

    def filled(self) -> Floats:
        """Return the centred matrix itself."""
        return _dense(self.values) - self.means


def _dense(matrix: Any) -> Floats:
    return matrix.toarray() if sparse.issparse(matrix) else np.asarray(matrix)


def orthonormal_directions(X: Centred, Y: Centred) -> tuple[Floats, Floats]:
    """Return the eigenvectors of A = M M' with values above rounding, largest first, and the values.

    They are the left singular vectors of M, so that A itself is not needed.
    """
    vectors, singular, _ = linalg.svd(X.scatter_with(Y), full_matrices=False)
    kept = singular > _EPSILON * max(X.values.shape + Y.values.shape) * X.length() * Y.length()
    return vectors[:, kept], np.square(singular[kept])


def completed(directions: Floats, values: Floats, size: int) -> tuple[Floats, Floats]:
    """Return orthonormal directions, and further ones of value 0 that complete them to a number.

    Examples
    --------
    >>> more, values = completed(np.array([[0.6], [0.8]]), np.array([2.0]), 2)
    >>> bool(np.allclose(more.T @ more, np.eye(2))), values.tolist()
    (True, [2.0, 0.0])
    """
    found = directions.shape[1]
    if size <= found:
        return directions, values
    rest = linalg.qr(directions)[0][:, found:size]
    return np.hstack([directions, rest]), np.concatenate([values, np.zeros(size - found)])


def uncorrelated_directions(X: Centred, Y: Centred, mu: float) -> tuple[Floats, Floats]:
    """Return P with A p = l B p and P'BP = I for the values l above rounding, largest first, and the values.

    With v the eigenvectors of M'B^-1 M, p = B^-1 M v / sqrt(l).
    """
    scatter = X.scatter_with(Y)
    solved = _solved(X, Y, scatter, mu)
    inner = scatter.T @ solved
    values, vectors = linalg.eigh((inner + inner.T) / 2.0)
    values, vectors = values[::-1], vectors[:, ::-1]
    # l is a squared singular value of B^-1/2 X'Y, and B^-1/2 X' is at most 1 / sqrt(mu) and ||X|| / sqrt(1 - mu).
    reach = min(X.length() / np.sqrt(1.0 - mu), 1.0 / np.sqrt(mu) if mu > 0 else np.inf)
    noise = _EPSILON * max(X.values.shape + Y.values.shape)
    kept = values > max((noise * reach * Y.length()) ** 2, noise * values.max(initial=0.0))
    return solved @ vectors[:, kept] / np.sqrt(values[kept]), values[kept]


def _solved(X: Centred, Y: Centred, scatter: Floats, mu: float) -> Floats:
    """Return B^-1 M, by a system as large as the smaller side of X."""
    n_samples, n_features = X.values.shape
    if n_features <= n_samples:
        return linalg.solve(_mixed(X.scatter_with(X), mu), scatter, assume_a="pos")
    # B^-1 X' = X' (mu XX' + (1 - mu) I)^-1.
    return X.combined(linalg.solve(_mixed(X.kernel(), mu), Y.filled(), assume_a="pos"))


def _mixed(square: Floats, mu: float) -> Floats:
    return mu * square + (1.0 - mu) * np.eye(square.shape[0])


def first_positive(directions: Floats) -> Floats:
    """Return directions (in columns) with such signs that the entry of the largest size is positive."""
    sizes = np.abs(directions)
    deciding = np.argmax(sizes >= (1.0 - _SAME_SIZE) * sizes.max(axis=0), axis=0)
    signs = np.where(directions[deciding, np.arange(directions.shape[1])] < 0, -1.0, 1.0)
    return directions * signs
