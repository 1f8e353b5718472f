"""`TunedThresholds`, `CardinalityThreshold`: any multi-label classifier, deciding by thresholds found out of fold."""

from abc import abstractmethod
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from scipy.special import expit, logit
from sklearn.base import MetaEstimatorMixin, clone
from sklearn.linear_model import LogisticRegression
from sklearn.utils import _safe_indexing, indexable
from sklearn.utils.validation import check_is_fitted

from plait.core.arrays import Floats, Labels
from plait.core.checks import Boolean, Constraint, HasMethods, Interval, OneOf, RandomState, check_parameters
from plait.core.multilabel_classifier import MultilabelClassifier
from plait.core.parallel import JOBS_RULES, Parallel, delayed
from plait.core.randomness import seeds
from plait.core.sentences import ParameterError
from plait.data.folds import MultilabelStratifiedKFold
from plait.losses.expected_f1 import f1_thresholds
from plait.metrics.scoring import label_probabilities
from plait.trust.calibration_rows import calibration_targets

__all__ = ["CardinalityThreshold", "TunedThresholds"]

# Of a metric of one's own so many thresholds are tried, at even shares of the marginals.
_TRIED = 200
# Log-odds are taken of marginals this far from 0 and 1 at least: trees give zeros, which say no more than "rarely".
_LEAST = 1e-3
# A threshold that is a marginal lies this much above it: asked about other rows, it may have other last digits.
_ABOVE = 1.0 + 1e-9


class Metric(Constraint):
    """A function of two tables of labels."""

    def accepts(self, value: Any) -> bool:
        """Say whether it can be called."""
        return callable(value)

    def describe(self) -> str:
        """Say so."""
        return "a function of Y_true and Y_pred, the larger the better"


class ThresholdedClassifier(MetaEstimatorMixin, MultilabelClassifier):
    """Base of both: marginals of the training rows out of fold, thresholds from them, the model fitted on all rows."""

    parameter_rules: ClassVar[dict[str, Any]] = {
        "model": (HasMethods(("fit", "predict_proba")),),
        "cv": (Interval(int, 2, None), OneOf(("prefit",))),
        "random_state": (RandomState(),),
        "n_jobs": JOBS_RULES,
    }

    model: Any
    cv: Any
    random_state: Any
    n_jobs: int | None

    @abstractmethod
    def _thresholds(self, marginals: Floats, Y: Labels, sample_weight: Any) -> Any:
        """Return one threshold, or one a label."""

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Find the thresholds on rows held out in turn, and fit the model on all rows.

        Parameters
        ----------
        X : whatever the model takes
            Features.
        y : array, sparse matrix, data frame, or list of sets of label names
            One 0/1 column for each label; or one binary column in one dimension.
        sample_weight : array of shape (n_samples,), optional
            Weights of rows, where the model takes them.

        Returns
        -------
        self
        """
        check_parameters(self)
        X, _ = indexable(X, None)
        model = self.model if self.cv == "prefit" else clone(self.model)
        targets = calibration_targets(type(self).__name__, model, X, y)
        self._remember(targets)
        Y = targets.Y
        weights = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        if self.cv == "prefit":
            check_is_fitted(self.model)
            self.model_, marginals = self.model, self._of(self.model, X, Y)
        else:
            self.model_ = self._trained(X, Y, np.arange(len(Y)), weights)
            marginals = self._held_out(X, Y, weights)
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(self.model_, name):
                setattr(self, name, getattr(self.model_, name))
        self.thresholds_ = self._thresholds(marginals, Y, weights)
        return self

    def _held_out(self, X: Any, Y: Labels, weights: Any) -> Floats:
        """Return the marginals of all rows, by models that did not see them; of a single row by the model itself."""
        if len(Y) < 2:
            return self._of(self.model_, X, Y)
        splits = MultilabelStratifiedKFold(
            min(self.cv, len(Y)), shuffle=True, random_state=seeds(self.random_state, 1)[0]
        )

        def held_out(train: Any, held: Any) -> Floats:
            return self._of(self._trained(X, Y, train, weights), _safe_indexing(X, held), Y[held])

        folds = list(splits.split(np.zeros(len(Y)), Y))
        found = np.empty(Y.shape)
        parts = Parallel(n_jobs=self.n_jobs, prefer="threads")(delayed(held_out)(train, held) for train, held in folds)
        for (_, held), marginals in zip(folds, parts, strict=True):
            found[held] = marginals
        return found

    def _trained(self, X: Any, Y: Labels, rows: Any, weights: Any) -> Any:
        labels = Y[rows, 0].astype(np.int64) if self._one_column else Y[rows].astype(np.int64)
        extra = {} if weights is None else {"sample_weight": weights[rows]}
        return clone(self.model).fit(_safe_indexing(X, rows), labels, **extra)

    def _of(self, model: Any, X: Any, Y: Any) -> Floats:
        answer = np.asarray(label_probabilities(type(self).__name__, model, X, Y), dtype=np.float64)
        table = answer.reshape(len(answer), -1)
        if table.shape[1] != self.n_labels_:
            raise ParameterError(
                f"{type(self).__name__} needs a model whose predict_proba gives a number for each of {self.n_labels_} "
                f"labels, but {type(model).__name__} gives {table.shape[1]}. Wrap it in MultiOutputClassifier."
            )
        return table

    def _marginals(self, X: Any) -> Floats:
        """Return the model's marginals."""
        check_is_fitted(self)
        return self._of(self.model_, X, np.zeros((1, self.n_labels_)))

    def _rows(self, X: Any) -> Any:
        check_is_fitted(self)
        return X  # the model looks at them

    def _decide(self, X: Any) -> npt.NDArray[Any]:
        return (self._marginals(X) > np.asarray(self.thresholds_)).astype(np.uint8)

    def _finite(self) -> bool | str:
        tags = self.model.__sklearn_tags__() if hasattr(self.model, "__sklearn_tags__") else None
        return "allow-nan" if tags is not None and tags.input_tags.allow_nan else True


class TunedThresholds(ThresholdedClassifier):
    """Decide for a metric by thresholds of marginals that are found out of fold, around any multi-label classifier.

    For "micro_f1" and "macro_f1" the thresholds maximise *expected* F1 under the marginals, which over-fits rare labels
    less than the F1 counted on the rows held out; a metric of one's own is counted there, with one threshold for all
    labels. Thresholds are fixed at `fit`, so the labels of a row do not depend on the rows beside it.

    Parameters
    ----------
    model : classifier with `predict_proba`
        Of plait, scikit-learn (also one whose `predict_proba` is a list, as forests have it) or anybody.
    metric : {"micro_f1", "macro_f1"} or callable, default="micro_f1"
        What decisions are to be good for; a function of `Y_true` and `Y_pred`, the larger the better.
    cv : int or "prefit", default=5
        Folds whose rows are held out in turn; "prefit" takes a fitted model as it is, and rows that it was not trained
        on.
    calibrate : bool, default=True
        Whether marginals are first calibrated by one logistic regression on all labels' log-odds (forests are too
        timid, boosting is too sure). The order of marginals stays, so only thresholds change.
    random_state : int, RandomState, Generator or None, default=0
        Of the folds.
    n_jobs : int, optional
        Folds that are fitted at once.

    Attributes
    ----------
    thresholds_ : float or ndarray of shape (n_labels,)
        A label is given where the model's marginal is larger. May be changed.
    model_ : classifier
        The model, fitted on all rows.

    See Also
    --------
    plait.losses.MicroF1 : the loss of joint models, which needs no wrapper.
    CardinalityThreshold : as many labels as training rows have.

    Examples
    --------
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from plait.metrics import micro_f1
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(400, 5))
    >>> Y = (X + rng.normal(size=(400, 5)) > 1.5).astype(int)
    >>> forest = RandomForestClassifier(30, random_state=0)
    >>> tuned = TunedThresholds(forest).fit(X[:200], Y[:200])
    >>> plain = forest.fit(X[:200], Y[:200])
    >>> bool(micro_f1(Y[200:], tuned.predict(X[200:])) > micro_f1(Y[200:], plain.predict(X[200:])))
    True
    """

    parameter_rules: ClassVar[dict[str, Any]] = {
        **ThresholdedClassifier.parameter_rules,
        "metric": (OneOf(("micro_f1", "macro_f1")), Metric()),
        "calibrate": (Boolean(),),
    }

    def __init__(
        self,
        model: Any,
        metric: Any = "micro_f1",
        *,
        cv: Any = 5,
        calibrate: bool = True,
        random_state: Any = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.model = model
        self.metric = metric
        self.cv = cv
        self.calibrate = calibrate
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _thresholds(self, marginals: Floats, Y: Labels, sample_weight: Any) -> Any:
        if not isinstance(self.metric, str):
            tried = np.unique(np.quantile(marginals, np.linspace(0, 1, _TRIED))) * _ABOVE
            scores = [self.metric(Y, (marginals > threshold).astype(np.int64)) for threshold in tried]
            return float(tried[int(np.argmax(scores))])
        if not self.calibrate:
            return f1_thresholds(marginals, Y, sample_weight)[self.metric]
        slope, shift = _calibration(marginals, Y, sample_weight)
        found = f1_thresholds(expit(slope * _log_odds(marginals) + shift), Y, sample_weight)[self.metric]
        # Back to the model's own scale: the calibrated marginal is above t where its own is above this.
        with np.errstate(divide="ignore"):
            own = expit((logit(found) - shift) / slope)
        return own if np.ndim(found) else float(own)


def _log_odds(marginals: Floats) -> Floats:
    return np.asarray(logit(np.clip(marginals, _LEAST, 1 - _LEAST)))


def _calibration(marginals: Floats, Y: Labels, sample_weight: Any) -> tuple[float, float]:
    """Return slope and shift of the log-odds, by one regression over all rows and labels; (1, 0) if it has no sense."""
    odds, labels = _log_odds(marginals).reshape(-1, 1), Y.ravel()
    if len(np.unique(labels)) < 2:
        return 1.0, 0.0
    weights = None if sample_weight is None else np.repeat(sample_weight, Y.shape[1])
    fitted = LogisticRegression(C=1e6).fit(odds, labels, sample_weight=weights)
    slope, shift = float(fitted.coef_[0, 0]), float(fitted.intercept_[0])
    return (slope, shift) if slope > 0 else (1.0, 0.0)


class CardinalityThreshold(ThresholdedClassifier):
    """Decide by one threshold under which training rows, out of fold, get as many labels as they have [Read2011].

    The threshold is fixed at `fit`, so the labels of a row do not depend on the rows beside it.

    Parameters
    ----------
    model : classifier with `predict_proba`
        Of plait, scikit-learn or anybody.
    cv : int or "prefit", default=5
        Folds whose rows are held out in turn; "prefit" takes a fitted model as it is, and rows that it was not trained
        on.
    random_state : int, RandomState, Generator or None, default=0
        Of the folds.
    n_jobs : int, optional
        Folds that are fitted at once.

    Attributes
    ----------
    thresholds_ : float
        A label is given where the model's marginal is larger. May be changed.
    model_ : classifier
        The model, fitted on all rows.

    References
    ----------
    [Read2011] Read, Pfahringer, Holmes and Frank: Classifier chains for multi-label classification, 2011.

    Examples
    --------
    >>> from plait import recipes
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(400, 5))
    >>> Y = (X[:, :3] + rng.normal(size=(400, 3)) > 1.2).astype(int)
    >>> model = CardinalityThreshold(recipes.br()).fit(X[:200], Y[:200])
    >>> bool(abs(model.predict(X[200:]).sum(axis=1).mean() - Y[:200].sum(axis=1).mean()) < 0.2)
    True
    """

    def __init__(self, model: Any, *, cv: Any = 5, random_state: Any = 0, n_jobs: int | None = None) -> None:
        self.model = model
        self.cv = cv
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _thresholds(self, marginals: Floats, Y: Labels, sample_weight: Any) -> Any:
        weights = np.ones(len(Y)) if sample_weight is None else sample_weight
        order = np.argsort(-marginals, axis=None, kind="stable")
        given = np.cumsum(np.repeat(weights, Y.shape[1])[order])
        # So many of the largest marginals have the weight of all labels; half way to the next one.
        n_given = int(np.searchsorted(given, weights @ Y.sum(axis=1), side="right"))
        falling = np.concatenate([[1.0], marginals.ravel()[order], [0.0]])
        return float((falling[n_given] + falling[n_given + 1]) / 2 * _ABOVE)
