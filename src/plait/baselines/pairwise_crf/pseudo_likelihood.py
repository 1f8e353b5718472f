"""The penalised pseudo-likelihood of a pairwise field: objective, gradient, second derivatives in a direction."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.special import expit

from plait.baselines.foundations.column_scaling import beside, divided_columns
from plait.baselines.pairwise_crf.pairwise_distribution import PairwiseDistribution
from plait.core.arrays import Floats, Ints, Labels
from plait.core.parallel import one_blas_thread
from plait.features import FeatureMask
from plait.learners import LinearConditionals, LogisticLearner
from plait.learners.training.column_scaling import column_scales
from plait.learners.training.problem import constant_labels, constant_scores

__all__ = ["CRFWeights", "PseudoLikelihood", "minimize_convex", "trained_crf"]

_MOST_PRODUCTS = 500
_HALVINGS = 40
_SLOPE = 1e-4
# Objectives that differ by less than this share are equal up to rounding.
_ROUNDING = 1e-13


@dataclass(frozen=True, eq=False)
class CRFWeights:
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
        X = X if sparse.issparse(X) else np.asarray(X, dtype=np.float64)
        return np.asarray(X @ self.coef.T) + self.intercept

    def pairs(self, X: Any) -> Floats:
        """Return c, or v_jk'x + c_jk for every row where features touch pairs."""
        if self.pair_coef is None:
            return self.pair_intercept
        X = X if sparse.issparse(X) else np.asarray(X, dtype=np.float64)
        n_labels = len(self.intercept)
        first, second = np.triu_indices(n_labels, 1)
        found = np.zeros((X.shape[0], n_labels, n_labels))
        found[:, first, second] = np.asarray(X @ self.pair_coef[first, second].T) + self.pair_intercept[first, second]
        return found + found.transpose(0, 2, 1)

    def condition(self, X: Any) -> PairwiseDistribution:
        """Return P(y | x) of every row; for few labels."""
        return PairwiseDistribution(self.scores(X), self.pairs(X))


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

    def field(self, theta: Floats) -> CRFWeights:
        """Return the weights as matrices."""
        w, b, c, v = self.split(theta)
        n_labels = len(b)
        if self.kind != "features":
            return CRFWeights(w, b, self._symmetric(c))
        first, second = self.ends
        by_pair = np.zeros((n_labels, n_labels, self.X.shape[1]))
        by_pair[first, second] = by_pair[second, first] = v
        return CRFWeights(w, b, self._symmetric(c), by_pair)


def trained_crf(
    X: Any,
    Y: Labels,
    sample_weight: Any,
    C: float,
    pair_C: float,
    kind: str,
    standardize: bool | str,
    tol: float,
    max_iter: int,
) -> tuple[CRFWeights, int, bool]:
    """Return the weights in units of X, the number of Newton steps, and whether they reached the end.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        Features.
    Y : ndarray of uint8, shape (n_samples, n_labels)
        Labels.
    sample_weight : ndarray of shape (n_samples,), or None
        Weights of rows, above 0.
    C, pair_C, kind
        Inverse strengths of the penalties and kind of pairs, as for `PseudoLikelihood`.
    standardize : bool or "auto"
        Whether columns are scaled.
    tol, max_iter
        As for `minimize_convex`.
    """
    weights = np.ones(len(Y)) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    mass = np.column_stack([weights @ (1.0 - Y), weights @ Y.astype(np.float64)])
    fitted = np.flatnonzero(~constant_labels(mass))
    scales = column_scales(X, standardize, sample_weight)
    X = divided_columns(X, scales)
    X = X.astype(np.float64) if sparse.issparse(X) else np.asarray(X, dtype=np.float64)
    problem = PseudoLikelihood(X, Y[:, fitted].astype(np.float64), weights, C, pair_C, kind)
    with one_blas_thread():
        found = minimize_convex(problem, _start(problem), tol, max_iter)
    return _whole(problem.field(found.theta), fitted, constant_scores(mass), scales), found.n_iter, found.converged


def _start(problem: PseudoLikelihood) -> Floats:
    """Return where to start: all regressions on [x, other labels] in one batch, their pair weights made symmetric."""
    n_labels, n_features = problem.Y.shape[1], problem.X.shape[1]
    start = np.zeros(sum(problem.sizes))
    if problem.pair_strength != problem.C or n_labels == 0 or problem.kind == "features":
        return start
    columns, mask = problem.X, None
    labels = problem.Y.astype(np.uint8)
    if problem.kind == "constant":
        columns = beside(problem.X, problem.Y)
        others = [np.r_[:n_features, n_features + np.delete(np.arange(n_labels), j)] for j in range(n_labels)]
        mask = FeatureMask.by_label(others, [np.zeros(len(chosen)) for chosen in others], columns.shape[1])
    learner = LogisticLearner(C=problem.C, standardize=False)
    separate = learner.fit(columns, labels, None, mask, sample_weight=problem.weights)
    assert isinstance(separate, LinearConditionals)
    w, b, c, _ = problem.split(start)
    w[:], b[:] = separate.coef_[:, :n_features], separate.intercept_
    if len(c):
        both_ways = separate.coef_[:, n_features:]
        c[:] = 0.5 * (both_ways + both_ways.T)[problem.ends]
    return start


def _whole(field: CRFWeights, fitted: npt.NDArray[np.int64], constant: Floats, scales: Floats) -> CRFWeights:
    """Return the weights of all labels, in units of X: those with one value only have an intercept and nothing else."""
    n_labels, n_features = len(constant), len(scales)
    coef, intercept, pair_intercept = np.zeros((n_labels, n_features)), constant, np.zeros((n_labels, n_labels))
    coef[fitted] = field.coef / scales
    intercept[fitted] = field.intercept
    pair_intercept[np.ix_(fitted, fitted)] = field.pair_intercept
    if field.pair_coef is None:
        return CRFWeights(coef, intercept, pair_intercept)
    pair_coef = np.zeros((n_labels, n_labels, n_features))
    pair_coef[np.ix_(fitted, fitted)] = field.pair_coef / scales
    return CRFWeights(coef, intercept, pair_intercept, pair_coef)


class ConvexProblem(Protocol):
    """What is minimised: the objective with gradient and curvature, and second derivatives in a direction."""

    def objective(self, theta: Floats) -> tuple[float, Floats, Floats]:
        """Return the objective, its gradient, and what `along` needs."""

    def along(self, curvature: Floats, direction: Floats) -> Floats:
        """Return the second derivatives times a direction."""

    def diagonal(self, curvature: Floats) -> Floats:
        """Return the diagonal of the second derivatives."""


class Minimum(NamedTuple):
    """Where the search ended: the point, the objective, the gradient's length, the steps, and whether it got there."""

    theta: Floats
    value: float
    gradient_norm: float
    n_iter: int
    converged: bool


def minimize_convex(problem: ConvexProblem, start: Floats, tol: float, max_iter: int) -> Minimum:
    """Return the minimum: the gradient is at most `tol` times as long as at zero, or rounding stops the search.

    Parameters
    ----------
    problem : ConvexProblem
        Convex, twice differentiable.
    start : ndarray of float64
        Where to start.
    tol : float
        How much shorter than at zero the gradient must get.
    max_iter : int
        Most Newton steps.
    """
    first = float(np.linalg.norm(problem.objective(np.zeros_like(start))[1]))
    goal = tol * first
    theta, (value, gradient, curvature) = start, problem.objective(start)
    for n_iter in range(max_iter):
        norm = float(np.linalg.norm(gradient))
        if norm <= goal:
            return Minimum(theta, value, norm, n_iter, True)
        # The closer the end, the more exact the step; the last one goes a little below the goal.
        enough = max(norm * min(0.1, np.sqrt(norm / first)), 0.1 * goal) if first > 0.0 else 0.1 * norm
        step = _newton_step(problem, curvature, gradient, enough)
        found = _moved(problem, theta, value, gradient, step)
        if found is None:
            # No step lowers the objective or the gradient any more: this is as far as rounding lets us go.
            return Minimum(theta, value, norm, n_iter, norm <= 1e3 * goal)
        theta, (value, gradient, curvature) = found
    norm = float(np.linalg.norm(gradient))
    return Minimum(theta, value, norm, max_iter, norm <= goal)


def _newton_step(problem: ConvexProblem, curvature: Floats, gradient: Floats, enough: float) -> Floats:
    """Return about minus the inverse second derivatives times the gradient, by preconditioned conjugate gradients."""
    scale = 1.0 / np.maximum(problem.diagonal(curvature), 1e-300)
    step, residual = np.zeros_like(gradient), -gradient
    scaled = scale * residual
    direction, product = scaled, float(residual @ scaled)
    for _ in range(_MOST_PRODUCTS):
        if np.linalg.norm(residual) <= enough:
            break
        image = problem.along(curvature, direction)
        size = product / float(direction @ image)
        step = step + size * direction
        residual = residual - size * image
        scaled = scale * residual
        product, before = float(residual @ scaled), product
        direction = scaled + (product / before) * direction
    return step


def _moved(problem: ConvexProblem, theta: Floats, value: float, gradient: Floats, step: Floats) -> Any:
    """Return the new point and what is known there, or None where no step along the direction helps."""
    slope, norm, share = float(gradient @ step), float(np.linalg.norm(gradient)), 1.0
    for _ in range(_HALVINGS):
        point = theta + share * step
        found = problem.objective(point)
        lower = found[0] <= value + _SLOPE * share * slope
        equal = abs(found[0] - value) <= _ROUNDING * abs(value)
        if (lower and not equal) or (equal and np.linalg.norm(found[1]) < 0.5 * norm):
            return point, found
        if equal:
            return None
        share *= 0.5
    return None
