"""`ClassifierScores`: any classifier of scikit-learn's kind, one for each label; gradient-boosted trees among them."""

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.utils.discovery import all_estimators

from plait.core.arrays import Floats, Labels
from plait.core.extras import optional
from plait.core.randomness import seeds
from plait.core.sentences import ParameterError, complaint
from plait.core.unknown_labels import given_again
from plait.estimators.auto_joint.base_scores import BaseScores, Folds, held_rows
from plait.learners import FittedClassifiers, SklearnLearner

__all__ = ["BOOSTED", "ClassifierScores", "boosted", "named_classifier"]

_ROUNDS, _RATE, _LEAVES = 60, 0.1, 15


class ClassifierScores(BaseScores):
    """A copy of a classifier for each label, cross-fitted.

    Parameters
    ----------
    estimator : classifier
        Anything with `fit` and `predict_proba` (or `decision_function`).
    name : str, optional
        What reports call it; the class's name by default.
    dense : bool, default=False
        Whether sparse X has to become dense for it.

    Attributes
    ----------
    conditionals_ : FittedClassifiers
        Of all rows.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from plait import AutoJoint
    >>> AutoJoint(learners=["logistic", ClassifierScores(GaussianNB(), name="bayes")])
    AutoJoint(learners=['logistic',
                        ClassifierScores(estimator=GaussianNB(), name='bayes')])
    """

    name: str  # type: ignore[misc]

    def __init__(self, estimator: Any, name: Any = None, dense: bool = False) -> None:
        self.estimator = estimator
        self.name = name
        self.dense = dense

    def out_of_fold(
        self, X: Any, Y: Labels, folds: Folds, *, sample_weight: Any = None, seed: int = 0, n_jobs: int | None = None
    ) -> Floats:
        """Fit all labels on all rows, and on the training rows of every fold."""
        X, Y = self._input(X), given_again(Y)
        learner = SklearnLearner(_seeded(self.estimator, seed), n_jobs=n_jobs)
        self.conditionals_: FittedClassifiers = learner.fit(X, Y, sample_weight=sample_weight)
        scores = np.empty(Y.shape)
        for training, held in folds:
            weights = None if sample_weight is None else sample_weight[training]
            scores[held] = _scores(learner.fit(X[training], Y[training], sample_weight=weights), X[held])
        return scores[held_rows(folds)]

    def log_odds(self, X: Any) -> Floats:
        """Return the log-odds that the classifiers give."""
        return _scores(self.conditionals_, self._input(X))

    def _input(self, X: Any) -> Any:
        return X.toarray() if self.dense and sparse.issparse(X) else X


def _scores(fitted: FittedClassifiers, X: Any) -> Floats:
    nothing = np.zeros((X.shape[0], 0), dtype=np.uint8)
    return np.column_stack([fitted.scores(label, X, nothing) for label in range(fitted.n_labels)])


def _seeded(estimator: Any, seed: int) -> Any:
    copy = clone(estimator)
    if "random_state" in copy.get_params():
        copy.set_params(random_state=seeds(seed, 1)[0])
    return copy


def _histogram() -> Any:
    return HistGradientBoostingClassifier(
        max_iter=_ROUNDS,
        learning_rate=_RATE,
        max_leaf_nodes=_LEAVES,
        min_samples_leaf=10,
        max_features=0.5,
        early_stopping=False,
    )


def _lightgbm() -> Any:
    package = optional("lightgbm", extra="boosting", purpose="boosted trees")
    return package.LGBMClassifier(
        n_estimators=_ROUNDS,
        learning_rate=_RATE,
        num_leaves=_LEAVES,
        min_child_samples=10,
        colsample_bytree=0.5,
        n_jobs=1,
        verbose=-1,
    )


def _xgboost() -> Any:
    package = optional("xgboost", extra="boosting", purpose="boosted trees")
    return package.XGBClassifier(
        n_estimators=_ROUNDS, learning_rate=_RATE, max_depth=4, colsample_bytree=0.5, n_jobs=1, verbosity=0
    )


def _catboost() -> Any:
    package = optional("catboost", extra="boosting", purpose="boosted trees")
    return package.CatBoostClassifier(
        iterations=_ROUNDS, learning_rate=_RATE, depth=4, thread_count=1, verbose=False, allow_writing_files=False
    )


BOOSTED = {"boosting": _histogram, "lightgbm": _lightgbm, "xgboost": _xgboost, "catboost": _catboost}


def boosted(name: str) -> ClassifierScores:
    """Return gradient-boosted trees by the name of who grows them."""
    return ClassifierScores(BOOSTED[name](), name, dense=name == "boosting")


def named_classifier(owner: str, name: str, known: list[str]) -> ClassifierScores:
    """Return a classifier of scikit-learn by the name of its class."""
    classes = dict(all_estimators(type_filter="classifier"))
    if name not in classes:
        must = "one of " + ", ".join(map(repr, known)) + ", a classifier, or the name of one of scikit-learn's"
        raise ParameterError(complaint(owner, "learners", must, name))
    return ClassifierScores(classes[name](), name)
