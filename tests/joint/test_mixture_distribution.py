import numpy as np
import pytest

from plait.inference.search.label_tables import vector_numbers
from plait.joint import MixtureDistribution, row_seeds
from plait.structure import LabelGraph
from plait.testing import enumerated, random_evidence, random_graph, random_linear, random_mixture


def mixture(seed=0, n_labels=4, n_rows=3):
    draws = np.random.default_rng(seed)
    return random_mixture([random_graph(n_labels, draws) for _ in range(3)], n_rows, draws)


def every_vector(distribution):
    vectors = enumerated(distribution)[0]
    return np.broadcast_to(vectors, (distribution.n_rows, *vectors.shape))


def test_probabilities_are_weighted_sums_and_sum_to_one():
    made = mixture()
    p = np.exp(made.log_prob(every_vector(made)))
    np.testing.assert_allclose(p, enumerated(made)[1], rtol=1e-10)
    np.testing.assert_allclose(p.sum(axis=1), 1.0, rtol=1e-12)


def test_samples_have_the_frequencies_of_the_mixture():
    made, n_samples = mixture(), 20_000
    vectors, log_weights = made.sample(n_samples, random_state=0)
    assert vectors.shape == (3, n_samples, 4)
    np.testing.assert_array_equal(log_weights, np.zeros((3, n_samples)))
    p = enumerated(made)[1]
    counts = np.array([np.bincount(row, minlength=16) for row in vector_numbers(vectors)]) / n_samples
    assert (np.abs(counts - p) <= 5 * np.sqrt(p * (1 - p) / n_samples)).all()
    # The order says nothing: the first half is as good as the second.
    halves = [vectors[:, :10_000].mean(axis=1), vectors[:, 10_000:].mean(axis=1)]
    assert (np.abs(halves[0] - halves[1]) <= 5 * np.sqrt(0.5 / 10_000)).all()


def test_weighted_samples_have_the_conditional_frequencies():
    made = mixture(1).clamp(random_evidence((3, 4), np.random.default_rng(0), 0.5))
    vectors, log_weights = made.sample(40_000, random_state=0)
    known = made.evidence
    assert ((known[:, None] < 0) | (vectors == known[:, None])).all()
    every, p = enumerated(made)
    weights = np.exp(log_weights)
    error = weights.std(axis=1) / np.sqrt(weights.shape[1])
    assert (np.abs(weights.mean(axis=1) - p.sum(axis=1)) <= 5 * error + 1e-12).all()
    estimate = np.einsum("is,isk->ik", weights, vectors) / weights.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(estimate, p @ every / p.sum(axis=1, keepdims=True), atol=0.03)


def test_a_row_draws_the_same_whatever_rows_stand_beside_it():
    made, seeds = mixture(2, n_rows=9), row_seeds(7, 9)
    whole, _ = made.sample(30, random_state=7)
    np.testing.assert_array_equal(made.sample(30, random_state=seeds)[0], whole)
    assert not np.array_equal(made.sample(30, random_state=8)[0], whole)
    for rows in (slice(0, 1), slice(1, 9)):
        np.testing.assert_array_equal(made.take(rows).sample(30, random_state=seeds[rows])[0], whole[rows])


def test_which_component_is_drawn_does_not_hang_on_what_it_draws():
    """Two components that hardly overlap, and within each a fair label: independent of the component."""
    graph, none = LabelGraph([[], []]), np.zeros((2, 2))
    parts = [random_linear(graph, 1, np.random.default_rng(0)) for _ in range(2)]
    first, second = (
        type(part)(graph, np.array([[side, 0.0]]), none) for part, side in zip(parts, (-13.0, 13.0), strict=True)
    )
    vectors, _ = MixtureDistribution(np.log([0.5, 0.5]), [first, second]).sample(10_000, random_state=0)
    assert abs(np.corrcoef(vectors[0].T)[0, 1]) < 0.05


def test_a_mixture_is_flattened():
    made = mixture()
    with np.errstate(divide="ignore"):
        nested = MixtureDistribution(np.log([0.3, 0.0, 0.7]), [made, made.components[0], made.components[1]])
    flat = nested.flattened()
    assert len(flat.components) == 4
    np.testing.assert_allclose(np.exp(flat.log_weights).sum(), 1.0, rtol=1e-12)
    np.testing.assert_allclose(flat.log_prob(every_vector(made)), nested.log_prob(every_vector(made)), rtol=1e-12)


def test_margins_in_any_component_are_known():
    margins = random_linear(LabelGraph([[]]), 1, np.random.default_rng(0), probabilistic=False)
    fine = random_linear(LabelGraph([[]]), 1, np.random.default_rng(0))
    assert MixtureDistribution([0.0], [fine]).probabilistic
    inner = MixtureDistribution([0.0], [margins])
    assert not MixtureDistribution(np.log([0.5, 0.5]), [fine, inner]).probabilistic


@pytest.mark.parametrize("n_rows", [0, 1])
def test_few_rows(n_rows):
    made = mixture(n_rows=3).take(slice(0, n_rows))
    assert made.sample(6, random_state=0)[0].shape == (n_rows, 6, 4)
    assert made.log_prob(np.zeros((n_rows, 4), dtype=np.uint8)).shape == (n_rows,)
