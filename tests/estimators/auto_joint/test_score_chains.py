"""The second stage against scikit-learn and by enumeration."""

import numpy as np
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

from plait.estimators.auto_joint import score_chains
from plait.estimators.auto_joint.score_chains import PooledWeights, chain_penalty, fitted_chain
from plait.estimators.auto_joint.second_stage import stage_folds
from plait.structure import FullChain, LabelGraph

DRAWS = np.random.default_rng(0)
S = DRAWS.normal(size=(300, 3))
Y = (S + 0.5 * DRAWS.normal(size=(300, 3)) > 0).astype(np.uint8)
COPIES = (DRAWS.random((300, 1)) < 0.5) ^ (DRAWS.random((300, 3)) < 0.05)


def test_pooled_weights_are_those_of_scikit_learn():
    other, weights = DRAWS.normal(size=S.shape), DRAWS.random(300)
    found = PooledWeights.fitted([S, other], Y, weights, seed=0)
    columns = np.column_stack([S.ravel(), other.ravel()])
    model = LogisticRegression(C=100.0, tol=1e-10, max_iter=1000)
    model.fit(columns, Y.ravel(), sample_weight=np.repeat(weights, 3))
    np.testing.assert_allclose(found.weights, model.coef_[0], rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(found.intercept, model.intercept_[0], rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(found.scores([S, other]).ravel(), model.decision_function(columns), rtol=1e-3, atol=1e-4)


def test_a_chain_is_logistic_regression_on_the_own_score_and_the_labels_before():
    chain = fitted_chain(S, Y, FullChain([2, 0, 1]).build(S, Y), 3.0, None)
    others = np.log(expit(S[:, [0, 2]]).sum(axis=1) + 0.05)
    columns = np.column_stack([S[:, 1], others, Y[:, [2, 0]]])
    model = LogisticRegression(C=3.0, tol=1e-10, max_iter=1000).fit(columns, Y[:, 1])
    found = [chain.slope[1], chain.rival[1], *chain.parent_coef[1, [2, 0]]]
    np.testing.assert_allclose(found, model.coef_[0], rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(chain.intercept[1], model.intercept_[0], rtol=1e-4, atol=1e-5)
    assert (np.abs(chain.rival) > 1e-3).all()


def test_the_probability_of_a_label_set_is_the_product_of_these_regressions():
    chain = fitted_chain(S, Y, FullChain([2, 0, 1]).build(S, Y), 3.0, None)
    total = np.zeros(300)
    for row in range(300):
        for k in range(3):
            others = sum(expit(S[row, j]) for j in range(3) if j != k)
            odds = chain.slope[k] * S[row, k] + chain.rival[k] * np.log(others + 0.05) + chain.intercept[k]
            odds += sum(chain.parent_coef[k, j] * Y[row, j] for j in chain.graph.parents[k])
            total[row] += np.log(expit(odds if Y[row, k] else -odds))
    np.testing.assert_allclose(chain.condition(S).log_prob(Y), total, rtol=1e-9)


def test_batches_and_starts_change_nothing(monkeypatch):
    wide = DRAWS.normal(size=(120, 12))
    labels = (wide + DRAWS.normal(size=(120, 1)) > 0.5).astype(np.uint8)
    graph, weights = FullChain("random").build(wide, labels, random_state=0), DRAWS.random(120)
    before = fitted_chain(wide, labels, graph, 0.3, weights)
    monkeypatch.setattr(score_chains, "_BATCH", 1)
    after = fitted_chain(wide, labels, graph, 0.3, weights)
    design = score_chains._ChainDesign.of(wide, labels, graph, weights)
    started, _ = design.fitted(0.3, design.fitted(30.0)[1])
    for other in (after, started):
        np.testing.assert_allclose(other.parent_coef, before.parent_coef, rtol=1e-3, atol=1e-4)
        np.testing.assert_allclose(other.slope, before.slope, rtol=1e-3, atol=1e-4)
        np.testing.assert_allclose(other.rival, before.rival, rtol=1e-3, atol=1e-4)


def test_strong_penalties_leave_the_own_score_alone():
    slopes = [fitted_chain(S, Y, FullChain().build(S, Y), C, None).slope for C in (1.0, 1e-4)]
    np.testing.assert_allclose(slopes[0], slopes[1], rtol=0.1)


def test_the_penalty_is_weak_for_labels_that_follow_each_other_and_strong_for_noise():
    graph, nothing = FullChain().build(S, Y), np.zeros_like(S)
    folds = stage_folds(300, 3, 0)
    weak, logs = chain_penalty(nothing, COPIES.astype(np.uint8), graph, folds, None)
    noise = (DRAWS.random((300, 3)) < 0.5).astype(np.uint8)
    strong, _ = chain_penalty(nothing, noise, graph, folds, None)
    assert strong < 1.0 <= weak
    assert logs.mean() > -3 * np.log(2)


def test_a_chain_among_more_labels_is_the_same_chain():
    chain = fitted_chain(S, Y, FullChain([2, 0, 1]).build(S, Y), 1.0, None)
    whole = chain.among(np.array([1, 2, 4]), 5, list("abcde"))
    scores, labels = np.zeros((300, 5)), np.zeros((300, 5), dtype=np.uint8)
    scores[:, [1, 2, 4]], labels[:, [1, 2, 4]] = S, Y
    expected = chain.condition(S).log_prob(Y) + 2 * np.log(0.5)
    np.testing.assert_allclose(whole.condition(scores).log_prob(labels), expected, rtol=1e-9)
    assert whole.graph.parents[1] == (4,) if chain.graph.parents[0] == (2,) else whole.graph.parents[0] == ()
    assert isinstance(whole.graph, LabelGraph)


def test_learners_that_add_nothing_have_no_weight_and_are_not_asked():
    noise = np.random.default_rng(9).normal(size=S.shape)
    found = PooledWeights.chosen([noise, S], Y, None, seed=0)
    alone = PooledWeights.fitted([S], Y, None, seed=0)
    assert found.weights[0] == 0.0
    np.testing.assert_allclose([found.weights[1], found.intercept], [alone.weights[0], alone.intercept], rtol=1e-9)

    class Answers:
        def log_odds(self, X):
            return S[:3]

    np.testing.assert_allclose(found.scores_of([None, Answers()], None), alone.scores([S[:3]]), rtol=1e-9)


def test_learners_that_add_something_keep_their_weight():
    halves = [np.where(np.arange(len(S))[:, None] % 2 == part, S, 0.0) for part in (0, 1)]
    found, every = (make(halves, Y, None, seed=0) for make in (PooledWeights.chosen, PooledWeights.fitted))
    np.testing.assert_array_equal(found.weights, every.weights)
    assert (found.weights > 0.1).all()
