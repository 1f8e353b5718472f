"""Label-specific features by sparse regression on all labels, by accelerated proximal gradient [Huang2015].

    F(W) = 1/2 ||X W - Y||^2 + alpha/2 tr(W R W') + beta ||W||_1,    R = 1 - cosine of label columns

Where labels are unknown, the square is summed over known cells, and a cosine is that of the rows that know both labels.

Notation
--------
target   : X'Y, shape (n_features, n_labels)
known    : 1 where a label is known, shape (n_samples, n_labels); Y is 0 elsewhere
coupling : alpha R, shape (n_labels, n_labels)
"""

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy import linalg, sparse
from scipy.sparse.linalg import svds
from sklearn.linear_model import ridge_regression

from plait.core.arrays import Bools, Floats, Ints
from plait.core.checks import Boolean, Interval, Nothing
from plait.core.progress_bar import progress
from plait.core.randomness import generator
from plait.core.sentences import ParameterError
from plait.core.unknown_labels import has_unknown, unknown_as_absent
from plait.features.engine.columns import as_numbers, column_bounds
from plait.features.engine.ranking import stable_ranking
from plait.features.engine.sizes import SIZE_RULES, n_wanted
from plait.features.feature_mask import FeatureMask
from plait.features.selector import Selector
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
    [OCC] Sun and Kudo: Optimization of classifier chains via conditional likelihood maximization, 2018.
    [Huang2015] Huang, Li, Huang and Wu: Learning label specific features for multi-label classification, 2015.

    Examples
    --------
    >>> X = np.array([[2.0, 0.0], [0.0, 2.0], [2.0, 2.0], [0.0, 0.0]])
    >>> Y = np.array([[1, 0], [0, 1], [1, 1], [0, 0]])
    >>> LLSF(alpha=0.1, max_iter=1000, tol=1e-9).fit(X, Y).mask_.support
    array([[ True, False],
           [False,  True]])
    """

    label_specific = True
    takes_unknown_labels: ClassVar[bool] = True
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
        largest = float(np.abs(numbers.data if sparse.issparse(numbers) else numbers).max(initial=0.0))
        if largest > _LARGEST:
            raise ParameterError(
                f"{type(self).__name__} needs X to hold numbers of at most {_LARGEST:g}, as columns are not scaled, "
                f"but it holds {largest:g}. Divide the columns by their standard deviations."
            )
        problem = LabelRegression.of(numbers, Y, self.alpha, self.beta)
        start = ridge_start(numbers, unknown_as_absent(Y), self.gamma)
        if problem.known is not None:  # X'X over a label's rows is about this share of X'X
            start /= np.maximum(problem.known.mean(axis=0), 1.0 / len(Y))
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


def _by_weight(weights: Floats, varies: Bools) -> Ints:
    """Return the features with a weight, the largest first, those that do not vary last; all if none has a weight."""
    kept = weights > 0 if weights.any() else np.ones(weights.size, dtype=np.bool_)
    parts = [stable_ranking(np.where(kept & part, weights, -np.inf)) for part in (varies, ~varies)]
    return np.concatenate(parts)


# As for learners that do not scale; products of products are far from the largest float64.
_LARGEST = 1e15
# Up to this side a Gram matrix is made and factored; beyond it only products with X are.
_LARGEST_GRAM = 8192
# Up to this side a whole decomposition is cheaper than an iteration for the largest singular value.
_SMALL_SIDE = 16


@dataclass(frozen=True, eq=False)
class LabelRegression:
    """The problem above: its value, the gradient of its smooth part, and a bound on how fast that gradient changes.

    Parameters
    ----------
    X : ndarray or CSR matrix
    gram : ndarray or None
        X'X where it is small enough to be kept, and the same for all labels.
    target, coupling : ndarray
    y_square : float
        ||Y||^2.
    beta : float
    known : ndarray or None
        None where all labels are known.
    """

    X: Any
    gram: Floats | None
    target: Floats
    coupling: Floats
    y_square: float
    beta: float
    known: Floats | None = None

    @classmethod
    def of(cls, X: Any, Y: Any, alpha: float, beta: float) -> "LabelRegression":
        """Prepare the problem; X and Y may be dense or sparse."""
        known = (Y >= 0).astype(np.float64) if has_unknown(Y) else None
        # The Gram matrix pays only if it is the smaller side: then W is multiplied by d x d numbers, not by 2 N x d.
        pays = known is None and X.shape[1] <= min(X.shape[0], _LARGEST_GRAM)
        gram, labels = _dense(X.T @ X) if pays else None, unknown_as_absent(Y).astype(np.float64)
        coupling = alpha * label_distances(labels, known)
        return cls(X, gram, _dense(X.T @ labels), coupling, float(labels.sum()), beta, known)

    def curved(self, W: Floats) -> Floats:
        """Return X'XW + alpha W R, the linear part of the gradient; the first part over known cells."""
        if self.known is not None:
            square = self.X.T @ (self.known * (self.X @ W))
        else:
            square = self.gram @ W if self.gram is not None else self.X.T @ (self.X @ W)
        return square + W @ self.coupling

    def gradient(self, W: Floats) -> Floats:
        """Return X'XW - X'Y + alpha W R."""
        return self.curved(W) - self.target

    def value(self, W: Floats, curved: Floats | None = None) -> float:
        """Return F(W); `curved` is `self.curved(W)` where it is known already."""
        # 1/2 ||XW - Y||^2 = 1/2 <W, X'XW - 2 X'Y> + 1/2 ||Y||^2, so that Y itself is not needed.
        bent = self.curved(W) if curved is None else curved
        square = 0.5 * float(np.sum(W * (bent - 2.0 * self.target)))
        return square + 0.5 * self.y_square + self.beta * float(np.abs(W).sum())

    def lipschitz(self) -> float:
        """Return sqrt(2 (||X'X||^2 + ||alpha R||^2)), which bounds the change of the gradient; so do fewer cells."""
        return math.sqrt(2.0 * (_largest_square(self.X) ** 2 + float(np.linalg.norm(self.coupling, 2)) ** 2))


def _dense(matrix: Any) -> Floats:
    return matrix.toarray() if sparse.issparse(matrix) else np.asarray(matrix)


def _largest_square(X: Any) -> float:
    """Return the largest singular value of X, squared."""
    if X.shape[1] == 0 or not np.any(X.data if sparse.issparse(X) else X):
        return 0.0
    if min(X.shape) <= _SMALL_SIDE:
        return float(np.linalg.norm(_dense(X), 2) ** 2)
    # A fixed start makes the result the same every time; a random one lies across every direction.
    start = generator(0).normal(size=min(X.shape))
    return float(svds(X, k=1, v0=start, return_singular_vectors=False)[0] ** 2)


def label_distances(Y: Any, known: Floats | None = None) -> Floats:
    """Return 1 - cosine of all pairs of label columns, in the rows that know both; 1 where a label is never on.

    Examples
    --------
    >>> label_distances(np.array([[1.0, 0, 0], [1, 1, 0]])).round(3)
    array([[0.   , 0.293, 1.   ],
           [0.293, 0.   , 1.   ],
           [1.   , 1.   , 1.   ]])
    """
    both = _dense(Y.T @ Y)
    squares = np.diagonal(both)[:, None] if known is None else Y.T @ known
    lengths = np.sqrt(squares * squares.T)
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
    solved = linalg.solve(kernel, right, assume_a="pos", overwrite_a=True, overwrite_b=True)
    return solved if n_features <= n_samples else X.T @ solved


def minimized(
    problem: LabelRegression, W: Floats, *, max_iter: int, tol: float, momentum: bool
) -> tuple[Floats, list[float]]:
    """Return W after proximal gradient steps, and F before the first and after each.

    It stops after `max_iter` steps, or when F changes by less than `tol` of itself. R is not positive semidefinite in
    general, so that F may have no minimum; steps that leave the finite numbers are not taken.
    """
    step = 1.0 / max(problem.lipschitz(), np.finfo(np.float64).tiny)
    curved = problem.curved(W)
    values = [problem.value(W, curved)]
    ahead, curved_ahead, weight = W, curved, 1.0
    for _ in progress(range(max_iter), "LLSF, steps"):
        with np.errstate(over="ignore", invalid="ignore"):
            moved = ahead - step * (curved_ahead - problem.target)
            new = np.sign(moved) * np.maximum(np.abs(moved) - step * problem.beta, 0.0)
            new_curved = problem.curved(new)
            value = problem.value(new, new_curved)
        if not math.isfinite(value):
            break
        next_weight = 0.5 * (1.0 + math.sqrt(4.0 * weight**2 + 1.0))
        push = (weight - 1.0) / next_weight if momentum else 0.0
        # What is linear in W needs no second product with X.
        ahead, curved_ahead = new + push * (new - W), new_curved + push * (new_curved - curved)
        W, curved, weight = new, new_curved, next_weight
        values.append(value)
        if abs(values[-2] - value) < tol * abs(values[-2]):
            break
    return W, values
