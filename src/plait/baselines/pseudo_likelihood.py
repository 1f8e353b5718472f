"""The penalised pseudo-likelihood of a pairwise field: objective, gradient, second derivatives in a direction."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse
from scipy.special import expit

from plait.core.arrays import Floats, Ints

__all__ = ["FieldWeights", "PseudoLikelihood"]


@dataclass(frozen=True, eq=False)
class FieldWeights:
    """The weights of a pairwise field.

    Parameters
    ----------
    coef : ndarray of shape (n_labels, n_features)
        w, weights of the features for each label.
    intercept : ndarray of shape (n_labels,)
        b, of each label.
    pair_intercept : ndarray of shape (n_labels, n_labels)
        c, of each pair of labels: symmetric, zeros in the diagonal.
    pair_coef : ndarray of shape (n_labels, n_labels, n_features), or None
        v, weights of the features for each pair; None where they do not touch pairs.
    """

    coef: Floats
    intercept: Floats
    pair_intercept: Floats
    pair_coef: Floats | None = None

    def scores(self, X: Any) -> Floats:
        """Return w_j'x + b_j, (n_rows, n_labels)."""
        return np.asarray(X @ self.coef.T) + self.intercept

    def pairs(self, X: Any) -> Floats:
        """Return c, or v_jk'x + c_jk for every row where features touch pairs."""
        if self.pair_coef is None:
            return self.pair_intercept
        n_labels = len(self.intercept)
        first, second = np.triu_indices(n_labels, 1)
        found = np.zeros((X.shape[0], n_labels, n_labels))
        found[:, first, second] = np.asarray(X @ self.pair_coef[first, second].T) + self.pair_intercept[first, second]
        return found + found.transpose(0, 2, 1)


@dataclass(frozen=True, eq=False)
class PseudoLikelihood:
    """C sum_i weight_i sum_j log-loss of P(y_j | x_i, other labels) + penalties; convex, to be minimised.

    The score of label j is w_j'x + b_j + sum_k y_k (c_jk + v_jk'x) with c and v symmetric in j and k: as many logistic
    regressions on [x, other labels] as there are labels, which share the weights of pairs. Penalties are
    ||w||^2 / 2 and C / pair_strength times half of the squares of c and v, each pair counted in both of its
    regressions; intercepts b are free.

    Parameters
    ----------
    X : ndarray or CSR matrix of float64, shape (n_samples, n_features)
        Features, scaled.
    Y : ndarray of float64, shape (n_samples, n_labels)
        Labels, 0 or 1.
    weights : ndarray of float64, shape (n_samples,)
        Weights of rows.
    C, pair_strength : float
        Inverse strengths of the penalties.
    kind : {"none", "constant", "features"}
        Whether there are pair weights, and whether features touch them.

    Notes
    -----
    Everything works on one flat vector `theta`: w, b, then c and v of the pairs j < k.
    """

    X: Any
    Y: Floats
    weights: Floats
    C: float
    pair_strength: float
    kind: str

    @cached_property
    def ends(self) -> tuple[Ints, Ints]:
        """First and second label of every pair."""
        first, second = np.triu_indices(self.Y.shape[1], 1)
        return (first[:0], second[:0]) if self.kind == "none" else (first, second)

    @cached_property
    def sizes(self) -> list[int]:
        """How many numbers of `theta` are w, b, c and v."""
        n_features, n_labels, n_pairs = self.X.shape[1], self.Y.shape[1], len(self.ends[0])
        return [n_labels * n_features, n_labels, n_pairs, n_pairs * n_features if self.kind == "features" else 0]

    @cached_property
    def penalty(self) -> Floats:
        """The penalty's second derivative, the same everywhere."""
        pair = 2.0 * self.C / self.pair_strength
        return np.repeat([1.0, 0.0, pair, pair], self.sizes)

    @cached_property
    def _of_first(self) -> Any:
        return self._places(self.ends[0])

    @cached_property
    def _of_second(self) -> Any:
        return self._places(self.ends[1])

    def _places(self, labels: Ints) -> Any:
        """Return the matrix that adds columns of pairs to columns of labels."""
        ones, shape = np.ones(len(labels)), (len(labels), self.Y.shape[1])
        return sparse.csr_array((ones, (np.arange(len(labels)), labels)), shape=shape)

    def split(self, theta: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        """Return w (n_labels, n_features), b, c (n_pairs,) and v (n_pairs, n_features)."""
        w, b, c, v = np.split(theta, np.cumsum(self.sizes)[:-1])
        n_features = self.X.shape[1]
        return w.reshape(len(b), n_features), b, c, v.reshape(len(v) // n_features, n_features)

    def scores(self, theta: Floats) -> Floats:
        """Return the score of every label given the features and the other labels; linear in `theta`."""
        w, b, c, v = self.split(theta)
        scores = np.asarray(self.X @ w.T) + b
        if len(c):
            scores += self.Y @ self._symmetric(c)
        if len(v):
            first, second = self.ends
            by_pair = np.asarray(self.X @ v.T)
            scores += (by_pair * self.Y[:, second]) @ self._of_first + (by_pair * self.Y[:, first]) @ self._of_second
        return scores

    def gathered(self, values: Floats) -> Floats:
        """Return the transpose of `scores` applied to values (n_samples, n_labels)."""
        first, second = self.ends
        parts = [np.asarray(self.X.T @ values).T.ravel(), values.sum(axis=0)]
        if len(first):
            by_label = values.T @ self.Y
            parts.append((by_label + by_label.T)[first, second])
        if self.kind == "features":
            parts.append(np.asarray(self.X.T @ self._by_pair(values)).T.ravel())
        return np.concatenate(parts)

    def _by_pair(self, values: Floats) -> Floats:
        first, second = self.ends
        return values[:, first] * self.Y[:, second] + values[:, second] * self.Y[:, first]

    def _symmetric(self, c: Floats) -> Floats:
        first, second = self.ends
        whole = np.zeros((self.Y.shape[1], self.Y.shape[1]))
        whole[first, second] = whole[second, first] = c
        return whole

    def objective(self, theta: Floats) -> tuple[float, Floats, Floats]:
        """Return the objective, its gradient, and the curvature of every score's loss for `along`."""
        scores = self.scores(theta)
        chances = expit(scores)
        rows = self.C * self.weights[:, None]
        losses = np.logaddexp(0.0, scores) - self.Y * scores
        value = float((rows * losses).sum() + 0.5 * (self.penalty * theta**2).sum())
        gradient = self.gathered(rows * (chances - self.Y)) + self.penalty * theta
        return value, gradient, rows * chances * (1.0 - chances)

    def along(self, curvature: Floats, direction: Floats) -> Floats:
        """Return the second derivatives times a direction."""
        return self.gathered(curvature * self.scores(direction)) + self.penalty * direction

    def diagonal(self, curvature: Floats) -> Floats:
        """Return the diagonal of the second derivatives."""
        squares = self.X.multiply(self.X).tocsr() if sparse.issparse(self.X) else self.X**2
        first, second = self.ends
        parts = [np.asarray(squares.T @ curvature).T.ravel(), curvature.sum(axis=0)]
        if len(first):
            by_label = curvature.T @ self.Y
            parts.append((by_label + by_label.T)[first, second])
        if self.kind == "features":
            parts.append(np.asarray(squares.T @ self._by_pair(curvature)).T.ravel())
        return np.concatenate(parts) + self.penalty

    def field(self, theta: Floats) -> FieldWeights:
        """Return the weights as matrices."""
        w, b, c, v = self.split(theta)
        n_labels = len(b)
        if self.kind != "features":
            return FieldWeights(w, b, self._symmetric(c))
        first, second = self.ends
        by_pair = np.zeros((n_labels, n_labels, self.X.shape[1]))
        by_pair[first, second] = by_pair[second, first] = v
        return FieldWeights(w, b, self._symmetric(c), by_pair)
