"""A label tree against the sum over all values of all its nodes: probabilities, marginals, modes, evidence, draws."""

import itertools

import numpy as np
import pytest
from scipy.special import expit

from plait.inference import Auto, Exhaustive
from plait.joint import HierarchyDistribution, LabelDistribution
from plait.structure import LabelHierarchy

N_ROWS = 3
TREES = [(1, 2, 1), (2, 2, 1), (4, 2, 1), (5, 3, 2), (6, 2, 3), (6, 6, 6), (3, 2, 1)]


def hierarchy(n_labels, arity, max_leaves, seed):
    """Return a tree over random rows."""
    rng = np.random.default_rng(seed)
    X, Y = rng.random((30, 5)), rng.random((30, n_labels)) < 0.4
    return LabelHierarchy.clustered(X, Y, arity=arity, max_leaves=max_leaves, random_state=seed)


def enumerated(tree, scores):
    """Return all label vectors and their probabilities, from all values of all nodes."""
    vectors = np.array(list(itertools.product([0, 1], repeat=tree.n_labels)), dtype=np.uint8)
    chances = np.zeros((len(scores), len(vectors)))
    for values in map(np.array, itertools.product([0, 1], repeat=tree.n_nodes)):
        above = np.where(tree.parent >= 0, values[tree.parent], 1)
        if (values <= above).all():
            own = np.where(above == 1, np.where(values == 1, expit(scores), expit(-scores)), 1.0).prod(axis=1)
            chances[:, int("".join(map(str, values[tree.node_of_label])), 2)] += own
    return vectors, chances


@pytest.fixture(params=range(len(TREES)))
def case(request):
    """A model, all its label vectors and their probabilities."""
    tree = hierarchy(*TREES[request.param], seed=request.param)
    scores = 2 * np.random.default_rng(request.param).normal(size=(N_ROWS, tree.n_nodes))
    return HierarchyDistribution(tree, scores), *enumerated(tree, scores)


def test_probabilities(case):
    model, vectors, chances = case
    every = np.broadcast_to(vectors, (N_ROWS, *vectors.shape))
    np.testing.assert_allclose(np.exp(model.log_prob(every)), chances, rtol=1e-9)
    places = np.arange(N_ROWS) % len(vectors)
    expected = chances[np.arange(N_ROWS), places]
    np.testing.assert_allclose(np.exp(model.log_prob(vectors[places])), expected, rtol=1e-9)
    np.testing.assert_allclose(chances.sum(axis=1), 1.0, rtol=1e-12)


def test_marginals_and_modes_by_auto(case):
    model, vectors, chances = case
    found = Auto().infer(model, "marginals")
    np.testing.assert_allclose(found.marginals, chances @ vectors, rtol=1e-9)
    np.testing.assert_allclose(model.log_marginals(), np.log(chances @ vectors), rtol=1e-7, atol=1e-12)
    best = Auto().infer(model, "mode")
    assert best.exact.all()
    np.testing.assert_array_equal(best.vectors[:, 0], vectors[chances.argmax(axis=1)])
    np.testing.assert_allclose(np.exp(best.log_weights[:, 0]), chances.max(axis=1), rtol=1e-9)


def test_the_next_best_sets_are_in_order_and_begin_with_the_mode(case):
    model, _, chances = case
    found = Auto().infer(model, "mode", n_best=2, random_state=0)
    assert not found.exact.any()
    logs = found.log_weights
    assert (logs[:, 0] >= logs[:, 1]).all()
    np.testing.assert_allclose(np.exp(logs[:, 0]), chances.max(axis=1), rtol=1e-9)


def test_flipped_labels(case):
    model, vectors, _ = case
    Y = vectors[np.random.default_rng(1).integers(0, len(vectors), N_ROWS)]
    expected = LabelDistribution.flip_log_ratios(model, Y)
    np.testing.assert_allclose(model.flip_log_ratios(Y), expected, rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_evidence(case, seed):
    model, vectors, chances = case
    known = np.random.default_rng(seed).integers(-1, 2, size=(N_ROWS, model.n_labels)).astype(np.int8)
    given = model.clamp(known)
    agree = ((known[:, None] < 0) | (known[:, None] == vectors)).all(axis=2)
    left = chances * agree
    marginals, log_evidence = given.marginals()
    np.testing.assert_allclose(np.exp(log_evidence), left.sum(axis=1), rtol=1e-9)
    np.testing.assert_allclose(marginals, left @ vectors / left.sum(axis=1, keepdims=True), rtol=1e-9, atol=1e-12)
    labels, log_prob = given.modes()
    np.testing.assert_allclose(np.exp(log_prob), left.max(axis=1), rtol=1e-9)
    np.testing.assert_allclose(given.log_prob(labels), log_prob, rtol=1e-9)
    draws, logs = given.sample(4000, random_state=0)
    # Five standard errors of a share of 4,000 draws.
    np.testing.assert_allclose(draws.mean(axis=1), marginals, rtol=0, atol=5 * 0.5 / np.sqrt(4000))
    np.testing.assert_allclose(logs, np.repeat(log_evidence[:, None], 4000, axis=1), rtol=1e-12)


def test_all_vectors_agree_with_exhaustive_inference(case):
    model, vectors, chances = case
    found = Exhaustive().infer(model, "distribution")
    np.testing.assert_allclose(found.marginal_estimate(), chances @ vectors, rtol=1e-9)


def test_rows_alone_have_the_same_bits(case):
    model, *_ = case
    for row in range(N_ROWS):
        one = model.take(slice(row, row + 1))
        np.testing.assert_array_equal(one.marginals()[0][0], model.marginals()[0][row])
        np.testing.assert_array_equal(one.modes()[0][0], model.modes()[0][row])


def test_tempered_scores():
    tree = hierarchy(5, 2, 2, seed=0)
    scores = np.random.default_rng(0).normal(size=(2, tree.n_nodes))
    np.testing.assert_allclose(
        HierarchyDistribution(tree, scores).tempered(0.5).marginals()[0],
        HierarchyDistribution(tree, 0.5 * scores).marginals()[0],
        rtol=1e-12,
    )
