"""`LogisticLearner(standardize="balanced")`: features of total variance one."""

import numpy as np
from scipy import sparse

from plait.learners import LogisticLearner
from plait.learners.logistic.penalty_search import HALF_DECADES, PenaltyPath, penalty_splits
from plait.learners.training.problem import Problem
from plait.structure import LabelGraph

GRAPH = LabelGraph([[], [0], [1, 0]])


def problem(n=150, d=40, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * rng.uniform(0.1, 9, size=d)
    Y = (rng.random((n, 3)) < 0.5).astype(np.uint8)
    Y[:, 1] = Y[:, 0] ^ (rng.random(n) < 0.1)
    return X, Y


def test_it_is_the_logistic_learner_on_columns_of_total_variance_one():
    X, Y = problem()
    scales = X.std(axis=0) * np.sqrt(X.shape[1])
    found = LogisticLearner(3.0, standardize="balanced", tol=1e-10).fit(X, Y, GRAPH)
    known = LogisticLearner(3.0, standardize=False, tol=1e-10).fit(X / scales, Y, GRAPH)
    np.testing.assert_allclose(found.coef_, known.coef_ / scales, rtol=1e-5, atol=1e-9)
    np.testing.assert_allclose(found.parent_coef_, known.parent_coef_, rtol=1e-5, atol=1e-9)


def test_strengths_by_cross_validation_are_taken_on_balanced_columns():
    X, Y = problem()
    path = PenaltyPath(LogisticLearner(standardize="balanced"), Problem(X, Y, GRAPH))
    for place in (0, 4, 7, 12):
        learner, loss = LogisticLearner(HALF_DECADES[place], standardize="balanced", tol=1e-10), np.zeros(3)
        for training, held in penalty_splits(len(Y)):
            scores = learner.fit(X[training], Y[training], GRAPH).recorded_scores(X[held], Y[held])
            each = np.logaddexp(0.0, np.where(Y[held] == 1, -scores, scores))
            loss += np.minimum(each, -np.log(1e-6)).sum(axis=0)
        np.testing.assert_allclose(path.losses(place), loss, rtol=1e-4)


def test_units_of_columns_do_not_matter_and_sparse_is_dense():
    X, Y = problem()
    found = LogisticLearner(5.0, standardize="balanced", tol=1e-10).fit(X, Y, GRAPH)
    other = LogisticLearner(5.0, standardize="balanced", tol=1e-10).fit(sparse.csr_array(X * 7.0), Y, GRAPH)
    np.testing.assert_allclose(other.coef_ * 7.0, found.coef_, rtol=1e-5, atol=1e-8)
    np.testing.assert_allclose(other.parent_coef_, found.parent_coef_, rtol=1e-5, atol=1e-8)


def test_pairs_are_scored_with_the_same_scales():
    X, Y = problem()
    X /= X.std(axis=0) * np.sqrt(X.shape[1])
    found = LogisticLearner(5.0, standardize="balanced", tol=1e-10).fit_pairs(X, Y, folds=None)
    known = LogisticLearner(5.0, standardize=False, tol=1e-10).fit_pairs(X, Y, folds=None)
    np.testing.assert_allclose(found.log_likelihood, known.log_likelihood, rtol=1e-5)


def test_parents_keep_their_say_among_many_features():
    X, Y = problem(200, 400)
    found = LogisticLearner("cv", standardize="balanced").fit(X, Y, GRAPH).parent_coef_[1, 0]
    truth = 2 * np.log(0.9 / 0.1)
    assert found > 0.7 * truth
    assert LogisticLearner("cv").fit(X, Y, GRAPH).parent_coef_[1, 0] < 0.5 * truth
