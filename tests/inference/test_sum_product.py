import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plait.core.sentences import ParameterError
from plait.inference import MaxProduct, SumProduct, exact_marginals
from plait.joint import LinearDistribution, MixtureDistribution
from plait.structure import LabelGraph
from plait.testing import (
    TableDistribution,
    enumerated,
    random_evidence,
    random_forest_graph,
    random_linear,
    random_mixture,
    random_polytree,
    random_tables,
)

pytestmark = pytest.mark.usefixtures("path")


def assert_as_enumerated(model):
    vectors, probabilities = enumerated(model)
    totals = probabilities.sum(axis=1)
    support = SumProduct().infer(model, "marginals")
    np.testing.assert_allclose(support.marginals, probabilities @ vectors / totals[:, None], rtol=1e-10, atol=1e-13)
    np.testing.assert_allclose(support.log_evidence, np.log(totals), rtol=1e-10, atol=1e-11)
    assert support.exact.all()


@given(
    st.integers(0, 2**32),
    st.integers(1, 12),
    st.sampled_from([0.0, 0.5, 1.0]),
    st.sampled_from([0.3, 1.0, 2.0]),
    st.booleans(),
    st.booleans(),
    st.sampled_from([0.0, 0.1, 0.5, 1.0]),
)
@settings(max_examples=200)
def test_marginals_are_those_of_all_vectors(seed, n_labels, joined, scale, forest, linear, share):
    draws = np.random.default_rng(seed)
    graph = (
        random_forest_graph(n_labels, draws, joined)
        if forest
        else random_polytree(n_labels, draws, joined, most_parents=9, reach=1 + seed % 12)
    )
    model = (random_linear if linear else random_tables)(graph, 2, draws, scale)
    assert_as_enumerated(model.clamp(random_evidence((2, n_labels), draws, share)) if share else model)


def test_a_label_with_many_parents():
    draws = np.random.default_rng(0)
    graph = LabelGraph([[k for k in range(12) if k != 4] if label == 4 else [] for label in range(12)])
    for model in (random_linear(graph, 4, draws, 3.0), random_tables(graph, 4, draws, 2.0)):
        assert_as_enumerated(model)
        assert_as_enumerated(model.clamp(random_evidence((4, 12), draws, 0.3)))


def test_without_evidence_both_ways_agree():
    """One pass down the order against messages up and down, on rows that know one label of another component."""
    draws = np.random.default_rng(1)
    graph = random_polytree(60, draws, joined=1.0)
    graph = LabelGraph([*graph.parents, []])
    model = random_linear(graph, 50, draws)
    known = np.full((50, 61), -1, dtype=np.int8)
    known[:, 60] = 1
    marginals, log_evidence = exact_marginals(model.clamp(known))
    np.testing.assert_allclose(marginals[:, :60], exact_marginals(model)[0][:, :60], rtol=1e-11)
    np.testing.assert_allclose(log_evidence, -np.logaddexp(0.0, -model.base[:, 60]), rtol=1e-9)


def test_evidence_one_label_at_a_time_is_the_chain_rule():
    """log P(y) = sum over k of log P(y_k | y_1 .. y_{k-1})."""
    draws = np.random.default_rng(2)
    model = random_linear(random_polytree(30, draws), 8, draws)
    Y = draws.integers(0, 2, (8, 30)).astype(np.uint8)
    known, total = np.full((8, 30), -1, dtype=np.int8), np.zeros(8)
    for k in range(30):
        marginal = exact_marginals(model.clamp(known))[0][:, k]
        total += np.log(np.where(Y[:, k] == 1, marginal, 1.0 - marginal))
        known[:, k] = Y[:, k]
        np.testing.assert_allclose(exact_marginals(model.clamp(known))[1], total, rtol=1e-10)
    np.testing.assert_allclose(model.log_prob(Y), total, rtol=1e-10)


def test_rows_without_evidence_among_others():
    draws = np.random.default_rng(3)
    model = random_linear(random_polytree(20, draws), 6, draws)
    known = np.full((6, 20), -1, dtype=np.int8)
    known[2, 5] = 0
    marginals, log_evidence = exact_marginals(model.clamp(known))
    others = [0, 1, 3, 4, 5]
    np.testing.assert_allclose(marginals[others], exact_marginals(model)[0][others], rtol=1e-11)
    assert (log_evidence[others] == 0.0).all()
    assert marginals[2, 5] == 0.0


def test_linear_scores_and_their_tables_agree_with_huge_effects():
    draws = np.random.default_rng(4)
    for scale in (1.0, 30.0, 1000.0):
        linear = random_linear(random_polytree(40, draws), 40, draws, scale)
        linear = linear.clamp(random_evidence((40, 40), draws, 0.2))
        tables = TableDistribution(linear.graph, [linear.table(k) for k in range(40)], linear.evidence)
        for ours, theirs in zip(exact_marginals(linear), exact_marginals(tables), strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-12)


def test_the_sum_over_all_values_of_one_label_is_one():
    draws = np.random.default_rng(5)
    model = random_linear(random_polytree(200, draws), 10, draws)
    both = []
    for value in (0, 1):
        known = np.full((10, 200), -1, dtype=np.int8)
        known[:, 77] = value
        both.append(exact_marginals(model.clamp(known))[1])
    np.testing.assert_allclose(np.exp(both).sum(axis=0), 1.0, rtol=1e-11)
    np.testing.assert_allclose(np.exp(both[1]), exact_marginals(model)[0][:, 77], rtol=1e-11)


def test_a_hub_whose_messages_would_overflow():
    """Strong children against each other: the posterior of the hub is that of its own score, whatever the order."""
    q, strong = 2001, 10.0
    draws = np.random.default_rng(6)
    coef = np.zeros((q, q))
    coef[1:1001, 0], coef[1001:, 0] = strong, -strong
    base = np.full((3, q), -strong / 2)
    base[:, 1001:] = strong / 2
    base[:, 0] = (-1.0, 0.2, 2.0)
    known = np.full((3, q), 1, dtype=np.int8)
    known[:, 0] = -1
    names = np.concatenate([[0], 1 + draws.permutation(q - 1)])
    for order in (np.arange(q), names):
        graph = LabelGraph([[], *([0] for _ in range(q - 1))])
        model = LinearDistribution(graph, base[:, order], coef[np.ix_(order, order)]).clamp(known)
        marginals, log_evidence = exact_marginals(model)
        np.testing.assert_allclose(marginals[:, 0], 1.0 / (1.0 + np.exp(-base[:, 0])), rtol=1e-9)
        half = 1000 * (-np.logaddexp(0, strong / 2) - np.logaddexp(0, -strong / 2))
        np.testing.assert_allclose(log_evidence, half, rtol=1e-12)


def test_a_deep_chain_and_a_star_by_forward_sums():
    draws = np.random.default_rng(7)
    chain = random_linear(LabelGraph([[], *([k] for k in range(4999))]), 2, draws)
    star = random_linear(LabelGraph([[], *([0] for _ in range(1000))]), 2, draws)
    for model in (chain, star):
        expected = np.empty((2, model.n_labels))
        for k in range(model.n_labels):
            one = 1.0 / (1.0 + np.exp(-model.table(k)))
            parent = expected[:, list(model.graph.parents[k])]
            expected[:, k] = one[:, 0] if k == 0 else one[:, 0] * (1 - parent[:, 0]) + one[:, 1] * parent[:, 0]
        np.testing.assert_allclose(exact_marginals(model)[0], expected, rtol=1e-10)
        everything = model.clamp(MaxProduct().infer(model).mode().astype(np.int8))
        np.testing.assert_allclose(
            exact_marginals(everything)[1], MaxProduct().infer(model).log_weights[:, 0], rtol=1e-10
        )


@pytest.mark.parametrize("n_rows", [0, 1, 33])
def test_modes_are_there_too(n_rows):
    draws = np.random.default_rng(8)
    model = random_tables(random_polytree(9, draws), n_rows, draws)
    ours, theirs = SumProduct().infer(model, n_best=3), MaxProduct().infer(model, n_best=3)
    np.testing.assert_array_equal(ours.vectors, theirs.vectors)
    np.testing.assert_array_equal(ours.log_weights, theirs.log_weights)
    assert ours.marginals.shape == (n_rows, 9)


@given(
    st.integers(0, 2**32), st.integers(1, 9), st.integers(1, 5), st.booleans(), st.sampled_from([0.0, 0.1, 0.5, 1.0])
)
@settings(max_examples=100, deadline=None)
def test_marginals_of_mixtures_are_those_of_all_vectors(seed, n_labels, n_parts, forest, share):
    draws = np.random.default_rng(seed)
    made = random_forest_graph if forest else random_polytree
    model = random_mixture([made(n_labels, draws) for _ in range(n_parts)], 3, draws, 2.0)
    model = model.clamp(random_evidence((3, n_labels), draws, share)) if share else model
    assert_as_enumerated(model)
    assert SumProduct().infer(model, "marginals").vectors.shape == (3, 0, n_labels)
    both = SumProduct().infer(model, "mode", n_best=2)
    _, probabilities = enumerated(model)
    best = -np.sort(-probabilities, axis=1)[:, :2]
    np.testing.assert_allclose(np.exp(both.log_weights), best, rtol=1e-9, atol=1e-300)
    assert both.marginals is not None


def test_evidence_decides_between_components():
    """Under the first component the known label is all but impossible, so that only the second speaks."""
    graph, none = LabelGraph([[], []]), np.zeros((2, 2))
    first = LinearDistribution(graph, np.array([[-13.0, -3.0]]), none)
    second = LinearDistribution(graph, np.array([[13.0, 3.0]]), none)
    mixture = MixtureDistribution(np.log([0.5, 0.5]), [first, second])
    np.testing.assert_allclose(exact_marginals(mixture)[0], [[0.5, 0.5]], rtol=1e-12)
    marginals, log_evidence = exact_marginals(mixture.clamp(np.array([[1, -1]], dtype=np.int8)))
    np.testing.assert_allclose(marginals, [[1.0, 1 / (1 + np.exp(-3.0))]], rtol=1e-5)
    assert log_evidence[0] == pytest.approx(np.log(0.5), rel=1e-9)


def test_marginals_of_mixtures_of_many_labels():
    draws = np.random.default_rng(7)
    parts = [random_linear(random_polytree(200, draws), 5, draws) for _ in range(3)]
    weights = np.array([0.2, 0.3, 0.5])
    marginals, log_evidence = exact_marginals(MixtureDistribution(np.log(weights), parts))
    truth = sum(weight * exact_marginals(part)[0] for weight, part in zip(weights, parts, strict=True))
    np.testing.assert_allclose(marginals, truth, rtol=1e-12)
    np.testing.assert_array_equal(log_evidence, np.zeros(5))


def test_mixtures_of_other_graphs_are_refused():
    draws = np.random.default_rng(0)
    chain = random_linear(LabelGraph([[], [0], [0, 1]]), 2, draws)
    tree = random_linear(LabelGraph([[], [0], [0]]), 2, draws)
    mixture = MixtureDistribution(np.log([0.5, 0.5]), [tree, chain])
    with pytest.raises(ParameterError, match="SumProduct needs a graph whose skeleton is a forest"):
        SumProduct().infer(mixture)
    with pytest.raises(ParameterError, match="MaxProduct needs a distribution over one graph, but it is a Mixture"):
        MaxProduct().infer(mixture)


def test_marginals_alone_need_no_modes(monkeypatch):
    model = random_linear(random_polytree(6, np.random.default_rng(0)), 5, np.random.default_rng(1))
    whole = SumProduct().infer(model, "distribution")
    monkeypatch.setattr(MaxProduct, "infer", None)
    support = SumProduct().infer(model, "marginals")
    np.testing.assert_array_equal(support.marginals, whole.marginals)
    np.testing.assert_array_equal(support.log_evidence, whole.log_evidence)
    assert support.vectors.shape == (5, 0, 6)
    assert support.exact.all()
