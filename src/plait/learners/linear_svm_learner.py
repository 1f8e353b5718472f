"""`LinearSVMLearner`: linear support vector machines of all labels, with the squared hinge."""

from collections.abc import Mapping
from typing import Any, ClassVar
from warnings import warn

import numpy as np
import numpy.typing as npt
from sklearn.exceptions import ConvergenceWarning

from plait.core.checks import Boolean, Constraint, Interval
from plait.core.parallel import one_blas_thread
from plait.core.sentences import ParameterError, shown
from plait.learners.conditionals import Conditionals
from plait.learners.learner import Learner
from plait.learners.linear_conditionals import LinearConditionals
from plait.learners.margins.margin_design import MarginDesign
from plait.learners.margins.margin_labels import LabelMargins, MarginLabels
from plait.learners.training.problem import Problem, constant_labels, constant_scores
from plait.learners.training.weights import CLASS_WEIGHT_RULES, class_weighted, weighing_rows

__all__ = ["LinearSVMLearner"]

_NAMED = 5


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

    parameter_rules: ClassVar[Mapping[str, tuple[Constraint, ...]]] = {
        "C": (Interval(float, 0, None, closed="neither"),),
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
        design = MarginDesign(problem, self.intercept_scaling if self.fit_intercept else None)
        labels = MarginLabels(problem, weighted, design, fitted, self.C, tol=self.tol, max_iter=self.max_iter)
        with one_blas_thread():
            margins = {k: labels.fitted(k, begin, calibrate=self.calibrate) for k in fitted}
        self._warn([label for label, found in margins.items() if not found.converged])
        return self._conditionals(problem, design, margins)

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
            warn(
                f"{type(self).__name__} did not reach tol={self.tol} in {self.max_iter} Newton steps for "
                f"{len(failed)} label(s): {named}. Raise max_iter or tol, lower C, or scale the columns of X.",
                ConvergenceWarning,
                stacklevel=4,
            )

    def _conditionals(
        self, problem: Problem, design: MarginDesign, margins: dict[int, LabelMargins]
    ) -> LinearConditionals:
        n_labels = problem.n_labels
        coef, parent_coef = np.zeros((n_labels, problem.X.shape[1])), np.zeros((n_labels, n_labels))
        intercept = constant_scores(problem.class_mass())
        n_iter, converged = np.zeros(n_labels, dtype=np.int64), np.ones(n_labels, dtype=np.bool_)
        strength: npt.NDArray[np.float64] = np.full(n_labels, np.nan)
        for k, found in margins.items():
            coef[k], intercept[k], parent_coef[k] = design.split(k, found.slope * found.w)
            intercept[k] += found.shift
            n_iter[k], converged[k], strength[k] = found.n_iter, found.converged, self.C
        return LinearConditionals(
            problem.graph,
            coef,
            parent_coef,
            intercept,
            probabilistic=self.calibrate,
            n_iter_=n_iter,
            converged_=converged,
            C_=strength,
            made_by=type(self).__name__,
        )
