"""Methods of the papers that only their plans use: ML-NB on nominal columns, one class against the rest, thresholds."""

from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils.validation import validate_data

from plait.baselines import MultilabelNaiveBayes
from plait.core.checks import Constraint, HasMethods, Interval, check_parameters
from plait.learners import LogisticLearner

__all__ = ["OneAgainstRest"]


class NominalNaiveBayes(BaseEstimator):
    """`MultilabelNaiveBayes` that takes every column for names, as the experiments of [SCLS table 2] need it.

    Parameters
    ----------
    s : float, default=1.0
        How much is added to every count of rows.

    References
    ----------
    [SCLS] Lee and Kim: SCLS: Multi-label feature selection based on scalable criterion for large label set, 2017.

    Examples
    --------
    >>> X = np.array([[0], [1], [2], [0], [1], [2]])
    >>> Y = np.array([[0], [1], [0], [0], [1], [0]])
    >>> NominalNaiveBayes().fit(X, Y).predict(X).ravel()
    array([0, 1, 0, 0, 1, 0])
    """

    parameter_rules: ClassVar[dict[str, tuple[Constraint, ...]]] = {"s": (Interval(float, 0, None, closed="neither"),)}

    def __init__(self, s: float = 1.0) -> None:
        self.s = s

    def fit(self, X: Any, y: Any) -> "NominalNaiveBayes":
        """Count the values of every column with and without every label."""
        check_parameters(self)
        every = np.ones(X.shape[1], dtype=bool)
        self.model_ = MultilabelNaiveBayes(nominal=every, s=self.s).fit(X, y)
        return self

    def predict(self, X: Any) -> Any:
        """Return the labels that are more likely than not."""
        return self.model_.predict(X)

    def predict_proba(self, X: Any) -> npt.NDArray[np.float64]:
        """Return the probabilities of the labels."""
        return np.asarray(self.model_.predict_proba(X), dtype=np.float64)


class OneAgainstRest(ClassifierMixin, BaseEstimator):
    """The class whose own logistic regression is surest; as fast as binary relevance, for label sets as classes.

    Parameters
    ----------
    C : float, default=1.0
        Inverse strength of the penalty, as in `LogisticLearner`.

    Attributes
    ----------
    classes_ : ndarray
        The classes, sorted.

    Examples
    --------
    >>> X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [0.1, 0.0], [0.1, 1.0], [0.9, 0.1]])
    >>> OneAgainstRest(C=100.0).fit(X, [0, 1, 2, 0, 1, 2]).predict([[1.0, 0.05]])
    array([2])
    """

    parameter_rules: ClassVar[dict[str, tuple[Constraint, ...]]] = {"C": (Interval(float, 0, None, closed="neither"),)}

    def __init__(self, C: float = 1.0) -> None:
        self.C = C

    def fit(self, X: Any, y: Any) -> "OneAgainstRest":
        """Train one logistic regression for each class."""
        check_parameters(self)
        X, y = validate_data(self, X, y, accept_sparse="csr")
        self.classes_, places = np.unique(y, return_inverse=True)
        one_hot = (places[:, None] == np.arange(len(self.classes_))).astype(np.uint8)
        self.conditionals_: Any = LogisticLearner(C=self.C).fit(X, one_hot)
        return self

    def _scores(self, X: Any) -> npt.NDArray[np.float64]:
        X = validate_data(self, X, accept_sparse="csr", reset=False)
        return np.asarray(self.conditionals_.base_scores(X), dtype=np.float64)

    def predict_proba(self, X: Any) -> npt.NDArray[np.float64]:
        """Return the classes' own probabilities, divided by their sum."""
        own = np.maximum(expit(self._scores(X)), 1e-300)
        return np.asarray(own / own.sum(axis=1, keepdims=True))

    def predict(self, X: Any) -> Any:
        """Return the surest class."""
        return self.classes_[self._scores(X).argmax(axis=1)]


class CardinalityThreshold(BaseEstimator):
    """Predict labels above one threshold, chosen on the rows to predict: as many labels a row as in training.

    The toolkit in which the results of [PACC table 4] were made evaluates confidences this way unless told otherwise
    [Read2011]. It needs no labels of the test part, but all its rows: a row gets other labels in other company.

    Parameters
    ----------
    estimator : classifier
        Anything with `fit` and `predict_proba` that gives one number per label.

    Attributes
    ----------
    estimator_ : classifier
        The fitted one.
    cardinality_ : float
        Mean number of labels of a training row.

    References
    ----------
    [PACC] Sun, Kudo and Kimura: Polytree-augmented classifier chains for multi-label classification, with
    label-dependent features, 2016.
    [Read2011] Read, Pfahringer, Holmes and Frank: Classifier chains for multi-label classification, 2011.

    Examples
    --------
    >>> from plait import recipes
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(400, 5))
    >>> Y = (X[:, :3] + rng.normal(size=(400, 3)) > 1.2).astype(int)
    >>> model = CardinalityThreshold(recipes.br()).fit(X[:200], Y[:200])
    >>> bool(abs(model.predict(X[200:]).sum(axis=1).mean() - model.cardinality_) < 0.01)
    True
    """

    parameter_rules: ClassVar[dict[str, tuple[Constraint, ...]]] = {"estimator": (HasMethods(("fit",)),)}

    def __init__(self, estimator: Any) -> None:
        self.estimator = estimator

    def fit(self, X: Any, y: Any) -> "CardinalityThreshold":
        """Fit the estimator and count the labels of the training rows."""
        check_parameters(self)
        self.estimator_ = clone(self.estimator).fit(X, y)
        total = y.sum() if sparse.issparse(y) else np.asarray(y).sum()
        self.cardinality_ = float(total) / X.shape[0]
        return self

    def predict_proba(self, X: Any) -> npt.NDArray[np.float64]:
        """Return the confidences."""
        return np.asarray(self.estimator_.predict_proba(X), dtype=np.float64)

    def predict(self, X: Any) -> npt.NDArray[np.uint8]:
        """Return the labels with the largest confidences over all rows."""
        confidences = self.predict_proba(X)
        ordered = np.sort(confidences, axis=None)
        wanted = round(self.cardinality_ * len(confidences))
        if ordered.size < 2:
            return (confidences > 0.5).astype(np.uint8)
        # Half way between the last label that is wanted but one and the last, as the toolkit has it.
        place = min(max(ordered.size - wanted, 0), ordered.size - 2)
        threshold = max(float(ordered[place] + ordered[place + 1]) / 2, 1e-5)
        return (confidences >= threshold).astype(np.uint8)
