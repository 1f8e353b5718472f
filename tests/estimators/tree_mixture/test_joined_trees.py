from dataclasses import replace

import numpy as np
import pytest

from plait.data.synthetic import make_label_network
from plait.estimators.tree_mixture.em import Mixture
from plait.estimators.tree_mixture.growth import Growth, doubts, joined, tree_on
from plait.learners import LogisticLearner, SklearnLearner
from plait.structure import LabelGraph

CHAIN = LabelGraph([[], [0], [1]])
GROWTH = Growth(LogisticLearner(), None, 20, 1 / 3, 1e-5, 50, None)


def problem(n=80):
    data = make_label_network(n, 3, 3, structure="tree", strength=3.0, random_state=0).dataset
    return data.X, data.Y


def test_doubts_are_what_the_mixture_leaves_unexplained():
    X, Y = problem()
    learner, rows = LogisticLearner(), np.random.default_rng(0).random(len(Y))
    parts = tuple(tree_on(graph, learner, X, Y, np.ones(len(Y))) for graph in (CHAIN, LabelGraph([[2], [], [1]])))
    mixture = Mixture(np.array([0.7, 0.3]), parts)
    expected = rows * (1 - np.exp(mixture.joint().condition(X).log_prob(Y)))
    found = doubts(mixture, X, Y, rows)
    np.testing.assert_allclose(found, expected * rows.sum() / expected.sum(), rtol=1e-9)
    assert doubts(mixture, X, Y, np.zeros(len(Y))) is None


def test_a_tree_is_trained_as_on_copies_of_rows():
    X, Y = problem()
    copies = np.arange(len(Y)) % 3 + 1
    weighted = tree_on(CHAIN, LogisticLearner(standardize=False), X, Y, copies.astype(float))
    copied = LogisticLearner(standardize=False).fit(np.repeat(X, copies, axis=0), np.repeat(Y, copies, axis=0), CHAIN)
    np.testing.assert_allclose(weighted.coef_, copied.coef_, rtol=1e-5, atol=1e-7)


def test_strengths_grow_with_the_root_of_the_number_of_trees():
    X, Y = problem()
    tree = tree_on(CHAIN, LogisticLearner(0.5), X, Y, np.ones(len(Y)))
    mixture = Mixture(np.ones(1), (tree,))
    for n in (2, 3, 4):
        mixture = joined(mixture, tree, GROWTH)
        np.testing.assert_allclose(mixture.weights, 1 / n, rtol=1e-12)
        strengths = np.array([part.C_ for part in mixture.conditionals])
        np.testing.assert_allclose(strengths, np.full((n, 3), 0.5 * 2 * np.sqrt(n)), rtol=1e-12)
    printed = joined(Mixture(np.ones(1), (tree,)), tree, replace(GROWTH, relaxation=None))
    np.testing.assert_array_equal([part.C_ for part in printed.conditionals], np.full((2, 3), 0.5))


def test_other_learners_keep_their_penalty():
    from_sklearn = pytest.importorskip("sklearn.linear_model").LogisticRegression()
    X, Y = problem()
    tree = tree_on(CHAIN, SklearnLearner(from_sklearn), X, Y, np.ones(len(Y)))
    assert joined(Mixture(np.ones(1), (tree,)), tree, GROWTH).conditionals == (tree, tree)
