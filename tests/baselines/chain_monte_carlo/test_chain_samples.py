"""What is drawn from chains, against enumeration."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst
from scipy import sparse

from plait.baselines.chain_monte_carlo.chain_samples import (
    ChainSamples,
    content_seeds,
    mixed_bits,
    shared_out,
    smooth_marginals,
)
from plait.inference import Exhaustive, Greedy, MonteCarlo
from plait.joint import GraphJoint, MixtureDistribution
from plait.learners import LinearConditionals
from plait.structure import FullChain

Q, D = 4, 3


def chain(order, seed):
    """Return a chain with random coefficients."""
    rng = np.random.default_rng(seed)
    graph = FullChain(order).build(np.zeros((2, 1)), np.zeros((2, Q)))
    effects = np.zeros((Q, Q))
    for label, parents in enumerate(graph.parents):
        effects[label, list(parents)] = 2 * rng.normal(size=len(parents))
    return GraphJoint(LinearConditionals(graph, rng.normal(size=(Q, D)), effects, rng.normal(size=Q)))


CHAINS = [chain([2, 0, 3, 1], 0), chain([1, 3, 0, 2], 1), chain([0, 1, 2, 3], 2)]
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
