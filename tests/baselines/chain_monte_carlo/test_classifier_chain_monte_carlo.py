"""`ClassifierChainMonteCarlo` against enumeration of orders and of label sets."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst
from scipy import sparse
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from plait.baselines import ClassifierChainMonteCarlo
from plait.baselines.chain_monte_carlo.classifier_chain_monte_carlo import (
    ChainSamples,
    content_seeds,
    mixed_bits,
    shared_out,
    smooth_marginals,
)
from plait.core.sentences import ParameterError
from plait.estimators import JointClassifier
from plait.inference import Exhaustive, Greedy, MonteCarlo
from plait.joint import GraphJoint, MixtureDistribution
from plait.learners import LinearConditionals, LogisticLearner
from plait.losses import F1
from plait.structure import FullChain


def problem(n=150, d=4, q=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    Y = (X @ rng.normal(size=(d, q)) + rng.normal(size=(n, q)) > 0.2).astype(np.uint8)
    Y[:, 1] = (Y[:, 0] ^ Y[:, 2]) ^ (rng.random(n) < 0.1)
    return X, Y


def chain(order, X, Y, **parts):
    return JointClassifier(FullChain(list(order)), learner="logistic", **parts).fit(X, Y)


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
    plain = JointClassifier(learner="logistic").fit(X, Y[:, :1])
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


Q, D = 4, 3


def chain_sampled(order, seed):
    """Return a chain_sampled with random coefficients."""
    rng = np.random.default_rng(seed)
    graph = FullChain(order).build(np.zeros((2, 1)), np.zeros((2, Q)))
    effects = np.zeros((Q, Q))
    for label, parents in enumerate(graph.parents):
        effects[label, list(parents)] = 2 * rng.normal(size=len(parents))
    return GraphJoint(LinearConditionals(graph, rng.normal(size=(Q, D)), effects, rng.normal(size=Q)))


CHAINS = [chain_sampled([2, 0, 3, 1], 0), chain_sampled([1, 3, 0, 2], 1), chain_sampled([0, 1, 2, 3], 2)]
WEIGHTS = np.array([0.5, 0.3, 0.2])
X = np.random.default_rng(3).normal(size=(30, D))
SEEDS = np.random.default_rng(4).integers(0, 2**64, 30, dtype=np.uint64)


def mixture():
    return MixtureDistribution(np.log(WEIGHTS), [each.condition(X) for each in CHAINS])


def exact_marginals(joints, weights):
    parts = [Exhaustive().infer(each.condition(X), "marginals").marginal_estimate() for each in joints]
    return np.tensordot(weights, parts, axes=1)


@pytest.mark.parametrize("n", [1, 3])
def test_many_draws_find_the_mode_and_the_marginals(n):
    weights = WEIGHTS[:n] / WEIGHTS[:n].sum()
    drawn = ChainSamples.drawn(CHAINS[:n], weights, X, 20_000, SEEDS)
    parts = MixtureDistribution(np.log(weights), [each.condition(X) for each in CHAINS[:n]])
    vectors = np.array([[i >> k & 1 for k in range(Q)] for i in range(2**Q)], dtype=np.uint8)
    all_logs = parts.log_prob(np.broadcast_to(vectors, (30, 16, Q)).copy())
    np.testing.assert_array_equal(drawn.modes().mode(), vectors[all_logs.argmax(axis=1)])
    exact = exact_marginals(CHAINS[:n], weights)
    # The deviation of a share of 20,000 draws is at most this, and means of probabilities vary less.
    np.testing.assert_allclose(drawn.marginals, exact, rtol=0, atol=5 * 0.5 / np.sqrt(20_000))
    shares = drawn.support()._replaced(marginals=None).marginal_estimate()
    np.testing.assert_allclose(shares, exact, rtol=0, atol=5 * 0.5 / np.sqrt(20_000))


def test_probabilities_are_those_of_all_chains_together():
    drawn = ChainSamples.drawn(CHAINS, WEIGHTS, X, 50, SEEDS)
    used = np.isfinite(drawn.log_prob)
    assert used[:, 0].all()
    np.testing.assert_allclose(drawn.log_prob[used], mixture().log_prob(drawn.vectors)[used], rtol=1e-12)
    assert (np.isfinite(drawn.log_weights) == used)[:, 1:].all()
    np.testing.assert_allclose(np.exp(drawn.log_weights).sum(axis=1), 1.0, rtol=1e-12)


@pytest.mark.parametrize("n_samples", [1, 2, 10])
def test_never_less_probable_than_the_greedy_answer(n_samples):
    P = CHAINS[0].condition(X)
    answer = ChainSamples.drawn(CHAINS[:1], np.ones(1), X, n_samples, SEEDS).modes().mode()
    greedy = Greedy().infer(P).mode()
    assert (P.log_prob(answer) >= P.log_prob(greedy)).all()
    best = Exhaustive().infer(P).mode()
    assert (P.log_prob(answer) <= P.log_prob(best) + 1e-12).all()


def test_the_first_label_of_a_chain_has_its_exact_marginal():
    drawn = ChainSamples.drawn(CHAINS[:1], np.ones(1), X, 7, SEEDS)
    exact = exact_marginals(CHAINS[:1], [1.0])
    np.testing.assert_allclose(drawn.marginals[:, 2], exact[:, 2], rtol=1e-12)
    assert (np.abs(drawn.marginals - exact).max(axis=0)[[0, 1, 3]] > 1e-6).all()


def test_smooth_marginals_against_loops():
    P = CHAINS[1].condition(X)
    found = MonteCarlo(20).infer(P, "distribution", 1, SEEDS)
    counts = np.exp(found.log_weights)
    for row in range(0, 30, 7):
        for label, parents in enumerate(P.graph.parents):
            total = 0.0
            for vector, count in zip(found.vectors[row], counts[row], strict=True):
                score = P.base[row, label] + sum(P.parent_coef[label, j] * vector[j] for j in parents)
                total += count / 20 / (1 + np.exp(-score))
            np.testing.assert_allclose(smooth_marginals(P, found)[row, label], total, rtol=1e-9)


def test_rows_draw_the_same_alone():
    together = ChainSamples.drawn(CHAINS, WEIGHTS, X, 25, SEEDS)
    for row in (0, 13, 29):
        alone = ChainSamples.drawn(CHAINS, WEIGHTS, X[[row]], 25, SEEDS[[row]])
        np.testing.assert_allclose(alone.marginals[0], together.marginals[row], rtol=1e-12)
        np.testing.assert_array_equal(alone.modes().mode()[0], together.modes().mode()[row])


def test_draws_are_shared_out():
    np.testing.assert_array_equal(shared_out(100, WEIGHTS), [50, 30, 20])
    np.testing.assert_array_equal(shared_out(1, WEIGHTS), [1, 1, 1])


MATRICES = npst.arrays(
    np.float64,
    npst.array_shapes(min_dims=2, max_dims=2, max_side=6),
    elements=st.sampled_from([0.0, -0.0, 1.0, 2.5, -1]),
)


def naive_mixed(state):
    mask = 2**64 - 1
    state = (state ^ (state >> 30)) * 0xBF58476D1CE4E5B9 & mask
    state = (state ^ (state >> 27)) * 0x94D049BB133111EB & mask
    return state ^ (state >> 31)


def test_bits_are_those_of_the_reference():
    states = [0, 1, 2**63, 2**64 - 1, 123456789123456789]
    assert mixed_bits(np.array(states, dtype=np.uint64)).tolist() == [naive_mixed(state) for state in states]


@given(MATRICES, st.integers(0, 2**63 - 1))
def test_dense_sparse_and_any_order_of_rows(X, seed):
    seeds = content_seeds(X, seed)
    assert seeds.dtype == np.uint64
    np.testing.assert_array_equal(content_seeds(sparse.csr_matrix(X), seed), seeds)
    np.testing.assert_array_equal(content_seeds(X.astype(np.float32), seed), seeds)
    np.testing.assert_array_equal(content_seeds(X[::-1], seed), seeds[::-1])
    # Equal rows have equal seeds, and others differ.
    assert len(np.unique(seeds)) == len(np.unique(X + 0.0, axis=0))
    assert (content_seeds(X, seed + 1) != seeds).all()


def test_stored_zeros_and_entries_in_parts_make_no_difference():
    X = np.array([[0.0, 3.0, 0.0], [0.0, 0.0, 0.0]])
    odd = sparse.csr_matrix((np.array([1.0, 0.0, 2.0]), np.array([1, 0, 1]), np.array([0, 3, 3])), shape=(2, 3))
    np.testing.assert_array_equal(content_seeds(odd, 5), content_seeds(X, 5))
    assert odd.nnz == 3


def test_swapped_columns_and_many_rows():
    one, two = content_seeds(np.array([[1.0, 2.0], [2.0, 1.0]]), 0)
    assert one != two
    X = np.random.default_rng(0).integers(0, 2, size=(3000, 700)).astype(float)
    np.testing.assert_array_equal(content_seeds(X, 1), content_seeds(sparse.csr_matrix(X), 1))
    assert content_seeds(np.zeros((0, 3)), 1).shape == (0,)
