import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from joblib import parallel_config
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler

from plait.baselines.calibrated_label_ranking import (
    CalibratedLabelRanking,
    CalledPairs,
    LinearPairs,
    fitted_label_pairs,
    pair_tiles,
)
from plait.core.sentences import ParameterError
from plait.data import load_dataset
from plait.learners import LinearSVMLearner, LogisticLearner, SklearnLearner
from plait.metrics import micro_f1


def problem(n=200, d=4, q=6, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    Y = (X @ rng.normal(size=(d, q)) + rng.normal(size=(n, q)) > 0.6).astype(np.uint8)
    return X, Y


def naive_votes(X, Y, Z, estimator):
    """A loop over all pairs, the virtual label being one more column that stands between a row's labels and the rest.

    Label i is preferred to j where the row has i and not j; every label of the row to the virtual one, and the
    virtual one to every other label.
    """
    q = Y.shape[1]
    votes = np.zeros((len(Z), q + 1))
    for i in range(q):
        for j in range(i + 1, q + 1):
            if j == q:
                rows, target = np.arange(len(Y)), Y[:, i]
            else:
                rows = np.array([r for r in range(len(Y)) if Y[r, i] + Y[r, j] == 1], dtype=int)
                target = Y[rows, i]
            if len(rows) == 0:
                wins = np.full(len(Z), 0.5)
            elif len(set(target.tolist())) == 1:
                wins = np.full(len(Z), float(target[0]))
            else:
                wins = estimator().fit(X[rows], target).predict(Z).astype(float)
            votes[:, i] += wins
            votes[:, j] += 1 - wins
    return votes


@pytest.mark.parametrize("seed", range(3))
def test_agrees_with_a_loop_over_pairs_of_logistic_regressions(seed):
    X, Y = problem(q=10, seed=seed)
    Y[:, 3], Y[:, 4], Y[:, 5] = 0, 1, Y[:, 2]
    Z = problem(n=80, seed=77)[0]
    scaler = StandardScaler().fit(X)
    expected = naive_votes(
        scaler.transform(X), Y, scaler.transform(Z), lambda: LogisticRegression(tol=1e-10, max_iter=1000)
    )
    tight = CalibratedLabelRanking(LogisticLearner(tol=1e-12)).fit(X, Y)
    np.testing.assert_array_equal(tight.votes(Z), expected)
    # At the default tolerance a score close to 0 may go either way.
    assert (CalibratedLabelRanking().fit(X, Y).votes(Z) != expected).mean() < 0.01


@pytest.mark.parametrize("estimator", [GaussianNB(), LogisticRegression(), KNeighborsClassifier(3)])
def test_agrees_with_a_loop_over_pairs_of_any_classifier(estimator):
    X, Y = problem()
    Y[:, 1] = Y[:, 0]
    Z = problem(n=80, seed=77)[0]
    model = CalibratedLabelRanking(estimator).fit(X, Y)
    votes = naive_votes(X, Y, Z, lambda: estimator)
    np.testing.assert_array_equal(model.votes(Z), votes)
    np.testing.assert_array_equal(model.predict(Z), votes[:, :-1] >= votes[:, [-1]])


def test_votes_add_up_and_shares_follow_them():
    X, Y = problem(seed=1)
    model = CalibratedLabelRanking().fit(X, Y)
    votes, shares = model.votes(X), model.predict_proba(X)
    np.testing.assert_array_equal(votes.sum(axis=1), 6 * 7 / 2)
    assert (votes <= 6).all()
    np.testing.assert_array_equal(shares >= 0.5, model.predict(X) == 1)
    assert (shares == 0.5).any()
    np.testing.assert_array_equal(
        np.argsort(shares, axis=1, kind="stable"), np.argsort(votes[:, :-1], axis=1, kind="stable")
    )
    assert ((shares > 0) & (shares < 1)).all()


def test_ties_with_the_virtual_label_count_as_in_mulan(benchmark_data):
    train, test = load_dataset("emotions", split="train"), load_dataset("emotions", split="test")
    predicted = CalibratedLabelRanking().fit(train.X, train.Y).predict(test.X)
    assert micro_f1(test.Y, predicted) > 0.65  # 0.621 where ties are lost, Mulan's own 0.644


def test_in_blocks_of_pairs_or_all_at_once(monkeypatch):
    X, Y = problem(q=9)
    model = CalibratedLabelRanking().fit(X, Y)
    votes = model.votes(X)
    monkeypatch.setattr("plait.baselines.calibrated_label_ranking._PAIRS_AT_ONCE", 5)
    np.testing.assert_array_equal(model.votes(X), votes)


def test_one_label_is_binary_relevance():
    X, Y = problem(q=1)
    model = CalibratedLabelRanking().fit(X, Y)
    np.testing.assert_array_equal(model.predict(X), LogisticLearner().fit(X, Y).base_scores(X) > 0)


@pytest.mark.parametrize("value", [0, 1])
def test_constant_labels_and_one_row(value):
    X, Y = problem(n=30)
    whole = CalibratedLabelRanking().fit(X, np.full_like(Y, value))
    np.testing.assert_array_equal(whole.predict(X), np.full_like(Y, value))
    Y[:, 2] = value
    assert (CalibratedLabelRanking().fit(X, Y).predict(X)[:, 2] == value).all()
    np.testing.assert_array_equal(CalibratedLabelRanking().fit(X[:1], Y[:1]).predict(X[:1]), Y[:1])


def test_the_same_bits_for_any_number_of_jobs():
    X, Y = problem(q=10)
    one = CalibratedLabelRanking(random_state=3).fit(X, Y)
    with parallel_config("threading"):
        two = CalibratedLabelRanking(random_state=3, n_jobs=2).fit(X, Y)
    np.testing.assert_array_equal(one.votes(X), two.votes(X))
    np.testing.assert_array_equal(one.pairs_.coef_, two.pairs_.coef_)


def test_sparse_rows():
    X, Y = problem(q=9)
    X[np.abs(X) < 1] = 0
    tight = LogisticLearner(tol=1e-12)
    thin = CalibratedLabelRanking(tight).fit(sparse.csr_array(X), Y)
    dense = CalibratedLabelRanking(tight).fit(X, Y)
    assert (thin.votes(sparse.csr_array(X)) != dense.votes(X)).mean() < 0.005


@pytest.mark.parametrize("estimator", [LogisticLearner(tol=1e-12), GaussianNB()])
def test_a_weight_is_a_repetition(estimator):
    X, Y = problem(n=80)
    weights = np.random.default_rng(1).integers(0, 4, size=80)
    weighted = CalibratedLabelRanking(estimator).fit(X, Y, sample_weight=weights)
    repeated = CalibratedLabelRanking(estimator).fit(X.repeat(weights, 0), Y.repeat(weights, 0))
    assert (weighted.votes(X) != repeated.votes(X)).mean() < 0.005
    plain = CalibratedLabelRanking(estimator).fit(X, Y)
    assert (weighted.votes(X) != plain.votes(X)).mean() > 0.02


def test_margins_are_enough():
    X, Y = problem()
    assert (CalibratedLabelRanking(LinearSVMLearner()).fit(X, Y).predict(X) == Y).mean() > 0.7


def test_an_estimator_without_weights_says_so():
    X, Y = problem()
    with pytest.raises(ParameterError, match="CalibratedLabelRanking needs an estimator whose fit takes sample_weight"):
        CalibratedLabelRanking(KNeighborsClassifier()).fit(X, Y, sample_weight=np.ones(200))


@settings(max_examples=50, deadline=None)
@given(q=st.integers(1, 40), n=st.integers(1, 20), seed=st.integers(0, 999))
def test_every_pair_is_in_one_tile(q, n, seed):
    Y = (np.random.default_rng(seed).random((n, q)) < 0.3).astype(np.uint8)
    pairs = [frozenset((int(i), int(j))) for first, second in pair_tiles(Y) for i, j in zip(first, second, strict=True)]
    assert len(pairs) == len(set(pairs)) == q * (q - 1) // 2
    assert all(len(pair) == 2 for pair in pairs)


def pair_problem(n=150, d=4, q=10, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, (X @ rng.normal(size=(d, q)) + rng.normal(size=(n, q)) > 1.2).astype(np.uint8)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("learner", [LogisticLearner(tol=1e-12, standardize=False), LinearSVMLearner(tol=1e-10)])
def test_tiles_are_one_fit_for_each_pair(form, weighted, learner):
    X, Y = pair_problem()
    Y[:, 3], Y[:, 5], Y[:, 7] = 0, 1, Y[:, 6]
    weights = np.random.default_rng(1).random(len(X)) + 0.5 if weighted else None
    pairs = fitted_label_pairs(learner, form(X), Y, weights, None, None)
    assert isinstance(pairs, LinearPairs)
    scores = pairs.scores(form(X), slice(None))
    for place, (i, j) in enumerate(zip(pairs.first, pairs.second, strict=True)):
        rows = np.flatnonzero(Y[:, i] != Y[:, j])
        if len(rows) == 0:
            np.testing.assert_array_equal(scores[:, place], 0.0)
            continue
        one = learner.fit(X[rows], Y[rows, i : i + 1], sample_weight=None if weights is None else weights[rows])
        np.testing.assert_allclose(scores[:, place], one.base_scores(X)[:, 0], rtol=1e-3, atol=1e-4)


def test_other_classifiers_are_called_pair_by_pair():
    X, Y = pair_problem(q=4)
    Y[:, 3] = Y[:, 2]
    pairs = fitted_label_pairs(SklearnLearner(GaussianNB()), X, Y, None, 0, None)
    assert isinstance(pairs, CalledPairs)
    scores = pairs.scores(X, slice(None))
    for place, (i, j) in enumerate(zip(pairs.first, pairs.second, strict=True)):
        rows = np.flatnonzero(Y[:, i] != Y[:, j])
        if (i, j) == (2, 3):
            assert pairs.conditionals_[place] is None
            np.testing.assert_array_equal(scores[:, place], 0.0)
        else:
            chance = GaussianNB().fit(X[rows], Y[rows, i]).predict_proba(X)[:, 1].clip(1e-6, 1 - 1e-6)
            np.testing.assert_allclose(scores[:, place], np.log(chance / (1 - chance)), rtol=1e-7, atol=1e-9)
    np.testing.assert_array_equal(pairs.scores(X, slice(2, 4)), scores[:, 2:4])
