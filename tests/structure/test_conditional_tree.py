import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from plait.core.sentences import ParameterError
from plait.estimators import JointClassifier
from plait.information import mutual_information
from plait.learners import LogisticLearner, SklearnLearner
from plait.structure import ConditionalTree, LabelGraph, PairDependence, maximum_branching


def pairs_of(weights, alone):
    return PairDependence(np.asarray(weights), np.asarray(alone), np.zeros_like(weights), n_held_out=9)


def test_the_branching_is_the_graph():
    rng = np.random.default_rng(0)
    weights, alone = -rng.exponential(5.0, size=(8, 8)), -rng.exponential(5.0, size=8)
    graph = ConditionalTree().build(np.zeros((4, 1)), np.zeros((4, 8)), pairs=pairs_of(weights, alone))
    assert [group[0] if group else -1 for group in graph.parents] == maximum_branching(weights, alone)
    assert graph.is_forest


def test_no_parents_where_none_helps():
    pairs = pairs_of(np.full((4, 4), -8.0), np.full(4, -7.5))
    assert ConditionalTree().build(np.zeros((3, 1)), np.zeros((3, 4)), pairs=pairs) == LabelGraph([[]] * 4)


def test_a_constant_label_has_no_parent():
    """Its models are all the same, so that all values tie."""
    weights = np.array([[-5.0, -3.0, -0.2], [-3.0, -5.0, -0.2], [-5.0, -5.0, -0.2]])
    graph = ConditionalTree().build(np.zeros((3, 1)), np.zeros((3, 3)), pairs=pairs_of(weights, [-5.0, -5.0, -0.2]))
    assert graph.parents[2] == ()
    assert len(graph.edges) == 1


def test_pairs_are_asked_for():
    assert [ConditionalTree().needs_pairs(q) for q in (1, 2, 300)] == [False, True, True]
    with pytest.raises(ParameterError, match="ConditionalTree needs pairs to be a PairDependence of 2 labels"):
        ConditionalTree().build([[0.0]], [[0, 1]])
    assert ConditionalTree().build([[0.0]], [[1]]) == LabelGraph([[]])


def friends(n=300, q=6, seed=0):
    """Return labels of which each second one is mostly the one before it."""
    rng = np.random.default_rng(seed)
    Y = rng.random((n, q)) < 0.4
    Y[:, 1::2] = Y[:, ::2] ^ (rng.random((n, q // 2)) < 0.1)
    return Y.astype(np.uint8)


def test_candidates_share_most():
    Y = friends()
    found = ConditionalTree(max_candidates=2).candidate_parents(Y)
    for label, parents in enumerate(found):
        shared = {k: mutual_information(Y[:, label], Y[:, k]) for k in range(6) if k != label}
        assert parents.tolist() == sorted(sorted(shared, key=lambda k: (-shared[k], k))[:2])
        assert label ^ 1 in parents


def test_all_labels_are_candidates_up_to_two_hundred():
    Y = np.eye(201, dtype=np.uint8)
    assert ConditionalTree().candidate_parents(Y[:, :200]) is None
    assert [parents.size for parents in ConditionalTree().candidate_parents(Y)] == [20] * 201
    for most in (None, 200, 300):
        assert ConditionalTree(max_candidates=most).candidate_parents(Y) is None


@pytest.mark.parametrize("learner", [LogisticLearner(), SklearnLearner(GaussianNB())])
def test_what_is_no_candidate_is_no_parent(learner):
    Y, rng = friends(), np.random.default_rng(1)
    X = rng.normal(size=(len(Y), 3))
    few = JointClassifier(ConditionalTree(max_candidates=1), learner=learner, random_state=0).fit(X, Y)
    assert {(min(edge), max(edge)) for edge in few.graph_.edges} == {(0, 1), (2, 3), (4, 5)}
    # So many candidates as there are others change nothing.
    whole, same = (
        JointClassifier(ConditionalTree(max_candidates=most), learner=learner, random_state=0).fit(X, Y).graph_
        for most in (None, 5)
    )
    assert whole == same
