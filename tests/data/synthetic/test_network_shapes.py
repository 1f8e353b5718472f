import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plait.core.sentences import ParameterError
from plait.data.synthetic.network_shapes import SHAPES, parents_of, topological_order


def shape(structure, n_labels, seed=0):
    return parents_of("Mine", structure, n_labels, np.random.default_rng(seed))


@given(st.sampled_from(SHAPES), st.integers(1, 12), st.integers(0, 50))
def test_parents_come_first_in_the_order(structure, n_labels, seed):
    parents = shape(structure, n_labels, seed)
    order = topological_order("Mine", parents)
    assert sorted(order) == list(range(n_labels))
    for at, k in enumerate(order):
        assert set(parents[k]) <= set(order[:at])


def test_named_shapes():
    assert shape("independent", 3) == ((), (), ())
    assert shape("chain", 3) == ((), (0,), (1,))
    assert shape("full", 3) == ((), (0,), (0, 1))


@given(st.sampled_from(["tree", "polytree"]), st.integers(1, 12), st.integers(0, 50))
def test_trees_have_one_path_between_any_two_labels(structure, n_labels, seed):
    parents = shape(structure, n_labels, seed)
    edges = [(p, k) for k, of_label in enumerate(parents) for p in of_label]
    group = list(range(n_labels))
    for a, b in edges:
        assert group[a] != group[b]  # an edge inside a group would close a second path
        group = [group[a] if g == group[b] else g for g in group]
    assert len(set(group)) == 1
    if structure == "tree":
        assert all(len(of_label) == (k > 0) for k, of_label in enumerate(parents))


def test_polytrees_can_have_several_parents():
    assert max(len(of_label) for seed in range(20) for of_label in shape("polytree", 8, seed)) >= 2


def test_given_parents_stay_and_the_smallest_label_goes_first():
    parents = shape([[2], [], [1], ()], 4)
    assert parents == ((2,), (), (1,), ())
    assert topological_order("Mine", parents) == (1, 2, 0, 3)


def test_a_ring_is_named():
    with pytest.raises(ParameterError, match=r"acyclic, but labels \[0, 1\] wait for each other"):
        topological_order("Mine", ((1,), (0,), ()))


@pytest.mark.parametrize("structure", ["star", 7, [[0]], [[], [0, 0]], [[], [2]], [[], [1]], [[], ["a"]], [[], [-1]]])
def test_what_is_refused(structure):
    with pytest.raises(ParameterError, match="Mine needs structure to be"):
        shape(structure, 2)
