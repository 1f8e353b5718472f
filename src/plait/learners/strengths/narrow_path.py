"""The path of penalties over a design of few columns: all labels and splits together, by factored second derivatives.

All splits share the rows of one design; a row that a split holds out weighs nothing there. Scales that belong to the
training part of a split enter as penalties: a column divided by s instead of t is one whose penalty is (s / t)^2.
"""

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.special import expit

from plait.core.arrays import Array, Floats, Ints
from plait.core.logspace import EPSILON
from plait.learners.pairs._descent_kernels import clipped_losses
from plait.learners.pairs.bordered_inverse import cholesky_factor, solve_factored
from plait.learners.pairs.descent import DescentTask, descend
from plait.learners.pairs.pair_designs import PairDesign, pair_design
from plait.learners.strengths.strength_splitting import StrengthFold
from plait.learners.training.column_scaling import column_means, column_scales
from plait.learners.training.problem import ParentColumns, Problem

__all__ = ["NarrowPath", "PathPoint"]


KIND = np.float32
_LEAST_MASS = 1e-30
# Second derivatives are renewed when the spreads p (1 - p) of a label have moved by more than this share.
STALE = 0.3
# Spreads of two labels are the same but for a factor when they differ by no more than this share.
ALIKE = 0.05
# Steps with the matrices of labels, then with a problem's own, renewed each time.
STEPS = (6, 3, 3, 3, 3, 3, 3)
# Second derivatives are not quite those of the solution.
CAUTION = 2.0


@dataclass(frozen=True, eq=False)
class PathPoint:
    """Solutions for one strength; row r belongs to label `labels[r]` in split `folds[r]`.

    `coef` and `intercept` are in units of [X, parents], `losses` those of the held-out rows, and `errors` say how wrong
    these may be; infinite where the tolerance was not reached.
    """

    labels: Ints
    folds: Ints
    coef: Floats
    intercept: Floats
    losses: Floats
    errors: Floats


class NarrowPath:
    """Problems of some labels in all splits, to be solved for one strength after the other.

    Parameters
    ----------
    problem : Problem
        All rows, weights without class weights.
    folds : list of StrengthFold
        The splits.
    labels : ndarray of int
        Labels to solve; those that are constant in the training part of a split are left out there.
    standardize, fit_intercept : bool or str, bool
        As in `LogisticLearner`.
    """

    def __init__(
        self,
        problem: Problem,
        folds: list[StrengthFold],
        labels: Ints,
        *,
        standardize: bool | str,
        fit_intercept: bool,
    ) -> None:
        rows = [(int(label), f) for label in labels for f, fold in enumerate(folds) if label in fold.labels]
        self.labels, self.folds = np.array(rows, dtype=np.int64).reshape(-1, 2).T
        self.parents, self.fit_intercept = ParentColumns.of(problem), fit_intercept
        self.design, self.scales, self.centres = _shared_design(problem, self.parents, standardize, fit_intercept)
        self.targets = np.ascontiguousarray(problem.Y.T, dtype=KIND)
        place = (self.labels, self.folds, problem.Y.shape[0])
        self.weights, self.weight_of = _placed_weights([(fold.rows, fold.training) for fold in folds], *place)
        self.held, self.held_of = _placed_weights([(fold.held_rows, fold.held_out) for fold in folds], *place)
        self.penalty = self._penalties(folds, standardize)
        self.support = self._support(folds)
        self.coefficients = np.zeros((len(rows), self.design.size), dtype=KIND)
        if fit_intercept:
            self.coefficients[:, -1] = self._log_odds()
        self.scores = self.design.scores(self.coefficients)
        self._spread: Array | None = None
        self._grams: Array | None = None
        self._before: tuple[Array, Array] | None = None

    def _go_ahead(self) -> None:
        """Go from the last solutions on to where the two last ones lead; scores go the same way."""
        last = self.coefficients.copy(), self.scores.copy()
        if self._before is not None:
            self.coefficients += last[0] - self._before[0]
            self.scores += last[1] - self._before[1]
        self._before = last

    def solve(self, strength: float, tol: float) -> PathPoint:
        """Solve all problems for one strength, from where the solutions of the last two lead."""
        self._go_ahead()
        penalty = self.penalty / KIND(strength)
        left = np.arange(len(self.labels))
        slopes = np.full(len(left), np.inf)
        for stage, steps in enumerate(STEPS):
            inverse = self._own_inverse(left, penalty) if stage else self._shared_inverse(penalty)
            before, left = left, self._descended(left, inverse, penalty, tol, steps)
            done = np.flatnonzero(np.isin(before, left, invert=True))
            slopes[before[done]] = self._slopes(before[done], inverse, done)
            if not left.size:
                break
        return self._point(slopes * np.sqrt(2.0 * tol * self._objectives(penalty)))

    def _descended(self, rows: Ints, inverse: "_Inverses", penalty: Array, tol: float, steps: int) -> Ints:
        """Go on with some problems and return those that did not reach the tolerance."""
        task = DescentTask(
            _Rows(self, rows),
            inverse,
            self.targets,
            self.labels[rows],
            self.weights,
            self.weight_of[rows],
            penalty[rows],
            self.coefficients[rows],
            self.scores[rows],
        )
        self.coefficients[rows], reached = descend(task, tol=tol, max_iter=steps)
        self.scores[rows] = self.design.scores(self.coefficients[rows])
        return rows[~reached]

    def _shared_inverse(self, penalty: Array) -> "_Inverses":
        """Return inverses of each label's mean over splits, renewed where they have become stale."""
        _, first, kind = np.unique(self.labels, return_index=True, return_inverse=True)
        counts = np.bincount(kind)[:, None].astype(KIND)
        spread = np.add.reduceat(self._spreads(np.arange(len(kind))), first, axis=0) / counts
        if self._spread is None or self._grams is None:
            self._spread, self._grams = self._first_grams(spread)
        else:
            moved = np.abs(spread - self._spread).sum(axis=1) > STALE * self._spread.sum(axis=1)
            self._spread[moved], self._grams[moved] = spread[moved], self.design.grams(spread[moved])
        mean = np.add.reduceat(penalty, first, axis=0) / counts
        support = None if self.support is None else np.maximum.reduceat(self.support, first, axis=0)
        return _Inverses(self._grams, mean, support, kind)

    def _first_grams(self, spread: Array) -> tuple[Array, Array]:
        """Return spreads and their second derivatives; those of one label serve all where they differ by a factor.

        They do at the start of the path: nothing but the intercepts tells one row from another there.
        """
        if not len(spread):
            return spread, self.design.grams(spread)
        shares = spread.sum(axis=1) / max(float(spread[0].sum()), _LEAST_MASS)
        alike = (shares[:, None] * spread[0]).astype(KIND)
        if (np.abs(spread - alike).sum(axis=1) > ALIKE * spread.sum(axis=1)).any():
            return spread, self.design.grams(spread)
        return alike, (shares[:, None, None] * self.design.grams(spread[:1])).astype(KIND)

    def _own_inverse(self, rows: Ints, penalty: Array) -> "_Inverses":
        """Return the inverse of each of some problems, at its present solution."""
        grams = self.design.grams(self._spreads(rows))
        return _Inverses(
            grams, penalty[rows], None if self.support is None else self.support[rows], np.arange(len(rows))
        )

    def _spreads(self, rows: Ints) -> Array:
        p = expit(self.scores[rows])
        return np.asarray(self.weights[self.weight_of[rows]] * (p * (1.0 - p)))

    def columns_of(self, fold: StrengthFold) -> Ints:
        """Return the columns of [X, parents] that a split knows: without parents that are constant there."""
        n_features = fold.training.X.shape[1]
        known = np.flatnonzero(np.isin(self.parents.labels, fold.parents.labels))
        return np.concatenate([np.arange(n_features), n_features + known])

    def _point(self, errors: Floats) -> PathPoint:
        losses = self._losses(self.held, self.held_of)
        coef = self.coefficients[:, : len(self.scales)] / self.scales
        intercept = self.coefficients[:, -1] if self.fit_intercept else np.zeros(len(coef))
        return PathPoint(self.labels, self.folds, coef, intercept - coef @ self.centres, losses, errors)

    def _losses(self, weights: Array, weight_of: Ints) -> Floats:
        """Return the log-losses of all problems, with other weights than in training."""
        out = np.empty(len(self.labels))
        least, most = KIND(-math.log1p(-EPSILON)), KIND(-math.log(EPSILON))
        clipped_losses(self.scores, self.targets, self.labels, weights, weight_of, least, most, out)
        return out

    def _objectives(self, penalty: Array) -> Floats:
        penal = np.einsum("ij,ij,ij->i", penalty, self.coefficients, self.coefficients, dtype=np.float64)
        return self._losses(self.weights, self.weight_of) + 0.5 * penal

    def _slopes(self, rows: Ints, inverse: "_Inverses", places: npt.NDArray[np.intp]) -> Floats:
        """Return the norms of the gradients of held-out losses, in the norm of inverse second derivatives.

        Problem `rows[r]` is number `places[r]` of `inverse`. Second derivatives of the last steps stand in for the
        penalties in the bound of `held_out_losses`: near the solution they bound the objective from below as well, up
        to a factor that CAUTION makes up for.
        """
        residual = self.held[self.held_of[rows]] * (expit(self.scores[rows]) - self.targets[self.labels[rows]])
        gradient = self.design.gradients(residual)
        if self.support is not None:
            gradient *= self.support[rows]
        squared = np.einsum("ij,ij->i", gradient, inverse.apply(gradient, places))
        return np.asarray(CAUTION * np.sqrt(np.maximum(squared, 0.0)), dtype=np.float64)

    def _penalties(self, folds: list[StrengthFold], standardize: bool | str) -> Array:
        """Return the penalties of all coefficients at C = 1."""
        n_features = folds[0].training.X.shape[1]
        penalty = np.ones((len(folds), self.design.size))
        for f, fold in enumerate(folds):
            own = column_scales(fold.training.X, standardize, fold.training.row_weights)
            penalty[f, :n_features] = (own / self.scales[:n_features]) ** 2
        if self.fit_intercept:
            penalty[:, -1] = 0.0
        return penalty[self.folds].astype(KIND)

    def _support(self, folds: list[StrengthFold]) -> Array | None:
        """Return 1 for each coefficient that a problem may use and 0 for others, or None where all are used."""
        if not len(self.parents.labels) and folds[0].training.support is None:
            return None
        support = np.ones((len(self.labels), self.design.size), dtype=KIND)
        for f, fold in enumerate(folds):
            here = self.folds == f
            allowed = self.parents.support(fold.training)
            assert allowed is not None
            varies = np.isin(self.parents.labels, fold.parents.labels)
            allowed[:, fold.training.X.shape[1] :] &= varies
            support[here, : allowed.shape[1]] = allowed[self.labels[here]]
        return support

    def _log_odds(self) -> Array:
        """Return where intercepts start; a class of next to no weight is summed by itself, not as a difference."""
        weights, targets = self.weights[self.weight_of].astype(np.float64), self.targets[self.labels]
        ones = np.einsum("ij,ij->i", weights, targets)
        zeros = np.einsum("ij,ij->i", weights, 1 - targets)
        return np.log(np.maximum(ones, _LEAST_MASS) / np.maximum(zeros, _LEAST_MASS)).astype(KIND)


class _Rows:
    """The design as some of the problems see it."""

    def __init__(self, path: NarrowPath, rows: Ints) -> None:
        self._design = path.design
        self._support = None if path.support is None else path.support[rows]

    def scores(self, coefficients: Array, rows: npt.NDArray[np.intp]) -> Array:
        """Return the scores of coefficients."""
        return self._design.scores(coefficients)

    def gradients(self, residuals: Array, rows: npt.NDArray[np.intp]) -> Array:
        """Return the derivatives that residuals cause, zero off the support."""
        gradients = self._design.gradients(residuals)
        return gradients if self._support is None else gradients * self._support[rows]


class _Inverses:
    """Factored matrices `gram + diag(penalty)`, of which problem r uses number `kind[r]`; `kind` is sorted."""

    def __init__(self, grams: Array, penalty: Array, support: Array | None, kind: npt.NDArray[np.intp]) -> None:
        self._kind = kind
        if support is not None:
            grams = grams * support[:, None, :] * support[:, :, None]
            penalty = np.where(support > 0, penalty, KIND(1.0))
        self._factors = [cholesky_factor(gram, diagonal) for gram, diagonal in zip(grams, penalty, strict=True)]

    def apply(self, values: Array, rows: npt.NDArray[np.intp]) -> Array:
        """Return the inverse of problem `rows[r]` times row r of `values`."""
        out, kind = np.empty_like(values), self._kind[rows]
        bounds = [0, *(np.flatnonzero(kind[1:] != kind[:-1]) + 1).tolist(), len(kind)] if len(kind) else []
        for low, high in pairwise(bounds):
            out[low:high] = solve_factored(self._factors[kind[low]], values[low:high])
        return out


def _shared_design(
    problem: Problem, parents: ParentColumns, standardize: bool | str, fit_intercept: bool
) -> tuple[PairDesign, Floats, Floats]:
    """Return the design of all rows of [X, parents], with scales and centres of its columns."""
    X = problem.X
    scales = np.concatenate([column_scales(X, standardize), np.ones(len(parents.labels))])
    if parents.values is not None:
        X = sparse.hstack([X, parents.values], format="csr") if sparse.issparse(X) else np.hstack([X, parents.values])
    centred = fit_intercept and not sparse.issparse(X)
    centres = column_means(X) if centred else np.zeros(X.shape[1])
    return pair_design(X, scales, centres, intercept=fit_intercept, dtype=KIND), scales, centres


def _placed_weights(parts: list[tuple[Ints, Problem]], labels: Ints, folds: Ints, n_samples: int) -> tuple[Array, Ints]:
    """Return weights of all rows, zero outside the part of a split, and which vector each problem uses."""
    if all(part.weights is None or part.weights.ndim == 1 for _, part in parts):
        weights = np.zeros((len(parts), n_samples), dtype=KIND)
        for row, (rows, part) in zip(weights, parts, strict=True):
            row[rows] = 1.0 if part.weights is None else part.weights
        return weights, folds
    weights = np.zeros((len(labels), n_samples), dtype=KIND)
    for row, label, fold in zip(weights, labels, folds, strict=True):
        rows, part = parts[fold]
        row[rows] = part.weights_of(int(label))
    return weights, np.arange(len(labels))
