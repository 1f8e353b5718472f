import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.naive_bayes import GaussianNB

from plait.baselines.label_pairs import CalledPairs, LinearPairs, fitted_label_pairs, pair_tiles
from plait.learners import LinearSVMLearner, LogisticLearner, SklearnLearner


@settings(max_examples=50, deadline=None)
@given(q=st.integers(1, 40), n=st.integers(1, 20), seed=st.integers(0, 999))
def test_every_pair_is_in_one_tile(q, n, seed):
    Y = (np.random.default_rng(seed).random((n, q)) < 0.3).astype(np.uint8)
    pairs = [frozenset((int(i), int(j))) for first, second in pair_tiles(Y) for i, j in zip(first, second, strict=True)]
    assert len(pairs) == len(set(pairs)) == q * (q - 1) // 2
    assert all(len(pair) == 2 for pair in pairs)


def problem(n=150, d=4, q=10, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, (X @ rng.normal(size=(d, q)) + rng.normal(size=(n, q)) > 1.2).astype(np.uint8)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("learner", [LogisticLearner(tol=1e-12, standardize=False), LinearSVMLearner(tol=1e-10)])
def test_tiles_are_one_fit_for_each_pair(form, weighted, learner):
    X, Y = problem()
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
    X, Y = problem(q=4)
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
