"""A hierarchy holds every label once, groups what is alike in equal parts, and knows the values of its nodes."""

import numpy as np
import pytest
from scipy import sparse

from plait.data.synthetic import make_tagged_text
from plait.structure import LabelHierarchy, label_hierarchy


@pytest.mark.parametrize(("arity", "max_leaves"), [(2, 1), (3, 4), (100, 7), (2, 30), (5, 100)])
@pytest.mark.parametrize("n_labels", [1, 2, 17, 60])
def test_every_label_is_at_one_leaf_and_sizes_are_held(arity, max_leaves, n_labels):
    data = make_tagged_text(200, 100, n_labels, random_state=0)
    tree = LabelHierarchy.clustered(data.X, data.Y, arity=arity, max_leaves=max_leaves, random_state=0)
    assert tree.n_labels == n_labels
    np.testing.assert_array_equal(tree.label[tree.node_of_label], np.arange(n_labels))
    covered = []
    for node in tree.inner:
        members = tree.children(int(node))
        covered += range(members.start, members.stop)
        assert (tree.parent[members] == node).all()
        leaves = tree.label[members] >= 0
        assert members.stop - members.start <= (max(arity, max_leaves) if leaves.all() else arity)
    assert covered == list(range(tree.n_nodes))
    assert sum(level.stop - level.start for level, _, _ in tree.levels) == tree.n_nodes


def test_values_of_nodes_are_those_of_the_labels_below():
    data = make_tagged_text(300, 100, 40, random_state=1)
    tree = LabelHierarchy.clustered(data.X, data.Y, arity=3, max_leaves=4, random_state=0)
    values, Y = tree.values(data.Y).toarray(), data.Y.toarray()
    np.testing.assert_array_equal(values[:, tree.node_of_label], Y)
    for node in tree.inner[1:]:
        np.testing.assert_array_equal(values[:, node], values[:, tree.children(int(node))].max(axis=1))
    np.testing.assert_array_equal(tree.values(Y).toarray(), values)


def test_labels_of_the_same_rows_share_a_group():
    rng = np.random.default_rng(0)
    topic = rng.integers(0, 2, size=400)
    X = rng.normal(size=(400, 6)) * 0.1
    X[np.arange(400), topic] += 1.0
    Y = np.zeros((400, 8), dtype=int)
    Y[np.arange(400), 2 * rng.integers(0, 4, size=400) + topic] = 1  # even labels go with one topic, odd with the other
    tree = LabelHierarchy.clustered(X, Y, arity=2, max_leaves=4, random_state=0)
    groups = [set((tree.label[tree.children(node)] % 2).tolist()) for node in (0, 1)]
    assert sorted(map(sorted, groups)) == [[0], [1]]


def test_sparse_and_dense_rows_give_the_same_groups():
    data = make_tagged_text(300, 80, 30, random_state=2)
    made = [
        LabelHierarchy.clustered(X, Y, arity=3, max_leaves=4, random_state=0)
        for X, Y in ((data.X, data.Y), (data.X.toarray(), data.Y.toarray()), (data.X, sparse.csc_matrix(data.Y)))
    ]
    for other in made[1:]:
        np.testing.assert_array_equal(made[0].parent, other.parent)
        np.testing.assert_array_equal(made[0].label, other.label)


@pytest.mark.parametrize(
    ("parent", "label"),
    [
        ([-1, -1], [0, 0]),  # a label twice
        ([-1, -1], [0, -1]),  # a group without members
        ([-1, 0, -1], [-1, 0, 1]),  # not level by level
        ([0], [0]),  # its own parent
        ([-1, 0], [1, 0]),  # a label with members
        ([-2], [0]),
        ([-1, -1], [0]),
    ],
)
def test_arrays_that_are_no_hierarchy_are_refused(parent, label):
    with pytest.raises(ValueError, match="LabelHierarchy needs nodes level by level"):
        LabelHierarchy(np.array(parent), np.array(label))


@pytest.mark.parametrize(("n_rows", "n_used"), [(20, 20), (50, 50), (51, 50), (200, 50)])
def test_profiles_are_means_of_rows_and_of_many_rows_of_a_sample(n_rows, n_used, monkeypatch):
    monkeypatch.setattr(label_hierarchy, "_MOST_ROWS", 50)
    Y = np.column_stack([np.ones(n_rows), np.zeros(n_rows)])
    # Every row has a feature of its own.
    profiles = label_hierarchy._profiles(np.eye(n_rows), Y, np.random.default_rng(0)).toarray()
    np.testing.assert_allclose(np.sort(profiles[0])[-n_used:], 1 / np.sqrt(n_used), rtol=1e-12)
    assert np.count_nonzero(profiles) == n_used


def test_a_sample_is_drawn_only_of_many_rows():
    draws = np.random.default_rng(0)
    label_hierarchy._profiles(np.eye(3), np.eye(3), draws)
    assert draws.random() == np.random.default_rng(0).random()
