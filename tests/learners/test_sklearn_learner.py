"""`SklearnLearner` against the same classifiers called label by label."""

import os
import re
from itertools import product

import joblib
import numpy as np
import pytest
import sklearn
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import BaggingClassifier, HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.exceptions import ConvergenceWarning, UnsetMetadataPassedError
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LinearRegression, LogisticRegression, RidgeClassifier
from sklearn.model_selection import GridSearchCV, GroupKFold, KFold
from sklearn.naive_bayes import BernoulliNB, GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, Normalizer, StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from plait.core.sentences import ParameterError
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
    GridSearchCV(BernoulliNB(), {"alpha": [0.1, 10.0]}, cv=3),
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


class Recorder(ClassifierMixin, BaseEstimator):
    """Predicts only, and remembers what it was trained on."""

    def fit(self, X, y):
        self.X_, self.y_ = X, y
        return self

    def predict(self, X):
        return (np.asarray(X.sum(axis=1)).ravel() > 0).astype(int)


@pytest.mark.parametrize("estimator", [LinearSVC(), RidgeClassifier()], ids=lambda each: type(each).__name__)
def test_without_probabilities_margins_are_the_scores(estimator):
    X, Y = problem()
    fitted = SklearnLearner(estimator).fit(X, Y, GRAPH)
    for label, parents in enumerate(GRAPH.parents):
        values = Y[:, list(parents)]
        margins = by_hand(estimator, X, Y, label).decision_function(np.column_stack([X, values]))
        np.testing.assert_allclose(fitted.scores(label, X, values), margins, rtol=1e-9)
    name = type(estimator).__name__
    with pytest.raises(ParameterError, match=f"^log_prob needs a learner that gives probabilities, but {name} gives"):
        fitted.log_prob(0, X, np.zeros((80, 0), dtype=np.uint8))


def test_without_margins_decisions_are_the_scores():
    X, Y = problem()
    fitted = SklearnLearner(Recorder()).fit(X, Y, GRAPH)
    assert not fitted.probabilistic
    expected = np.where(X.sum(axis=1) + Y[:, 0] > 0, 1.0, -1.0)
    np.testing.assert_array_equal(fitted.scores(1, X, Y[:, [0]]), expected)


def test_what_the_classifiers_are_trained_on():
    X, Y = problem()
    alone = SklearnLearner(Recorder()).fit(X, Y).estimators_
    assert all(np.shares_memory(each.X_, X) and not each.X_.flags.writeable for each in alone)
    chained = SklearnLearner(Recorder()).fit(sparse.csr_array(X.astype(np.float32)), Y, GRAPH, MASK).estimators_[2]
    assert isinstance(chained.X_, sparse.csr_array)
    assert chained.X_.dtype == np.float32
    np.testing.assert_array_equal(chained.X_.toarray(), np.column_stack([X[:, [0, 2, 3]], Y[:, [1, 0]]]).astype("f"))
    np.testing.assert_array_equal(chained.y_, Y[:, 2])


@pytest.mark.parametrize(
    "estimator",
    [
        DecisionTreeClassifier(max_depth=3, random_state=0),
        BernoulliNB(),
        LogisticRegression(),
        make_pipeline(MaxAbsScaler(), BernoulliNB()),
        GridSearchCV(BernoulliNB(), {"alpha": [0.5, 2.0]}, cv=3),
        GridSearchCV(make_pipeline(MaxAbsScaler(), BernoulliNB()), {"bernoullinb__alpha": [0.5, 2.0]}, cv=3),
    ],
    ids=["tree", "bayes", "logistic", "pipeline", "search", "search over pipeline"],
)
@pytest.mark.parametrize("shape", [(80,), (80, 3)], ids=["one", "each"])
def test_weights_reach_the_classifier(estimator, shape):
    X, Y = problem()
    weights = np.random.default_rng(1).uniform(0.2, 3.0, size=shape)
    fitted = SklearnLearner(estimator).fit(X, Y, GRAPH, sample_weight=weights)
    words = "bernoullinb__sample_weight" if "Pipeline" in fitted.made_by else "sample_weight"
    for label, parents in enumerate(GRAPH.parents):
        own = weights if len(shape) == 1 else weights[:, label]
        values = Y[:, list(parents)]
        chance = by_hand(estimator, X, Y, label, **{words: own}).predict_proba(np.column_stack([X, values]))[:, 1]
        scores = fitted.scores(label, X, values)
        np.testing.assert_allclose(1 / (1 + np.exp(-scores)), np.clip(chance, 1e-6, 1 - 1e-6), rtol=1e-8)
        plain = by_hand(estimator, X, Y, label).predict_proba(np.column_stack([X, values]))[:, 1]
        assert np.abs(chance - plain).max() > 1e-3


@pytest.mark.parametrize("shape", [(80,), (80, 3)], ids=["one", "each"])
@pytest.mark.parametrize("make", [np.asarray, sparse.csr_matrix], ids=["dense", "csr"])
def test_weight_zero_is_absence_even_for_a_forest(shape, make):
    X, Y = problem()
    weights = np.random.default_rng(2).integers(0, 3, size=shape).astype(float)
    forest = RandomForestClassifier(5, min_samples_leaf=3, random_state=0)
    fitted = SklearnLearner(forest).fit(make(X), Y, GRAPH, sample_weight=weights)
    for label, parents in enumerate(GRAPH.parents):
        own = weights if len(shape) == 1 else weights[:, label]
        kept = own > 0
        without = by_hand(forest, X[kept], Y[kept], label, sample_weight=own[kept])
        chance = without.predict_proba(np.column_stack([X, Y[:, list(parents)]]))[:, 1]
        scores = fitted.scores(label, X, Y[:, list(parents)])
        np.testing.assert_allclose(1 / (1 + np.exp(-scores)), np.clip(chance, 1e-6, 1 - 1e-6), rtol=1e-9)


@pytest.mark.parametrize(
    ("estimator", "name"),
    [
        (KNeighborsClassifier(), "KNeighborsClassifier"),
        (make_pipeline(Normalizer(), KNeighborsClassifier()), "Pipeline(Normalizer, KNeighborsClassifier)"),
    ],
)
@pytest.mark.parametrize("routing", [False, True])
def test_weights_that_nobody_takes_are_refused(estimator, name, routing):
    X, Y = problem()
    sentence = f"SklearnLearner needs an estimator whose fit takes sample_weight, but {name} does not take"
    with (
        sklearn.config_context(enable_metadata_routing=routing),
        pytest.raises(ParameterError, match=f"^{re.escape(sentence)}"),
    ):
        SklearnLearner(estimator).fit(X, Y, sample_weight=np.ones(80))


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_metadata_are_routed_by_request(n_jobs):
    X, Y = problem()
    weights = np.random.default_rng(1).uniform(0.2, 3.0, size=(80, 3))
    with sklearn.config_context(enable_metadata_routing=True):
        scaler = StandardScaler().set_fit_request(sample_weight=False)
        pipe = make_pipeline(scaler, LogisticRegression().set_fit_request(sample_weight=True))
        fitted = SklearnLearner(pipe, n_jobs=n_jobs).fit(X, Y, GRAPH, sample_weight=weights)
    for label, parents in enumerate(GRAPH.parents):
        plain = make_pipeline(StandardScaler(), LogisticRegression())
        own = by_hand(plain, X, Y, label, logisticregression__sample_weight=weights[:, label])
        values = Y[:, list(parents)]
        margins = own.decision_function(np.column_stack([X, values]))
        np.testing.assert_allclose(fitted.scores(label, X, values), margins, rtol=1e-6)


def test_other_metadata_need_routing_and_lose_the_rows_of_weight_zero():
    X, Y = problem()
    groups = np.arange(80) % 4
    weights = (np.arange(80) % 5 > 0).astype(float)
    kept = weights > 0
    with sklearn.config_context(enable_metadata_routing=True):
        inner = BernoulliNB().set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
        search = GridSearchCV(inner, {"alpha": [0.01, 1.0, 100.0]}, cv=GroupKFold(4))
        fitted = SklearnLearner(search).fit(X, Y, sample_weight=weights, groups=groups)
    for label in range(3):
        plain = clone(search).fit(X[kept], Y[kept, label], groups=groups[kept])
        mine = fitted.estimators_[label].cv_results_
        for fold in range(4):
            split = f"split{fold}_test_score"
            np.testing.assert_allclose(mine[split], plain.cv_results_[split], rtol=1e-12)
    with pytest.raises(ParameterError, match=r"^SklearnLearner.fit needs scikit-learn's metadata routing for groups"):
        SklearnLearner(search).fit(X, Y, groups=groups)


def test_an_estimator_that_has_not_been_asked_says_so():
    X, Y = problem()
    with (
        sklearn.config_context(enable_metadata_routing=True),
        pytest.raises(UnsetMetadataPassedError, match=r"not explicitly set as requested or not requested"),
    ):
        SklearnLearner(LogisticRegression()).fit(X, Y, sample_weight=np.ones(80))


def bits(fitted, X):
    return np.concatenate([fitted.score_table(label, X).ravel() for label in range(fitted.n_labels)])


@pytest.mark.parametrize(
    "estimator",
    [
        RandomForestClassifier(5, random_state=0),
        RandomForestClassifier(5),
        BaggingClassifier(DecisionTreeClassifier(max_features=1), 3),
        GridSearchCV(BernoulliNB(), {"alpha": np.logspace(-3, 3, 7)}, cv=KFold(3, shuffle=True)),
    ],
    ids=["integer", "none", "nested", "splitter"],
)
def test_the_same_bits_for_any_number_of_jobs(estimator):
    X, Y = problem()
    found = []
    for n_jobs in (1, 2):
        np.random.seed(7)  # noqa: NPY002 - scikit-learn's None is this generator
        found.append(bits(SklearnLearner(estimator, n_jobs=n_jobs).fit(X, Y, GRAPH), X))
    np.testing.assert_array_equal(found[0], found[1])


def test_a_random_state_is_used_but_not_moved():
    X, Y = problem()
    learner = SklearnLearner(RandomForestClassifier(5, random_state=np.random.RandomState(3)))
    first, again = learner.fit(X, Y, GRAPH), learner.fit(X, Y, GRAPH)
    np.testing.assert_array_equal(bits(first, X), bits(again, X))
    assert len({each.random_state for each in first.estimators_}) == 3
    assert learner.estimator.random_state.randint(1000) == np.random.RandomState(3).randint(1000)


def test_nan_goes_to_those_who_take_it():
    X, Y = problem()
    X = np.where(np.random.default_rng(5).random(X.shape) < 0.2, np.nan, X)
    for estimator in (
        HistGradientBoostingClassifier(max_iter=2),
        make_pipeline(SimpleImputer(), LogisticRegression()),
        GridSearchCV(make_pipeline(SimpleImputer(), BernoulliNB()), {"bernoullinb__alpha": [1.0]}, cv=2),
    ):
        fitted = SklearnLearner(estimator).fit(X, Y, GRAPH)
        classifier = by_hand(estimator, X, Y, 2)
        chance = classifier.predict_proba(np.column_stack([X, Y[:, [1, 0]]]))[:, 1]
        np.testing.assert_allclose(np.exp(fitted.log_prob(2, X, Y[:, [1, 0]])), chance, rtol=1e-9)


def test_nan_is_refused_by_name():
    X, Y = problem()
    X[3, 1] = np.nan
    sentence = "SklearnLearner needs an estimator that trains on every label, but LogisticRegression failed on label "
    with pytest.raises(
        ParameterError, match=rf"^{sentence}0 with ValueError: Input X contains NaN\..*imputer"
    ) as caught:
        SklearnLearner(LogisticRegression()).fit(X, Y)
    assert isinstance(caught.value.__cause__, ValueError)
    # The mask gives column 1 to label 1 alone.
    with pytest.raises(ParameterError, match=rf"^{sentence}1 with ValueError: Input X contains NaN"):
        SklearnLearner(LogisticRegression()).fit(X, Y, GRAPH, MASK)
    seen = SklearnLearner(LogisticRegression()).fit(X[:, [0, 2, 3]], Y)
    with pytest.raises(ParameterError, match=r"^FittedClassifiers needs rows like those of the training, but Logistic"):
        seen.scores(0, X[:, :3], np.zeros((80, 0), dtype=np.uint8))


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_sparse_x_is_refused_by_name(n_jobs):
    X, Y = problem()
    expected = r"but GaussianNB failed on label \d with TypeError: Sparse data was passed.* Pass X.toarray\(\), or an"
    with pytest.raises(ParameterError, match=expected) as caught:
        SklearnLearner(GaussianNB(), n_jobs=n_jobs).fit(sparse.csr_matrix(X), Y)
    assert isinstance(caught.value.__cause__, TypeError)


@pytest.mark.filterwarnings("ignore:The least populated class:UserWarning")
def test_a_label_that_fails_is_named():
    X, Y = problem()
    Y[:, 1] = 0
    Y[0, 1] = 1
    search = GridSearchCV(CalibratedClassifierCV(GaussianNB(), cv=5), {"cv": [2]}, error_score="raise", cv=2)
    name = re.escape("GridSearchCV(CalibratedClassifierCV(GaussianNB))")
    with pytest.raises(ParameterError, match=rf"but {name} failed on label 1 with ValueError: .* Mend what") as caught:
        SklearnLearner(search).fit(X, Y)
    assert isinstance(caught.value.__cause__, ValueError)


def test_constant_labels_and_labels_without_inputs():
    X, Y = problem()
    Y = np.column_stack([Y[:, 0], np.zeros(80, int), np.ones(80, int), Y[:, 1]])
    mask = FeatureMask.by_label([[0], [1], [2], []], [[1], [1], [1], []], n_features=4)
    graph = LabelGraph([[], [0], [1, 0], []])
    fitted = SklearnLearner(LogisticRegression()).fit(X, Y, graph, mask)
    assert [each is None for each in fitted.estimators_] == [False, True, True, True]
    for label, n_ones in ((1, 0), (2, 80), (3, int(Y[:, 3].sum()))):
        values = np.zeros((80, len(graph.parents[label])), dtype=np.uint8)
        chance = np.exp(fitted.log_prob(label, X, values))
        np.testing.assert_allclose(chance, np.full(80, (n_ones + 1) / 82), rtol=1e-12)
        assert fitted.score_table(label, X).shape == (80, 2 ** values.shape[1])
    alone = SklearnLearner(LinearSVC()).fit(X, Y[:, [1, 2]])
    assert not alone.probabilistic


def test_labels_that_do_not_converge_are_named():
    X, Y = problem()
    Y = np.column_stack([Y, np.zeros(80, int)])
    learner = SklearnLearner(LogisticRegression(max_iter=1))
    sentence = re.escape("SklearnLearner's LogisticRegression did not converge for 3 label(s): 0, 1, 2. Raise its")
    with pytest.warns(ConvergenceWarning, match=sentence) as caught:
        learner.fit(X, Y)
    assert len(caught) == 1
    assert caught[0].filename == __file__


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix], ids=["dense", "csr"])
def test_an_estimator_that_works_in_place_cannot_spoil_x(form):
    X, Y = problem()
    careful, careless = (
        make_pipeline(StandardScaler(with_mean=False, copy=copy), LogisticRegression()) for copy in (True, False)
    )
    matrix = form(X.copy())
    fitted = SklearnLearner(careless).fit(matrix, Y)
    np.testing.assert_array_equal(matrix @ np.eye(4), X)
    expected = bits(SklearnLearner(careful).fit(form(X), Y), form(X))
    np.testing.assert_array_equal(bits(fitted, matrix), expected)
    np.testing.assert_array_equal(matrix @ np.eye(4), X)


def test_regressors_are_refused():
    X, Y = problem()
    with pytest.raises(
        ParameterError, match=r"^SklearnLearner needs estimator to be a classifier, but LinearRegression"
    ):
        SklearnLearner(LinearRegression()).fit(X, Y)


@pytest.mark.slow
def test_a_dask_cluster_of_processes_gives_the_same_bits():
    distributed = pytest.importorskip("distributed")
    X, Y = problem()
    learner = SklearnLearner(RandomForestClassifier(5, random_state=0))
    here = bits(learner.fit(X, Y, GRAPH), X)
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as client,
        distributed.get_task_stream(client) as stream,
        joblib.parallel_config("dask"),
    ):
        there = learner.fit(X, Y, GRAPH)
        mine = client.run_on_scheduler(os.getpid)
        theirs = set(client.run(os.getpid).values())
    assert len(theirs - {mine, os.getpid()}) == 2
    assert sum("fit_label" in task["key"] for task in stream.data) >= 1
    np.testing.assert_array_equal(bits(there, X), here)
