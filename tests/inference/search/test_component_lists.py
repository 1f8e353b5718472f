"""Modes of mixtures of chains by lists: against all label vectors, where lists are short, cut, full or stopped."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plait.inference import Annealing, Auto, BestFirst
from plait.inference.search import component_lists as room
from plait.inference.search.branch_and_bound import best_vectors
from plait.inference.search.component_lists import threshold_search
from plait.joint import LinearDistribution, MixtureDistribution
from plait.structure import FullChain
from plait.testing import enumerated, random_evidence, random_linear

pytestmark = pytest.mark.usefixtures("path")


def chains(seed, n_labels, n_parts, scale=1.5, share=0.0, n_rows=5):
    draws = np.random.default_rng(seed)
    Y = np.zeros((1, n_labels), dtype=np.uint8)
    graphs = [FullChain("random").build(Y, Y, random_state=draws) for _ in range(n_parts)]
    parts = [random_linear(graph, n_rows, draws, scale) for graph in graphs]
    made = MixtureDistribution(np.log(draws.dirichlet(np.ones(n_parts))), parts)
    return made.clamp(random_evidence((n_rows, n_labels), draws, share)) if share else made


def listed_by(most):
    return lambda part, n_best, reached: best_vectors(part, n_best, most, reached=reached)[0]


mixtures = st.builds(
    chains,
    st.integers(0, 2**32),
    st.integers(2, 8),
    st.integers(2, 5),
    st.sampled_from([0.0, 0.3, 1.5, 5.0]),
    st.sampled_from([0.0, 0.4]),
)


@given(mixtures, st.sampled_from([1, 2, 5]), st.sampled_from([2, 30, 10**6]), st.sampled_from([(1,), (1, 2), (1, 8)]))
@settings(max_examples=60, deadline=None)
def test_what_is_proved_is_the_best_and_bounds_hold(made, n_best, most, depths):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(room, "_DEPTHS", depths)
        found, rows, listed, bound = threshold_search(made, n_best, listed_by(most))
    vectors, chances = enumerated(made)
    truth = -np.sort(-chances, axis=1)[:, : found.vectors.shape[1]]
    weighed = np.where(np.isfinite(found.log_weights), np.exp(made.log_prob(found.vectors)), 0.0)
    np.testing.assert_allclose(np.exp(found.log_weights), weighed, rtol=1e-9, atol=1e-300)
    np.testing.assert_allclose(weighed[found.exact], truth[found.exact], rtol=1e-9, atol=1e-300)
    np.testing.assert_array_equal(rows, np.flatnonzero(~found.exact))
    for place, row in enumerate(rows):  # what is on no list is below the bound
        on_list = {v.tobytes() for v in listed.vectors[place][listed.log_weights[place] > -np.inf]}
        others = [p for v, p in zip(vectors, chances[row], strict=True) if v.tobytes() not in on_list]
        assert max(others, default=0.0) <= np.exp(bound[place]) * (1.0 + 1e-8)


def test_a_vector_that_no_component_likes_most_is_found():
    """The mode of the mixture is second in both components."""
    first = np.log(np.array([0.5, 0.4, 0.05, 0.05]))
    second = np.log(np.array([0.05, 0.4, 0.5, 0.05]))

    def as_chain(logs):
        p = np.exp(logs).reshape(2, 2)
        one = np.log(p[1].sum() / p[0].sum())
        low, high = (np.log(p[k, 1] / p[k, 0]) for k in (0, 1))
        graph = FullChain("given").build(np.zeros((1, 2)), np.zeros((1, 2), dtype=np.uint8))
        return LinearDistribution(graph, np.array([[one, low]]), np.array([[0.0, 0.0], [high - low, 0.0]]))

    made = MixtureDistribution(np.log([0.5, 0.5]), [as_chain(first), as_chain(second)])
    found, rows, _, _ = threshold_search(made, 1, listed_by(10**4))
    assert found.vectors[0, 0].tolist() == [0, 1]
    assert not len(rows)
    np.testing.assert_allclose(np.exp(found.log_weights), 0.4, rtol=1e-12)


@pytest.mark.parametrize("scale", [0.1, 2.0])
def test_up_to_fifteen_labels_modes_of_chains_are_proved(scale):
    """Flat mixtures too, whose lists prove nothing."""
    made = chains(3, 13, 4, scale)
    assert isinstance(Auto().choose(made, "mode"), BestFirst)
    support = Auto().infer(made, "mode", random_state=0)
    assert support.exact.all()
    np.testing.assert_allclose(np.exp(support.log_weights[:, 0]), enumerated(made)[1].max(axis=1), rtol=1e-9)


def test_annealing_goes_on_where_lists_prove_nothing():
    made = chains(5, 17, 4, 0.05)
    support = Annealing().infer(made, "mode", random_state=0)
    assert not support.exact.any()
    best = [best_vectors(part, 1, 10**6)[0].vectors[:, 0] for part in made.components]
    logs = np.max([made.log_prob(each) for each in best], axis=0)
    assert (support.log_weights[:, 0] >= logs - 1e-12).all()
