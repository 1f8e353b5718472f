"""EM over unknown labels: posteriors, completions and likelihoods by enumeration, and the laws of EM."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit

from plait.core.kernel_policy import using_kernels
from plait.core.logspace import log_sum_exp
from plait.data.synthetic import make_label_network
from plait.estimators.unknown_labels.completions import completed, live_cells
from plait.estimators.unknown_labels.copies import expected_copies, family_copies, parent_places
from plait.estimators.unknown_labels.em import ObservedRows, filled_parents, trained_on_known
from plait.inference import all_family_marginals
from plait.joint import GraphJoint, LinearDistribution
from plait.learners import LogisticLearner
from plait.learners.training.problem import Problem
from plait.structure import LabelGraph

GRAPHS = {
    "tree": LabelGraph([[2], [2], [], [1], [1], [0]]),
    "forest": LabelGraph([[], [0], [1], [], [3], []]),
    "polytree": LabelGraph([[], [], [0, 1], [2, 4], [], [3]]),
    "chain": LabelGraph([[1, 2, 3, 4, 5], [2, 3, 4, 5], [3, 4, 5], [4, 5], [5], []]),
    "no edges": LabelGraph([[]] * 6),
    "any": LabelGraph([[], [0], [0, 1], [1, 2], [0, 3], [2, 4]]),
}
ALL = ((np.arange(64)[:, None] >> np.arange(6)) & 1).astype(np.uint8)


def random_model(graph, n_rows, rng, unknown=0.5, size=1.5):
    q = graph.n_labels
    effects = np.zeros((q, q))
    for label, parents in enumerate(graph.parents):
        effects[label, list(parents)] = rng.normal(0, size, len(parents))
    evidence = np.where(rng.random((n_rows, q)) < unknown, -1, rng.integers(0, 2, (n_rows, q))).astype(np.int8)
    return LinearDistribution(graph, rng.normal(0, size, (n_rows, q)), effects, evidence)


def records(evidence, missed):
    """log P(record | value) of all label vectors, (n_rows, 64), by the definition."""
    z, r = ALL[None], evidence[:, None]
    chance = np.where(z == 1, np.where(r == 1, 1 - missed, missed), (r == 0).astype(float))
    with np.errstate(divide="ignore"):
        return np.where(r < 0, 0.0, np.log(chance)).sum(axis=2)


def enumerated(model, missed):
    """P(y | record) of all label vectors, and log P(record)."""
    free = LinearDistribution(model.graph, model.base, model.parent_coef)
    logs = free.log_prob(np.repeat(ALL[None], model.n_rows, axis=0)) + records(model.evidence, missed)
    total = log_sum_exp(logs, axis=1)
    return np.exp(logs - total[:, None]), total


def expected_counts(graph, copies, n_rows):
    """What copies say: for every row, label and setting of its parents, the expected numbers of 0 and 1."""
    found = []
    for label, parents in enumerate(graph.parents):
        values = copies.parents[:, list(parents)].astype(int) @ (1 << np.arange(len(parents)))
        table = np.zeros((n_rows, 1 << len(parents), 2))
        weight, target = copies.weights[:, label], copies.targets[:, label]
        np.add.at(table, (copies.rows, values, 1), weight * target)
        np.add.at(table, (copies.rows, values, 0), weight * (1 - target))
        found.append(table)
    return found


def posterior_counts(graph, posterior, live):
    found = []
    for label, parents in enumerate(graph.parents):
        setting = ALL[:, list(parents)].astype(int) @ (1 << np.arange(len(parents)))
        table = np.zeros((len(posterior), 1 << len(parents), 2))
        for vector, (place, value) in enumerate(zip(setting, ALL[:, label], strict=True)):
            table[:, place, value] += posterior[:, vector]
        found.append(table * live[:, label, None, None])
    return found


@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.parametrize("kernels", ["never", "always"])
def test_the_e_step_is_the_posterior_of_every_family(name, kernels):
    graph, rng = GRAPHS[name], np.random.default_rng(3)
    model = random_model(graph, 40, rng)
    posterior, log_likelihood = enumerated(model, np.zeros(6))
    live = live_cells(graph, model.evidence >= 0)
    with using_kernels(kernels):
        copies = expected_copies(model, None, np.arange(40, dtype=np.uint64))
        found = completed(model, np.zeros(6), np.arange(40, dtype=np.uint64), most=64)
    wanted = posterior_counts(graph, posterior, live)
    weights = found.weights[:, None] * live[found.rows]
    whole = type(copies)(found.rows, found.values, found.targets, weights, found.log_likelihood)
    for each in (copies, whole) if graph.is_polytree else (whole,):
        np.testing.assert_allclose(each.log_likelihood, log_likelihood, rtol=0, atol=1e-9)
        for table, true in zip(expected_counts(graph, each, 40), wanted, strict=True):
            np.testing.assert_allclose(table, true, rtol=0, atol=1e-9)


@pytest.mark.parametrize("name", ["tree", "chain", "any"])
@pytest.mark.parametrize("kernels", ["never", "always"])
def test_zeros_that_may_be_missed_are_weighed(name, kernels):
    graph, rng = GRAPHS[name], np.random.default_rng(4)
    model, missed = random_model(graph, 30, rng, unknown=0.2), rng.uniform(0.1, 0.9, 6)
    missed[0] = 0.0
    posterior, log_likelihood = enumerated(model, missed)
    with using_kernels(kernels):
        found = completed(model, missed, np.arange(30, dtype=np.uint64), most=64)
    np.testing.assert_allclose(found.log_likelihood, log_likelihood, rtol=0, atol=1e-9)
    live = live_cells(graph, model.evidence >= 0)
    means = np.zeros((30, 6))
    np.add.at(means, found.rows, found.weights[:, None] * found.targets)
    np.testing.assert_allclose(means[live], (posterior @ ALL)[live], rtol=0, atol=1e-9)


@pytest.mark.parametrize("missed", [0.0, 0.4])
def test_kernels_and_numpy_draw_the_same(missed):
    model = random_model(GRAPHS["chain"], 60, np.random.default_rng(5), unknown=0.7)
    found = []
    for policy in ("never", "always"):
        with using_kernels(policy):
            found.append(completed(model, np.full(6, missed), np.arange(60, dtype=np.uint64), most=4))
    plain, compiled = found
    np.testing.assert_array_equal(plain.rows, compiled.rows)
    np.testing.assert_array_equal(plain.values, compiled.values)
    for name in ("targets", "weights", "log_likelihood"):
        np.testing.assert_allclose(getattr(plain, name), getattr(compiled, name), rtol=0, atol=1e-9)


def test_draws_approach_the_posterior():
    """One row many times: five unknown labels have 32 completions, so the 8 that are kept are drawn."""
    model = random_model(GRAPHS["chain"], 1, np.random.default_rng(6), unknown=1.0).take(np.zeros(1000, dtype=int))
    model.evidence[:, 0] = 1  # the last of the chain
    posterior, log_likelihood = enumerated(model, np.zeros(6))
    with using_kernels("always"):
        found = completed(model, np.zeros(6), np.arange(1000, dtype=np.uint64), draws=2000)
    np.testing.assert_allclose(found.log_likelihood.mean(), log_likelihood[0], rtol=0, atol=0.01)
    means = np.zeros((1000, 6))
    np.add.at(means, found.rows, found.weights[:, None] * found.targets)
    np.testing.assert_allclose(means.mean(axis=0), (posterior @ ALL)[0], rtol=0, atol=0.02)
    np.testing.assert_allclose(np.bincount(found.rows, found.weights), 1.0, rtol=1e-9)


def test_families_of_all_labels_are_those_of_each():
    model = random_model(GRAPHS["polytree"], 25, np.random.default_rng(7))
    families, log_evidence = all_family_marginals(model)
    posterior, log_likelihood = enumerated(model, np.zeros(6))
    np.testing.assert_allclose(log_evidence, log_likelihood, rtol=0, atol=1e-9)
    for table, true in zip(families, posterior_counts(model.graph, posterior, np.ones((25, 6))), strict=True):
        np.testing.assert_allclose(table, true, rtol=0, atol=1e-9)


@given(st.integers(0, 10_000))
@settings(max_examples=20, deadline=None)
def test_parents_of_one_label_have_different_places(seed):
    rng = np.random.default_rng(seed)
    q, parents = 12, [[] for _ in range(12)]
    for label in range(1, q):  # a random tree with random directions is a polytree
        other = int(rng.integers(0, label))
        child, parent = (label, other) if rng.random() < 0.5 else (other, label)
        parents[child].append(parent)
    graph = LabelGraph(parents)
    places = parent_places(graph)
    for own in graph.parents:
        assert len({places[parent] for parent in own}) == len(own)
    assert max(places) + 1 <= graph.most_parents


def hidden(Y, rate, rng):
    return np.where(rng.random(Y.shape) < rate, -1, Y).astype(np.int8)


def planted(n, q=5, structure="tree", seed=0):
    data = make_label_network(n, 3, q, structure=structure, random_state=seed)
    return data, np.asarray(data.dataset.X), np.asarray(data.dataset.Y).astype(np.uint8)


@given(st.integers(0, 1000), st.sampled_from(["tree", "polytree", "chain"]), st.floats(0.2, 0.8), st.floats(0.1, 10.0))
@settings(max_examples=12, deadline=None)
def test_exact_em_never_lowers_the_penalised_likelihood(seed, name, rate, C):
    rng = np.random.default_rng(seed)
    graphs = {
        "tree": LabelGraph([[], [0], [0], [2], [2]]),
        "polytree": LabelGraph([[], [], [0, 1], [2], [2]]),
        "chain": LabelGraph([[], [0], [0, 1], [0, 1, 2]]),
    }
    graph = graphs[name]
    _, X, Y = planted(60, graph.n_labels, seed=seed)
    E = hidden(Y, rate, rng)
    E[0], E[1] = 0, 1  # both values are known of every label
    problem = Problem(X, E, graph)
    learner = LogisticLearner(C=C, standardize=False)
    alone = learner.fit_checked(Problem(X, E, LabelGraph([[]] * graph.n_labels)))
    problem = Problem(X, E, graph, None, None, filled_parents(alone, problem))
    rows = ObservedRows(learner, problem, learner.fit_checked(problem), seed=0)
    vectors = ((np.arange(2**graph.n_labels)[:, None] >> np.arange(graph.n_labels)) & 1).astype(np.uint8)

    def objective(found):
        logs = GraphJoint(found).condition(X).log_prob(np.repeat(vectors[None], len(X), 0))
        agrees = ((E[:, None] < 0) | (E[:, None] == vectors)).all(axis=2)
        likelihood = log_sum_exp(np.where(agrees, logs, -np.inf), axis=1).sum()
        return likelihood - (np.square(found.coef_).sum() + np.square(found.parent_coef_).sum()) / (2 * C), likelihood

    values = [objective(rows.start)]
    for step in rows.path(6):
        np.testing.assert_allclose(step.log_likelihood, values[-1][1], rtol=1e-9)  # the likelihood that it says
        values.append(objective(rows.in_units_of_x(step.conditionals)))
    gains = np.diff([value for value, _ in values])
    assert gains.min() > -1e-8 * abs(values[-1][0])


def test_a_label_with_one_known_value_keeps_it_and_is_no_parent():
    rng = np.random.default_rng(0)
    _, X, Y = planted(200, 4)
    E = hidden(Y, 0.4, rng)
    E[E[:, 1] == 1, 1] = -1
    E[:, 3] = -1
    problem = Problem(X, E, LabelGraph([[], [0], [0, 1], [2]]))
    learner = LogisticLearner()
    alone = learner.fit_checked(Problem(X, E, LabelGraph([[]] * 4)))
    found = trained_on_known(learner, Problem(X, E, problem.graph, None, None, filled_parents(alone, problem)), 0)
    n_zero = int((E[:, 1] == 0).sum())
    np.testing.assert_allclose(expit(found.intercept_[1]), 1 / (n_zero + 2), rtol=1e-9)
    np.testing.assert_array_equal(found.coef_[1], 0.0)
    np.testing.assert_array_equal(found.parent_coef_[:, 1], 0.0)
    np.testing.assert_array_equal(found.intercept_[3], 0.0)
    np.testing.assert_array_equal(found.parent_coef_[:, 3], 0.0)
    assert found.parent_coef_[2, 0] != 0.0
    assert found.graph == problem.graph


def test_barren_labels_change_nothing():
    """An unknown label without known descendants counts for nothing: the fit is that without its row and label."""
    model = random_model(LabelGraph([[], [0], [1]]), 10, np.random.default_rng(1), unknown=0.0)
    evidence = model.evidence.copy()
    evidence[:5, 2] = -1
    model = LinearDistribution(model.graph, model.base, model.parent_coef, evidence)
    copies = family_copies(model, live_cells(model.graph, evidence >= 0))
    assert (copies.weights[copies.rows < 5, 2] == 0).all()
    assert (copies.weights[:, :2].sum(axis=0) == 10).all()


@pytest.mark.parametrize("kernels", ["never", "always"])
def test_very_many_children_that_say_opposite_things(kernels):
    """What the first half says is beyond the range of floats, and the second half takes it back."""
    n = 120
    evidence = np.repeat(np.array([-1, 1, 0], dtype=np.int8), [1, n, n])[None]
    effects = np.zeros((2 * n + 1, 2 * n + 1))
    effects[1:, 0] = 20.0
    base = np.full((1, 2 * n + 1), -10.0)
    base[0, 0] = 0.7
    model = LinearDistribution(LabelGraph([[], *[[0]] * (2 * n)]), base, effects).clamp(evidence)
    with using_kernels(kernels):
        found = completed(model, np.zeros(2 * n + 1), np.zeros(1, dtype=np.uint64))
    np.testing.assert_allclose(found.targets[:, 0], expit(0.7), rtol=1e-6)
