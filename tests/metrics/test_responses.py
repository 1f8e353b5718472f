"""Scores and probabilities from every kind of scikit-learn classifier, label by label."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import ClassifierChain, MultiOutputClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from plait.data import DataError
from plait.metrics.scoring import label_probabilities, label_scores, log_likelihoods

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 4))
Y = (X @ RNG.normal(size=(4, 3)) + RNG.normal(size=(60, 3)) > 0).astype(int)
# Label 0 is absent in training, label 2 always present.
CONSTANT = np.column_stack([np.zeros(60, int), Y[:, 0], np.ones(60, int)])

CLASSIFIERS = {
    "multi-output": MultiOutputClassifier(DecisionTreeClassifier(max_depth=3, random_state=0)),
    "forest": RandomForestClassifier(20, random_state=0),
    "neighbours": KNeighborsClassifier(5),
    "dummy": DummyClassifier(strategy="prior"),
    "tree": DecisionTreeClassifier(max_depth=3, random_state=0),
    "one against the rest": OneVsRestClassifier(LogisticRegression()),
    "pipeline": make_pipeline(StandardScaler(), RandomForestClassifier(20, random_state=0)),
    "search": GridSearchCV(KNeighborsClassifier(), {"n_neighbors": [3, 5]}, cv=2, error_score="raise"),
}
NEED_TWO_CLASSES = {"chain": ClassifierChain(LogisticRegression()), "bayes": MultiOutputClassifier(GaussianNB())}


def single(estimator, labels, j):
    """Return P(label j = 1) from the classifier fitted on that label alone: an oracle free of lists."""
    alone = estimator.fit(X, labels[:, j])
    column = np.flatnonzero(alone.classes_ == 1)
    return alone.predict_proba(X)[:, column[0]] if column.size else np.zeros(len(X))


@pytest.mark.parametrize(
    "estimator", {**CLASSIFIERS, **NEED_TWO_CLASSES}.values(), ids={**CLASSIFIERS, **NEED_TWO_CLASSES}
)
def test_probabilities_have_one_column_per_label_and_lean_to_the_prediction(estimator):
    estimator.fit(X, Y)
    result = label_probabilities("metric", estimator, X, Y)
    assert result.shape == Y.shape
    clear = np.abs(result - 0.5) > 1e-9
    # The dummy predicts the most frequent whole row, which need not be the more probable labels.
    if not isinstance(estimator, DummyClassifier):
        np.testing.assert_array_equal((result > 0.5)[clear], estimator.predict(X)[clear] == 1)
    np.testing.assert_array_equal(label_scores("metric", estimator, X, Y), result)


@pytest.mark.filterwarnings("ignore:Label .* is present in all training examples")
@pytest.mark.filterwarnings("ignore:Label not .* is present in all training examples")
@pytest.mark.parametrize("estimator", CLASSIFIERS.values(), ids=CLASSIFIERS)
def test_labels_constant_in_training_have_their_own_probability(estimator):
    estimator.fit(X, CONSTANT)
    result = label_probabilities("metric", estimator, X, CONSTANT)
    np.testing.assert_array_equal(result[:, 0], 0.0)
    np.testing.assert_array_equal(result[:, 2], 1.0)
    assert 0 < result[:, 1].mean() < 1


@pytest.mark.parametrize(
    "alone",
    [KNeighborsClassifier(5), LogisticRegression(), GaussianNB(), DecisionTreeClassifier(max_depth=3, random_state=0)],
)
def test_columns_equal_classifiers_of_single_labels(alone):
    joined = MultiOutputClassifier(alone).fit(X, Y)
    expected = np.column_stack([single(alone, Y, j) for j in range(3)])
    np.testing.assert_allclose(label_probabilities("metric", joined, X, Y), expected, rtol=1e-12, atol=0)


@pytest.mark.parametrize("labels", [Y[:, :1], Y[:, 0]], ids=["column", "flat"])
@pytest.mark.parametrize("kind", ["forest", "neighbours", "one against the rest", "dummy", "tree"])
@pytest.mark.filterwarnings("ignore:A column-vector y was passed")
def test_a_binary_classifier_gives_the_column_of_class_1(kind, labels):
    estimator = CLASSIFIERS[kind].fit(X, labels)
    result = np.asarray(label_probabilities("metric", estimator, X, labels)).reshape(-1)
    np.testing.assert_array_equal(result, estimator.predict_proba(X)[:, 1])


@pytest.mark.parametrize("value", [0, 1])
@pytest.mark.parametrize("kind", ["forest", "neighbours", "one against the rest", "dummy", "tree", "multi-output"])
@pytest.mark.filterwarnings("ignore:A column-vector y was passed")
@pytest.mark.filterwarnings("ignore:Label not .* is present in all training examples")
def test_a_single_label_constant_in_training(kind, value):
    labels = np.full((60, 1), value)
    estimator = CLASSIFIERS[kind].fit(X, labels)
    result = label_probabilities("metric", estimator, X, Y[:, :1])
    np.testing.assert_array_equal(np.reshape(result, -1), float(value))


@pytest.mark.parametrize("value", [0, 1])
@pytest.mark.filterwarnings("ignore:Stochastic Optimizer")
def test_two_columns_for_a_single_class_mean_nothing(value):
    network = MLPClassifier(max_iter=2, random_state=0).fit(X, np.full(60, value))
    assert network.predict_proba(X).shape == (60, 2)
    result = label_probabilities("metric", network, X, Y[:, :1])
    np.testing.assert_array_equal(np.reshape(result, -1), float(value))


def test_one_column_of_a_multi_label_model_is_its_marginal():
    chain = ClassifierChain(LogisticRegression()).fit(X, Y[:, :1])
    np.testing.assert_array_equal(label_probabilities("metric", chain, X, Y[:, :1]), chain.predict_proba(X))


@pytest.mark.parametrize(
    "estimator", [RidgeClassifier(), OneVsRestClassifier(LinearSVC()), ClassifierChain(LinearSVC())]
)
def test_decision_values_serve_where_there_are_no_probabilities(estimator):
    estimator.fit(X, Y)
    np.testing.assert_array_equal(label_scores("metric", estimator, X, Y), estimator.decision_function(X))
    with pytest.raises(DataError, match=r"metric needs an estimator with predict_proba, but .* has none"):
        label_probabilities("metric", estimator, X, Y)


def test_an_estimator_without_scores_is_named():
    estimator = MultiOutputClassifier(LinearSVC()).fit(X, Y)
    with pytest.raises(DataError, match="predict_proba or decision_function, but MultiOutputClassifier has none"):
        label_scores("ranking_loss", estimator, X, Y)


class Listed(ClassifierMixin, BaseEstimator):
    """Gives a list of arrays and no classes_."""

    def __init__(self, widths=(2, 2), chances=None):
        self.widths = widths
        self.chances = chances

    def fit(self, X, Y):
        return self

    def predict_proba(self, X):
        if self.chances is not None:
            return [np.tile(row, (len(X), 1)) for row in self.chances]
        return [np.full((len(X), width), 1 / width) for width in self.widths]


def test_a_list_without_classes():
    assert label_probabilities("metric", Listed(), X, Y[:, :2]).tolist() == [[0.5, 0.5]] * 60
    with pytest.raises(DataError, match="classes_ say what its single column of predict_proba is"):
        label_probabilities("metric", Listed((2, 1)), X, Y[:, :2])


def test_classes_say_which_column_is_which():
    turned = Listed(chances=[[0.9, 0.1], [0.2, 0.8]])
    turned.classes_ = [np.array([1, 0]), np.array([False, True])]
    assert label_probabilities("metric", turned, X[:2], Y[:2, :2]).tolist() == [[0.9, 0.8]] * 2


class Joint(ClassifierMixin, BaseEstimator):
    """Answers with log-probabilities that tell which rows of X and Y it was given."""

    def fit(self, X, Y):
        self.classes_ = [np.array([0, 1])] * Y.shape[1]
        return self

    def predict(self, X):
        return np.zeros((len(X), len(self.classes_)), dtype=int)

    def joint(self, X):
        self.given_ = X
        return self

    def log_prob(self, Y):
        return -(self.given_[:, 0] ** 2) - Y.sum(axis=1)


def test_a_joint_model_gives_its_own_likelihood_even_inside_a_pipeline_or_a_search():
    expected = -(X[:, 0] ** 2) - Y.sum(axis=1)
    np.testing.assert_array_equal(log_likelihoods("metric", Joint().fit(X, Y), X, Y), expected)
    search = GridSearchCV(Joint(), {}, cv=2, scoring=lambda *_: 0.0).fit(X, Y)
    np.testing.assert_array_equal(log_likelihoods("metric", search, X, Y), expected)
    pipeline = make_pipeline(StandardScaler(), Joint()).fit(X, Y)
    scaled = StandardScaler().fit_transform(X)
    np.testing.assert_allclose(
        log_likelihoods("metric", pipeline, X, Y), -(scaled[:, 0] ** 2) - Y.sum(axis=1), rtol=1e-12, atol=0
    )


def test_other_models_give_their_marginals():
    forest = make_pipeline(StandardScaler(), RandomForestClassifier(5, random_state=0)).fit(X, Y)
    np.testing.assert_array_equal(log_likelihoods("metric", forest, X, Y), label_probabilities("metric", forest, X, Y))
