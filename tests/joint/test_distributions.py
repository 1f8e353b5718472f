"""Laws of every distribution over a graph: it sums to one, samples follow it, evidence restricts it."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from scipy.special import expit

from plait.core.sentences import ParameterError
from plait.inference.search.label_tables import all_label_vectors
from plait.joint import CalledDistribution, GraphDistribution, GraphJoint, LinearDistribution, linear_distribution
from plait.joint.graph_distribution import SCORE_LIMIT, setting_numbers
from plait.learners import Conditionals, LinearConditionals
from plait.structure import LabelGraph

N_FEATURES = 3


def random_graph(rng, n_labels, density=0.6):
    """Return a random graph whose order is not that of the labels, and whose parents stand in any order."""
    order = rng.permutation(n_labels)
    place = np.argsort(order)
    parents = [
        [int(j) for j in rng.permutation(n_labels) if place[j] < place[k] and rng.random() < density]
        for k in range(n_labels)
    ]
    return LabelGraph(parents, [int(k) for k in order])


def random_conditionals(rng, graph, probabilistic=True):
    q = graph.n_labels
    parent_coef = np.zeros((q, q))
    for k, parents in enumerate(graph.parents):
        parent_coef[k, list(parents)] = rng.normal(size=len(parents))
    return LinearConditionals(graph, rng.normal(size=(q, N_FEATURES)), parent_coef, rng.normal(size=q), probabilistic)


class Called(Conditionals):
    """The same conditionals behind the interface of any learner, counting what they are asked."""

    def __init__(self, inner):
        self.inner, self.graph, self.n_features = inner, inner.graph, inner.n_features
        self.probabilistic = inner.probabilistic
        self.asked = []

    def scores(self, label, X, parent_values):
        self.asked.append((label, X.shape[0]))
        return self.inner.scores(label, X, parent_values)


def build(kind, n_labels=4, n_rows=5, seed=0, probabilistic=True, density=0.6):
    rng = np.random.default_rng(seed)
    conditionals = random_conditionals(rng, random_graph(rng, n_labels, density), probabilistic)
    X = rng.normal(size=(n_rows, N_FEATURES))
    if kind == "linear":
        return GraphJoint(conditionals).condition(X)
    return GraphJoint(Called(conditionals)).condition(sparse.csr_matrix(X) if kind == "called on CSR" else X)


KINDS = ["linear", "called", "called on CSR"]


@pytest.fixture(params=KINDS)
def kind(request):
    return request.param


def every_vector(distribution):
    vectors = all_label_vectors(distribution.n_labels)
    return np.broadcast_to(vectors, (distribution.n_rows, *vectors.shape))


def naive_log_prob(distribution, row, y):
    total = 0.0
    for k, parents in enumerate(distribution.graph.parents):
        values = np.array([[y[j] for j in parents]], dtype=np.uint8)
        score = distribution.scores(k, np.array([row]), values)[0]
        total += np.log(expit(score) if y[k] else expit(-score))
    return total


def test_each_kind_is_built():
    assert isinstance(build("linear"), LinearDistribution)
    assert isinstance(build("called"), CalledDistribution)


@pytest.mark.parametrize("n_labels", [1, 2, 4])
def test_probabilities_sum_to_one_and_are_the_products(kind, n_labels):
    distribution = build(kind, n_labels)
    logs = distribution.log_prob(every_vector(distribution))
    np.testing.assert_allclose(np.exp(logs).sum(axis=1), 1.0, rtol=1e-12)
    for row in range(2):
        expected = [naive_log_prob(distribution, row, y) for y in all_label_vectors(n_labels)]
        np.testing.assert_allclose(logs[row], expected, rtol=1e-10)


@pytest.mark.parametrize("density", [0.6, 1.0])
def test_what_flipping_a_label_does(kind, density):
    distribution = build(kind, density=density)
    for Y in np.moveaxis(every_vector(distribution), 1, 0):
        before = distribution.log_prob(Y)
        after = [distribution.log_prob(Y ^ flip) for flip in np.eye(4, dtype=np.uint8)]
        np.testing.assert_allclose(
            distribution.flip_log_ratios(Y.copy()), np.column_stack(after) - before[:, None], rtol=1e-9, atol=1e-12
        )


@given(st.integers(1, 6), st.integers(0, 2**32 - 1), st.floats(0.0, 1.0))
def test_linear_and_called_are_the_same(n_labels, seed, density):
    linear, called = (build(kind, n_labels, 3, seed, density=density) for kind in ("linear", "called"))
    np.testing.assert_allclose(
        linear.log_prob(every_vector(linear)), called.log_prob(every_vector(called)), rtol=1e-10, atol=1e-13
    )
    for label in range(n_labels):
        np.testing.assert_allclose(linear.table(label), called.table(label), rtol=1e-10, atol=1e-13)


@given(st.integers(1, 6), st.integers(0, 2**32 - 1))
def test_the_linear_product_is_the_general_one(n_labels, seed):
    linear = build("linear", n_labels, 3, seed)
    np.testing.assert_allclose(
        linear.log_prob(every_vector(linear)),
        GraphDistribution.log_prob(linear, every_vector(linear)),
        rtol=1e-12,
        atol=1e-13,
    )
    one_each = np.random.default_rng(seed).integers(0, 2, (3, n_labels)).astype(np.uint8)
    np.testing.assert_allclose(
        linear.log_prob(one_each), GraphDistribution.log_prob(linear, one_each), rtol=1e-12, atol=1e-13
    )


def test_blocks_of_rows_change_nothing(monkeypatch):
    linear = build("linear", n_rows=11).clamp(np.random.default_rng(0).integers(-1, 2, (11, 4)).astype(np.int8))
    whole = linear.log_prob(every_vector(linear))
    monkeypatch.setattr(linear_distribution, "_ENTRIES", 200)
    np.testing.assert_array_equal(linear.log_prob(every_vector(linear)), whole)


def test_a_table_has_the_scores_of_all_settings(kind):
    distribution = build(kind)
    for label, parents in enumerate(distribution.graph.parents):
        table = distribution.table(label)
        assert table.shape == (5, 2 ** len(parents))
        for row in range(5):
            for vector in all_label_vectors(4):
                score = distribution.scores(label, np.array([row]), vector[None, list(parents)])[0]
                assert table[row, setting_numbers(vector, parents)] == pytest.approx(score, rel=1e-12)


def test_settings_have_the_first_parent_as_bit_zero():
    assert setting_numbers(np.array([[1, 0, 0], [0, 0, 1], [1, 1, 1]], dtype=np.uint8), (2, 0)).tolist() == [2, 1, 3]


def test_equal_pairs_are_asked_once():
    distribution = build("called")
    asked = distribution.conditionals.asked
    rows, values = np.array([2, 2, 0, 2]), np.array([[1], [1], [1], [0]], dtype=np.uint8)
    graph = LabelGraph([[], [0]])
    conditionals = Called(random_conditionals(np.random.default_rng(0), graph))
    chain = CalledDistribution(conditionals, np.random.default_rng(1).normal(size=(3, N_FEATURES)))
    scores = chain.scores(1, rows, values)
    assert conditionals.asked == [(1, 3)]
    assert scores[0] == scores[1]
    one_by_one = [chain.scores(1, rows[i : i + 1], values[i : i + 1])[0] for i in range(4)]
    np.testing.assert_allclose(scores, one_by_one, rtol=1e-13)
    assert asked == []


@pytest.mark.parametrize("rows", [slice(1, 4), np.array([3, 0, 3]), slice(0, 0)], ids=["slice", "numbers", "none"])
def test_take(kind, rows):
    distribution = build(kind).clamp(np.random.default_rng(0).integers(-1, 2, (5, 4)).astype(np.int8))
    part = distribution.take(rows)
    expected = distribution.log_prob(every_vector(distribution))[rows]
    np.testing.assert_allclose(part.log_prob(every_vector(part)), expected, rtol=1e-12, atol=1e-13)
    assert part.n_rows == len(expected)
    np.testing.assert_array_equal(part.evidence, distribution.evidence[rows])


def test_evidence_keeps_what_agrees_and_forbids_the_rest(kind):
    distribution = build(kind)
    evidence = np.random.default_rng(1).integers(-1, 2, (5, 4)).astype(np.int8)
    clamped = distribution.clamp(evidence)
    free, bound = (d.log_prob(every_vector(d)) for d in (distribution, clamped))
    vectors = all_label_vectors(4)
    for row in range(5):
        agrees = np.array([all(e in (-1, v) for e, v in zip(evidence[row], y, strict=True)) for y in vectors])
        np.testing.assert_array_equal(bound[row][agrees], free[row][agrees])
        assert (bound[row][~agrees] == -np.inf).all()
    assert distribution.evidence is None
    single = clamped.log_prob(np.where(evidence == -1, 0, evidence).astype(np.uint8))
    assert np.isfinite(single).all()


def test_evidence_adds_up(kind):
    distribution = build(kind)
    first, second = np.full((5, 4), -1, np.int8), np.full((5, 4), -1, np.int8)
    first[:, 0], second[:, 2] = 1, 0
    both = np.maximum(first, second)
    np.testing.assert_array_equal(distribution.clamp(first).clamp(second).evidence, both)


def test_contradicting_evidence_names_row_and_label(kind):
    distribution = build(kind)
    first, second = np.full((5, 4), -1, np.int8), np.full((5, 4), -1, np.int8)
    first[3, 2], second[3, 2] = 1, 0
    with pytest.raises(ParameterError, match="row 3 has label 2 as 1 and now as 0"):
        distribution.clamp(first).clamp(second)


@pytest.mark.parametrize("wrong", [2, -2])
def test_evidence_of_other_values_is_refused(kind, wrong):
    with pytest.raises(ParameterError, match=f"evidence needs to hold 0, 1 or -1 .*, but it holds {wrong}"):
        build(kind).clamp(np.full((5, 4), wrong, dtype=np.int8))


@pytest.mark.parametrize("shape", [(5, 3), (4, 4), (4,)], ids=str)
def test_evidence_of_another_shape_is_refused(kind, shape):
    with pytest.raises(ParameterError, match=r"evidence needs to have the shape \(5, 4\), but its shape is"):
        build(kind).clamp(np.full(shape, -1, dtype=np.int8))


def test_evidence_that_is_not_a_number_is_refused(kind):
    with pytest.raises(ParameterError, match="evidence needs to hold 0, 1 or -1"):
        build(kind).clamp(np.full((5, 4), np.nan))


def test_samples_have_the_frequencies_of_the_distribution(kind):
    distribution = build(kind, n_labels=3, n_rows=3)
    n_samples = 20_000
    vectors, log_weights = distribution.sample(n_samples, random_state=0)
    assert vectors.shape == (3, n_samples, 3)
    assert vectors.dtype == np.uint8
    np.testing.assert_array_equal(log_weights, np.zeros((3, n_samples)))
    p = np.exp(distribution.log_prob(every_vector(distribution)))
    numbers = setting_numbers(vectors, (2, 1, 0))
    frequencies = np.array([np.bincount(row, minlength=8) / n_samples for row in numbers])
    assert (np.abs(frequencies - p) <= 5 * np.sqrt(p * (1 - p) / n_samples)).all()


def test_weighted_samples_have_the_conditional_frequencies(kind):
    distribution = build(kind, n_labels=3, n_rows=3)
    evidence = np.array([[-1, 1, -1], [0, -1, 0], [1, 0, 1]], dtype=np.int8)
    clamped = distribution.clamp(evidence)
    n_samples = 20_000
    vectors, log_weights = clamped.sample(n_samples, random_state=0)
    assert ((evidence[:, None] == -1) | (vectors == evidence[:, None])).all()
    joint = np.exp(clamped.log_prob(every_vector(clamped)))
    # The mean weight estimates P(evidence).
    weights = np.exp(log_weights)
    error = weights.std(axis=1) / np.sqrt(n_samples)
    assert (np.abs(weights.mean(axis=1) - joint.sum(axis=1)) <= 5 * error + 1e-12).all()
    numbers = setting_numbers(vectors, (2, 1, 0))
    estimate = np.array(
        [np.bincount(v, weights=w, minlength=8) / w.sum() for v, w in zip(numbers, weights, strict=True)]
    )
    np.testing.assert_allclose(estimate, joint / joint.sum(axis=1, keepdims=True), atol=0.03)


def test_a_sample_is_the_same_for_the_same_random_state(kind):
    distribution = build(kind)
    again = [distribution.sample(50, random_state=seed)[0] for seed in (3, 3, 4)]
    np.testing.assert_array_equal(again[0], again[1])
    assert (again[0] != again[2]).any()


def test_no_rows(kind):
    distribution = build(kind, n_rows=5).take(slice(0, 0))
    assert distribution.log_prob(np.zeros((0, 4), np.uint8)).shape == (0,)
    assert distribution.log_prob(np.zeros((0, 7, 4), np.uint8)).shape == (0, 7)
    assert distribution.sample(6, random_state=0)[0].shape == (0, 6, 4)


def test_scores_are_clipped_so_that_both_values_keep_a_probability():
    graph = LabelGraph([[], [0]])
    coef = np.array([[0.0, 0.0], [-500.0, 0.0]])
    conditionals = LinearConditionals(graph, np.zeros((2, N_FEATURES)), coef, np.array([400.0, 100.0]))
    X = np.zeros((1, N_FEATURES))
    for distribution in (GraphJoint(conditionals).condition(X), GraphJoint(Called(conditionals)).condition(X)):
        p = np.exp(distribution.log_prob(every_vector(distribution))[0])
        np.testing.assert_allclose(p.sum(), 1.0, rtol=1e-14)
        np.testing.assert_allclose(p, [1e-6 * 1e-6, 1e-6 * (1 - 1e-6), (1 - 1e-6) ** 2, (1 - 1e-6) * 1e-6], rtol=1e-9)
        np.testing.assert_allclose(distribution.table(1), [[SCORE_LIMIT, -SCORE_LIMIT]], rtol=1e-15)


def test_margins_are_not_clipped(kind):
    distribution = build(kind, probabilistic=False)
    free = np.abs([distribution.table(label).max() for label in range(4)])
    scaled = LinearConditionals(LabelGraph([[]]), np.full((1, N_FEATURES), 100.0), np.zeros((1, 1)), np.zeros(1), False)
    assert GraphJoint(scaled).condition(np.ones((1, N_FEATURES))).table(0)[0, 0] == pytest.approx(300.0)
    assert GraphJoint(Called(scaled)).condition(np.ones((1, N_FEATURES))).table(0)[0, 0] == pytest.approx(300.0)
    assert not distribution.probabilistic
    assert np.isfinite(free).all()


def test_relabelling_changes_nothing():
    rng = np.random.default_rng(5)
    graph = random_graph(rng, 4)
    coef = random_conditionals(rng, graph).parent_coef_
    base = rng.normal(size=(3, 4))
    new = rng.permutation(4)  # label k is called new[k] now
    old = np.argsort(new)
    renamed = LabelGraph([[int(new[j]) for j in graph.parents[old[k]]] for k in range(4)])
    first = LinearDistribution(graph, base, coef)
    second = LinearDistribution(renamed, base[:, old], coef[np.ix_(old, old)])
    Y = rng.integers(0, 2, (3, 6, 4)).astype(np.uint8)
    np.testing.assert_allclose(first.log_prob(Y), second.log_prob(Y[:, :, old]), rtol=1e-12)


def test_a_joint_model_can_be_pickled():
    rng = np.random.default_rng(0)
    joint = GraphJoint(random_conditionals(rng, random_graph(rng, 4)))
    X = rng.normal(size=(3, N_FEATURES))
    Y = rng.integers(0, 2, (3, 4)).astype(np.uint8)
    before = joint.condition(X).log_prob(Y)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(joint)).condition(X).log_prob(Y), before)
    assert joint.n_labels == 4
