"""`LinearSVMLearner`: linear support vector machines of all labels, with the squared hinge."""

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from scipy.special import expit
from sklearn.exceptions import ConvergenceWarning

from plait.core.arrays import Floats
from plait.core.checks import Boolean, Constraint, Interval
from plait.core.parallel import one_blas_thread
from plait.core.sentences import ParameterError, shown, warn_user
from plait.learners.conditionals import Conditionals
from plait.learners.learner import Learner
from plait.learners.linear_conditionals import LinearConditionals
from plait.learners.svm.dual_coordinate_descent import DualStarts
from plait.learners.svm.rows import Design, SparseRows
from plait.learners.svm.squared_hinge import HingeFit, NewtonSteps, minimize_squared_hinge, objective_and_gradient
from plait.learners.training.problem import (
    CLASS_WEIGHT_RULES,
    Problem,
    class_weighted,
    constant_labels,
    constant_scores,
    require_moderate,
    weighing_rows,
)

__all__ = ["LinearSVMLearner", "N_FOLDS", "fit_platt", "label_folds", "platt_targets"]

# Margins are calibrated on rows held out in so many folds.
N_FOLDS = 3
MOST_STEPS = 100
# Ends when the predicted decrease is below this share of the total weight.
TOLERANCE = 1e-14


def label_folds(y: npt.NDArray[np.uint8], weights: Floats) -> npt.NDArray[np.int64]:
    """Return the fold of every row: rows of each class are dealt out in turn, those without weight to no fold (-1).

    Examples
    --------
    >>> label_folds(np.array([0, 0, 1, 0, 1, 0]), np.array([1.0, 1.0, 1.0, 0.0, 1.0, 1.0]))
    array([ 0,  1,  0, -1,  1,  2])
    """
    folds = np.full(y.size, -1, dtype=np.int64)
    for value in (0, 1):
        rows = np.flatnonzero((y == value) & (weights > 0))
        folds[rows] = np.arange(rows.size) % N_FOLDS
    return folds


def platt_targets(y: npt.NDArray[np.uint8], weights: Floats) -> Floats:
    """Return (n_1 + 1) / (n_1 + 2) for rows that have the label and 1 / (n_0 + 2) for others [Platt1999].

    Targets short of 1 and 0 keep the slope finite where the margins separate the classes.

    Examples
    --------
    >>> platt_targets(np.array([1, 0, 0]), np.ones(3)).round(4)
    array([0.6667, 0.25  , 0.25  ])
    """
    mass_1 = float(weights @ y)
    mass_0 = float(weights.sum()) - mass_1
    return np.where(y == 1, (mass_1 + 1.0) / (mass_1 + 2.0), 1.0 / (mass_0 + 2.0))


def fit_platt(margins: Floats, y: npt.NDArray[np.uint8], weights: Floats) -> tuple[float, float]:
    """Return slope and shift of the log-odds of one label, of least weighted log-loss to Platt's targets.

    The slope is kept at 0 or above. Margins that rank unseen rows worse than chance would ask for a negative one, which
    turns every decision round on the strength of noise; the best slope allowed is then 0, and the probability of every
    row is that of the targets' mean.

    Parameters
    ----------
    margins : ndarray of float64, shape (n_samples,)
        Margins of rows that took no part in their fit.
    y : ndarray of uint8, shape (n_samples,)
        The label.
    weights : ndarray of float64, shape (n_samples,)
        Weights of rows.
    """
    targets = platt_targets(y, weights)
    center, spread = _moments(margins, weights)
    level = float(weights @ targets / weights.sum())
    flat = float(np.log(level) - np.log1p(-level))
    standard = (margins - center) / spread
    # The loss is convex, so the sign of its slope at the best constant tells on which side of 0 the best slope lies.
    if not np.isfinite(spread) or weights @ (standard * (level - targets)) >= 0:
        return 0.0, flat
    slope, shift = _newton(standard, targets, weights, flat)
    return slope / spread, shift - slope * center / spread


def _moments(margins: Floats, weights: Floats) -> tuple[float, float]:
    """Return mean and standard deviation; infinity as the latter where all margins are the same."""
    center = float(weights @ margins / weights.sum())
    spread = float(np.sqrt(weights @ (margins - center) ** 2 / weights.sum()))
    return center, spread if spread > 1e-12 * max(1.0, abs(center)) else np.inf


def _loss(odds: Floats, targets: Floats, weights: Floats) -> float:
    return float(weights @ (np.logaddexp(0.0, odds) - targets * odds))


def _newton(margins: Floats, targets: Floats, weights: Floats, flat: float) -> tuple[float, float]:
    """Return the minimiser by Newton steps, halved until the loss falls enough [Lin2007, algorithm 1]."""
    design = np.column_stack([margins, np.ones_like(margins)])
    found = np.array([0.0, flat])
    loss = _loss(design @ found, targets, weights)
    for _ in range(MOST_STEPS):
        chance = expit(design @ found)
        gradient = design.T @ (weights * (chance - targets))
        curvature = (design.T * (weights * chance * (1.0 - chance))) @ design + 1e-12 * weights.sum() * np.eye(2)
        direction = -np.linalg.solve(curvature, gradient)
        promised = -float(gradient @ direction)
        if promised <= TOLERANCE * weights.sum():
            break
        step = 1.0
        while (new := _loss(design @ (found + step * direction), targets, weights)) > loss - 1e-4 * step * promised:
            step *= 0.5
            if step < 1e-10:
                return float(found[0]), float(found[1])
        found, loss = found + step * direction, new
    return float(found[0]), float(found[1])


_NAMED = 5
_LEAST_SHARE = 1e-60
# A margin that costs more is as hard as one that costs this much, whose sums are still numbers.
_MOST_COST = 1e100


class LinearSVMLearner(Learner):
    """Linear support vector machine of every label on its features and parents.

    Each label minimises `1/2 ||w||^2 + C * sum_i weight_i * max(0, 1 - t_i score_i)^2` with t_i = +1 or -1, as
    scikit-learn's `LinearSVC` does for one label with its default loss. As there, the intercept is the coefficient of a
    further column of value `intercept_scaling` and is penalised with the others. Columns are taken as they are, as in
    [OCC 8.2]; put a scaler before the model where their scales differ much.

    Scores are margins: their sign decides and their size ranks, which serves greedy inference and voting. With
    `calibrate=True` they are log-odds. Labels with one value only are not fitted, see `constant_labels`.

    Parameters
    ----------
    C : float, default=1.0
        Inverse strength of the penalty.
    fit_intercept : bool, default=True
        Whether labels have an intercept.
    intercept_scaling : float, default=1.0
        Value of the intercept's column: the larger, the less the intercept is penalised.
    tol : float, default=1e-6
        A label is solved when its objective is proved to lie within this share of the least one. The proof is a dual
        solution; what is left is usually far less.
    max_iter : int, default=100
        Most Newton steps for a label.
    class_weight : None, "balanced" or dict, default=None
        Weights of the classes 0 and 1 of each label, as in scikit-learn.
    calibrate : bool, default=False
        Whether to turn margins into log-odds by Platt scaling, which is fitted to margins of rows held out in three
        folds, stratified for each label. Class weights shape the margins but not the probabilities. Where margins of
        held-out rows rank no better than chance, all rows get the share of the label; so they do where a class has one
        row only, which no fold can do without.

    See Also
    --------
    plait.learners.LinearConditionals : what `fit` hands on.
    plait.learners.LogisticLearner : probabilities instead of margins.
    plait.learners.SklearnLearner : any scikit-learn classifier.

    References
    ----------
    [OCC] Sun and Kudo: Optimization of classifier chains via conditional likelihood maximization, 2018.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 3))
    >>> Y = (X[:, :2] + rng.normal(size=(200, 2)) > 0).astype(int)
    >>> fitted = LinearSVMLearner().fit(X, Y)
    >>> fitted.coef_.shape, fitted.converged_, fitted.probabilistic
    ((2, 3), array([ True,  True]), False)
    >>> LinearSVMLearner(calibrate=True).fit(X, Y).probabilistic
    True
    """

    weighs_labels: ClassVar[bool] = True
    parameter_rules: ClassVar[Mapping[str, tuple[Constraint, ...]]] = {
        "C": (Interval(float, 0, sys.float_info.max, closed="right"),),
        "fit_intercept": (Boolean(),),
        "intercept_scaling": (Interval(float, 0, None, closed="neither"),),
        "tol": (Interval(float, 0, None, closed="neither"),),
        "max_iter": (Interval(int, 1, None),),
        "class_weight": CLASS_WEIGHT_RULES,
        "calibrate": (Boolean(),),
    }

    def __init__(
        self,
        C: float = 1.0,
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        tol: float = 1e-6,
        max_iter: int = 100,
        class_weight: Any = None,
        calibrate: bool = False,
    ) -> None:
        self.C = C
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.tol = tol
        self.max_iter = max_iter
        self.class_weight = class_weight
        self.calibrate = calibrate

    @property
    def gives_probabilities(self) -> bool:
        """Whether margins are calibrated."""
        return bool(self.calibrate)

    def _fit(self, problem: Problem, start: Conditionals | None) -> LinearConditionals:
        begin = self._checked_start(problem, start)
        problem = weighing_rows(problem)
        weighted = class_weighted(problem, self.class_weight)
        fitted = np.flatnonzero(~constant_labels(weighted.class_mass())).tolist()
        require_moderate(type(self).__name__, problem.X)
        design = Design(problem, self.intercept_scaling if self.fit_intercept else None)
        with one_blas_thread():
            found = _LabelFits(self, problem, weighted, design, fitted).fitted(begin)
        self._warn([label for label, fit in sorted(found.items()) if not fit.converged])
        return self._conditionals(problem, design, found)

    def _checked_start(self, problem: Problem, start: Conditionals | None) -> LinearConditionals | None:
        shape = (problem.n_labels, problem.X.shape[1])
        words = shown(start)
        if start is None:
            return None
        if isinstance(start, LinearConditionals):
            if start.coef_.shape == shape:
                return start
            words = f"of {start.coef_.shape[0]} labels and {start.coef_.shape[1]} features"
        raise ParameterError(
            f"{type(self).__name__} needs start to be LinearConditionals of {shape[0]} labels and {shape[1]} features, "
            f"but it is {words}. Pass what an earlier fit of the same shape gave, or None."
        )

    def _warn(self, failed: list[int]) -> None:
        if failed:
            named = ", ".join(str(label) for label in failed[:_NAMED]) + (", ..." if len(failed) > _NAMED else "")
            warn_user(
                f"{type(self).__name__} did not reach tol={self.tol} in {self.max_iter} Newton steps for "
                f"{len(failed)} label(s): {named}. Raise max_iter or tol, lower C, or scale the columns of X.",
                ConvergenceWarning,
            )

    def _conditionals(self, problem: Problem, design: Design, found: dict[int, "_LabelFit"]) -> LinearConditionals:
        n_labels = problem.n_labels
        coef, parent_coef = np.zeros((n_labels, problem.X.shape[1])), np.zeros((n_labels, n_labels))
        intercept = constant_scores(problem.class_mass())
        n_iter, converged = np.zeros(n_labels, dtype=np.int64), np.ones(n_labels, dtype=np.bool_)
        C = np.full(n_labels, np.nan)
        for k, fit in found.items():
            coef[k], intercept[k], parent_coef[k] = design.split(k, fit.slope * fit.w)
            intercept[k] += fit.shift
            n_iter[k], converged[k], C[k] = fit.n_iter, fit.converged, self.C
        return LinearConditionals(
            problem.graph,
            coef,
            parent_coef,
            intercept,
            probabilistic=self.calibrate,
            n_iter_=n_iter,
            converged_=converged,
            C_=C,
            made_by=type(self).__name__,
        )


@dataclass(frozen=True, eq=False)
class _LabelFit:
    """The margin of one label is `w.x`, its score `slope * margin + shift`."""

    w: Floats
    n_iter: int
    converged: bool
    slope: float = 1.0
    shift: float = 0.0


class _LabelFits:
    """Fits labels of a problem one after the other, sharing the design and what can be worked out once.

    Parameters
    ----------
    learner : LinearSVMLearner
        Says how.
    problem, weighted : Problem
        With the weights of rows, and with class weights besides.
    design : Design
        Of the problem.
    labels : list of int
        Which labels to fit.
    """

    def __init__(
        self, learner: LinearSVMLearner, problem: Problem, weighted: Problem, design: Design, labels: list[int]
    ) -> None:
        self.learner, self.problem, self.weighted, self.design, self.labels = learner, problem, weighted, design, labels
        # Labels of about the same frequency take about as many passes together.
        frequency = problem.Y.sum(axis=0, dtype=np.int64)
        by_frequency = sorted(labels, key=lambda label: int(frequency[label]))
        self._starts = None
        if isinstance(design.rows, SparseRows):
            self._starts = DualStarts(design.rows, design.allowed, by_frequency, self._sign_and_cost)

    def fitted(self, begin: LinearConditionals | None) -> dict[int, _LabelFit]:
        """Return the fit of each label, from an earlier one where given."""
        found = {}
        for rows, labels in self.design.groups(self.labels):
            steps = NewtonSteps(rows, len(labels))
            for label in labels:
                found[label] = self._fitted(label, steps, None if begin is None else self.design.joined(label, begin))
        return found

    def _fitted(self, label: int, steps: NewtonSteps, start: Floats | None) -> _LabelFit:
        sign, cost = self._sign_and_cost(label)
        fit = self._solved(steps, sign, cost, start, label)
        if not self.learner.calibrate:
            return _LabelFit(fit.w, fit.n_iter, fit.converged)
        slope, shift, converged = self._calibrated(label, steps, sign, cost, fit.w)
        return _LabelFit(fit.w, fit.n_iter, fit.converged and converged, slope, shift)

    def _sign_and_cost(self, label: int) -> tuple[Floats, Floats]:
        sign = np.where(self.problem.Y[:, label] == 1, 1.0, -1.0)
        weights, C = self.weighted.weights_of(label), min(float(self.learner.C), _MOST_COST)
        if weights is None:
            return sign, np.full(sign.size, C)
        # Weights that no float64 would notice beside the largest are none: 1 / cost stays finite.
        C = min(C, _MOST_COST / max(float(weights.max()), 1e-300))
        return sign, np.where(weights > _LEAST_SHARE * weights.max(), C * weights, 0.0)

    def _solved(
        self, steps: NewtonSteps, sign: Floats, cost: Floats, start: Floats | None, label: int | None = None
    ) -> HingeFit:
        """Solve from `start` where that is better than nothing, else from where the dual leads, or from 0."""
        w, first = np.zeros(steps.rows.shape[1]), None
        if start is not None and objective_and_gradient(steps.rows, sign, cost, start)[0] < cost.sum():
            w = start
        elif label is not None and self._starts is not None:
            w, first = self._starts.start(label)
        return minimize_squared_hinge(steps, sign, cost, w, first, tol=self.learner.tol, max_iter=self.learner.max_iter)

    def _calibrated(
        self, label: int, steps: NewtonSteps, sign: Floats, cost: Floats, w: Floats
    ) -> tuple[float, float, bool]:
        """Return Platt's slope and shift from margins of held-out rows, and whether all folds converged."""
        weights = self.problem.weights_of(label)
        weights = np.ones(sign.size) if weights is None else weights
        folds = label_folds(self.problem.Y[:, label], weights)
        margins, converged = np.zeros(sign.size), True
        for fold in range(N_FOLDS):
            held_out = folds == fold
            mass = np.array([weights[~held_out] @ (sign[~held_out] == value) for value in (-1.0, 1.0)])
            if constant_labels(mass[None])[0]:
                margins[held_out] = constant_scores(mass[None])
                continue
            fit = self._solved(steps, sign, np.where(held_out, 0.0, cost), w)
            margins[held_out] = steps.rows.scores(fit.w)[held_out]
            converged = converged and fit.converged
        used = folds >= 0
        slope, shift = fit_platt(margins[used], self.problem.Y[used, label], weights[used])
        return slope, shift, converged
