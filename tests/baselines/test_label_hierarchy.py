import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from plait.baselines.label_hierarchy import LEAF, label_hierarchy_of


def reached_labels(nodes, number=0):
    """Return the labels below a node, found by walking the links."""
    node = nodes[number]
    found = []
    for child, link in zip(node.children, node.links, strict=True):
        below = child.tolist() if link == LEAF else reached_labels(nodes, link)
        assert sorted(below) == child.tolist()
        assert (link == LEAF) == (len(child) == 1)
        found += below
    return found


@settings(max_examples=100, deadline=None)
@given(q=st.integers(1, 40), k=st.integers(1, 6), n=st.integers(1, 30), seed=st.integers(0, 9999))
def test_every_label_is_reached_once_and_children_are_balanced(q, k, n, seed):
    Y = (np.random.default_rng(seed).random((n, q)) < 0.3).astype(np.uint8)
    nodes = label_hierarchy_of(Y, None, k, np.random.default_rng(seed))
    assert sorted(reached_labels(nodes)) == list(range(q))
    links = [link for node in nodes for link in node.links if link != LEAF]
    assert sorted(links) == list(range(1, len(nodes)))
    for number, node in enumerate(nodes):
        assert all(link == LEAF or link > number for link in node.links)
        if k == 1 or len(node.labels) <= k:
            assert [len(child) for child in node.children] == [1] * len(node.labels)
        else:
            assert 2 <= len(node.children) <= k
            assert max(map(len, node.children)) <= -(-len(node.labels) // k)


def test_meta_labels_are_any_label_of_the_child():
    rng = np.random.default_rng(0)
    Y = (rng.random((30, 9)) < 0.2).astype(np.uint8)
    for node in label_hierarchy_of(Y, None, 3, rng):
        expected = [[int(any(Y[i, label] for label in child)) for child in node.children] for i in range(30)]
        np.testing.assert_array_equal(node.meta_labels(Y), expected)


def test_a_weight_is_a_repetition():
    rng = np.random.default_rng(1)
    Y = (rng.random((40, 12)) < 0.3).astype(np.uint8)
    weights = rng.integers(1, 5, size=40)
    weighted = label_hierarchy_of(Y, weights, 3, np.random.default_rng(5))
    repeated = label_hierarchy_of(Y.repeat(weights, axis=0), None, 3, np.random.default_rng(5))
    assert len(weighted) == len(repeated)
    for ours, theirs in zip(weighted, repeated, strict=True):
        assert [c.tolist() for c in ours.children] == [c.tolist() for c in theirs.children]
