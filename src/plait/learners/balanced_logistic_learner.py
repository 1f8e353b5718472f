"""`BalancedLogisticLearner`: logistic regression in which one parent weighs as much as all features together."""

from collections.abc import Mapping
from typing import Any, ClassVar

from plait.core.checks import Boolean, Constraint, OneOf
from plait.learners.logistic_learner import LogisticLearner

__all__ = ["BalancedLogisticLearner"]


class BalancedLogisticLearner(LogisticLearner):
    """`LogisticLearner` on features whose variances sum to one, so that the penalty leaves parents their say.

    The penalty of logistic regression is the same for all columns. Hundreds of standardised features need a strong one,
    and it would hold back the coefficients of labels as parents, single columns of 0 and 1, most of all. Here all
    columns of X are divided by one more number, the square root of their total variance: the features together are then
    about as large as one parent, and about the same `C` suits few features and many. Use it where labels that
    depend on one another matter: for chains, trees and mixtures.

    Parameters
    ----------
    C : float or "cv", default=5.0
        Inverse strength of the penalty; see `LogisticLearner`. The default is lambda = 0.1 of [PACC 15].
    penalty : {"l2"}, default="l2"
        The penalty.
    fit_intercept : bool, default=True
        Whether labels have an intercept.
    standardize : bool, "auto" or "balanced", default="balanced"
        With "balanced", columns are scaled as "auto" has it, then all by the same number, so that their variances sum
        to one. The other values are those of `LogisticLearner`.
    tol : float, default=1e-6
        When a label is solved; see `LogisticLearner`.
    max_iter : int, default=100
        Most Newton steps for a label.
    class_weight : None, "balanced" or dict, default=None
        Weights of the classes 0 and 1 of each label, as in scikit-learn.
    dtype : {"auto", "float32", "float64"}, default="auto"
        Floats to work with.

    Examples
    --------
    >>> import numpy as np
    >>> from plait.learners import LogisticLearner
    >>> from plait.structure import LabelGraph
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 200))
    >>> first = rng.random(300) < 0.5
    >>> Y = np.column_stack([first, first ^ (rng.random(300) < 0.05)])  # the second label is nearly the first
    >>> graph = LabelGraph([[], [0]])
    >>> shrunk = LogisticLearner(C="cv").fit(X, Y, graph).parent_coef_[1, 0]
    >>> free = BalancedLogisticLearner(C="cv").fit(X, Y, graph).parent_coef_[1, 0]
    >>> bool(free > 2 * shrunk)
    True
    """

    parameter_rules: ClassVar[Mapping[str, tuple[Constraint, ...]]] = {
        **LogisticLearner.parameter_rules,
        "standardize": (Boolean(), OneOf(("auto", "balanced"))),
    }

    def __init__(
        self,
        C: float | str = 5.0,
        penalty: str = "l2",
        fit_intercept: bool = True,
        standardize: bool | str = "balanced",
        tol: float = 1e-6,
        max_iter: int = 100,
        class_weight: Any = None,
        dtype: str = "auto",
    ) -> None:
        super().__init__(C, penalty, fit_intercept, standardize, tol, max_iter, class_weight, dtype)
