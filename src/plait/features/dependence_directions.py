"""Directions of the features that depend most on the labels, with the centring of a sparse matrix left implicit.

Notation
--------
C   : centring of rows, C = I - 11'/N;  X and Y below are centred by it
M   : X'Y, shape (n_features, n_labels); A = M M' is never made
B   : mu X'X + (1 - mu) I
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import linalg, sparse

from plait.core.arrays import Floats

__all__ = ["Centred", "first_positive", "orthonormal_directions", "uncorrelated_directions"]


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
