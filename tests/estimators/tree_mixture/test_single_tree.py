"""A mixture of one tree is the single tree of `JointClassifier`, found by its own way through the code [MC 5]."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from plait import recipes
from plait.data.synthetic import make_label_network
from plait.estimators import JointClassifier, TreeMixtureClassifier, joint_classifier
from plait.estimators.joint_classifier import pairs_for
from plait.estimators.tree_mixture import tree_mixture_classifier
from plait.learners import LogisticLearner, SklearnLearner
from plait.structure import LabelTree

LEARNERS = {
    "plain": LogisticLearner(C=0.5, standardize=False, tol=1e-10),
    "standardized": LogisticLearner(tol=1e-10),
    "balanced, tuned": LogisticLearner(C="cv", standardize="balanced", tol=1e-10),
}


def problem(n=300, seed=3):
    data = make_label_network(n, 4, 6, structure="tree", strength=3.0, random_state=seed).dataset
    return data.X, data.Y


def undirected(graph):
    return {frozenset(edge) for edge in graph.edges}


@pytest.fixture
def one_split(monkeypatch):
    """Hold out the same rows for pairs of labels in both classifiers, which draw their seeds in different orders."""

    def same_rows(*arguments, seed, **named):
        return pairs_for(*arguments, seed=0, **named)

    monkeypatch.setattr(joint_classifier, "pairs_for", same_rows)
    monkeypatch.setattr(tree_mixture_classifier, "pairs_for", same_rows)


def assert_same(mixture, single, X, Y):
    assert mixture.graphs_[0].edges == single.graph_.edges
    assert mixture.weights_.tolist() == [1.0]
    np.testing.assert_allclose(mixture.joint(X).log_prob(Y), single.joint(X).log_prob(Y), rtol=1e-5, atol=1e-5)


@pytest.mark.usefixtures("one_split")
@pytest.mark.parametrize("learner", LEARNERS.values(), ids=LEARNERS)
def test_one_component_is_the_tree_of_the_joint_classifier(learner):
    X, Y = problem()
    mixture = TreeMixtureClassifier(1, learner=learner, random_state=0).fit(X, Y)
    assert_same(mixture, recipes.ctbn(learner=learner, random_state=0).fit(X, Y), X, Y)


@pytest.mark.usefixtures("one_split")
def test_one_component_of_weighted_rows_is_the_tree_of_the_joint_classifier():
    """Columns are not scaled: a mixture scales them by rows that count alike, as EM changes weights at every step."""
    X, Y = problem()
    rows = np.random.default_rng(0).integers(1, 4, len(X)).astype(float)
    mixture = TreeMixtureClassifier(1, learner=LEARNERS["plain"], random_state=0).fit(X, Y, sample_weight=rows)
    single = recipes.ctbn(learner=LEARNERS["plain"], random_state=0).fit(X, Y, sample_weight=rows)
    assert_same(mixture, single, X, Y)
    unweighted = recipes.ctbn(learner=LEARNERS["plain"], random_state=0).fit(X, Y)
    assert np.abs(single.joint(X).log_prob(Y) - unweighted.joint(X).log_prob(Y)).max() > 0.01


def test_one_component_is_the_label_tree_with_a_learner_of_scikit_learn():
    X, Y = problem()
    learner = SklearnLearner(LogisticRegression(tol=1e-8, max_iter=1000))
    mixture = TreeMixtureClassifier(1, LabelTree(root=0), learner, random_state=0).fit(X, Y)
    single = JointClassifier(LabelTree(root=0), learner=learner, random_state=0).fit(X, Y)
    assert len(single.graph_.edges) == Y.shape[1] - 1
    assert_same(mixture, single, X, Y)


def test_another_split_finds_the_same_tree_where_labels_depend_strongly():
    X, Y = problem(2000)
    mixture = TreeMixtureClassifier(1, learner=LEARNERS["plain"], random_state=0).fit(X, Y)
    single = recipes.ctbn(learner=LEARNERS["plain"], random_state=0).fit(X, Y)
    assert undirected(mixture.graphs_[0]) == undirected(single.graph_)
    np.testing.assert_allclose(mixture.joint(X).log_prob(Y).mean(), single.joint(X).log_prob(Y).mean(), atol=0.01)
