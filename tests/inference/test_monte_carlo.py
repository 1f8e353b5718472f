"""`MonteCarlo` against enumeration: marginals, evidence, ties, and rows in blocks."""

from dataclasses import replace

import numpy as np
import pytest

from plait.core.sentences import ParameterError
from plait.inference import BestFirst, LabelSupport, MonteCarlo
from plait.joint import LabelDistribution, LinearDistribution, MixtureDistribution, row_seeds
from plait.structure import LabelGraph
from plait.testing import (
    enumerated,
    random_evidence,
    random_graph,
    random_linear,
    random_mixture,
    random_polytree,
    random_tables,
)

pytestmark = pytest.mark.usefixtures("path")

MAKERS = [random_linear, random_tables]


def model_of(make, n_labels, n_rows, seed, density=0.6, known=False, scale=1.0):
    draws = np.random.default_rng(seed)
    model = make(random_graph(n_labels, draws, density), n_rows, draws, scale=scale)
    return model.clamp(random_evidence((n_rows, n_labels), draws, 0.25)) if known else model


class Opaque(LabelDistribution):
    """Any distribution: no graph, only the contract."""

    def __init__(self, inner):
        self.inner, self.n_rows, self.n_labels, self.evidence = inner, inner.n_rows, inner.n_labels, inner.evidence

    def log_prob(self, Y):
        return self.inner.log_prob(Y)

    def sample(self, n_samples, random_state=None):
        return self.inner.sample(n_samples, random_state)

    def clamp(self, evidence):
        return Opaque(self.inner.clamp(evidence))

    def take(self, rows):
        return Opaque(self.inner.take(rows))


@pytest.mark.parametrize("make", [*MAKERS, lambda *words, **more: Opaque(random_linear(*words, **more))])
@pytest.mark.parametrize("n_labels", [1, 3, 6])
def test_marginals_are_within_four_standard_errors(make, n_labels):
    model = model_of(make, n_labels, 20, n_labels)
    n_samples = 4000
    support = MonteCarlo(n_samples).infer(model, "marginals", random_state=0)
    vectors, probabilities = enumerated(getattr(model, "inner", model))
    marginals = probabilities @ vectors
    error = np.sqrt(marginals * (1 - marginals) / n_samples)
    assert (np.abs(support.marginal_estimate() - marginals) < 4 * error + 1e-9).all()
    assert (support.effective_size == n_samples).all()
    assert (support.log_evidence == 0).all()
    assert support.kind == "sample"
    assert not support.exact.any()


@pytest.mark.parametrize("make", [*MAKERS, lambda *words, **more: Opaque(random_linear(*words, **more))])
def test_evidence_by_importance_weights(make):
    model = model_of(make, 6, 30, 3, known=True)
    n_samples = 20_000
    support = MonteCarlo(n_samples).infer(model, "marginals", random_state=0)
    vectors, probabilities = enumerated(getattr(model, "inner", model))
    evidence = probabilities.sum(axis=1)
    marginals = probabilities @ vectors / evidence[:, None]
    size = support.effective_size
    assert (size <= n_samples + 1e-6).all()
    assert (size < 0.9 * n_samples).any()
    error = np.sqrt(np.maximum(marginals * (1 - marginals), 0.0) / size[:, None])
    assert (np.abs(support.marginal_estimate() - marginals) < 4.5 * error + 1e-9).all()
    # The relative error of the mean weight is sqrt(1 / effective - 1 / n).
    spread = np.sqrt(np.maximum(1 / size - 1 / n_samples, 0))
    assert (np.abs(np.exp(support.log_evidence) / evidence - 1) < 4.5 * spread + 1e-9).all()
    known = model.evidence
    agrees = ((known[:, None] < 0) | (support.vectors == known[:, None])).all(axis=2)
    assert agrees[np.isfinite(support.log_weights)].all()


@pytest.mark.parametrize("make", MAKERS)
def test_effective_size_and_evidence_are_those_of_the_single_samples(make):
    model = model_of(make, 6, 12, 3, known=True)
    support = MonteCarlo(700).infer(model, random_state=5)
    weights = np.exp(model.sample(700, row_seeds(5, 12))[1])
    np.testing.assert_allclose(support.effective_size, weights.sum(axis=1) ** 2 / (weights**2).sum(axis=1), rtol=1e-9)
    np.testing.assert_allclose(support.log_evidence, np.log(weights.mean(axis=1)), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("make", MAKERS)
def test_separated_problems_have_the_mode_of_an_exact_search(make):
    model = model_of(make, 6, 40, 1, scale=4.0)
    exact = BestFirst().infer(model, n_best=2)
    clear = exact.log_weights[:, 0] > exact.log_weights[:, 1] + 0.4
    assert clear.sum() > 20
    found = MonteCarlo(5000).infer(model, random_state=0).mode()
    np.testing.assert_array_equal(found[clear], exact.vectors[clear, 0])


@pytest.mark.parametrize("make", MAKERS)
def test_bits_do_not_depend_on_blocks(make):
    model = model_of(make, 7, 23, 1)
    seeds = row_seeds(9, 23)
    whole = MonteCarlo(300).infer(model, random_state=9)
    for size in (1, 5):
        for start in range(0, 23, size):
            block = slice(start, start + size)
            part = MonteCarlo(300).infer(model.take(block), random_state=seeds[block])
            places = part.log_weights.shape[1]
            np.testing.assert_array_equal(part.log_weights, whole.log_weights[block, :places])
            np.testing.assert_array_equal(part.vectors, whole.vectors[block, :places])
            assert (whole.log_weights[block, places:] == -np.inf).all()


def test_vectors_differ_and_counts_add_up():
    support = MonteCarlo(200).infer(model_of(random_linear, 8, 10, 0), random_state=0)
    np.testing.assert_allclose(np.exp(support.log_weights).sum(axis=1), 200, rtol=1e-12)
    for vectors, logs in zip(support.vectors, support.log_weights, strict=True):
        used = np.isfinite(logs)
        assert len({vector.tobytes() for vector in vectors[used]}) == used.sum()
    merged = support.merged()
    assert (np.diff(np.where(np.isfinite(merged.log_weights), merged.log_weights, -1.0), axis=1) <= 0).all()
    np.testing.assert_array_equal(merged.mode(), support.mode())


def test_vectors_drawn_equally_often_are_decided_by_the_model():
    vectors = np.array([[[0, 0], [0, 1], [1, 0], [1, 1]]], dtype=np.uint8)
    logs, log_prob = np.log([[3.0, 5.0, 5.0, 2.0]]), np.log([[0.4, 0.1, 0.3, 0.2]])
    exact = np.zeros(1, dtype=bool)
    support = LabelSupport(vectors, logs, "sample", "by hand", exact, log_prob=log_prob, distinct=True)
    assert support.mode().tolist() == [[1, 0]]
    assert support.merged().vectors[0].tolist() == [[1, 0], [0, 1], [0, 0], [1, 1]]
    assert LabelSupport(vectors, logs, "sample", "by hand", exact).mode().tolist() == [[0, 1]]
    # One sample each: the mode among them is the most probable one.
    model = model_of(random_tables, 4, 50, 0)
    few = MonteCarlo(2).infer(model, random_state=0)
    best = np.where(np.isfinite(few.log_weights), model.log_prob(few.vectors), -np.inf)
    twice = (few.log_weights == np.log(2)).any(axis=1)
    np.testing.assert_allclose(model.log_prob(few.mode())[~twice], best.max(axis=1)[~twice], rtol=1e-12)


def test_ties_of_a_distribution_without_a_graph_are_decided_by_the_model_too():
    model = Opaque(model_of(random_linear, 4, 50, 0))
    few = MonteCarlo(2).infer(model, random_state=0)
    best = np.where(np.isfinite(few.log_weights), model.log_prob(few.vectors), -np.inf).max(axis=1)
    twice = (few.log_weights > np.log(1.5)).any(axis=1)
    assert (~twice).any()
    np.testing.assert_allclose(model.log_prob(few.mode())[~twice], best[~twice], rtol=1e-12)


def test_shared_prefixes_cost_less_than_a_draw_for_each_label_and_sample():
    model = model_of(random_linear, 30, 5, 0, scale=0.5)
    model = replace(model, base=model.base - 3.0)
    support = MonteCarlo(1000).infer(model, random_state=0)
    assert (support.n_evaluations < 0.7 * 30 * 1000).all()


def test_no_rows_one_label_and_margins():
    model = model_of(random_linear, 3, 4, 0)
    assert MonteCarlo(10).infer(model.take(slice(0, 0))).mode().shape == (0, 3)
    single = random_linear(LabelGraph([[]]), 2, np.random.default_rng(0))
    assert MonteCarlo(10).infer(single, random_state=0).vectors.shape[2] == 1
    with pytest.raises(ParameterError, match="MonteCarlo needs a learner that gives probabilities"):
        MonteCarlo().infer(replace(model, probabilistic=False))


@pytest.mark.parametrize("graph", [random_polytree, random_graph])
@pytest.mark.parametrize("share", [0.0, 0.3])
def test_mixtures(graph, share):
    draws = np.random.default_rng(3)
    given = random_mixture([graph(6, draws) for _ in range(3)], 4, draws)
    given = given.clamp(random_evidence((4, 6), draws, share)) if share else given
    vectors, p = enumerated(given)
    truth = p @ vectors / p.sum(axis=1, keepdims=True)
    support = MonteCarlo(20_000).infer(given, "distribution", random_state=0)
    error = np.sqrt(0.25 / support.effective_size)[:, None]
    assert (np.abs(support.marginal_estimate() - truth) <= 5 * error).all()
    np.testing.assert_allclose(support.log_evidence, np.log(p.sum(axis=1)), rtol=0, atol=0.1)
    used = np.isfinite(support.log_weights)
    logs = given.log_prob(np.ascontiguousarray(support.vectors))
    np.testing.assert_allclose(support.log_prob[used], logs[used], rtol=1e-9)


def test_evidence_on_mixtures_of_polytrees_costs_no_samples():
    """The known child has probability 1e-6 under the parent's likelier value: importance weights would see nothing."""
    coef = np.array([[0.0, 0.0], [-26.0, 0.0]])
    part = LinearDistribution(LabelGraph([[], [0]]), np.array([[9.0, 13.0]]), coef)
    other = LinearDistribution(LabelGraph([[], [0]]), np.array([[2.0, 1.0]]), coef)
    given = MixtureDistribution(np.log([0.999, 0.001]), [part, other]).clamp(np.array([[-1, 1]], dtype=np.int8))
    support = MonteCarlo(20_000).infer(given, "marginals", random_state=0)
    np.testing.assert_allclose(support.effective_size, 20_000, rtol=1e-9)
    vectors, p = enumerated(given)
    truth = (p @ vectors / p.sum())[0, 0]
    assert abs(support.marginal_estimate()[0, 0] - truth) <= 5 * np.sqrt(truth * (1 - truth) / 20_000)
    np.testing.assert_allclose(support.log_evidence, np.log(p.sum(axis=1)), rtol=1e-9)


@pytest.mark.parametrize("share", [0.0, 0.3])
def test_a_row_of_a_mixture_draws_the_same_in_any_block(share):
    draws, seeds = np.random.default_rng(4), row_seeds(2, 7)
    given = random_mixture([random_graph(6, draws) for _ in range(2)], 7, draws)
    given = given.clamp(random_evidence((7, 6), draws, share)) if share else given
    whole = MonteCarlo(50).infer(given, random_state=2).marginal_estimate()
    for rows in (slice(0, 3), slice(3, 7)):
        part = MonteCarlo(50).infer(given.take(rows), random_state=seeds[rows])
        np.testing.assert_allclose(part.marginal_estimate(), whole[rows], rtol=1e-12)


def chains_of(n_labels, n_rows, known):
    draws = np.random.default_rng(n_labels)
    parts = [random_linear(random_chain(n_labels, draws), n_rows, draws, scale=1.0) for _ in range(3)]
    parts = [replace(part, base=part.base - 2.0) for part in parts]
    given = MixtureDistribution(np.log([0.5, 0.3, 0.2]), parts)
    return given.clamp(random_evidence((n_rows, n_labels), draws, 0.2)) if known else given


def random_chain(n_labels, draws):
    order = draws.permutation(n_labels).tolist()
    return LabelGraph([sorted(order[: order.index(label)]) for label in range(n_labels)])


@pytest.mark.parametrize("known", [False, True])
@pytest.mark.parametrize("form", ["chain", "mixture", "opaque"])
def test_marginals_are_means_of_conditionals(known, form):
    """Closer to the truth than frequencies of five times as many samples, and never 0 where nothing was drawn."""
    given = chains_of(9, 40, known)
    given = given if form == "mixture" else given.components[0] if form == "chain" else Opaque(given.components[0])
    vectors, p = enumerated(getattr(given, "inner", given))
    truth = p @ vectors / p.sum(axis=1, keepdims=True)
    free = np.ones(truth.shape, dtype=bool) if given.evidence is None else given.evidence < 0
    means = MonteCarlo(200).infer(given, "marginals", random_state=0)
    counted = MonteCarlo(1000).infer(given, "distribution", random_state=0).marginal_estimate()
    errors = [np.sqrt(np.square(found - truth)[free].mean()) for found in (means.marginals, counted)]
    assert errors[0] < errors[1]
    assert not means.exact_marginals
    assert not means.exact.any()
    few, counts = (MonteCarlo(20).infer(given, wanted, random_state=0) for wanted in ("marginals", "distribution"))
    assert (counts.marginal_estimate()[free] == 0).any()
    assert ((few.marginals[free] > 0) & (few.marginals[free] < 1)).all()


@pytest.mark.parametrize("wanted", ["mode", "marginals", "distribution"])
def test_a_component_of_weight_zero_counts_for_nothing(wanted):
    """Also where it has a cycle and the others have none: known labels are drawn given the evidence."""
    draws = np.random.default_rng(0)
    loop, tree = LabelGraph([[], [0], [0, 1]]), LabelGraph([[], [0], [1]])
    parts = [random_linear(graph, 3, draws) for graph in (loop, tree)]
    known = np.array([[-1, -1, 1]] * 3, dtype=np.int8)
    with np.errstate(divide="ignore"):
        given = MixtureDistribution(np.log([0.0, 1.0]), parts).clamp(known)
    support = MonteCarlo(5000).infer(given, wanted, 1, 0)
    vectors, p = enumerated(parts[1].clamp(known))
    truth = p @ vectors / p.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(support.marginal_estimate(), truth, rtol=0, atol=0.04)
