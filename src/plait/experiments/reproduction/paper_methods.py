"""Methods of the papers that only their plans use: fewer rows, one class against the rest, thresholds."""

import math
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils.validation import validate_data

from plait.core.checks import (
    Constraint,
    HasMethods,
    Interval,
    RandomState,
    check_parameters,
)
from plait.core.randomness import generator
from plait.experiments.reproduction.leaking_codes import CodesAndNumbers, SelectedNaiveBayes
from plait.learners import LogisticLearner

__all__ = ["CardinalityThreshold", "CodesAndNumbers", "FewerRows", "OneAgainstRest", "SelectedNaiveBayes"]


class FewerRows(BaseEstimator):
    """A classifier trained on a share of the training rows, drawn at random [OCC figure 7].

    Parameters
    ----------
    estimator : classifier
        What is trained.
    share : float, default=0.5
        How many of the rows it sees, rounded up.
    random_state : int, RandomState, Generator or None
        Which rows, and the seed of the classifier.

    Attributes
    ----------
    estimator_ : classifier
        Trained.
    rows_ : ndarray of int64
        Which rows it saw.

    References
    ----------
    [OCC] Sun and Kudo: Optimization of classifier chains via conditional likelihood maximization, 2018.

    Examples
    --------
    >>> from sklearn.dummy import DummyClassifier
    >>> model = FewerRows(DummyClassifier(), share=0.25, random_state=0).fit(np.zeros((9, 1)), np.zeros((9, 1)))
    >>> model.rows_.size
    3
    """

    parameter_rules: ClassVar[dict[str, tuple[Constraint, ...]]] = {
        "estimator": (HasMethods(("fit",)),),
        "share": (Interval(float, 0, 1, closed="right"),),
        "random_state": (RandomState(),),
    }

    def __init__(self, estimator: Any, share: float = 0.5, random_state: Any = None) -> None:
        self.estimator = estimator
        self.share = share
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> "FewerRows":
        """Draw rows and train on them.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            Features.
        y : array or sparse matrix of shape (n_samples, n_labels)
            Labels.
        """
        check_parameters(self)
        chance = generator(self.random_state)
        self.rows_ = np.sort(chance.permutation(X.shape[0])[: math.ceil(self.share * X.shape[0])])
        model = clone(self.estimator)
        if "random_state" in model.get_params():
            model.set_params(random_state=int(chance.integers(2**31)))
        self.estimator_ = model.fit(X[self.rows_], y[self.rows_])
        return self

    def predict(self, X: Any) -> Any:
        """Return what the classifier says.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            Features.
        """
        return self.estimator_.predict(X)


class OneAgainstRest(ClassifierMixin, BaseEstimator):
    """The class whose own logistic regression is surest; as fast as binary relevance, for label sets as classes.

    Parameters
    ----------
    C : float, default=1.0
        Inverse strength of the penalty, as in `LogisticLearner`.
    standardize : bool or str, default="auto"
        Which columns are scaled, as in `LogisticLearner`.

    Attributes
    ----------
    classes_ : ndarray
        The classes, sorted.
    conditionals_ : LinearConditionals
        One regression a class.

    Examples
    --------
    >>> X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [0.1, 0.0], [0.1, 1.0], [0.9, 0.1]])
    >>> OneAgainstRest(C=100.0).fit(X, [0, 1, 2, 0, 1, 2]).predict([[1.0, 0.05]])
    array([2])
    """

    parameter_rules: ClassVar[dict[str, tuple[Constraint, ...]]] = {
        "C": (Interval(float, 0, None, closed="neither"),),
        "standardize": LogisticLearner.parameter_rules["standardize"],
    }

    def __init__(self, C: float = 1.0, standardize: bool | str = "auto") -> None:
        self.C = C
        self.standardize = standardize

    def fit(self, X: Any, y: Any) -> "OneAgainstRest":
        """Train one logistic regression for each class.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            Features.
        y : array of shape (n_samples,)
            Classes.
        """
        check_parameters(self)
        X, y = validate_data(self, X, y, accept_sparse="csr")
        self.classes_, places = np.unique(y, return_inverse=True)
        one_hot = (places[:, None] == np.arange(len(self.classes_))).astype(np.uint8)
        self.conditionals_: Any = LogisticLearner(C=self.C, standardize=self.standardize).fit(X, one_hot)
        return self

    def _scores(self, X: Any) -> npt.NDArray[np.float64]:
        X = validate_data(self, X, accept_sparse="csr", reset=False)
        return np.asarray(self.conditionals_.base_scores(X), dtype=np.float64)

    def predict_proba(self, X: Any) -> npt.NDArray[np.float64]:
        """Return the classes' own probabilities, divided by their sum.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            Features.
        """
        own = np.maximum(expit(self._scores(X)), 1e-300)
        return np.asarray(own / own.sum(axis=1, keepdims=True))

    def predict(self, X: Any) -> Any:
        """Return the surest class.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            Features.
        """
        return self.classes_[self._scores(X).argmax(axis=1)]


class PredictedParents(BaseEstimator):
    """A chain that predicts label after label, with the confidence of each given the predicted labels before it.

    A classifier chain as it is mostly programmed: no distribution, one number for each label. The CLL-loss that
    [MC table 3] prints for CC is the sum of their logarithms, where that of PCC is at the true labels before.

    Parameters
    ----------
    estimator : JointClassifier
        A chain with linear or other conditionals; whatever predicts, its predictions are the parents.

    Attributes
    ----------
    estimator_ : JointClassifier
        The fitted one.

    References
    ----------
    [MC] Hong, Batal and Hauskrecht: A mixtures-of-trees framework for multi-label classification, 2014.

    Examples
    --------
    >>> from plait import recipes
    >>> X, Y = np.arange(8.0)[:, None], (np.arange(8)[:, None] > [3, 4]).astype(int)
    >>> model = PredictedParents(recipes.cc(order="given")).fit(X, Y)
    >>> model.predict(X[-1:]), bool((model.predict_proba(X[-1:]) > 0.5).all())
    (array([[1, 1]]), True)
    """

    parameter_rules: ClassVar[dict[str, tuple[Constraint, ...]]] = {"estimator": (HasMethods(("fit", "joint")),)}

    def __init__(self, estimator: Any) -> None:
        self.estimator = estimator

    def fit(self, X: Any, y: Any) -> "PredictedParents":
        """Fit the chain."""
        check_parameters(self)
        self.estimator_ = clone(self.estimator).fit(X, y)
        return self

    def predict(self, X: Any) -> Any:
        """Return what the chain predicts."""
        return self.estimator_.predict(X)

    def predict_proba(self, X: Any) -> npt.NDArray[np.float64]:
        """Return the probability of each label given the features and the predicted labels before it."""
        return np.asarray(expit(self.estimator_.conditionals_.recorded_scores(X, self.predict(X))))


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
        """Fit the estimator and count the labels of the training rows.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            Features.
        y : array or sparse matrix of shape (n_samples, n_labels)
            Labels.
        """
        check_parameters(self)
        self.estimator_ = clone(self.estimator).fit(X, y)
        total = y.sum() if sparse.issparse(y) else np.asarray(y).sum()
        self.cardinality_ = float(total) / X.shape[0]
        return self

    def predict_proba(self, X: Any) -> npt.NDArray[np.float64]:
        """Return the confidences.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            Features.
        """
        return np.asarray(self.estimator_.predict_proba(X), dtype=np.float64)

    def predict(self, X: Any) -> npt.NDArray[np.uint8]:
        """Return the labels with the largest confidences over all rows.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            Features.
        """
        confidences = self.predict_proba(X)
        ordered = np.sort(confidences, axis=None)
        wanted = round(self.cardinality_ * len(confidences))
        if ordered.size < 2:
            return (confidences > 0.5).astype(np.uint8)
        # Half way between the last label that is wanted but one and the last, as the toolkit has it.
        place = min(max(ordered.size - wanted, 0), ordered.size - 2)
        threshold = max(float(ordered[place] + ordered[place + 1]) / 2, 1e-5)
        return (confidences >= threshold).astype(np.uint8)
