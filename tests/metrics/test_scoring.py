"""Scorers inside scikit-learn: cross-validation, searches, pipelines, estimators without probabilities."""

import inspect
import pickle

import numpy as np
import pandas as pd
import pytest
import sklearn
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score, cross_validate
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import ClassifierChain, MultiOutputClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from plait import losses, metrics
from plait.core.naming import registry
from plait.losses import Loss
from plait.metrics import label_scorers, scorers

RNG = np.random.default_rng(1)
X = RNG.normal(size=(80, 4))
Y = (X @ RNG.normal(size=(4, 3)) + RNG.normal(size=(80, 3)) > 0.3).astype(int)
OF_LOSSES = {f"{word}_loss": kind() for word, kind in registry(losses, Loss).items() if not kind.needs_thresholds}
METRICS = set(metrics.__all__) - {"loss_metric", "scorers", "label_scorers", "label_report", "Propensities"}
# The room's rule: of these the smallest value is the best.
LOSSES = {
    name for name in {*METRICS, *OF_LOSSES} if name.endswith("_loss") or name in ("normalized_coverage", "one_error")
}
NEED_SCORES = {name for name in METRICS if "Y_pred" not in inspect.signature(getattr(metrics, name)).parameters}
NEED_SCORES |= {name for name, loss in OF_LOSSES.items() if loss.answer == "scores"}

CLASSIFIERS = {
    "one against the rest": OneVsRestClassifier(LogisticRegression()),
    "multi-output": MultiOutputClassifier(LogisticRegression()),
    "chain": ClassifierChain(LogisticRegression()),
    "forest": RandomForestClassifier(10, random_state=0),
    "neighbours in a pipeline": make_pipeline(StandardScaler(), KNeighborsClassifier()),
}


def metric_of(name):
    return metrics.loss_metric(OF_LOSSES[name]) if name in OF_LOSSES else getattr(metrics, name)


def test_every_metric_and_every_loss_has_a_scorer():
    assert set(scorers) == {*METRICS, *OF_LOSSES}
    assert set(label_scorers) == set(scorers) - NEED_SCORES


@pytest.mark.parametrize("estimator", CLASSIFIERS.values(), ids=CLASSIFIERS)
def test_cross_validation_gives_the_metrics_of_each_fold(estimator):
    folds = KFold(3)
    result = cross_validate(estimator, X, Y, scoring=scorers, cv=folds, error_score="raise", return_estimator=True)
    for name in scorers:
        metric, sign = metric_of(name), -1 if name in LOSSES else 1
        for k, (_, test) in enumerate(folds.split(X)):
            model = result["estimator"][k]
            answer = model.predict(X[test])
            if name in NEED_SCORES:
                answer = model.predict_proba(X[test])
                answer = np.column_stack([p[:, 1] for p in answer]) if isinstance(answer, list) else answer
            expected = sign * metric(Y[test], answer)
            assert result[f"test_{name}"][k] == pytest.approx(expected, rel=1e-12, abs=1e-15), name


@pytest.mark.parametrize("form", [sparse.csr_matrix, sparse.csr_array, lambda t: pd.DataFrame(t, columns=list("abc"))])
def test_labels_may_be_sparse_or_a_frame(form):
    # A search takes sparse labels; cross_validate itself refuses them, before any scorer is asked.
    results = []
    for labels in (form(Y), Y):
        estimator = OneVsRestClassifier(LogisticRegression())
        search = GridSearchCV(estimator, {}, scoring=scorers, refit="micro_f1", cv=KFold(2), error_score="raise")
        results.append(search.fit(X, labels).cv_results_)
    for name in scorers:
        ours, expected = (result[f"mean_test_{name}"] for result in results)
        np.testing.assert_allclose(ours, expected, rtol=1e-9, atol=1e-12)


def test_one_scorer_under_a_name_of_ones_own_and_alone():
    estimator = CLASSIFIERS["chain"]
    named = cross_validate(estimator, X, Y, scoring={"em": scorers["exact_match"]}, cv=KFold(3))["test_em"]
    alone = cross_val_score(estimator, X, Y, scoring=scorers["exact_match"], cv=KFold(3))
    np.testing.assert_array_equal(named, alone)
    np.testing.assert_array_equal(alone, cross_val_score(estimator, X, Y, scoring="accuracy", cv=KFold(3)))


@pytest.mark.parametrize("name", ["micro_f1", "ranking_loss", "cll_loss"])
def test_grid_search_prefers_the_better_model(name):
    pipeline = make_pipeline(StandardScaler(), OneVsRestClassifier(LogisticRegression()))
    grid = {"onevsrestclassifier__estimator__C": [1e-6, 1.0]}
    search = GridSearchCV(pipeline, grid, scoring=scorers[name], cv=KFold(3), error_score="raise").fit(X, Y)
    assert search.best_params_ == {"onevsrestclassifier__estimator__C": 1.0}
    assert search.score(X, Y) == pytest.approx(scorers[name](search, X, Y), rel=1e-12)


def test_grid_search_with_all_scorers_refits_on_one():
    search = GridSearchCV(
        KNeighborsClassifier(), {"n_neighbors": [1, 9]}, scoring=scorers, refit="hamming_loss", cv=KFold(3)
    )
    search.fit(X, Y)
    assert {f"mean_test_{name}" for name in scorers} <= set(search.cv_results_)
    best = np.argmax(search.cv_results_["mean_test_hamming_loss"])
    assert search.best_params_ == {"n_neighbors": [1, 9][best]}
    assert search.score(X, Y) <= 0


@pytest.mark.parametrize("name", sorted(scorers))
def test_scorers_survive_pickling_and_other_processes(name):
    model = CLASSIFIERS["forest"].fit(X, Y)
    assert pickle.loads(pickle.dumps(scorers[name]))(model, X, Y) == scorers[name](model, X, Y)
    assert name in repr(scorers[name])


def test_scorers_run_in_workers():
    serial = cross_validate(KNeighborsClassifier(), X, Y, scoring=scorers, cv=KFold(2))
    workers = cross_validate(KNeighborsClassifier(), X, Y, scoring=scorers, cv=KFold(2), n_jobs=2)
    for name in scorers:
        np.testing.assert_array_equal(serial[f"test_{name}"], workers[f"test_{name}"])


def test_without_probabilities_the_label_scorers_still_count():
    estimator = MultiOutputClassifier(LinearSVC())
    with pytest.warns(UserWarning, match="Scoring failed"):
        result = cross_validate(estimator, X, Y, scoring=scorers, cv=KFold(2))
    for name in scorers:
        assert np.isnan(result[f"test_{name}"]).all() == (name in NEED_SCORES), name
    clean = cross_validate(estimator, X, Y, scoring=label_scorers, cv=KFold(2), error_score="raise")
    np.testing.assert_array_equal(clean["test_micro_f1"], result["test_micro_f1"])


def test_a_decision_function_is_enough_for_rankings():
    result = cross_validate(
        RidgeClassifier(), X, Y, scoring={n: scorers[n] for n in ("ranking_loss", "micro_f1")}, error_score="raise"
    )
    assert (result["test_ranking_loss"] > -0.5).all()


def test_a_label_absent_from_the_training_fold_counts_as_absent():
    labels = Y.copy()
    labels[:40, 0] = 0
    labels[40:, 0] = 1
    folds = [(np.arange(40), np.arange(40, 80))]
    scoring = {name: scorers[name] for name in NEED_SCORES}
    result = cross_validate(KNeighborsClassifier(), X, labels, scoring=scoring, cv=folds, error_score="raise")
    model = KNeighborsClassifier().fit(X[:40], labels[:40])
    shares = np.stack([labels[:40][near].mean(axis=0) for near in model.kneighbors(X[40:], return_distance=False)])
    assert (shares[:, 0] == 0).all()
    for name in NEED_SCORES:
        sign = -1 if name in LOSSES else 1
        assert result[f"test_{name}"][0] == pytest.approx(sign * metric_of(name)(labels[40:], shares), rel=1e-9), name


class Coupled(ClassifierMixin, BaseEstimator):
    """Two labels that are always equal: the product of marginals is not the joint probability."""

    def fit(self, X, Y):
        self.classes_ = [np.array([0, 1])] * 2
        return self

    def predict(self, X):
        return np.ones((len(X), 2), dtype=int)

    def predict_proba(self, X):
        return np.full((len(X), 2), 0.5)

    def joint(self, X):
        return self

    def log_prob(self, Y):
        with np.errstate(divide="ignore"):
            return np.log(np.where(Y[:, 0] == Y[:, 1], 0.5, 0.0))


def test_likelihood_comes_from_the_joint_model():
    equal = np.repeat(Y[:, :1], 2, axis=1)
    model = Coupled().fit(X, equal)
    assert scorers["cll_loss"](model, X, equal) == pytest.approx(-80 * np.log(2), rel=1e-12)
    assert scorers["cll_loss"](model, X, pd.DataFrame(equal)) == pytest.approx(-80 * np.log(2), rel=1e-12)
    assert scorers["cll_loss"](make_pipeline(StandardScaler(), model).fit(X, equal), X, equal) == pytest.approx(
        -80 * np.log(2), rel=1e-12
    )


@pytest.mark.filterwarnings("ignore:A column-vector y was passed")
@pytest.mark.parametrize("labels", [Y[:, 0], Y[:, :1]], ids=["flat", "column"])
def test_a_single_label(labels):
    for estimator in (LogisticRegression(), KNeighborsClassifier()):
        if labels.ndim == 2 and isinstance(estimator, LogisticRegression):
            continue
        result = cross_validate(estimator, X, labels, scoring=scorers, cv=KFold(2), error_score="raise")
        np.testing.assert_array_equal(result["test_exact_match"], result["test_hamming_score"])
        assert (result["test_ranking_loss"] == 0).all()
        assert (result["test_cll_loss"] < 0).all()


def test_metadata_routing_may_be_on():
    expected = cross_validate(KNeighborsClassifier(), X, Y, scoring=scorers, cv=KFold(2), error_score="raise")
    with sklearn.config_context(enable_metadata_routing=True):
        result = cross_validate(KNeighborsClassifier(), X, Y, scoring=scorers, cv=KFold(2), error_score="raise")
        GridSearchCV(KNeighborsClassifier(), {"n_neighbors": [3]}, scoring=scorers, refit="micro_f1", cv=2).fit(X, Y)
    for name in scorers:
        np.testing.assert_array_equal(result[f"test_{name}"], expected[f"test_{name}"])


# Of scikit-learn 1.7, which says what this test is about.
@pytest.mark.filterwarnings("ignore:The scoring .* does not support sample_weight:UserWarning")
def test_weights_reach_the_fit_and_not_the_scorers():
    # With weights, scikit-learn warns for each scorer that does not take them; scikit-learn 1.9 and later.
    search = GridSearchCV(
        RandomForestClassifier(3, random_state=0), {"max_depth": [2]}, scoring=scorers, refit="micro_f1", cv=KFold(2)
    )
    if tuple(map(int, sklearn.__version__.split(".")[:2])) >= (1, 9):
        with pytest.warns(UserWarning, match="does not support sample_weight"):
            search.fit(X, Y, sample_weight=np.ones(80))
    else:
        search.fit(X, Y, sample_weight=np.ones(80))
    assert np.isfinite(search.best_score_)


def test_the_tables_explain_themselves_and_survive_pickling():
    assert "need only `predict`" in label_scorers.__doc__
    copy = pickle.loads(pickle.dumps(scorers))
    assert list(copy) == list(scorers)
    assert copy.__doc__ == scorers.__doc__


def test_an_unknown_name_lists_the_known_ones():
    with pytest.raises(KeyError, match="there is no scorer 'f1'; there are cll_loss, exact_match, "):
        scorers["f1"]
    assert scorers.get("f1") is None
