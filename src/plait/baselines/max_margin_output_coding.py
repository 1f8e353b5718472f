"""MMOC: codes of label vectors that are both easy to tell apart and easy to predict [Zhang2012]."""

from typing import Any, ClassVar
from warnings import warn

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.special import expit
from sklearn.exceptions import ConvergenceWarning

from plait import learners as learners_room
from plait.baselines import _field_kernels as kernels
from plait.baselines.label_regressions import label_scores
from plait.baselines.leave_one_out_ridge import RidgeFit, fitted_ridge
from plait.baselines.margin_metric import MarginMetric, learned_metric
from plait.baselines.margin_violations import MarginViolations
from plait.baselines.relaxed_margins import relaxed_metric
from plait.baselines.weighing_classifier import WeighingClassifier
from plait.core.arrays import Floats
from plait.core.checks import Boolean, InstanceOf, Interval, Nothing, check_parameters
from plait.core.naming import resolve
from plait.core.sentences import ParameterError
from plait.learners import Learner, LogisticLearner
from plait.learners.training.problem import constant_labels

__all__ = ["MaxMarginOutputCoding"]


# Codes are kept whose part in the metric is not rounding.
_LEAST_PART = 1e-6
# A code that is predicted without error must not rule out all else: variance per squared length.
_LEAST_VARIANCE = 1e-3
# Mean-field sweeps end when no marginal moves more.
_MOST_SWEEPS, _STILL = 1000, 1e-10


class MaxMarginOutputCoding(WeighingClassifier):
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

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "MaxMarginOutputCoding":
        """Train the classifiers, the regression and the encoding.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_samples, n_features)
            Features.
        y : array, sparse matrix, data frame, or list of sets of label names
            One 0/1 column for each label; or one binary column in one dimension.
        sample_weight : array of shape (n_samples,), optional
            Weights of rows.

        Returns
        -------
        self
        """
        check_parameters(self)
        learner = self._probabilistic_learner()
        X, Y, weights = self._weighing_data(X, y, sample_weight)
        self.conditionals_ = learner.fit(X, Y, sample_weight=weights)
        rows = np.ones(len(Y)) if weights is None else weights
        mass = np.column_stack([rows @ (1.0 - Y), rows @ Y.astype(np.float64)])
        varying = np.flatnonzero(~constant_labels(mass))
        ridge = fitted_ridge(X, Y[:, varying].astype(np.float64), weights, self.alpha)
        self._encode(ridge, Y[:, varying].astype(np.float64), rows, varying)
        return self

    def _probabilistic_learner(self) -> Learner:
        chosen = LogisticLearner() if self.learner is None else self.learner
        learner: Learner = resolve(type(self).__name__, "learner", chosen, learners_room, Learner)
        if not learner.gives_probabilities:
            raise ParameterError(
                f"{type(self).__name__} needs a learner that gives probabilities, but {type(learner).__name__} gives "
                "margins. Use LogisticLearner(), or SklearnLearner with a classifier that has predict_proba."
            )
        return learner

    def _encode(self, ridge: RidgeFit, Y: Floats, weights: Floats, varying: npt.NDArray[np.int64]) -> None:
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
            warn(
                f"{type(self).__name__} did not reach tol={self.tol} within max_iter={self.max_iter}. Raise one "
                "of them, or lower C.",
                ConvergenceWarning,
                stacklevel=3,
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
        """Return the predicted codes V'm(x), (n_samples, n_codes)."""
        return self._regression(self._rows(X)) @ self.encoding_

    def _regression(self, X: Any) -> Floats:
        X = X if sparse.issparse(X) else np.asarray(X, dtype=np.float64)
        return np.asarray(X @ self.coef_.T) + self.intercept_

    def _marginals(self, X: Any) -> Floats:
        """Return the marginals of the mean field for checked rows."""
        single = label_scores(self.conditionals_, X)
        marginals = np.ascontiguousarray(expit(single))
        # (V_k'y - V_k'm)^2 is quadratic in y, and y_j^2 = y_j: a weight for each label and each pair.
        bond = self.decoding_weight * (self.encoding_ / self.code_variances_) @ self.encoding_.T
        scores = single + self._regression(X) @ bond - 0.5 * np.diag(bond)
        pairs = np.diag(np.diag(bond)) - bond
        kernels.mean_field_rows(np.ascontiguousarray(scores), pairs[None], _MOST_SWEEPS, _STILL, marginals)
        return marginals

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the labels whose mean-field marginal exceeds one half.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_samples, n_features)
            Features.

        Returns
        -------
        Y : ndarray of shape (n_samples, n_labels), or (n_samples,) if fitted on a single column
        """
        return self._labels_out(self._marginals(self._rows(X)) > 0.5)

    def predict_proba(self, X: Any) -> Floats:
        """Return the mean-field marginals of the decoding, (n_samples, n_labels); scores rather than probabilities.

        Fitted on a single column in one dimension, it returns one column for each class, as scikit-learn does.
        """
        return self._probabilities_out(self._marginals(self._rows(X)))
