import dataclasses
import pickle
from itertools import permutations

import networkx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plait.core.sentences import ParameterError
from plait.structure import FullChain, LabelGraph


@st.composite
def acyclic_parents(draw, most=7):
    """Parents of a random graph: each label depends only on labels before it in a random order."""
    order = draw(st.permutations(range(draw(st.integers(1, most)))))
    parents = [[] for _ in order]
    for place, label in enumerate(order):
        parents[label] = draw(st.lists(st.sampled_from(order[:place]), unique=True)) if place else []
    return parents


@given(acyclic_parents())
def test_the_default_order_is_the_smallest_topological_one(parents):
    graph = LabelGraph(parents)
    oracle = networkx.DiGraph()
    oracle.add_nodes_from(range(len(parents)))
    oracle.add_edges_from((parent, child) for child, group in enumerate(parents) for parent in group)
    assert list(graph.order) == list(networkx.lexicographical_topological_sort(oracle))
    assert set(graph.edges) == set(oracle.edges)


@given(acyclic_parents())
def test_children_levels_and_kinds_of_graphs(parents):
    graph = LabelGraph(parents)
    oracle = networkx.DiGraph()
    oracle.add_nodes_from(range(len(parents)))
    oracle.add_edges_from(graph.edges)
    assert [list(group) for group in graph.children] == [sorted(oracle.successors(k)) for k in range(len(parents))]
    levels = {k: depth for depth, group in enumerate(networkx.topological_generations(oracle)) for k in group}
    assert graph.levels == tuple(levels[k] for k in range(len(parents)))
    assert graph.is_forest == networkx.is_branching(oracle)
    assert graph.is_polytree == networkx.is_forest(oracle.to_undirected())


def test_a_long_chain_is_no_problem():
    n = 20_000
    graph = LabelGraph([[], *([k] for k in range(n - 1))])
    assert graph.is_polytree
    assert graph.levels[-1] == n - 1


@given(acyclic_parents(most=4))
def test_an_order_is_taken_exactly_when_parents_come_first(parents):
    for order in permutations(range(len(parents))):
        right = all(order.index(p) < order.index(k) for k, group in enumerate(parents) for p in group)
        if right:
            assert LabelGraph(parents, order).order == order
        else:
            with pytest.raises(ParameterError, match="parents before children in order"):
                LabelGraph(parents, order)


@given(acyclic_parents(), st.data())
def test_a_cycle_is_named(parents, data):
    graph = LabelGraph(parents)
    if not graph.edges:
        return
    parent, child = data.draw(st.sampled_from(graph.edges))
    looped = [list(group) for group in parents]
    looped[parent] = [*looped[parent], child]
    with pytest.raises(ParameterError, match="acyclic") as caught:
        LabelGraph(looped)
    named = [int(word) for word in str(caught.value).split("[")[1].split("]")[0].split(",")]
    inside = networkx.DiGraph((p, k) for k, group in enumerate(looped) for p in group if p in named and k in named)
    # One cycle through all that are named, and no others.
    assert networkx.is_strongly_connected(inside)
    assert set(inside) == set(named)


def test_self_parent_is_a_cycle():
    with pytest.raises(ParameterError, match=r"labels \[1\] wait for each other"):
        LabelGraph([[], [1]])


@pytest.mark.parametrize(
    ("parents", "order", "words"),
    [
        ([[], [5]], None, "parents from 0 to 1, but label 1 has parent 5"),
        ([[], [-1]], None, "has parent -1"),
        ([[], [0, 0]], None, "each parent once"),
        ([[], [0.5]], None, "parents to hold label numbers, but it holds 0.5"),
        ([[], [True]], None, "holds True"),
        ([[], []], [0, 0], "each of 2 labels once"),
        ([[], []], [0], "each of 2 labels once"),
        ([[], []], ["a", "b"], "order to hold label numbers"),
    ],
)
def test_wrong_graphs(parents, order, words):
    with pytest.raises(ParameterError, match=words):
        LabelGraph(parents, order)


def test_equality_hash_and_immutability():
    graph = LabelGraph(np.array([[1], [2], []], dtype=object), order=np.array([2, 1, 0]))
    assert graph == LabelGraph([[1], [2], []])
    assert hash(graph) == hash(LabelGraph([(1,), (2,), ()]))
    assert graph != LabelGraph([[1], [], []])
    assert LabelGraph([[], []], [1, 0]) != LabelGraph([[], []])
    with pytest.raises(dataclasses.FrozenInstanceError):
        graph.parents = ()


def test_no_labels_and_one():
    assert LabelGraph([]).order == ()
    assert repr(LabelGraph([[]])) == "LabelGraph(1 labels, 0 edges, order [0])"


def test_networkx_and_back():
    graph = LabelGraph([[], [0], [0, 1], []])
    found = graph.to_networkx(["a", "b", "c", "d"])
    assert list(found.nodes(data="name")) == [(0, "a"), (1, "b"), (2, "c"), (3, "d")]
    assert set(found.edges) == set(graph.edges)
    assert LabelGraph([sorted(found.predecessors(k)) for k in range(4)]) == graph
    assert dict(LabelGraph([[]]).to_networkx().nodes[0]) == {}
    with pytest.raises(ParameterError, match="label_names to hold 4 names, but it holds 1"):
        graph.to_networkx(["a"])


def test_names_are_kept_shown_and_do_not_matter_for_equality():
    graph = LabelGraph([[], [0]], label_names=["sea", "sand"])
    assert graph.label_names == ("sea", "sand")
    assert graph == LabelGraph([[], [0]])
    assert "sand" in graph._repr_html_()
    assert "sand" not in graph.to_html(["a", "b"])
    assert LabelGraph([[], [0]]).named(["a", "b"]).label_names == ("a", "b")
    with pytest.raises(ParameterError, match="label_names to hold 2 names, but it holds 1"):
        LabelGraph([[], [0]], label_names=["sea"])


def test_structures_name_their_graphs():
    X, Y = [[0.0], [1.0]], [[0, 1], [1, 0]]
    assert FullChain().build(X, Y, label_names=["sea", "sand"]).label_names == ("sea", "sand")
    assert FullChain().build(X, Y).label_names is None


def test_a_graph_is_kept_as_integer_arrays_and_comes_back():
    graph = LabelGraph([[2], [0, 2], []], [2, 0, 1], ["sea", "sun", "sand"])
    again = pickle.loads(pickle.dumps(graph))
    assert (again, again.label_names) == (graph, graph.label_names)
    assert all(isinstance(parent, int) for group in again.parents for parent in group)
    assert {type(part) for part in graph.__getstate__().values()} == {np.ndarray, str}


@pytest.mark.parametrize(
    "change",
    [
        {"n_parents": np.array([1, 2, 1])},
        {"n_parents": np.array([2, 2, -1])},
        {"n_parents": np.array([1.0, 2.0, 0.0])},
        {"n_parents": np.array([2**40, 2, 0])},
        {"parents": np.array([2, 0, 3])},
        {"parents": np.array([2, 0, -1])},
        {"parents": np.array([2, 0, 0])},
        {"parents": np.array([1, 0, 2])},
        {"parents": np.array([0, 0, 2])},
        {"parents": np.array([[2, 0, 2]])},
        {"order": np.array([0, 1, 2])},
        {"order": np.array([2, 0, 0])},
        {"order": np.array([2, 0])},
        {"order": np.array(["a", "b", "c"])},
        {"names": '["sea"]'},
    ],
)
def test_arrays_that_are_no_graph_are_refused(change):
    state = LabelGraph([[2], [0, 2], []], [2, 0, 1], ["sea", "sun", "sand"]).__getstate__()
    with pytest.raises(ParameterError):
        object.__new__(LabelGraph).__setstate__(state | change)
