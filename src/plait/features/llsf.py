"""Label-specific features by sparse regression on all labels [Huang2015]."""

from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from plait.core.checks import Boolean, Interval, Nothing
from plait.features.feature_mask import FeatureMask
from plait.features.number_matrix import as_numbers, column_bounds
from plait.features.selector import Selector
from plait.features.sizes import SIZE_RULES, n_wanted
from plait.features.sparse_regression import LabelRegression, minimized, ridge_start
from plait.features.ties import stable_ranking
from plait.structure import LabelGraph

__all__ = ["LLSF"]


class LLSF(Selector):
    """LLSF: a label keeps the features with a weight in a sparse linear regression of all labels.

    Labels that occur together are drawn towards the same features. Use it for linear effects and many labels; the
    weights themselves are in `coef_`. There is no intercept: centre or scale X first if its columns are far from 0.

    Parameters
    ----------
    alpha : float, default=0.5
        How strongly similar labels share features.
    beta : float, default=0.1
        How strongly weights are drawn to 0; larger means fewer features [OCC, section 8.2: 0.001 to 10, tuned].
    gamma : float, default=0.01
        Ridge of the starting point.
    n_features : int, float, "sqrt" or None, default=None
        At most so many features for each label, the largest weights first; None keeps all that are not 0.
    momentum : bool, default=True
        Accelerated steps; without them the objective falls with every step.
    max_iter : int, default=100
        Most steps.
    tol : float, default=1e-4
        Stop when the objective changes by less than this share of itself.

    Attributes
    ----------
    coef_ : ndarray of shape (n_labels, n_features)
        The weights.
    objective_ : ndarray of shape (n_iter_ + 1,)
        The objective at the start and after each step.
    n_iter_ : int
        Steps taken.

    Notes
    -----
    A label without any weight keeps all features. Features that do not vary stand last in a label's ranking.

    References
    ----------
    Huang, Li, Huang, Wu: Learning label specific features for multi-label classification [Huang2015].

    Examples
    --------
    >>> X = np.array([[2.0, 0.0], [0.0, 2.0], [2.0, 2.0], [0.0, 0.0]])
    >>> Y = np.array([[1, 0], [0, 1], [1, 1], [0, 0]])
    >>> LLSF(alpha=0.1, max_iter=1000, tol=1e-9).fit(X, Y).mask_.support
    array([[ True, False],
           [False,  True]])
    """

    chooses_by_label = True
    parameter_rules: ClassVar = {
        "alpha": (Interval(float, 0, None),),
        "beta": (Interval(float, 0, None),),
        "gamma": (Interval(float, 0, None, closed="neither"),),
        "n_features": (*SIZE_RULES, Nothing()),
        "momentum": (Boolean(),),
        "max_iter": (Interval(int, 1, None),),
        "tol": (Interval(float, 0, None),),
    }

    def __init__(
        self,
        alpha: float = 0.5,
        beta: float = 0.1,
        gamma: float = 0.01,
        n_features: Any = None,
        momentum: bool = True,
        max_iter: int = 100,
        tol: float = 1e-4,
    ) -> None:
        self.alpha = alpha
        self.beta = beta
        self.gamma = gamma
        self.n_features = n_features
        self.momentum = momentum
        self.max_iter = max_iter
        self.tol = tol

    def _select(self, X: Any, Y: Any, graph: LabelGraph) -> FeatureMask:
        numbers = as_numbers(type(self).__name__, X)
        problem = LabelRegression.of(numbers, Y, self.alpha, self.beta)
        start = ridge_start(numbers, Y, self.gamma)
        W, values = minimized(problem, start, max_iter=self.max_iter, tol=self.tol, momentum=self.momentum)
        self.coef_ = np.ascontiguousarray(W.T)
        self.objective_ = np.array(values)
        self.n_iter_ = len(values) - 1
        low, high = column_bounds(numbers)
        rankings = [_by_weight(weights, high > low) for weights in np.abs(self.coef_)]
        if self.n_features is not None:
            wanted = n_wanted(self.n_features, *numbers.shape)
            fewest = min((ranking.size for ranking in rankings), default=wanted)
            self._warn_if_fewer(fewest, wanted, "with a weight for some label")
            rankings = [ranking[:wanted] for ranking in rankings]
        scores = [np.abs(self.coef_[label, ranking]) for label, ranking in enumerate(rankings)]
        return FeatureMask.by_label(rankings, scores, numbers.shape[1])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = False
        return tags


def _by_weight(weights: npt.NDArray[np.float64], varies: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
    """Return the features with a weight, the largest first, those that do not vary last; all if none has a weight."""
    kept = weights > 0 if weights.any() else np.ones(weights.size, dtype=np.bool_)
    parts = [stable_ranking(np.where(kept & part, weights, -np.inf)) for part in (varies, ~varies)]
    return np.concatenate(parts)
