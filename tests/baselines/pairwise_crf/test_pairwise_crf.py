from itertools import product

import numpy as np
import pytest
from scipy import optimize, sparse
from sklearn.exceptions import ConvergenceWarning

from plait.baselines.pairwise_crf import PairwiseCRF, PairwiseDistribution
from plait.baselines.pairwise_crf import pairwise_crf as crf_module
from plait.baselines.pairwise_crf.pairwise_crf import held_out_loss, searched_penalty
from plait.baselines.pairwise_crf.pseudo_likelihood import CRFWeights, trained_crf
from plait.core.sentences import ParameterError
from plait.inference import Exhaustive
from plait.learners import LogisticLearner
from plait.learners.logistic.penalty_search import C_GRID, penalty_splits
from plait.losses import F1, Hamming
from plait.posterior import Posterior


def problem(n=200, d=4, q=4, seed=0):
    """Labels that pull each other: drawn one after the other from the field's own conditionals."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    scores, upper = X @ rng.normal(size=(d, q)), np.triu(1.5 * rng.normal(size=(q, q)), 1)
    Y = (scores > 0).astype(np.uint8)
    for _ in range(20):
        for j in range(q):
            chance = 1 / (1 + np.exp(-scores[:, j] - Y @ (upper + upper.T)[j]))
            Y[:, j] = rng.random(n) < chance
    return X, Y


def exact_table(model, x):
    """All label vectors and their probabilities for one row, by the definition of the field."""
    q = model.n_labels_
    vectors = np.array(list(product((0, 1), repeat=q)))
    logs = []
    for y in vectors:
        total = sum(y[j] * (model.coef_[j] @ x + model.intercept_[j]) for j in range(q))
        for j in range(q):
            for k in range(j + 1, q):
                touched = 0.0 if model.pair_coef_ is None else model.pair_coef_[j, k] @ x
                total += y[j] * y[k] * (model.pair_intercept_[j, k] + touched)
        logs.append(total)
    weights = np.exp(np.array(logs) - max(logs))
    return vectors, weights / weights.sum()


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
def test_without_pairs_it_is_binary_relevance(form):
    X, Y = problem()
    model = PairwiseCRF(pairs="none").fit(form(X), Y)
    scores = LogisticLearner(tol=1e-12).fit(X, Y).base_scores(X)
    np.testing.assert_allclose(model.predict_proba(form(X)), 1 / (1 + np.exp(-scores)), rtol=1e-6, atol=1e-8)
    for loss in ("subset", "hamming"):
        np.testing.assert_array_equal(model.predict(form(X), loss=loss), scores > 0)


@pytest.mark.parametrize("pairs", ["constant", "features"])
@pytest.mark.parametrize("q", [1, 2, 4])
def test_answers_agree_with_enumeration(pairs, q):
    X, Y = problem(q=q)
    model = PairwiseCRF(pairs=pairs).fit(X, Y)
    marginals, modes = model.predict_proba(X), model.predict(X)
    halves, logs = model.predict(X, loss="hamming"), model.log_prob(X, Y)
    for row in range(0, 200, 20):
        vectors, chances = exact_table(model, X[row])
        np.testing.assert_allclose(marginals[row], chances @ vectors, rtol=1e-9)
        np.testing.assert_array_equal(modes[row], vectors[chances.argmax()])
        np.testing.assert_array_equal(halves[row], chances @ vectors > 0.5)
        (place,) = np.flatnonzero((vectors == Y[row]).all(axis=1))
        assert np.exp(logs[row]) == pytest.approx(chances[place], rel=1e-9)


def test_two_labels_agree_with_scipy_on_the_pseudo_likelihood():
    X, Y = problem(d=1, q=2)
    model = PairwiseCRF(C=0.5, pair_C=2.0, standardize=False).fit(X, Y)

    def objective(theta):
        w, b, c = theta[:2], theta[2:4], theta[4]
        loss = 0.0
        for j, other in ((0, 1), (1, 0)):
            scores = X[:, 0] * w[j] + b[j] + c * Y[:, other]
            loss += np.log1p(np.exp(np.where(Y[:, j] == 1, -scores, scores))).sum()
        return loss + (w @ w) / (2 * 0.5) + 2 * c**2 / (2 * 2.0)

    best = optimize.minimize(objective, np.zeros(5), tol=1e-12).x
    ours = np.r_[model.coef_[:, 0], model.intercept_, model.pair_intercept_[0, 1]]
    np.testing.assert_allclose(ours, best, rtol=1e-4, atol=1e-5)
    assert abs(best[4]) > 0.2


def test_pair_weights_are_symmetric_and_find_what_the_labels_do():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 3))
    first = rng.random(2000) < 0.5
    Y = np.column_stack([first, first ^ (rng.random(2000) < 0.1), rng.random(2000) < 0.5])
    model = PairwiseCRF(C=100.0).fit(X, Y)
    np.testing.assert_array_equal(model.pair_intercept_, model.pair_intercept_.T)
    # The log odds ratio of two labels that agree in nine rows of ten.
    assert model.pair_intercept_[0, 1] == pytest.approx(2 * np.log(9), abs=0.4)
    assert abs(model.pair_intercept_[0, 2]) < 0.3


def test_features_that_touch_a_pair():
    rng = np.random.default_rng(0)
    X = rng.choice([-1.0, 1.0], size=(1000, 1))
    first = rng.random(1000) < 0.5
    Y = np.column_stack([first, first ^ (X[:, 0] > 0)])  # x decides whether the labels agree or exclude each other
    model = PairwiseCRF(pairs="features").fit(X, Y)
    assert model.pair_coef_[0, 1, 0] < -1
    np.testing.assert_array_equal(model.pair_coef_, model.pair_coef_.transpose(1, 0, 2))
    probabilities = np.exp(model.log_prob(X, Y))
    assert probabilities.mean() > 0.4  # of one half that is left to chance
    assert np.exp(PairwiseCRF().fit(X, Y).log_prob(X, Y)).mean() < 0.3


@pytest.mark.parametrize("pairs", ["constant", "features"])
def test_more_labels_than_are_enumerated(pairs):
    X, Y = problem(q=8)
    exact = PairwiseCRF(pairs=pairs, random_state=0).fit(X, Y)
    sampled = PairwiseCRF(pairs=pairs, max_enumerated=7, n_sweeps=4000, random_state=0).fit(X, Y)
    np.testing.assert_allclose(sampled.predict_proba(X), exact.predict_proba(X), rtol=0, atol=0.08)
    assert np.abs(sampled.predict_proba(X) - exact.predict_proba(X)).mean() < 0.01
    assert (sampled.predict(X) == exact.predict(X)).all(axis=1).mean() > 0.99
    assert (sampled.predict(X, loss="hamming") == exact.predict(X, loss="hamming")).mean() > 0.99
    assert (sampled.predict(X[:10], loss="f1") == exact.predict(X[:10], loss="f1")).mean() > 0.95
    with pytest.raises(ParameterError, match="joint needs at most max_enumerated=7 labels"):
        sampled.joint(X)
    with pytest.raises(ParameterError, match="log_prob needs at most max_enumerated=7 labels"):
        sampled.log_prob(X, Y)


def test_sampled_answers_of_a_row_are_its_own_and_repeat():
    X, Y = problem(q=6)
    model = PairwiseCRF(max_enumerated=3, n_sweeps=50, random_state=0).fit(X, Y)
    chances, modes = model.predict_proba(X), model.predict(X)
    np.testing.assert_array_equal(model.predict_proba(X), chances)
    for row in (0, 99):
        np.testing.assert_allclose(model.predict_proba(X[[row]])[0], chances[row], rtol=1e-9)
        np.testing.assert_array_equal(model.predict(X[[row]])[0], modes[row])
    other = PairwiseCRF(max_enumerated=3, n_sweeps=50, random_state=1).fit(X, Y)
    assert (other.predict_proba(X) != chances).any()


def test_losses():
    X, Y = problem()
    model = PairwiseCRF(loss="f1").fit(X, Y)
    field = CRFWeights(model.coef_, model.intercept_, model.pair_intercept_)
    support = Exhaustive().infer(PairwiseDistribution(field.scores(X), field.pairs(X)), "distribution")
    np.testing.assert_array_equal(model.predict(X), F1().decide(support))
    np.testing.assert_array_equal(model.predict(X, loss=Hamming()), model.predict_proba(X) > 0.5)
    with pytest.raises(ParameterError, match="predict needs a loss that decides on label sets"):
        model.predict(X, loss="rank")
    with pytest.raises(ParameterError, match="PairwiseCRF needs loss to be"):
        PairwiseCRF(loss="wrong").fit(X, Y)


@pytest.mark.parametrize("pairs", ["constant", "features"])
def test_the_posterior_answers_every_question(pairs):
    X, Y = problem()
    model = PairwiseCRF(pairs=pairs, random_state=0).fit(X, Y)
    vectors = np.array(list(product((0, 1), repeat=Y.shape[1])))
    chances = np.column_stack([np.exp(model.log_prob(X[:20], np.tile(y, (20, 1)))) for y in vectors])
    np.testing.assert_allclose(chances.sum(axis=1), 1.0, rtol=1e-12)
    posterior = model.joint(X[:20])
    assert isinstance(posterior, Posterior)
    np.testing.assert_allclose(posterior.marginals(), chances @ vectors, rtol=1e-9)
    assert posterior.exact.all()
    np.testing.assert_array_equal(posterior.mode(), vectors[chances.argmax(axis=1)])
    np.testing.assert_allclose(posterior.top(3).probabilities, -np.sort(-chances, axis=1)[:, :3], rtol=1e-9)
    np.testing.assert_allclose(posterior.entropy(), -(chances * np.log(chances)).sum(axis=1), rtol=1e-9)
    fits = vectors[:, 1] == 1
    given = chances[:, fits] @ vectors[fits] / chances[:, fits].sum(axis=1, keepdims=True)
    np.testing.assert_allclose(posterior.given({"y1": 1}).marginals(), given, rtol=1e-9)
    np.testing.assert_allclose(posterior.sample(4000).mean(axis=1), chances @ vectors, rtol=0, atol=0.04)
    np.testing.assert_array_equal(posterior.decide("f1"), model.predict(X[:20], loss="f1"))
    first = 1 - Y[:20, 0]
    flipped = np.column_stack([first, Y[:20, 1:]])
    odds = np.exp(model.log_prob(X[:20], flipped) - model.log_prob(X[:20], Y[:20]))
    np.testing.assert_allclose(posterior.doubts(Y[:20])[:, 0], odds / (1 + odds), rtol=1e-9)
    with pytest.raises(
        ParameterError, match="factors needs a model with one label graph, but this one is an undirected"
    ):
        posterior.factors(Y[:20])


@pytest.mark.parametrize("max_enumerated", [2, 15])
def test_labels_with_one_value_have_their_laplace_estimate(max_enumerated):
    X, Y = problem()
    Y[:, 0], Y[:, 2] = 0, 1
    chances = PairwiseCRF(max_enumerated=max_enumerated, random_state=0).fit(X, Y).predict_proba(X)
    np.testing.assert_allclose(chances[:, 0], 1 / 202, rtol=1e-9)
    np.testing.assert_allclose(chances[:, 2], 201 / 202, rtol=1e-9)


def test_it_predicts_label_sets_better_than_binary_relevance():
    X, Y = problem(n=2000, seed=3)
    joint = PairwiseCRF().fit(X[:1000], Y[:1000])
    alone = PairwiseCRF(pairs="none").fit(X[:1000], Y[:1000])
    exact = [(model.predict(X[1000:]) == Y[1000:]).all(axis=1).mean() for model in (joint, alone)]
    assert exact[0] > exact[1] + 0.02
    assert joint.log_prob(X[1000:], Y[1000:]).mean() > alone.log_prob(X[1000:], Y[1000:]).mean() + 0.05


def test_too_few_steps_are_told():
    X, Y = problem()
    with pytest.warns(ConvergenceWarning, match="PairwiseCRF did not reach tol"):
        PairwiseCRF(max_iter=1, pair_C=100.0).fit(X, Y)


def test_label_sets_of_the_wrong_shape_are_refused():
    X, Y = problem()
    with pytest.raises(ParameterError, match=r"log_prob needs Y to have shape \(200, 4\)"):
        PairwiseCRF().fit(X, Y).log_prob(X, Y[:, :3])


def penalty_problem(n=150, d=6, q=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    Y = (X[:, :q] + rng.normal(size=(n, q)) > 0.3).astype(np.uint8)
    return X, Y, rng.uniform(0.3, 2.0, size=n)


@pytest.mark.parametrize("by_row", [False, True])
def test_the_loss_is_that_of_every_label_given_the_others(by_row):
    X, Y, weights = penalty_problem(n=10)
    rng = np.random.default_rng(1)
    upper = np.triu(rng.normal(size=(3, 3)), 1)
    slopes = np.triu(rng.normal(size=(6, 3, 3)), 1).transpose(1, 2, 0) if by_row else None
    touched = None if slopes is None else slopes + slopes.transpose(1, 0, 2)
    field = CRFWeights(rng.normal(size=(3, 6)), rng.normal(size=3), upper + upper.T, touched)
    total = 0.0
    for x, y, weight in zip(X, Y, weights, strict=True):
        for j in range(3):
            score = field.coef[j] @ x + field.intercept[j]
            for k in range(3):
                score += y[k] * (field.pair_intercept[j, k] + (0.0 if touched is None else touched[j, k] @ x))
            chance = 1 / (1 + np.exp(-score))
            total -= weight * np.log(chance if y[j] else 1 - chance)
    assert held_out_loss(field, X, Y, weights, exact=False) == pytest.approx(total, rel=1e-10)


def test_the_exact_loss_is_that_of_label_sets():
    X, Y, weights = penalty_problem()
    model = PairwiseCRF().fit(X, Y)
    field = CRFWeights(model.coef_, model.intercept_, model.pair_intercept_)
    expected = -weights @ model.log_prob(X, Y)
    assert held_out_loss(field, X, Y, weights, exact=True) == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("kind", ["none", "constant", "features"])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
def test_the_strength_with_the_least_held_out_loss(kind, form, exact):
    X, Y, weights = penalty_problem()
    losses = []
    for C in C_GRID:
        total = 0.0
        for rows, held in penalty_splits(150):
            field = trained_crf(X[rows], Y[rows], weights[rows], C, C, kind, "auto", 1e-9, 100)[0]
            total += held_out_loss(field, X[held], Y[held], weights[held], exact)
        losses.append(total)
    found = searched_penalty(form(X), Y, weights, None, kind, "auto", 100, exact)
    assert found == C_GRID[np.argmin(losses)]
    assert C_GRID[0] < found < C_GRID[-1]


def test_rows_held_out_count_by_their_weights():
    """Light rows have labels at random: judged by them alone, the strongest penalty would be best."""
    X, Y, weights = penalty_problem()
    noise = np.random.default_rng(5)
    light = noise.random(150) < 0.7
    Y[light] = noise.integers(0, 2, size=(light.sum(), 3))
    weights[light] *= 0.01

    def best(counted):
        losses = np.zeros(len(C_GRID))
        for place, C in enumerate(C_GRID):
            for rows, held in penalty_splits(150):
                field = trained_crf(X[rows], Y[rows], weights[rows], C, C, "constant", "auto", 1e-9, 100)[0]
                losses[place] += held_out_loss(field, X[held], Y[held], counted[held], exact=True)
        return C_GRID[np.argmin(losses)]

    assert best(np.ones(150)) < best(weights)
    assert searched_penalty(X, Y, weights, None, "constant", "auto", 100, exact=True) == best(weights)


def test_the_classifier_uses_it():
    X, Y, _ = penalty_problem()
    model = PairwiseCRF(C="cv").fit(X, Y)
    assert searched_penalty(X, Y, None, None, "constant", "auto", 100, exact=True) == model.C_
    np.testing.assert_array_equal(model.coef_, PairwiseCRF(C=model.C_).fit(X, Y).coef_)
    assert PairwiseCRF(C=2.0).fit(X, Y).C_ == 2.0


def test_labels_that_a_fold_lacks_and_very_few_rows():
    X, Y, _ = penalty_problem()
    Y[:, 1] = 0
    Y[3, 1] = 1
    assert np.isfinite(PairwiseCRF(C="cv").fit(X, Y).predict_proba(X)).all()
    assert searched_penalty(X[:1], Y[:1], None, None, "constant", "auto", 100, exact=True) == 1.0
    assert PairwiseCRF(C="cv").fit(X[:2], Y[:2]).predict(X[:2]).shape == (2, 3)


def tried_strengths(monkeypatch, losses):
    """Return which strengths are trained with, how often each, and which is chosen, if C has the loss at its place."""
    trained = []

    def train(X, Y, sample_weight, C, *others):
        trained.append(C)
        return (C,)

    def loss(C, *others):
        return losses[C_GRID.tolist().index(C)]

    monkeypatch.setattr(crf_module, "trained_crf", train)
    monkeypatch.setattr(crf_module, "held_out_loss", loss)
    X, Y, _ = penalty_problem()
    found = searched_penalty(X, Y, None, None, "constant", "auto", 100, exact=True)
    places = [C_GRID.tolist().index(C) for C in dict.fromkeys(trained)]
    assert trained == [C_GRID[place] for place in places for _ in penalty_splits(len(X))]
    return places, C_GRID.tolist().index(found)


@pytest.mark.parametrize(
    ("losses", "n_tried", "best"),
    [
        ([1, 2, 3, 0, 0, 0, 0], 3, 0),  # two worse ones: the valley beyond is not seen
        ([3, 1, 2, 2, 0, 0, 0], 4, 1),
        ([3, 2, 2.5, 1, 1.5, 1.6, 0], 6, 3),  # one worse one is not the end, and the count starts again
        ([2, 1, 1, 1, 0, 0, 0], 4, 1),  # equals are not better
        ([7, 6, 5, 4, 3, 2, 1], 7, 6),  # to the last
        ([7, 6, 5, 4, 3, 1, 2], 7, 5),
    ],
)
def test_weaker_penalties_are_not_tried_after_two_that_are_worse(monkeypatch, losses, n_tried, best):
    assert len(losses) == len(C_GRID)
    assert tried_strengths(monkeypatch, losses) == (list(range(n_tried)), best)
