"""Least squares for all labels at once with a sparse W, by accelerated proximal gradient [Huang2015].

    F(W) = 1/2 ||X W - Y||^2 + alpha/2 tr(W R W') + beta ||W||_1,    R = 1 - cosine of label columns

Notation
--------
target   : X'Y, shape (n_features, n_labels)
coupling : alpha R, shape (n_labels, n_labels)
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import linalg, sparse
from scipy.sparse.linalg import svds
from sklearn.linear_model import ridge_regression

__all__ = ["LabelRegression", "label_distances", "minimized", "ridge_start"]

Floats = npt.NDArray[np.float64]

# Up to this side a Gram matrix is made and factored; beyond it only products with X are.
_LARGEST_GRAM = 4096


@dataclass(frozen=True, eq=False)
class LabelRegression:
    """The problem above: its value, the gradient of its smooth part, and a bound on how fast that gradient changes.

    Parameters
    ----------
    X : ndarray or CSR matrix
    gram : ndarray or None
        X'X where it is small enough to be kept.
    target, coupling : ndarray
    y_square : float
        ||Y||^2.
    beta : float
    """

    X: Any
    gram: Floats | None
    target: Floats
    coupling: Floats
    y_square: float
    beta: float

    @classmethod
    def of(cls, X: Any, Y: Any, alpha: float, beta: float) -> "LabelRegression":
        """Prepare the problem; X and Y may be dense or sparse."""
        # The Gram matrix pays only if it is the smaller side: then W is multiplied by d x d numbers, not by 2 N x d.
        gram = _dense(X.T @ X) if X.shape[1] <= min(X.shape[0], _LARGEST_GRAM) else None
        labels = Y.astype(np.float64)
        return cls(X, gram, _dense(X.T @ labels), alpha * label_distances(labels), float(labels.sum()), beta)

    def _curved(self, W: Floats) -> Floats:
        return self.gram @ W if self.gram is not None else self.X.T @ (self.X @ W)

    def gradient(self, W: Floats) -> Floats:
        """Return X'XW - X'Y + alpha W R."""
        return self._curved(W) - self.target + W @ self.coupling

    def value(self, W: Floats) -> float:
        """Return F(W)."""
        # 1/2 ||XW - Y||^2 = 1/2 <W, X'XW - 2 X'Y> + 1/2 ||Y||^2, so that Y itself is not needed.
        square = 0.5 * float(np.sum(W * (self._curved(W) - 2.0 * self.target + W @ self.coupling)))
        return square + 0.5 * self.y_square + self.beta * float(np.abs(W).sum())

    def lipschitz(self) -> float:
        """Return sqrt(2 (||X'X||^2 + ||alpha R||^2)), which bounds the change of the gradient."""
        return math.sqrt(2.0 * (_largest_square(self.X) ** 2 + float(np.linalg.norm(self.coupling, 2)) ** 2))


def _dense(matrix: Any) -> Floats:
    return matrix.toarray() if sparse.issparse(matrix) else np.asarray(matrix)


def _largest_square(X: Any) -> float:
    """Return the largest singular value of X, squared."""
    if min(X.shape) > _LARGEST_GRAM:
        # A fixed start makes the result the same every time.
        return float(svds(X, k=1, v0=np.ones(min(X.shape)), return_singular_vectors=False)[0] ** 2)
    gram = _dense(X.T @ X) if X.shape[1] <= X.shape[0] else _dense(X @ X.T)
    last = gram.shape[0] - 1
    return max(float(linalg.eigvalsh(gram, subset_by_index=[last, last])[0]), 0.0)


def label_distances(Y: Any) -> Floats:
    """Return 1 - cosine of all pairs of label columns; 1 where a label is never on.

    Examples
    --------
    >>> label_distances(np.array([[1.0, 0, 0], [1, 1, 0]])).round(3)
    array([[0.   , 0.293, 1.   ],
           [0.293, 0.   , 1.   ],
           [1.   , 1.   , 1.   ]])
    """
    both = _dense(Y.T @ Y)
    counts = np.diagonal(both)
    lengths = np.sqrt(np.outer(counts, counts))
    return 1.0 - np.divide(both, lengths, out=np.zeros_like(both), where=lengths > 0)


def ridge_start(X: Any, Y: Any, gamma: float) -> Floats:
    """Return (X'X + gamma I)^-1 X'Y, shape (n_features, n_labels)."""
    n_samples, n_features = X.shape
    labels = Y.astype(np.float64)
    if min(X.shape) > _LARGEST_GRAM:
        solved = ridge_regression(X, _dense(labels), gamma, solver="sparse_cg", tol=1e-10)
        return np.asarray(solved).reshape(-1, n_features).T
    if n_features <= n_samples:
        kernel, right = _dense(X.T @ X), _dense(X.T @ labels)
    else:
        kernel, right = _dense(X @ X.T), _dense(labels)
    kernel[np.diag_indices_from(kernel)] += gamma
    solved = linalg.solve(kernel, right, assume_a="pos")
    return solved if n_features <= n_samples else X.T @ solved


def minimized(
    problem: LabelRegression, W: Floats, *, max_iter: int, tol: float, momentum: bool
) -> tuple[Floats, list[float]]:
    """Return W after proximal gradient steps, and F before the first and after each.

    It stops after `max_iter` steps, or when F changes by less than `tol` of itself. R is not positive semidefinite in
    general, so that F may have no minimum; steps that leave the finite numbers are not taken.
    """
    step = 1.0 / max(problem.lipschitz(), np.finfo(np.float64).tiny)
    values = [problem.value(W)]
    ahead, weight = W, 1.0
    for _ in range(max_iter):
        with np.errstate(over="ignore", invalid="ignore"):
            moved = ahead - step * problem.gradient(ahead)
            new = np.sign(moved) * np.maximum(np.abs(moved) - step * problem.beta, 0.0)
            value = problem.value(new)
        if not math.isfinite(value):
            break
        next_weight = 0.5 * (1.0 + math.sqrt(4.0 * weight**2 + 1.0))
        ahead = new + (weight - 1.0) / next_weight * (new - W) if momentum else new
        W, weight = new, next_weight
        values.append(value)
        if abs(values[-2] - value) < tol * abs(values[-2]):
            break
    return W, values
