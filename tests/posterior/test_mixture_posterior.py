"""Every question to a mixture against enumeration, and which answers are exact."""

import itertools

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from plait.estimators import EnsembleClassifier, JointClassifier, Posterior, TreeMixtureClassifier
from plait.inference import Annealing, Auto, BestFirst, exact_marginals
from plait.joint import GraphJoint, MixtureJoint
from plait.joint.graph_distribution import SCORE_LIMIT
from plait.learners import LinearConditionals, LogisticLearner
from plait.structure import FullChain, LabelGraph, LabelTree, Polytree
from plait.testing import random_forest_graph

N_LABELS = 5
NAMES = ("sea", "sun", "sand", "surf", "salt")
VECTORS = np.array(list(itertools.product([0, 1], repeat=N_LABELS)), dtype=np.uint8)
TREES = (LabelGraph([[2], [2], [], [1], [0]]), LabelGraph([[], [0], [0], [0], [3]]), LabelGraph([[]] * 5))
POLYTREES = (LabelGraph([[], [], [0, 1], [2], [2]]), LabelGraph([[1, 2], [], [], [0], []]))
CHAINS = (LabelGraph([list(range(k)) for k in range(5)]), LabelGraph([[1, 2, 3, 4], [2, 3, 4], [3, 4], [4], []]))
MIXTURES = {"trees": TREES, "polytrees": TREES[:1] + POLYTREES, "chains": CHAINS, "all": TREES[:1] + POLYTREES + CHAINS}
every_mixture = pytest.mark.parametrize("graphs", MIXTURES.values(), ids=MIXTURES)


def conditionals(graph, rng, n_features=3, scale=2.0):
    mask = np.zeros((graph.n_labels, graph.n_labels))
    for child, parents in enumerate(graph.parents):
        mask[child, list(parents)] = 1
    return LinearConditionals(
        graph,
        rng.normal(size=(graph.n_labels, n_features)),
        scale * rng.normal(size=mask.shape) * mask,
        rng.normal(size=graph.n_labels),
    )


def made_posterior(graphs, n_rows=6, seed=0, names=NAMES, **how):
    rng = np.random.default_rng(seed)
    joints = tuple(GraphJoint(conditionals(graph, rng)) for graph in graphs)
    joint = MixtureJoint(rng.dirichlet(np.ones(len(joints))), joints)
    return Posterior(joint, rng.normal(size=(n_rows, 3)), names, **{"inference": Auto(), "random_state": 0, **how})


def table_of(posterior, known):
    """Return P(y | x, known) of all 32 label sets, (n_rows, 32), straight from the formula."""
    total = np.zeros((len(posterior), len(VECTORS)))
    for weight, joint in zip(posterior.joint.weights, posterior.joint.joints, strict=True):
        part = joint.conditionals
        table = np.full(total.shape, weight)
        for v, y in enumerate(VECTORS):
            for k, parents in enumerate(part.graph.parents):
                score = posterior.X @ part.coef_[k] + part.intercept_[k]
                score = score + sum(part.parent_coef_[k, j] * y[j] for j in parents)
                score = np.clip(score, -SCORE_LIMIT, SCORE_LIMIT)  # no conditional is nearer to 0 and 1 than 1e-6
                table[:, v] *= 1 / (1 + np.exp(-score)) if y[k] else 1 / (1 + np.exp(score))
        total += table
    agrees = np.array([all(y[k] == v for k, v in known.items()) for y in VECTORS])
    total = np.where(agrees, total, 0.0)
    return total / total.sum(axis=1, keepdims=True)


@every_mixture
@pytest.mark.parametrize("known", [{}, {1: 1}, {0: 0, 3: 1}, {0: 1, 1: 0, 2: 1, 3: 0, 4: 1}], ids=str)
def test_all_answers_are_those_of_enumeration(graphs, known):
    whole = made_posterior(graphs)
    posterior = whole.given({NAMES[k]: v for k, v in known.items()}) if known else whole
    table = table_of(whole, known)
    np.testing.assert_allclose(posterior.marginals(), table @ VECTORS, rtol=1e-9, atol=1e-12)
    assert posterior.exact.all()
    np.testing.assert_array_equal(posterior.mode(), VECTORS[table.argmax(axis=1)])
    assert posterior.exact.all()
    top = posterior.top(4)
    assert posterior.exact.all()
    best = -np.sort(-table, axis=1)[:, :4]
    np.testing.assert_allclose(top.probabilities, best, rtol=1e-9, atol=1e-12)
    number = top.vectors @ [16, 8, 4, 2, 1]
    np.testing.assert_allclose(np.take_along_axis(table, number, axis=1)[best > 0], best[best > 0], rtol=1e-9)
    asked = VECTORS[table.argmax(axis=1)]
    np.testing.assert_allclose(posterior.log_prob(asked), np.log(table.max(axis=1)), rtol=1e-9, atol=1e-12)
    with np.errstate(divide="ignore", invalid="ignore"):
        entropy = -np.where(table > 0, table * np.log(table), 0.0).sum(axis=1)
    np.testing.assert_allclose(posterior.entropy(), entropy, rtol=1e-9, atol=1e-9)


@every_mixture
@pytest.mark.parametrize("known", [{}, {1: 1, 4: 0}], ids=str)
def test_draws_follow_the_mixture(graphs, known):
    whole = made_posterior(graphs)
    posterior = whole.given({NAMES[k]: v for k, v in known.items()}) if known else whole
    truth = table_of(whole, known) @ VECTORS
    drawn = posterior.sample(4000, random_state=0)
    assert drawn.shape == (6, 4000, 5)
    for k, v in known.items():
        assert (drawn[:, :, k] == v).all()
    # Draws resampled by importance weights are worth fewer.
    worth = 4000 if graphs in (TREES, MIXTURES["polytrees"]) or not known else 1000
    spread = np.sqrt(np.maximum(truth * (1 - truth), 0.0) / worth)
    assert (np.abs(drawn.mean(axis=1) - truth) <= 5 * spread + 1e-9).all()


@every_mixture
def test_decisions_have_least_expected_loss(graphs):
    posterior = made_posterior(graphs, seed=1).given({"sun": 1})
    table = table_of(posterior, {1: 1})
    for name in ("subset", "hamming", "f1", "jaccard"):
        decided = posterior.decide(name)
        risks = np.column_stack([posterior.expected_loss(np.tile(y, (6, 1)), name) for y in VECTORS])
        np.testing.assert_allclose(posterior.expected_loss(decided, name), risks.min(axis=1), rtol=1e-9, atol=1e-12)
    wrong = np.array([[(a != b).mean() for b in VECTORS] for a in VECTORS])
    risks = np.column_stack([posterior.expected_loss(np.tile(y, (6, 1)), "hamming") for y in VECTORS])
    np.testing.assert_allclose(risks, table @ wrong, rtol=1e-9)
    assert posterior.decide("rank").shape == (6, 5)


@every_mixture
def test_doubts_are_full_conditionals(graphs):
    posterior = made_posterior(graphs, seed=2)
    table = table_of(posterior, {})
    Y = VECTORS[[3, 5, 0, 31, 17, 9]]
    number = Y @ [16, 8, 4, 2, 1]
    doubts = posterior.doubts(Y)
    for k, bit in enumerate([16, 8, 4, 2, 1]):
        here, flipped = table[range(6), number], table[range(6), number ^ bit]
        np.testing.assert_allclose(doubts[:, k], flipped / (here + flipped), rtol=1e-9)


@given(st.integers(0, 2**32), st.integers(1, 4), st.dictionaries(st.integers(0, 4), st.integers(0, 1), max_size=4))
@example(77059, 4, {})
@settings(max_examples=25, deadline=None)
def test_evidence_on_any_labels_of_any_trees(seed, n_parts, known):
    rng = np.random.default_rng(seed)
    whole = made_posterior([random_forest_graph(5, rng) for _ in range(n_parts)], 3, seed)
    posterior = whole.given(known) if known else whole
    table = table_of(whole, known)
    np.testing.assert_allclose(posterior.marginals(), table @ VECTORS, rtol=1e-9, atol=1e-12)
    assert posterior.exact.all()


@pytest.mark.parametrize("inference", [Annealing(), BestFirst(), Auto()], ids=repr)
def test_searches_leave_marginals_and_evidence_to_auto(inference):
    posterior = made_posterior(TREES, inference=inference).given({"sea": 1})
    table = table_of(posterior, {0: 1})
    np.testing.assert_allclose(posterior.marginals(), table @ VECTORS, rtol=1e-9, atol=1e-12)
    assert posterior.exact.all()
    np.testing.assert_allclose(posterior.top(3).probabilities, -np.sort(-table, axis=1)[:, :3], rtol=1e-9)


def many_labels(graphs, **how):
    return made_posterior(graphs, 12, names=[f"label {k}" for k in range(20)], **how)


def test_twenty_labels_in_trees_are_exact_throughout():
    draws = np.random.default_rng(0)
    posterior = many_labels([random_forest_graph(20, draws) for _ in range(3)]).given({"label 3": 1, "label 7": 0})
    truth, log_evidence = exact_marginals(posterior.joint.condition(posterior.X).clamp(posterior.evidence))
    np.testing.assert_allclose(posterior.marginals(), truth, rtol=1e-12)
    assert posterior.exact.all()
    mode = posterior.mode()
    assert posterior.exact.all()
    joint = posterior.joint.condition(posterior.X).log_prob(mode.astype(np.uint8))
    np.testing.assert_allclose(posterior.log_prob(mode), joint - log_evidence, rtol=1e-9)
    assert posterior.top(3).probabilities.shape == (12, 3)
    assert posterior.exact.all()


def test_twenty_labels_in_chains_say_how_far_they_are():
    chains = [LabelGraph([list(range(k)) for k in range(20)]), LabelGraph([list(range(k + 1, 20)) for k in range(20)])]
    posterior = many_labels(chains)
    posterior.marginals()
    assert not posterior.exact.any()
    assert "Monte Carlo" in posterior.method
    mode = posterior.mode().astype(np.uint8)
    assert "annealing" in posterior.method
    distribution = posterior.joint.condition(posterior.X)
    found = distribution.log_prob(mode)
    for label in range(20):  # what is proved is at least no worse than its neighbours
        mode[:, label] ^= 1
        assert (found >= distribution.log_prob(mode) - 1e-9)[posterior.exact].all()
        mode[:, label] ^= 1
    top = posterior.top(3).probabilities
    assert (np.diff(top, axis=1) <= 0).all()


def blocks_of_five(n_rows, _):
    return [slice(start, start + 5) for start in range(0, n_rows, 5)]


@pytest.mark.parametrize("inference", [Annealing(), Auto()], ids=repr)
def test_blocks_and_workers_change_nothing(monkeypatch, inference):
    chains = [LabelGraph([list(range(k)) for k in range(20)]), LabelGraph([[]] * 20)]
    draws = np.random.default_rng(1)
    for graphs in (chains, [random_forest_graph(20, draws) for _ in range(3)]):
        whole = many_labels(graphs, inference=inference, random_state=5)
        answers = [ask(whole) for ask in (Posterior.mode, Posterior.marginals, lambda p: p.sample(20))]
        with monkeypatch.context() as small:
            small.setattr(
                "plait.posterior.posterior.row_blocks", lambda n, _: (slice(i, i + 5) for i in range(0, n, 5))
            )
            cut = many_labels(graphs, inference=inference, random_state=5, n_jobs=2)
            again = [ask(cut) for ask in (Posterior.mode, Posterior.marginals, lambda p: p.sample(20))]
        for one, two in zip(answers, again, strict=True):
            np.testing.assert_allclose(one, two, rtol=1e-12)


@pytest.mark.parametrize("structure", [LabelTree(), Polytree(), FullChain("random")], ids=repr)
def test_classifiers_of_all_structures(structure):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 3))
    Y = (X @ rng.normal(size=(3, 5)) + rng.normal(size=(120, 5)) > 0).astype(int)
    learner = LogisticLearner()
    member = JointClassifier(structure, learner=learner, random_state=0)
    mixture = TreeMixtureClassifier(2, structure=structure, learner=learner, max_iter=3, random_state=0)
    models = [
        mixture,
        EnsembleClassifier(member, 3, combine="mixture", random_state=0),
        EnsembleClassifier(mixture, 2, combine="mixture", random_state=0),
    ]
    for model in models:
        answer = model.fit(X, Y).joint(X[:5])
        table = np.exp(np.column_stack([answer.log_prob(np.tile(y, (5, 1))) for y in VECTORS]))
        np.testing.assert_allclose(table.sum(axis=1), 1.0, rtol=1e-9)
        np.testing.assert_allclose(answer.marginals(), table @ VECTORS, rtol=1e-9)
        np.testing.assert_array_equal(answer.mode(), VECTORS[table.argmax(axis=1)])
        assert answer.exact.all()
        found = model.set_params(inference="annealing").predict(X[:5])
        assert (model.joint(X[:5]).log_prob(found) >= np.log(table.max(axis=1) / 6) - 1e-9).all()
