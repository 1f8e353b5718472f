"""Best-first search of mixtures: what it proves is true, and what it cannot prove it does not claim."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plait.core.kernel_policy import using_kernels
from plait.inference import Annealing, BestFirst, Exhaustive, MaxProduct, SearchWarning
from plait.joint import LinearDistribution, MixtureDistribution
from plait.structure import LabelGraph
from plait.testing import (
    enumerated,
    random_evidence,
    random_forest_graph,
    random_graph,
    random_linear,
    random_mixture,
    random_polytree,
)

pytestmark = pytest.mark.usefixtures("path")

GRAPHS = {"forest": random_forest_graph, "polytree": random_polytree, "any": random_graph}


def mixture(seed, n_labels, n_parts, graph="forest", scale=1.5, share=0.0, n_rows=4):
    draws = np.random.default_rng(seed)
    made = random_mixture([GRAPHS[graph](n_labels, draws) for _ in range(n_parts)], n_rows, draws, scale)
    return made.clamp(random_evidence((n_rows, n_labels), draws, share)) if share else made


def largest(p, n):
    return -np.sort(-p, axis=1)[:, :n]


def assert_honest(made, support, n_best):
    """Vectors differ and have the weights given; those of rows that are proved are the most probable."""
    _, p = enumerated(made)
    used = np.isfinite(support.log_weights)
    found = np.where(used, np.exp(made.log_prob(np.ascontiguousarray(support.vectors))), 0.0)
    np.testing.assert_allclose(np.exp(support.log_weights), found, rtol=1e-9, atol=1e-300)
    truth = largest(p, min(n_best, 2**made.n_labels))
    np.testing.assert_allclose(found[support.exact], truth[support.exact], rtol=1e-9, atol=1e-300)
    for vectors, here in zip(support.vectors, used, strict=True):
        assert len({tuple(y) for y in vectors[here]}) == here.sum()


mixtures = st.builds(
    mixture,
    st.integers(0, 2**32),
    st.integers(1, 9),
    st.integers(1, 6),
    st.sampled_from(["forest", "polytree"]),
    st.sampled_from([0.0, 0.3, 1.5, 5.0]),
    st.sampled_from([0.0, 0.3, 1.0]),
)


@given(mixtures, st.sampled_from([1, 2, 7, 1000]))
@settings(max_examples=200, deadline=None)
def test_modes_of_mixtures_of_polytrees_are_found_and_proved(made, n_best):
    support = BestFirst().infer(made, n_best=n_best)
    assert support.exact.all()
    assert_honest(made, support, n_best)
    assert (support.n_evaluations <= 2 ** (made.n_labels + 1)).all()


@given(mixtures, st.sampled_from([1, 3]), st.integers(1, 6))
@settings(max_examples=100, deadline=None)
def test_few_nodes_leave_an_answer_that_claims_no_more_than_is_true(made, n_best, max_nodes):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", SearchWarning)
        support = BestFirst(max_nodes=max_nodes).infer(made, n_best=n_best)
    assert_honest(made, support, n_best)
    assert (support.n_evaluations <= max_nodes).all()
    assert len(caught) == (not support.exact.all())
    # The first node has weighed the components' modes already.
    modes = np.concatenate([MaxProduct().infer(part).vectors for part in made.components], axis=1)
    assert (support.log_weights[:, 0] >= made.log_prob(modes).max(axis=1) - 1e-9).all()


@given(mixtures, st.sampled_from([1, 3]), st.floats(0.001, 0.9))
@settings(max_examples=100, deadline=None)
def test_epsilon_finds_what_is_at_least_as_probable(made, n_best, epsilon):
    support = BestFirst(epsilon=epsilon).infer(made, n_best=n_best)
    assert_honest(made, support, n_best)
    _, p = enumerated(made)
    truth = largest(p, support.log_weights.shape[1])
    likely = truth >= epsilon
    np.testing.assert_allclose(np.exp(support.log_weights)[likely], truth[likely], rtol=1e-9)
    assert support.exact[truth[:, -1] >= epsilon].all()


@pytest.mark.parametrize("n_best", [1, 4])
@pytest.mark.parametrize("share", [0.0, 0.3])
def test_mixtures_of_other_graphs_are_climbed_and_proved_where_components_agree(n_best, share):
    proved = []
    for seed in range(40):
        made = mixture(seed, 6, 2, "any", [0.5, 3.0][seed % 2], share)
        support = BestFirst().infer(made, n_best=n_best)
        assert_honest(made, support, n_best)
        proved.extend(support.exact)
        alike = MixtureDistribution(np.log([0.5, 0.5]), [made.components[0]] * 2)
        assert BestFirst().infer(alike, n_best=n_best).exact.all()
    assert 0 < np.mean(proved) < 1


def test_a_component_that_meets_its_limit_proves_nothing():
    flat = random_linear(LabelGraph([list(range(k)) for k in range(12)]), 3, np.random.default_rng(0), 0.1)
    made = MixtureDistribution(np.log([0.5, 0.5]), [flat, flat])
    with pytest.warns(SearchWarning, match="max_nodes=1 in 3 of 3 rows"):
        support = BestFirst(max_nodes=1).infer(made)
    assert not support.exact.any()
    assert BestFirst().infer(made).exact.all()


def test_many_labels_are_proved_and_never_below_annealing():
    draws = np.random.default_rng(1)
    base = 2.0 * draws.normal(size=(6, 150))
    parts = [random_linear(random_forest_graph(150, draws), 6, draws, 2.0) for _ in range(5)]
    parts = [LinearDistribution(part.graph, base + 0.3 * part.base, part.parent_coef) for part in parts]
    made = MixtureDistribution(np.log(np.full(5, 0.2)), parts)
    support = BestFirst().infer(made)
    assert support.exact.all()
    assert (support.log_weights >= Annealing().infer(made, random_state=0).log_weights - 1e-9).all()
    np.testing.assert_allclose(made.log_prob(support.mode()), support.log_weights[:, 0], rtol=1e-9)


@using_kernels("always")
def test_more_nodes_than_there_was_room_for():
    """Labels without edges that nothing decides: every vector is as probable as any other but for a little."""
    draws = np.random.default_rng(2)
    parts = [random_linear(LabelGraph([[]] * 10), 1, draws, 0.4) for _ in range(8)]
    made = MixtureDistribution(np.log(np.full(8, 0.125)), parts)
    support = BestFirst().infer(made, n_best=300)
    assert support.n_evaluations[0] > 100
    truth = Exhaustive().infer(made, n_best=300)
    np.testing.assert_allclose(support.log_weights, truth.log_weights, rtol=1e-9)


def test_the_same_for_any_blocks_of_rows(monkeypatch):
    made = mixture(5, 8, 4, "polytree", 0.5, n_rows=20)
    whole = BestFirst().infer(made, n_best=2)
    monkeypatch.setattr("plait.inference.messages.mixture_tables._TABLE_SIZE", 500)
    small = BestFirst().infer(made, n_best=2)
    np.testing.assert_array_equal(small.vectors, whole.vectors)
    np.testing.assert_array_equal(small.log_weights, whole.log_weights)


def test_a_mixture_of_one_and_no_rows():
    made = mixture(0, 7, 1, "polytree")
    support = BestFirst().infer(made)
    np.testing.assert_array_equal(support.mode(), MaxProduct().infer(made.components[0]).mode())
    assert (support.n_evaluations <= 2).all()
    assert BestFirst().infer(made.take(slice(0, 0))).mode().shape == (0, 7)
