"""`SklearnLearner` against the same classifiers called label by label."""

from itertools import product

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import BernoulliNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler
from sklearn.tree import DecisionTreeClassifier

from plait.features import FeatureMask
from plait.learners import SklearnLearner
from plait.structure import LabelGraph

GRAPH = LabelGraph([[], [0], [1, 0]])
MASK = FeatureMask.by_label([[0, 2], [1], [3, 0, 2]], [[1, 1], [1], [1, 1, 1]], n_features=4)
FORMS = pytest.mark.parametrize("make", [np.asarray, sparse.csr_matrix, sparse.csr_array], ids=["dense", "csr", "arr"])


def problem(n=80, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4)) * (rng.random((n, 4)) < 0.7)
    noise = rng.normal(size=(n, 3))
    first = X[:, 0] + 0.5 * noise[:, 0] > 0
    second = X[:, 1] + first + 0.5 * noise[:, 1] > 0.5
    third = X[:, 3] - X[:, 0] + first * second + noise[:, 2] > 0.3
    return X, np.column_stack([first, second, third]).astype(np.uint8)


def by_hand(estimator, X, Y, label, features=slice(None), make=np.asarray, **fit_params):
    """Return the same classifier, trained by scikit-learn alone on columns put side by side."""
    parents = list(GRAPH.parents[label])
    inputs = make(np.column_stack([X[:, features], Y[:, parents]]))
    return clone(estimator).fit(inputs, Y[:, label], **fit_params)


CLASSIFIERS = [
    DecisionTreeClassifier(max_depth=3, random_state=0),
    RandomForestClassifier(5, random_state=0),
    LogisticRegression(),
    BernoulliNB(),
    KNeighborsClassifier(3),
    make_pipeline(MaxAbsScaler(), LogisticRegression()),
    GridSearchCV(LogisticRegression(), {"C": [0.1, 10.0]}, cv=3),
]


@FORMS
@pytest.mark.parametrize("estimator", CLASSIFIERS, ids=lambda each: type(each).__name__)
@pytest.mark.parametrize("masked", [False, True], ids=["all", "masked"])
def test_scores_are_the_log_odds_of_the_same_classifier(estimator, make, masked):
    X, Y = problem()
    fitted = SklearnLearner(estimator).fit(make(X), Y, GRAPH, MASK if masked else None)
    assert fitted.probabilistic
    for label, parents in enumerate(GRAPH.parents):
        features = np.flatnonzero(MASK.support[label]) if masked else np.arange(4)
        classifier = by_hand(estimator, X, Y, label, features, make)
        for values in product((0, 1), repeat=len(parents)):
            setting = np.array([values] * len(X), dtype=np.uint8).reshape(len(X), len(parents))
            chance = classifier.predict_proba(make(np.column_stack([X[:, features], setting])))[:, 1]
            chance = np.minimum(np.maximum(chance, 1e-6), 1 - 1e-6)
            scores = fitted.scores(label, make(X), setting)
            np.testing.assert_allclose(scores, np.log(chance / (1 - chance)), rtol=1e-8, atol=1e-8)
            np.testing.assert_allclose(np.exp(fitted.log_prob(label, make(X), setting)), chance, rtol=1e-8)
