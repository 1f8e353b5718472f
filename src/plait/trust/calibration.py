"""Calibration: whether what is given a probability comes true as often, of labels and of whole label sets."""

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from scipy import sparse
from scipy.optimize import minimize_scalar
from sklearn.base import MetaEstimatorMixin, clone
from sklearn.utils import _safe_indexing, indexable
from sklearn.utils.validation import check_is_fitted

from plait.core.arrays import Floats, Labels
from plait.core.checks import HasMethods, Interval, OneOf, RandomState, check_parameters, check_value
from plait.core.labels import as_targets, label_matrix, label_rows
from plait.core.multilabel_classifier import MultilabelClassifier
from plait.core.randomness import seeds
from plait.core.sentences import ParameterError
from plait.core.unknown_labels import known_cells, whole_rows
from plait.data.folds import MultilabelStratifiedShuffleSplit
from plait.joint import TemperedJoint
from plait.pictures import Display, draw_reliability, new_axes
from plait.posterior import Posterior
from plait.trust.calibration_rows import calibration_targets, is_fitted, named_labels

__all__ = ["CalibrationCurve", "TemperatureScaling", "brier_score", "calibration_curve", "joint_calibration_curve"]


@dataclass(frozen=True, eq=False)
class CalibrationCurve(Display):
    """How often something was true, bin by bin of the probability it was given; a display as scikit-learn has them.

    Attributes
    ----------
    count, mean, frequency : ndarray of float64, shape (n_bins,)
        How many are in each bin, their mean probability, and how often they were true.
    name : str
        What the probabilities are of.

    Examples
    --------
    >>> CalibrationCurve.from_predictions([[1, 0], [0, 1]], [[0.9, 0.2], [0.4, 0.7]], n_bins=2)
    CalibrationCurve(count=array([2., 2.]), mean=array([0.3, 0.8]), frequency=array([0., 1.]), name='labels')
    """

    count: Floats
    mean: Floats
    frequency: Floats
    name: str = "labels"

    @property
    def error(self) -> float:
        """Expected calibration error: the mean distance of probability and frequency, weighted by `count`."""
        return float(np.average(np.abs(self.mean - self.frequency), weights=self.count))

    @classmethod
    def from_estimator(cls, model: Any, X: Any, Y: Any, *, kind: str = "labels", n_bins: int = 10) -> Self:
        """Return the curve of a fitted model on rows that it was not trained on.

        Parameters
        ----------
        model : fitted classifier
            With `predict_proba` for "labels", with `joint` for "sets".
        X : array, sparse matrix or data frame of shape (n_rows, n_features)
            Features.
        Y : labels in any form that `fit` takes
            True labels.
        kind : {"labels", "sets"}, default="labels"
            Marginals of all labels; or the probability of the predicted label set, and how often it is right.
        n_bins : int, default=10
            Bins of equal numbers.
        """
        check_value("CalibrationCurve", "kind", kind, (OneOf(("labels", "sets")),))
        if kind == "sets":
            return cls.from_predictions(Y, model.joint(X), n_bins=n_bins)
        return cls.from_predictions(Y, model.predict_proba(X), n_bins=n_bins)

    @classmethod
    def from_predictions(cls, Y: Any, P: Any, *, n_bins: int = 10) -> Self:
        """Return the curve of marginals, or of the most probable label sets.

        Parameters
        ----------
        Y : labels in any form that `fit` takes
            True labels.
        P : array of shape (n_rows, n_labels), or Posterior
            P(label | x); or P(y | x), from `joint(X)`, for the curve of whole sets.
        n_bins : int, default=10
            Bins of equal numbers.
        """
        if isinstance(P, Posterior):
            return cls(*_bins(*_set_hits(P, Y), n_bins), "label sets")
        return cls(*_bins(*_label_hits("calibration_curve", Y, P), n_bins))

    def to_svg(self) -> str:
        """Return a picture of the curve."""
        note = f"error {self.error:.3f}"
        return draw_reliability(
            self.count, self.mean, self.frequency, name=self.name, note=note, title=f"Calibration of {self.name}"
        )

    def plot(self, ax: Any = None) -> Any:
        """Draw the curve with matplotlib and return the axes.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where; new ones by default.
        """
        ax = new_axes(ax)
        ax.plot([0, 1], [0, 1], ":", color="grey")
        ax.plot(self.mean, self.frequency, "o-", label=f"{self.name} (error {self.error:.3f})")
        ax.set(xlabel="given probability", ylabel="how often true", xlim=(0, 1), ylim=(0, 1))
        ax.legend()
        return ax


def calibration_curve(Y: Any, P: Any, *, n_bins: int = 10) -> CalibrationCurve:
    """Return how often labels were there, bin by bin of their marginals; bins of equal numbers.

    Parameters
    ----------
    Y : labels in any form that `fit` takes
        True labels.
    P : array of shape (n_rows, n_labels)
        P(label | x).
    n_bins : int, default=10
        How many bins.

    Returns
    -------
    CalibrationCurve

    Examples
    --------
    >>> P = np.array([[0.1, 0.1], [0.1, 0.1], [0.8, 0.8], [0.8, 0.8]])
    >>> curve = calibration_curve([[0, 0], [0, 0], [1, 1], [1, 0]], P, n_bins=2)
    >>> curve.frequency.tolist(), round(curve.error, 3)
    ([0.0, 0.75], 0.075)
    """
    return CalibrationCurve.from_predictions(Y, P, n_bins=n_bins)


def joint_calibration_curve(answer: Posterior, Y: Any, *, n_bins: int = 10) -> CalibrationCurve:
    """Return how often the most probable label set was right, bin by bin of its probability.

    Parameters
    ----------
    answer : Posterior
        P(y | x), from `joint(X)`.
    Y : labels in any form that `fit` takes
        True labels.
    n_bins : int, default=10
        Bins of equal numbers.

    Returns
    -------
    CalibrationCurve

    Examples
    --------
    >>> from sklearn.datasets import make_multilabel_classification
    >>> from plait import recipes
    >>> X, Y = make_multilabel_classification(200, n_classes=3, random_state=0)
    >>> model = recipes.pcc().fit(X[:100], Y[:100])
    >>> joint_calibration_curve(model.joint(X[100:]), Y[100:], n_bins=4).count
    array([25., 25., 25., 25.])
    """
    return CalibrationCurve.from_predictions(Y, answer, n_bins=n_bins)


def brier_score(Y: Any, P: Any) -> float:
    """Return the mean of (P(label | x) - label)^2 over all rows and labels.

    Parameters
    ----------
    Y : labels in any form that `fit` takes
        True labels.
    P : array of shape (n_rows, n_labels)
        P(label | x).

    Returns
    -------
    float

    Examples
    --------
    >>> round(brier_score([[0, 1]], [[0.1, 0.7]]), 3)
    0.05
    """
    truth, given = _label_hits("brier_score", Y, P)
    return float(np.mean((given - truth) ** 2))


def _label_hits(owner: str, Y: Any, P: Any) -> tuple[Floats, Floats]:
    truth = label_matrix(owner, "Y", Y, unknown=True)
    truth = truth.toarray() if sparse.issparse(truth) else truth
    given = np.asarray(P, dtype=np.float64)
    if given.shape != truth.shape:
        raise ParameterError(
            f"{owner} needs P to have the shape of Y, {truth.shape}, but its shape is {given.shape}. Pass P(label | x)."
        )
    wrong = given[~((given >= 0) & (given <= 1))]
    if wrong.size:
        raise ParameterError(
            f"{owner} needs P to hold numbers from 0 to 1, but it holds {wrong[0]:g}. Pass P(label | x), as "
            "predict_proba gives it."
        )
    known = known_cells(truth)
    return truth[known].astype(np.float64), given[known]


def _set_hits(answer: Posterior, Y: Any) -> tuple[Floats, Floats]:
    best, owner = answer.top(1), "joint_calibration_curve"
    table = as_targets(owner, Y).Y if getattr(Y, "ndim", 2) == 1 and answer.n_labels == 1 else Y
    truth = label_rows(owner, table, len(answer), answer.label_names, unknown=True)
    rows = np.flatnonzero(whole_rows(owner, truth))
    right = (best.vectors[rows, 0] == truth[rows]).all(axis=1)
    return right.astype(np.float64), best.probabilities[rows, 0]


def _bins(truth: Floats, given: Floats, n_bins: int) -> tuple[Floats, Floats, Floats]:
    """Return counts, mean probabilities and frequencies of bins of equal numbers; equal values stay together."""
    check_value("calibration_curve", "n_bins", n_bins, (Interval(int, 1, None),))
    edges = np.quantile(given, np.linspace(0, 1, n_bins + 1)[1:-1], method="higher")
    place = np.searchsorted(np.unique(edges), given, side="right")
    count = np.bincount(place).astype(np.float64)
    used = count > 0
    sums = np.bincount(place, weights=given)[used], np.bincount(place, weights=truth)[used]
    return count[used], sums[0] / count[used], sums[1] / count[used]


class TemperatureScaling(MetaEstimatorMixin, MultilabelClassifier):
    """Makes a joint model as sure as it ought to be: all log-odds divided by one temperature.

    The temperature is the one under which rows that the model was not trained on are most likely. A fitted model is
    calibrated by the rows given to `fit`; an unfitted one is cloned, trained on a part of the rows and calibrated by
    the rest.

    Parameters
    ----------
    model : classifier with `joint(X)`
        A product of conditionals over a label graph, or a mixture of such.
    calibration_size : float, default=0.3
        Of an unfitted model: the share of rows kept for calibration.
    random_state : int, Generator or None, default=0
        Of the split, and of an unfitted model that has none of its own.

    Attributes
    ----------
    temperature_ : float
        Above 1 the model was too sure.
    model_ : classifier
        The fitted model.

    Examples
    --------
    >>> from plait import recipes
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(60, 20))
    >>> Y = (X[:, :2] + 2 * rng.normal(size=(60, 2)) > 0).astype(int)
    >>> bool(TemperatureScaling(recipes.pcc(learner="logistic")).fit(X, Y).temperature_ > 1.5)  # 42 rows, 20 features
    True
    """

    parameter_rules: ClassVar[dict[str, Any]] = {
        "model": (HasMethods(("fit", "joint")),),
        "calibration_size": (Interval(float, 0, 1, closed="neither"),),
        "random_state": (RandomState(),),
    }

    def __init__(self, model: Any, *, calibration_size: float = 0.3, random_state: Any = 0) -> None:
        self.model = model
        self.calibration_size = calibration_size
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the temperature.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_rows, n_features)
            Features; of a fitted model rows that it was not trained on.
        y : labels in any form that the model's `fit` takes
            Their labels.
        """
        check_parameters(self)
        X, _ = indexable(X, None)
        targets = calibration_targets("TemperatureScaling", self.model, X, y)
        self._remember(targets)
        self.model_, rows = self.model, np.arange(len(targets.Y))
        if not is_fitted(self.model):
            train, rows = self._divided(targets.Y)
            labels = named_labels(targets, train)
            model = clone(self.model)
            if model.get_params().get("random_state", 0) is None:
                model.set_params(random_state=seeds(self.random_state, 1)[0])
            self.model_ = model.fit(_safe_indexing(X, train), labels[:, 0] if self._one_column else labels)
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(self.model_, name):
                setattr(self, name, getattr(self.model_, name))
        answer = self.model_.joint(_safe_indexing(X, rows))
        distribution, truth = answer.joint.condition(answer.X), targets.Y[rows]

        def loss(log_temperature: float) -> float:
            return -float(distribution.tempered(np.exp(-log_temperature)).log_prob(truth).mean())

        found = minimize_scalar(loss, bounds=np.log([0.05, 20.0]), method="bounded", options={"xatol": 1e-4})
        self.temperature_ = float(np.exp(found.x))
        return self

    def _divided(self, Y: Labels) -> tuple[Any, Any]:
        """Return the rows that train and those that calibrate."""
        if len(Y) < 2:
            raise ParameterError(
                f"TemperatureScaling needs rows to train on and rows to calibrate by, but there is n_samples={len(Y)}. "
                "Pass 2 or more, or a fitted model."
            )
        splits = MultilabelStratifiedShuffleSplit(1, test_size=self.calibration_size, random_state=self.random_state)
        train, rows = next(iter(splits.split(np.zeros(len(Y)), Y)))
        return train, rows

    def joint(self, X: Any) -> Posterior:
        """Return P(y | x) of every row at the temperature found, to ask questions of.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_rows, n_features)
            Features.
        """
        check_is_fitted(self)
        answer: Posterior = self.model_.joint(X)
        return answer._changed(joint=TemperedJoint(answer.joint, self.temperature_))

    def predict(self, X: Any, loss: Any = None) -> Any:
        """Return for every row the label set with the least expected loss, (n_rows, n_labels).

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_rows, n_features)
            Features.
        loss : Loss or str, optional
            Another loss than the model's own.
        """
        return self._labels_out(self.joint(X).decide(loss).astype(np.uint8))

    def predict_proba(self, X: Any) -> Floats:
        """Return the marginals P(label | x), (n_rows, n_labels).

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_rows, n_features)
            Features.
        """
        return self._probabilities_out(self.joint(X).marginals())
