import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plait.core.sentences import ParameterError
from plait.information import mutual_information, mutual_information_matrix, normalized_mutual_information_matrix
from plait.structure import LabelTree, maximum_spanning_forest


def tree_labels(n=500, q=7, seed=0):
    rng = np.random.default_rng(seed)
    Y = rng.random((n, q)) < 0.5
    for j in range(1, q):
        Y[:, j] = Y[:, rng.integers(0, j)] ^ (rng.random(n) < 0.2)
    return np.zeros((n, 1)), Y.astype(np.uint8)


def skeleton(graph):
    return sorted((min(edge), max(edge)) for edge in graph.edges)


@pytest.mark.parametrize(
    ("weights", "matrix"), [("nmi", normalized_mutual_information_matrix), ("mi", mutual_information_matrix)]
)
def test_the_skeleton_is_the_heaviest_tree_whatever_the_root(weights, matrix):
    X, Y = tree_labels()
    expected = maximum_spanning_forest(matrix(Y))
    for root in range(7):
        graph = LabelTree(weights, root).build(X, Y)
        assert skeleton(graph) == expected
        assert graph.is_forest
        assert graph.order[0] == root
        assert graph.parents[root] == ()


def test_plain_information_gives_the_likeliest_tree():
    """Chow and Liu: no other tree has a greater sum of I(Y_j;Y_parent); here against many random trees."""
    X, Y = tree_labels(q=5)
    graph = LabelTree("mi", 0).build(X, Y)
    best = sum(mutual_information(Y[:, p], Y[:, k]) for p, k in graph.edges)
    rng = np.random.default_rng(0)
    for _ in range(200):
        order = rng.permutation(5)
        parents = [(order[rng.integers(0, t)], order[t]) for t in range(1, 5)]
        assert sum(mutual_information(Y[:, p], Y[:, k]) for p, k in parents) <= best + 1e-12


def test_a_random_root_is_any_root_and_repeats():
    X, Y = tree_labels(q=4)
    roots = [LabelTree().build(X, Y, random_state=seed).order[0] for seed in range(40)]
    assert set(roots) == {0, 1, 2, 3}
    assert roots == [LabelTree().build(X, Y, random_state=seed).order[0] for seed in range(40)]


def test_labels_that_share_nothing_are_not_joined():
    a, b = np.array([0, 0, 1, 1] * 3), np.array([0, 1, 0, 1] * 3)
    Y = np.column_stack([a, b, np.ones(12), a, b, np.zeros(12)])
    graph = LabelTree(root=4).build(np.zeros((12, 1)), Y)
    assert graph.parents == ((), (4,), (), (0,), (), ())


@settings(deadline=None)
@given(st.integers(0, 999), st.integers(1, 6), st.integers(1, 12))
def test_at_most_one_parent(seed, q, n):
    Y = (np.random.default_rng(seed).random((n, q)) < 0.5).astype(np.uint8)
    graph = LabelTree().build(np.zeros((n, 1)), Y, random_state=seed)
    assert graph.is_forest
    assert skeleton(graph) == maximum_spanning_forest(normalized_mutual_information_matrix(Y))


def test_roots_by_name():
    X, Y = tree_labels(q=3)
    assert LabelTree(root="c").build(X, Y, label_names="abc").order[0] == 2
    with pytest.raises(ParameterError, match="LabelTree needs root to name labels, but 'd' is not one of the 3"):
        LabelTree(root="d").build(X, Y, label_names="abc")
    with pytest.raises(ParameterError, match="LabelTree needs root to hold labels from 0 to 2"):
        LabelTree(root=3).build(X, Y)
