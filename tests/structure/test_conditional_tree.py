import numpy as np
import pytest

from plait.core.sentences import ParameterError
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
