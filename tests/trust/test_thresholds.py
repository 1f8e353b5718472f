"""Thresholds around any classifier: found out of fold, fixed at fit, for models of plait and of scikit-learn."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.multioutput import ClassifierChain, MultiOutputClassifier
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from plait import recipes
from plait.baselines import MLkNN
from plait.core.checks import wrong_values
from plait.core.sentences import ParameterError
from plait.losses import macro_f1_thresholds, micro_f1_threshold
from plait.metrics import hamming_score, micro_f1
from plait.testing import EstimatorConformance
from plait.trust import CardinalityThreshold, TunedThresholds

draws = np.random.default_rng(0)
X = draws.normal(size=(240, 4))
Y = (X @ draws.normal(size=(4, 5)) + draws.normal(size=(240, 5)) > 2.0).astype(int)
LOGISTIC = LogisticRegression()
MODELS = {
    "plait": recipes.pcc(learner="logistic"),
    "forest": RandomForestClassifier(20, random_state=0),
    "labels": MultiOutputClassifier(LOGISTIC),
    "chain": ClassifierChain(LOGISTIC, random_state=0),
    "neighbours": MLkNN(),
}
WRAPPERS = {
    "tuned": TunedThresholds(recipes.br(learner="logistic"), "macro_f1"),
    "cardinality": CardinalityThreshold(recipes.br(learner="logistic")),
}
# A decision by thresholds is no decision at one half; a row and its copy may lie on both sides of a fold.
OTHERWISE = {
    "check_classifier_multioutput",
    "check_sample_weight_equivalence_on_dense_data",
    "check_sample_weight_equivalence_on_sparse_data",
    "check_classifiers_train",
    "check_classifiers_classes",
}


@pytest.mark.parametrize("model", WRAPPERS.values(), ids=WRAPPERS)
class TestWrappers(EstimatorConformance):
    def as_checked(self, model, check):
        return None if check in OTHERWISE else model


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_micro_f1_gains_and_rows_are_answered_alone(model):
    tuned = TunedThresholds(model).fit(X[:160], Y[:160])
    labels = tuned.predict(X[160:])
    plain = np.asarray(clone(model).fit(X[:160], Y[:160]).predict(X[160:]))
    assert micro_f1(Y[160:], labels) > micro_f1(Y[160:], plain)
    np.testing.assert_array_equal(labels[:5], np.vstack([tuned.predict(row[None]) for row in X[160:165]]))
    np.testing.assert_array_equal(labels, tuned.predict_proba(X[160:]) > tuned.thresholds_)


def test_thresholds_of_a_fitted_model_are_those_of_its_marginals():
    model = recipes.br(learner="logistic").fit(X[:160], Y[:160])
    marginals = model.predict_proba(X[160:])
    one = TunedThresholds(model, cv="prefit", calibrate=False).fit(X[160:], Y[160:])
    assert one.model_ is model
    assert one.thresholds_ == pytest.approx(micro_f1_threshold(marginals), rel=1e-6)
    each = TunedThresholds(model, "macro_f1", cv="prefit", calibrate=False).fit(X[160:], Y[160:])
    np.testing.assert_allclose(each.thresholds_, macro_f1_thresholds(marginals), rtol=1e-6)


class Timid(RandomForestClassifier):
    """A forest whose log-odds are a third of what they should be."""

    def predict_proba(self, X):
        return [
            1 / (1 + ((1 - p) / p) ** (1 / 3)) for p in (np.clip(p, 1e-3, 1 - 1e-3) for p in super().predict_proba(X))
        ]


def test_calibration_takes_a_change_of_the_log_odds_back():
    forest = RandomForestClassifier(20, random_state=0).fit(X, Y)
    timid = Timid(20, random_state=0).fit(X, Y)
    right, turned = (TunedThresholds(model, cv="prefit").fit(X, Y) for model in (forest, timid))
    np.testing.assert_array_equal(right.predict(X), turned.predict(X))
    plain = TunedThresholds(timid, cv="prefit", calibrate=False).fit(X, Y)
    assert (plain.predict(X) != turned.predict(X)).any()


def test_a_metric_of_ones_own_is_counted():
    tuned = TunedThresholds(recipes.br(learner="logistic"), hamming_score).fit(X, Y)
    marginals = tuned.predict_proba(X)
    assert 0.3 < tuned.thresholds_ < 0.7
    assert hamming_score(Y, tuned.predict(X)) > hamming_score(Y, marginals > 0.15)


def test_as_many_labels_as_in_training():
    model = recipes.br(learner="logistic").fit(X[:160], Y[:160])
    by_count = CardinalityThreshold(model, cv="prefit").fit(X[160:], Y[160:])
    assert by_count.predict(X[160:]).sum() == Y[160:].sum()
    weighed = CardinalityThreshold(model, cv="prefit").fit(X[160:], Y[160:], sample_weight=np.full(80, 2.0))
    assert weighed.thresholds_ == by_count.thresholds_
    for labels, share in ((np.zeros((80, 5)), 0.0), (np.ones((80, 5)), 1.0)):
        assert CardinalityThreshold(model, cv="prefit").fit(X[160:], labels).predict(X[160:]).mean() == share
    assert abs(CardinalityThreshold(recipes.br()).fit(X, Y).predict(X).sum() / Y.sum() - 1) < 0.2


def test_names_text_weights_and_searches():
    texts = ["sea and sand", "sun on the sea", "rain in town", "town and sun"] * 5
    tags = [{"beach"}, {"beach", "warm"}, set(), {"warm"}] * 5
    model = TunedThresholds(make_pipeline(TfidfVectorizer(), MultiOutputClassifier(LOGISTIC)), "macro_f1")
    assert model.fit(texts, tags).predict_sets(texts[:2])[1] == ("beach", "warm")
    search = GridSearchCV(TunedThresholds(recipes.br(learner="logistic")), {"model__learner__C": [0.1, 1.0]}, cv=2)
    assert search.fit(X, Y).best_estimator_.thresholds_ < 0.5
    weights = np.arange(len(Y)) % 2 + 0.0
    heavy = TunedThresholds(recipes.br(learner="logistic")).fit(X, Y, sample_weight=weights)
    assert heavy.thresholds_ != TunedThresholds(recipes.br(learner="logistic")).fit(X, Y).thresholds_


def test_refusals():
    with pytest.raises(ParameterError, match="TunedThresholds needs model to be"):
        TunedThresholds(MultiOutputClassifier(LinearSVC())).fit(X, Y)
    for name, rules in TunedThresholds.parameter_rules.items():
        for wrong in wrong_values(rules):
            with pytest.raises(ParameterError, match=f"TunedThresholds needs {name} to be"):
                TunedThresholds(MODELS["plait"]).set_params(**{name: wrong}).fit(X, Y)


class Wavering(BaseEstimator):
    """Four different marginals, whose last digits are larger where a row is alone."""

    def fit(self, X, Y):
        self.classes_ = [0, 1]
        return self

    def predict_proba(self, X):
        levels = np.array([0.2, 0.4, 0.6, 0.8])[np.digitize(X[:, :5], [-0.5, 0.0, 0.5])]
        return levels * (1.0 + 1e-15 * (len(X) == 1))


@pytest.mark.parametrize("wrapper", [TunedThresholds, CardinalityThreshold])
def test_a_threshold_that_is_a_marginal_is_above_it_whatever_its_last_digits(wrapper):
    draws = np.random.default_rng(0)
    X = draws.normal(size=(200, 3))
    Y = (X + draws.normal(size=X.shape) > 0.2).astype(int)
    metric = {"metric": hamming_score} if wrapper is TunedThresholds else {}
    found = wrapper(Wavering().fit(X, Y), cv="prefit", **metric).fit(X, Y)
    labels = found.predict(X)
    assert 0 < labels.sum() < labels.size
    np.testing.assert_array_equal(labels[:20], np.vstack([found.predict(row[None]) for row in X[:20]]))
