import itertools

import numpy as np
import pytest

from plait.core.sentences import ParameterError
from plait.data.synthetic import make_label_network
from plait.estimators import JointClassifier, TreeMixtureClassifier
from plait.estimators.mixture_em import Mixture, component_log_probs, expectation_maximization
from plait.learners import LinearSVMLearner, LogisticLearner
from plait.structure import ConditionalTree, FullChain, LabelGraph, UserGraph

VECTORS = np.array(list(itertools.product([0, 1], repeat=4)), dtype=np.uint8)
PLAIN = LogisticLearner(C=1.0, standardize=False, tol=1e-10)


def problem(n=150, seed=0):
    data = make_label_network(n, 3, 4, structure="tree", strength=3.0, random_state=seed).dataset
    return data.X, data.Y


def made_mixture(X, Y, seed=0):
    rng = np.random.default_rng(seed)
    graphs = [LabelGraph([[], [0], [1], [2]]), LabelGraph([[1], [], [1], [0]]), LabelGraph([[]] * 4)]
    parts = [PLAIN.fit(X, Y, graph, sample_weight=rng.random(Y.shape)) for graph in graphs]
    return Mixture(np.array([0.5, 0.3, 0.2]), tuple(parts))


def penalty(mixture):
    return sum(0.5 * ((part.coef_**2).sum() + (part.parent_coef_**2).sum()) for part in mixture.conditionals)


def test_em_never_lowers_the_penalised_likelihood():
    X, Y = problem()
    mixture = made_mixture(X, Y)
    values = []
    for _ in range(8):
        logs = component_log_probs(mixture, X, Y)
        values.append(np.logaddexp.reduce(logs, axis=1).sum() - penalty(mixture))
        mixture = expectation_maximization(mixture, PLAIN, X, Y, max_iter=1)
    assert (np.diff(values) > -1e-6).all()
    assert values[-1] > values[0]


def test_responsibilities_and_weights_sum_to_one():
    X, Y = problem()
    mixture = expectation_maximization(made_mixture(X, Y), PLAIN, X, Y, max_iter=5)
    logs = component_log_probs(mixture, X, Y)
    shares = np.exp(logs - np.logaddexp.reduce(logs, axis=1)[:, None])
    np.testing.assert_allclose(shares.sum(axis=1), 1.0, rtol=1e-12)
    assert mixture.weights.sum() == pytest.approx(1.0, rel=1e-12)


def test_one_component_is_the_single_tree():
    X, Y = problem()
    graph = UserGraph([(0, 1), (1, 2), (1, 3)])
    mixture = TreeMixtureClassifier(1, structure=graph, learner=PLAIN, random_state=0).fit(X, Y)
    single = JointClassifier(graph, learner=PLAIN).fit(X, Y)
    assert mixture.n_components_ == 1
    np.testing.assert_allclose(mixture.predict_proba(X), single.predict_proba(X), rtol=1e-4, atol=1e-6)
    np.testing.assert_array_equal(mixture.predict(X), single.predict(X))


@pytest.mark.parametrize("structure", [None, FullChain("random")])
def test_probabilities_marginals_and_evidence_against_enumeration(structure):
    X, Y = problem()
    model = TreeMixtureClassifier(3, structure=structure, learner=PLAIN, max_iter=5, random_state=1).fit(X, Y)
    answer = model.joint(X[:6])
    table = np.exp(np.column_stack([answer.log_prob(np.tile(y, (6, 1))) for y in VECTORS]))
    np.testing.assert_allclose(table.sum(axis=1), 1.0, rtol=1e-9)
    np.testing.assert_allclose(answer.marginals(), table @ VECTORS, rtol=1e-9)
    np.testing.assert_array_equal(answer.mode(), VECTORS[table.argmax(axis=1)])
    known = np.where(VECTORS[:, 2] == 1, table, 0.0)
    known /= known.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(answer.given({2: 1}).marginals(), known @ VECTORS, rtol=1e-9)
    draws = answer.sample(4000, random_state=0)
    np.testing.assert_allclose(draws.mean(axis=1), table @ VECTORS, atol=5 * np.sqrt(0.25 / 4000))


def test_trees_are_added_while_rows_held_out_become_likelier():
    X, Y = problem(400)
    model = TreeMixtureClassifier(4, learner=PLAIN, random_state=0).fit(X, Y)
    assert len(model.graphs_) == model.n_components_ == len(model.weights_)
    assert (np.diff(model.holdout_log_likelihood_) > -1e-6).all()
    assert all(graph.is_forest for graph in model.graphs_)
    assert model.log_likelihood_[-1] >= model.log_likelihood_[0] - 1e-6


def test_two_planted_trees_are_told_apart():
    rng = np.random.default_rng(0)
    n = 1500
    first = rng.random(n) < 0.5
    Y = (rng.random((n, 4)) < 0.5).astype(np.uint8)
    Y[first, 1], Y[first, 3] = Y[first, 0], Y[first, 2]
    Y[~first, 3], Y[~first, 2] = 1 - Y[~first, 0], 1 - Y[~first, 1]
    X = rng.normal(size=(n, 2))
    one = JointClassifier(ConditionalTree(), learner=PLAIN, random_state=0).fit(X, Y)
    two = TreeMixtureClassifier(3, learner=PLAIN, random_state=0).fit(X, Y)
    assert two.n_components_ >= 2
    assert two.joint(X).log_prob(Y).mean() > one.joint(X).log_prob(Y).mean() + 0.1


def test_a_learner_without_probabilities_is_refused():
    X, Y = problem()
    with pytest.raises(ParameterError, match="needs a learner that gives probabilities, but LinearSVMLearner"):
        TreeMixtureClassifier(learner=LinearSVMLearner()).fit(X, Y)
