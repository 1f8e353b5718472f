"""The second stage against scikit-learn and by enumeration."""

import itertools

import numpy as np
import pytest
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

from plait.core.kernel_policy import using_kernels
from plait.estimators.auto_joint import score_chains, small_regressions
from plait.estimators.auto_joint.base_scores import log_losses
from plait.estimators.auto_joint.score_chains import PooledWeights, chain_penalty, fitted_chain
from plait.estimators.auto_joint.second_stage import stage_folds
from plait.estimators.unknown_labels import known_log_likelihood
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
    monkeypatch.setattr(small_regressions, "_BATCH", 1)
    after = fitted_chain(wide, labels, graph, 0.3, weights)
    design = score_chains._ChainDesign.of(wide, labels, graph, weights)
    started, _ = design.fitted(0.3, design.fitted(30.0)[1])
    for other in (after, started):
        np.testing.assert_allclose(other.parent_coef, before.parent_coef, rtol=1e-3, atol=1e-4)
        np.testing.assert_allclose(other.slope, before.slope, rtol=1e-3, atol=1e-4)
        np.testing.assert_allclose(other.rival, before.rival, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("weighted", [False, True])
def test_kernels_and_numpy_fit_the_same_chains_of_many_labels(weighted):
    draws = np.random.default_rng(5)
    n_rows, n_labels = 120, 70
    scores = draws.normal(size=(n_rows, n_labels)) - 2.0
    labels = (draws.random((n_rows, n_labels)) < expit(scores)).astype(np.uint8)
    labels[:, 3] = 0
    weights = draws.random(n_rows) if weighted else None
    graph = FullChain("random").build(scores, labels, random_state=0)
    found = {}
    for path in ("never", "always"):
        with using_kernels(path):
            first = score_chains._ChainDesign.of(scores, labels, graph, weights)
            again = first.coefficients(0.1, first.coefficients(1.0))
            found[path] = first.coefficients(0.1), again
    for plain, compiled in zip(found["never"], found["always"], strict=True):
        np.testing.assert_allclose(plain, compiled, rtol=1e-9, atol=1e-10)


def test_coefficients_of_many_parents_go_to_those_most_correlated():
    draws = np.random.default_rng(6)
    labels = (draws.random((200, 70)) < 0.2).astype(np.uint8)
    graph = FullChain().build(labels, labels)
    places, many = small_regressions.nearest_parents(labels, graph)
    assert many
    strength = np.abs(np.corrcoef(labels.T))
    for label in (5, 30, 69):
        found = np.sort(strength[label, places[label][places[label] >= 0]])
        np.testing.assert_allclose(found, np.sort(strength[label, :label])[-20:], rtol=1e-9)


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


GAPS = np.where(np.random.default_rng(7).random(Y.shape) < 0.5, -1, Y.astype(np.int8)).astype(np.int8)
SETS = np.array(list(itertools.product([0, 1], repeat=3)), dtype=np.uint8)


def test_weights_of_labels_and_soft_targets_are_copies_of_rows():
    weights, soft = np.random.default_rng(1).integers(0, 3, Y.shape).astype(float), np.array([0.25, 0.5, 1.0])[Y]
    places = np.array([[1], [2], [0]])
    found = small_regressions.few_column_fits(S[None], S, places, soft, 2.0, weights)
    for k in range(3):
        columns = np.column_stack([S[:, k], S[:, places[k, 0]]])
        rows, targets = np.tile(columns, (2, 1)), np.repeat([1, 0], 300)
        model = LogisticRegression(C=2.0, tol=1e-10, max_iter=1000)
        model.fit(rows, targets, np.concatenate([soft[:, k], 1 - soft[:, k]]) * np.tile(weights[:, k], 2))
        np.testing.assert_allclose(found[k], [*model.coef_[0], model.intercept_[0]], rtol=1e-4, atol=1e-5)


def by_enumeration(chain, labels):
    logs = np.stack([chain.condition(S).log_prob(np.tile(each, (300, 1))) for each in SETS], axis=1)
    agrees = ((labels[:, None] < 0) | (labels[:, None] == SETS)).all(axis=2)
    return np.log((np.exp(logs) * agrees).sum(axis=1))


@pytest.mark.parametrize("order", [[0, 1, 2], [2, 0, 1]])
def test_steps_of_em_raise_the_penalised_likelihood_of_what_is_known(monkeypatch, order):
    """With three labels all completions are enumerated, so that every E-step is exact."""
    graph, C, values = FullChain(order).build(S, Y), 3.0, []
    for steps in range(6):
        monkeypatch.setattr(score_chains, "MOST_STEPS", steps)
        chain = fitted_chain(S, GAPS, graph, C, None)
        likelihood = by_enumeration(chain, GAPS)
        np.testing.assert_allclose(
            known_log_likelihood(chain.condition(S), GAPS, np.arange(300)), likelihood, rtol=1e-9, atol=1e-12
        )
        squares = sum(np.square(each).sum() for each in (chain.slope, chain.rival, chain.parent_coef))
        values.append(C * likelihood.sum() - squares / 2)
    assert np.diff(values).min() > -1e-6 * abs(values[0])
    assert values[-1] > values[0] + 0.1


def test_a_label_with_one_known_value_keeps_it_through_em():
    labels = GAPS.copy()
    labels[:, 1] = np.where(labels[:, 1] >= 0, 0, -1)
    chain = fitted_chain(S, labels, FullChain().build(S, Y), 1.0, None)
    n_known = (labels[:, 1] >= 0).sum()
    np.testing.assert_allclose(chain.intercept[1], -np.log(n_known + 1), rtol=1e-9)
    assert not chain.parent_coef[1].any()


def test_pooled_weights_are_those_of_known_pairs():
    other, known = np.random.default_rng(3).normal(size=S.shape), GAPS >= 0
    found = PooledWeights.fitted([S, other], GAPS, None, seed=0)
    columns = np.column_stack([S[known], other[known]])
    model = LogisticRegression(C=100.0, tol=1e-10, max_iter=1000).fit(columns, Y[known])
    np.testing.assert_allclose(found.weights, model.coef_[0], rtol=1e-4, atol=1e-5)
    losses = np.where(known, np.logaddexp(0, np.where(Y == 1, -1, 1) * found.scores([S, other])), 0).sum(axis=1)
    np.testing.assert_allclose(found.log_loss([S, other], GAPS, None), losses.mean(), rtol=1e-9)


MISSED = np.array([0.5, 0.0, 0.3])
RECORDS = (Y * (np.random.default_rng(11).random(Y.shape) >= MISSED)).astype(np.uint8)


def test_losses_of_records_are_those_of_the_formula():
    chance, rate = expit(S), 1.0 - MISSED
    expected = -np.log(np.where(RECORDS == 1, chance * rate, 1 - chance * rate)).sum(axis=1)
    np.testing.assert_allclose(log_losses(S, RECORDS, MISSED), expected, rtol=1e-9)
    chain = fitted_chain(S, RECORDS, FullChain().build(S, Y), 1.0, None, 0, MISSED)
    logs = np.stack([chain.condition(S).log_prob(np.tile(each, (300, 1))) for each in SETS], axis=1)
    told = np.where(SETS == 1, np.where(RECORDS[:, None] == 1, rate, MISSED), RECORDS[:, None] == 0).prod(axis=2)
    found = known_log_likelihood(chain.condition(S), RECORDS, np.arange(300), MISSED)
    np.testing.assert_allclose(found, np.log((np.exp(logs) * told).sum(axis=1)), rtol=1e-9, atol=1e-12)


def test_pooled_weights_of_records_are_nearer_to_those_of_all_labels():
    every = PooledWeights.fitted([S], Y, None, seed=0)
    certain, found = (PooledWeights.fitted([S], RECORDS, None, 0, missed) for missed in (None, MISSED))
    gaps = [abs(each.intercept - every.intercept) for each in (found, certain)]
    assert gaps[0] < 0.5 * gaps[1]
    assert found.log_loss([S], RECORDS, None, MISSED) < certain.log_loss([S], RECORDS, None, MISSED)
    assert found.log_loss([S], RECORDS, None, MISSED) < every.log_loss([S], RECORDS, None, MISSED) + 0.02
