"""MMOC: codes of label vectors that are both easy to tell apart and easy to predict [Zhang2012]."""

from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.special import expit
from sklearn.exceptions import ConvergenceWarning

from plait import learners as learners_room
from plait.baselines.foundations.column_scaling import divided_columns
from plait.baselines.output_coding.margin_metric import MarginMetric, MarginViolations, learned_metric
from plait.baselines.output_coding.relaxed_margins import relaxed_metric
from plait.core.arrays import Floats, Labels
from plait.core.checks import Boolean, InstanceOf, Interval, Nothing
from plait.core.kernel_policy import kernels_pay
from plait.core.lazy_modules import lazy_module
from plait.core.multilabel_classifier import WeightedClassifier
from plait.core.naming import resolve
from plait.core.parallel import one_blas_thread
from plait.core.sentences import ParameterError, warn_user
from plait.learners import Learner, LogisticLearner
from plait.learners.training.column_scaling import column_scales
from plait.learners.training.problem import constant_labels

__all__ = ["MaxMarginOutputCoding"]

_kernels = lazy_module("plait.baselines.foundations._kernels")

# Penalties to choose from, the strongest first: half powers of ten.
ALPHAS = np.geomspace(1e5, 1e-2, 15)
_LEAST_SHARE = 1e-6
# Codes are kept whose part in the metric is not rounding.
_LEAST_PART = 1e-6
# A code that is predicted without error must not rule out all else: variance per squared length.
_LEAST_VARIANCE = 1e-3
# Mean field in plain NumPy below so many labels: 35 ms for 400 rows of 32, kernels 15 ms after seconds of compilation.
KERNEL_LABELS = 32
# Mean-field sweeps end when no marginal moves more.
_MOST_SWEEPS, _STILL = 1000, 1e-10


class MaxMarginOutputCoding(WeightedClassifier):
    """Maximum margin output coding, MMOC [Zhang2012]: labels and codes of labels are predicted, and decoded together.

    A code z = V'y is a linear combination of labels. With m(x) the linear regression of the labels on x, so that V'm(x)
    predicts the codes, the encoding V is found by margins: the codes of a row's labels y should be closer to the
    predicted ones than those of any other label vector v, by the number of labels in which v and y differ,

        min  ||V||^2 / 2 + C mean_i xi_i,    ||V'm_i - V'y_i||^2 + |y_i - v| - xi_i <= ||V'm_i - V'v||^2  for all v;

    a convex problem in the metric Q = VV', whose eigenvectors are the codes. A row is decoded by mean field from

        P(y | x) ~ prod_j p_j(x)^{y_j} (1 - p_j(x))^{1 - y_j}  prod_k exp( -weight (V_k'y - V_k'm(x))^2 / (2 s_k^2) ),

    where p are classifiers of single labels and s_k^2 is the variance of what the regression misses of code k.

    It assumes that some combinations of labels (how many there are, which of two) are easier to predict than labels
    alone, linearly. A good choice for some tens of labels with strong linear relations, such as labels that mostly
    exclude each other. It gives no joint probabilities worth the name, since it counts the features twice.

    Parameters
    ----------
    C : float, default=100.0
        Weight of the margins against the size of V.
    decoding_weight : float, default=1.0
        Weight of the codes against the single labels; 0 is binary relevance.
    alpha : float, optional
        Penalty of the ridge regression; None takes the one with the least error on rows left out.
    relaxed : bool, default=False
        Whether v runs through all of [0, 1] instead of label vectors.
    in_sample : bool, default=False
        Whether margins and variances are taken from predictions of a regression that has seen the row, instead of one
        that has not.
    learner : Learner or str, optional
        What classifies single labels; None is `LogisticLearner()`.
    tol : float, default=1e-3
        The metric is found when the cutting planes promise a smaller relative fall of the objective; relaxed, when its
        objective is proved to be so close to the least.
    max_iter : int, default=500
        Most cutting planes; relaxed, most updates of the metric.

    Attributes
    ----------
    encoding_ : ndarray of shape (n_labels, n_codes)
        V, the codes with the largest part in the metric first; the rows of labels with one value only are zero.
    code_variances_ : ndarray of shape (n_codes,)
        s^2, the variance of what is missed of each code.
    conditionals_ : Conditionals
        Classifiers of single labels.
    coef_, intercept_ : ndarray of shape (n_labels, n_features) and (n_labels,)
        The regression m(x).
    alpha_ : float
        Its penalty.
    objective_, lower_bound_ : float
        The objective of the encoding, and a number that no encoding is below.
    n_iter_ : int
        Cutting planes made, or updates of the metric.
    label_names_, n_labels_, n_features_in_, classes_
        As for all classifiers.

    Notes
    -----
    Written without the paper's full text, from its abstract and what is known of it: the penalty ||V||^2 and the number
    of wrong labels as margin are unchecked against it. Known departures: (1) The paper lets v run through all of [0, 1]
    ("overgenerating"), for then the worst v is a convex problem; here it runs through label vectors, as the margins
    are meant, and the worst is looked for by flips of one or two labels from three starts. Relaxed vectors close to y
    make codes few, and predicted fewer sets right on emotions, scene and yeast; `relaxed=True` has them. (2) Margins
    and variances use predictions for rows left out, for otherwise a regression that has learned its rows by heart
    makes all codes look predictable; `in_sample=True` has the plain ones. (3) Cutting planes are kept close to the best
    metric found, one for all rows together, and the relaxed problem is solved in the flips; both change the way but
    not the end. (4) A code's variance is at least 0.001 of its squared length.

    `predict_proba` gives the mean-field marginals of the decoding: scores rather than probabilities. A label is
    predicted where its marginal exceeds one half.

    The regression takes time of the third power of the smaller of rows and columns, the metric of the third power of
    the labels for each cutting plane.

    References
    ----------
    Zhang and Schneider: Maximum margin output coding [Zhang2012]; the decoding is that of Zhang and Schneider:
    Multi-label output codes using canonical correlation analysis [Zhang2011].

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 2))
    >>> which = (X + rng.normal(size=(300, 2))).argmax(axis=1)
    >>> Y = np.column_stack([which == 0, which == 1]).astype(int)  # always one of two
    >>> model = MaxMarginOutputCoding().fit(X, Y)
    >>> bool(model.encoding_[0, 0] * model.encoding_[1, 0] > 0)  # the first code adds them up, which never varies
    True
    >>> model.predict([[0.5, -0.5], [-0.5, 0.5]])
    array([[1, 0],
           [0, 1]])
    """

    parameter_rules: ClassVar[dict[str, Any]] = {
        "C": (Interval(float, 0, None, closed="neither"),),
        "decoding_weight": (Interval(float, 0, None),),
        "alpha": (Interval(float, 0, None, closed="neither"), Nothing()),
        "relaxed": (Boolean(),),
        "in_sample": (Boolean(),),
        "learner": (InstanceOf((Learner, str)), Nothing()),
        "tol": (Interval(float, 0, None, closed="neither"),),
        "max_iter": (Interval(int, 1, None),),
    }

    def __init__(
        self,
        C: float = 100.0,
        decoding_weight: float = 1.0,
        alpha: float | None = None,
        relaxed: bool = False,
        in_sample: bool = False,
        learner: Any = None,
        tol: float = 1e-3,
        max_iter: int = 500,
    ) -> None:
        self.C = C
        self.decoding_weight = decoding_weight
        self.alpha = alpha
        self.relaxed = relaxed
        self.in_sample = in_sample
        self.learner = learner
        self.tol = tol
        self.max_iter = max_iter

    def _fit(self, X: Any, Y: Labels, weights: Any) -> None:
        learner = self._probabilistic_learner()
        self.conditionals_ = learner.fit(X, Y, sample_weight=weights)
        rows = np.ones(len(Y)) if weights is None else weights
        mass = np.column_stack([rows @ (1.0 - Y), rows @ Y.astype(np.float64)])
        varying = np.flatnonzero(~constant_labels(mass))
        ridge = fitted_ridge(X, Y[:, varying].astype(np.float64), weights, self.alpha)
        self._encode(ridge, Y[:, varying].astype(np.float64), rows, varying)

    def _probabilistic_learner(self) -> Learner:
        chosen = LogisticLearner() if self.learner is None else self.learner
        learner: Learner = resolve(type(self).__name__, "learner", chosen, learners_room, Learner)
        if not learner.gives_probabilities:
            raise ParameterError(
                f"{type(self).__name__} needs a learner that gives probabilities, but {type(learner).__name__} gives "
                "margins. Use LogisticLearner(), or SklearnLearner with a classifier that has predict_proba."
            )
        return learner

    def _encode(self, ridge: "RidgeFit", Y: Floats, weights: Floats, varying: npt.NDArray[np.int64]) -> None:
        """Learn the encoding of the labels that vary, and remember what decoding needs."""
        self.coef_, self.intercept_ = np.zeros((self.n_labels_, self.n_features_in_)), np.zeros(self.n_labels_)
        self.coef_[varying], self.intercept_[varying] = ridge.coef, ridge.intercept
        self.alpha_ = ridge.alpha
        self.encoding_, self.code_variances_ = np.zeros((self.n_labels_, 0)), np.zeros(0)
        self.objective_, self.lower_bound_, self.n_iter_ = 0.0, 0.0, 1
        if len(varying) == 0:
            return
        predictions = ridge.in_sample if self.in_sample else ridge.left_out
        found = self._metric(predictions, Y, weights)
        self.objective_, self.lower_bound_, self.n_iter_ = found.objective, found.lower_bound, found.n_cuts
        if not found.converged:
            warn_user(
                f"{type(self).__name__} did not reach tol={self.tol} within max_iter={self.max_iter}. Raise one "
                "of them, or lower C.",
                ConvergenceWarning,
            )
        self._keep_codes(found.metric, predictions - Y, weights, varying)

    def _metric(self, predictions: Floats, Y: Floats, weights: Floats) -> MarginMetric:
        if not self.relaxed:
            return learned_metric(MarginViolations(predictions, Y, weights), self.C, self.tol, self.max_iter)
        shares = weights / weights.sum()
        return relaxed_metric(predictions - Y, 1.0 - 2.0 * Y, shares, self.C, self.tol, self.max_iter)

    def _keep_codes(self, metric: Floats, residuals: Floats, weights: Floats, varying: npt.NDArray[np.int64]) -> None:
        parts, directions = np.linalg.eigh(metric)
        kept = np.flatnonzero(parts > _LEAST_PART * parts[-1])[::-1]
        codes = directions[:, kept] * np.sqrt(parts[kept])
        self.encoding_ = np.zeros((self.n_labels_, len(kept)))
        self.encoding_[varying] = codes
        missed = weights @ (residuals @ codes) ** 2 / weights.sum()
        self.code_variances_ = np.maximum(missed, _LEAST_VARIANCE * (codes**2).sum(axis=0))

    def codes(self, X: Any) -> Floats:
        """Return the predicted codes V'm(x), (n_samples, n_codes).

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_samples, n_features)
            Features.
        """
        return self._regression(self._rows(X)) @ self.encoding_

    def _regression(self, X: Any) -> Floats:
        X = X if sparse.issparse(X) else np.asarray(X, dtype=np.float64)
        return np.asarray(X @ self.coef_.T) + self.intercept_

    def _marginals(self, X: Any) -> Floats:
        """Return the marginals of the mean field for checked rows."""
        single = self.conditionals_.base_scores(X)
        marginals = np.ascontiguousarray(expit(single))
        # (V_k'y - V_k'm)^2 is quadratic in y, and y_j^2 = y_j: a weight for each label and each pair.
        bond = self.decoding_weight * (self.encoding_ / self.code_variances_) @ self.encoding_.T
        scores = single + self._regression(X) @ bond - 0.5 * np.diag(bond)
        pairs = np.diag(np.diag(bond)) - bond
        sweep = _kernels.mean_field_rows if kernels_pay(self.n_labels_, KERNEL_LABELS) else mean_field_rows
        sweep(np.ascontiguousarray(scores), pairs[None], _MOST_SWEEPS, _STILL, marginals)
        return marginals


class RidgeFit(NamedTuple):
    """Coefficients in units of X, predictions for the training rows, and the penalty.

    `left_out` is predicted without the row itself, `in_sample` with it.
    """

    coef: Floats
    intercept: Floats
    left_out: Floats
    in_sample: Floats
    alpha: float

    def predict(self, X: Any) -> Floats:
        """Return predictions, (n_rows, n_targets)."""
        return np.asarray(X @ self.coef.T) + self.intercept


class _Basis(NamedTuple):
    """Rows z turned so that x_i'(X'WX + alpha)^-1 x_j = sum_k z_ik z_jk / (strength_k + alpha)."""

    rows: Floats
    strengths: Floats
    directions: Floats


def mean_field_rows(scores: Floats, pairs: Floats, n_sweeps: int, tol: float, marginals: Floats) -> None:
    """Do what the kernel of this name does, a label of all rows at once."""
    rows = np.arange(len(marginals))
    for _ in range(n_sweeps):
        before, now = marginals[rows], marginals[rows]
        weights = pairs if len(pairs) == 1 else pairs[rows]
        for label in range(scores.shape[1]):
            # Summed row by row: a matrix product would depend, in its last bits, on the rows beside.
            now[:, label] = expit(scores[rows, label] + (now * weights[:, label]).sum(axis=1))
        marginals[rows] = now
        rows = rows[np.abs(now - before).max(axis=1, initial=0.0) > tol]
        if len(rows) == 0:
            break


def fitted_ridge(X: Any, targets: Floats, sample_weight: Any = None, alpha: float | None = None) -> RidgeFit:
    """Return the ridge regression with a free intercept on scaled columns.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        Features; columns are scaled by the house rule.
    targets : ndarray of float64, shape (n_samples, n_targets)
        What to predict.
    sample_weight : ndarray of shape (n_samples,), optional
        Weights of rows; leaving a row out takes one copy away, or all of a row that weighs less.
    alpha : float, optional
        The penalty; None takes the one of least squared error on rows left out, for all targets together.
    """
    weights = np.ones(len(targets)) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    scales = column_scales(X, "auto", sample_weight)
    X = divided_columns(X, scales)
    X = X.astype(np.float64) if sparse.issparse(X) else np.asarray(X, dtype=np.float64)
    means, centre = np.asarray(X.T @ weights).ravel() / weights.sum(), weights @ targets / weights.sum()
    with one_blas_thread():
        basis = _wide_basis(X, weights, means) if X.shape[1] > X.shape[0] else _long_basis(X, weights, means)
    turned = basis.rows.T @ (weights[:, None] * (targets - centre))
    choices = ALPHAS if alpha is None else np.array([alpha])
    fits = [_predictions(basis, turned, targets, centre, weights, choice) for choice in choices]
    errors = [float((weights[:, None] * (left_out - targets) ** 2).sum()) for _, left_out in fits]
    best = int(np.argmin(errors))
    coef = (basis.directions @ (turned / (basis.strengths + choices[best])[:, None])).T
    return RidgeFit(coef / scales, centre - coef @ means, fits[best][1], fits[best][0], float(choices[best]))


def _predictions(
    basis: _Basis, turned: Floats, targets: Floats, centre: Floats, weights: Floats, alpha: float
) -> tuple[Floats, Floats]:
    """Return predictions for the training rows with and without each row."""
    shrunk = 1.0 / (basis.strengths + alpha)
    fitted = centre + basis.rows @ (shrunk[:, None] * turned)
    leverage = basis.rows**2 @ shrunk + 1.0 / weights.sum()
    others = np.maximum(1.0 - np.minimum(weights, 1.0) * leverage, _LEAST_SHARE)
    return fitted, targets + (fitted - targets) / others[:, None]


def _long_basis(X: Any, weights: Floats, means: Floats) -> _Basis:
    """Return the basis from the products of columns."""
    weighted = sparse.diags_array(weights) @ X if sparse.issparse(X) else weights[:, None] * X
    products = X.T @ weighted
    products = products.toarray() if sparse.issparse(products) else products
    strengths, directions = np.linalg.eigh(products - weights.sum() * np.outer(means, means))
    return _Basis(np.asarray(X @ directions) - means @ directions, np.maximum(strengths, 0.0), directions)


def _wide_basis(X: Any, weights: Floats, means: Floats) -> _Basis:
    """Return the basis from the products of rows, of which there are fewer."""
    roots = np.sqrt(weights)
    products = X @ X.T
    products = products.toarray() if sparse.issparse(products) else products
    middle = np.asarray(X @ means)
    centred = products - middle[:, None] - middle + means @ means
    strengths, vectors = np.linalg.eigh(roots[:, None] * centred * roots)
    kept = strengths > 1e-12 * max(strengths[-1], 1e-300)
    strengths, vectors = strengths[kept], vectors[:, kept]
    duals = roots[:, None] * vectors / np.sqrt(strengths)
    directions = np.asarray(X.T @ duals) - np.outer(means, duals.sum(axis=0))
    return _Basis(vectors * np.sqrt(strengths) / roots[:, None], strengths, directions)
