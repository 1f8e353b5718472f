"""`ClassifierChainMonteCarlo` against enumeration of orders and of label sets."""

from itertools import permutations

import numpy as np
import pytest
from scipy import sparse
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from plait.baselines import ClassifierChainMonteCarlo
from plait.core.sentences import ParameterError
from plait.estimators import JointClassifier
from plait.inference import Exhaustive, Greedy
from plait.learners import LogisticLearner
from plait.losses import F1
from plait.structure import FullChain


def problem(n=150, d=4, q=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    Y = (X @ rng.normal(size=(d, q)) + rng.normal(size=(n, q)) > 0.2).astype(np.uint8)
    Y[:, 1] = (Y[:, 0] ^ Y[:, 2]) ^ (rng.random(n) < 0.1)
    return X, Y


def chain(order, X, Y, **parts):
    return JointClassifier(FullChain(list(order)), **parts).fit(X, Y)


def log_likelihood(order, X, Y):
    return chain(order, X, Y).joint(X).log_prob(Y).sum()


def test_the_best_of_all_orders_is_found():
    X, Y = problem()
    values = {order: log_likelihood(order, X, Y) for order in permutations(range(3))}
    model = ClassifierChainMonteCarlo(n_steps=200, beta=0.0, random_state=0).fit(X, Y)
    assert model.orders_ == [max(values, key=values.get)]
    np.testing.assert_allclose(model.payoffs_, max(values.values()), rtol=1e-6)
    every = ClassifierChainMonteCarlo(n_steps=200, n_chains=6, beta=0.0, random_state=0).fit(X, Y)
    assert every.orders_ == sorted(values, key=values.get, reverse=True)
    np.testing.assert_allclose(every.payoffs_, sorted(values.values(), reverse=True), rtol=1e-6)
    means = [np.exp(chain(order, X, Y).joint(X).log_prob(Y)).mean() for order in every.orders_]
    np.testing.assert_allclose(every.weights_, np.array(means) / np.sum(means), rtol=1e-5)


def test_payoff_of_probabilities():
    X, Y = problem(seed=3)
    values = {order: np.exp(chain(order, X, Y).joint(X).log_prob(Y)).sum() for order in permutations(range(3))}
    model = ClassifierChainMonteCarlo(n_steps=200, beta=0.0, payoff="probability", random_state=0).fit(X, Y)
    assert model.orders_ == [max(values, key=values.get)]
    np.testing.assert_allclose(model.payoffs_, max(values.values()), rtol=1e-6)


def test_many_draws_answer_as_exact_inference_does():
    X, Y = problem(q=5)
    model = ClassifierChainMonteCarlo(n_steps=5, n_samples=5000, random_state=0).fit(X, Y)
    exact = chain(model.orders_[0], X, Y, inference=Exhaustive())
    np.testing.assert_array_equal(model.predict(X), exact.predict(X))
    marginals = exact.predict_proba(X)
    np.testing.assert_allclose(model.predict_proba(X), marginals, rtol=0, atol=5 * 0.5 / np.sqrt(5000))
    sure = np.abs(marginals - 0.5) > 0.04
    hamming = model.set_params(loss="hamming").predict(X)
    np.testing.assert_array_equal(hamming[sure], (marginals > 0.5)[sure])
    best = exact.joint(X).decide("f1")
    found = model.set_params(loss=F1()).predict(X)
    expected = exact.joint(X).expected_loss
    np.testing.assert_allclose(expected(found, "f1"), expected(best, "f1"), rtol=0, atol=0.02)


def test_few_draws_are_at_least_as_probable_as_greedy():
    X, Y = problem(q=5, seed=1)
    model = ClassifierChainMonteCarlo(n_steps=0, n_samples=3, random_state=0).fit(X, Y)
    greedy = chain(model.orders_[0], X, Y, inference=Greedy())
    ours, theirs = (greedy.joint(X).log_prob(labels) for labels in (model.predict(X), greedy.predict(X)))
    assert (ours >= theirs - 1e-12).all()
    assert (ours > theirs + 1e-6).any()


def test_several_chains_are_mixed():
    X, Y = problem(q=4)
    model = ClassifierChainMonteCarlo(n_steps=20, n_chains=3, n_samples=30_000, random_state=0).fit(X, Y)
    assert len(set(model.orders_)) == len(model.conditionals_) == 3
    assert (np.diff(model.payoffs_) <= 0).all()
    chains = [chain(order, X, Y, inference=Exhaustive()) for order in model.orders_]
    exact = np.tensordot(model.weights_, [each.predict_proba(X[:20]) for each in chains], axes=1)
    np.testing.assert_allclose(model.predict_proba(X[:20]), exact, rtol=0, atol=5 * 0.5 / np.sqrt(10_000))


def test_one_label_is_logistic_regression():
    X, Y = problem(q=3)
    model = ClassifierChainMonteCarlo(random_state=0, n_chains=4).fit(X, Y[:, :1])
    plain = JointClassifier().fit(X, Y[:, :1])
    np.testing.assert_allclose(model.predict_proba(X), plain.predict_proba(X), rtol=1e-7)
    np.testing.assert_array_equal(model.predict(X), plain.predict(X))
    assert model.orders_ == [(0,)]


def test_a_row_draws_the_same_wherever_it_stands():
    X, Y = problem(q=5)
    model = ClassifierChainMonteCarlo(n_steps=3, n_samples=5, random_state=0).fit(X, Y)
    places = np.random.default_rng(0).permutation(len(X))
    np.testing.assert_allclose(model.predict_proba(X)[places], model.predict_proba(X[places]), rtol=1e-12)
    np.testing.assert_allclose(model.predict_proba(sparse.csr_matrix(X)), model.predict_proba(X), rtol=1e-9)
    other = ClassifierChainMonteCarlo(n_steps=3, n_samples=5, random_state=1).fit(X, Y)
    assert not np.allclose(other.predict_proba(X), model.predict_proba(X), rtol=1e-6)


def test_blocks_of_rows_change_nothing(monkeypatch):
    X, Y = problem(q=5)
    model = ClassifierChainMonteCarlo(n_steps=3, random_state=0).fit(X, Y)
    labels, marginals = model.predict(X), model.predict_proba(X)
    monkeypatch.setattr("plait.baselines.chain_monte_carlo.classifier_chain_monte_carlo._BLOCK_BYTES", 4000)
    for n_jobs in (None, 2):
        model.set_params(n_jobs=n_jobs)
        np.testing.assert_array_equal(model.predict(X), labels)
        np.testing.assert_allclose(model.predict_proba(X), marginals, rtol=1e-12)


def test_rows_held_out_choose_the_order():
    X, Y = problem()
    model = ClassifierChainMonteCarlo(held_out=0.4, n_steps=100, beta=0.0, random_state=0).fit(X, Y)
    assert model.payoffs_[0] > log_likelihood(model.orders_[0], X, Y)  # 60 rows, not 150
    one_row = ClassifierChainMonteCarlo(held_out=0.4, random_state=0).fit(X[:1], Y[:1])
    np.testing.assert_array_equal(one_row.predict(X[:1]), Y[:1])
    two_rows = ClassifierChainMonteCarlo(held_out=0.9, random_state=0).fit(X[:2], Y[:2])
    assert two_rows.predict(X).shape == Y.shape


def test_weights_count_as_copies():
    X, Y = problem(n=60)
    weights = np.random.default_rng(0).integers(0, 3, 60)
    one = ClassifierChainMonteCarlo(random_state=0).fit(X, Y, sample_weight=weights)
    copies = np.repeat(np.arange(60), weights)
    two = ClassifierChainMonteCarlo(random_state=0).fit(X[copies], Y[copies])
    assert one.orders_ == two.orders_
    np.testing.assert_allclose(one.payoffs_, two.payoffs_, rtol=1e-6)
    np.testing.assert_allclose(one.predict_proba(X), two.predict_proba(X), rtol=0, atol=1e-5)


def test_classifiers_of_scikit_learn():
    X, Y = problem()
    tree = ClassifierChainMonteCarlo(DecisionTreeClassifier(max_depth=3), n_steps=5, random_state=0).fit(X, Y)
    again = ClassifierChainMonteCarlo(DecisionTreeClassifier(max_depth=3), n_steps=5, random_state=0, n_jobs=2).fit(
        X, Y
    )
    assert tree.orders_ == again.orders_
    np.testing.assert_array_equal(tree.predict_proba(X), again.predict_proba(X))
    assert (tree.predict(X) == Y).mean() > 0.8
    near = ClassifierChainMonteCarlo(KNeighborsClassifier(5), n_steps=5, random_state=0).fit(X, Y)
    assert (near.predict(X) == Y).mean() > 0.7
    with pytest.raises(ParameterError, match="needs a learner that gives probabilities"):
        ClassifierChainMonteCarlo(LinearSVC()).fit(X, Y)


def test_scales_are_those_of_the_learner():
    X, Y = problem()
    scaled = ClassifierChainMonteCarlo(LogisticLearner(standardize=True), random_state=0).fit(X * [1, 10, 100, 1000], Y)
    plain = ClassifierChainMonteCarlo(LogisticLearner(standardize=True), random_state=0).fit(X, Y)
    assert scaled.orders_ == plain.orders_
    np.testing.assert_allclose(
        scaled.conditionals_[0].coef_ * [1, 10, 100, 1000], plain.conditionals_[0].coef_, rtol=1e-5, atol=1e-8
    )


def test_losses_that_rank_are_refused():
    X, Y = problem(n=30)
    model = ClassifierChainMonteCarlo(n_steps=0, loss="rank", random_state=0).fit(X, Y)
    with pytest.raises(ParameterError, match="needs a loss that decides on label sets, but Rank gives scores"):
        model.predict(X)
    with pytest.raises(ParameterError, match="needs loss to be an instance of Loss or one of"):
        model.set_params(loss="nothing").predict(X)
