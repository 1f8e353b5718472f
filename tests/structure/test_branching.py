from itertools import product

import networkx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plait.core.sentences import ParameterError
from plait.structure import maximum_branching


def is_acyclic(parents):
    for start in range(len(parents)):
        node, steps = start, 0
        while node >= 0 and steps <= len(parents):
            node, steps = parents[node], steps + 1
        if node >= 0:
            return False
    return True


def score(parents, weights, alone):
    return sum(alone[i] if j < 0 else weights[j][i] for i, j in enumerate(parents))


def best_of_all(weights, alone):
    """Return the greatest score over all acyclic parent maps."""
    n = len(alone)
    maps = product(*([-1, *(j for j in range(n) if j != i)] for i in range(n)))
    return max(score(parents, weights, alone) for parents in maps if is_acyclic(parents))


WHOLE = st.integers(-3, 3)


@st.composite
def problems(draw, most=5, values=WHOLE):
    n = draw(st.integers(1, most))
    numbers = draw(st.lists(values, min_size=n * (n + 1), max_size=n * (n + 1)))
    table = np.array(numbers, dtype=float).reshape(n + 1, n)
    return table[1:], table[0]


# Few whole numbers tie all the time and are exact in floats.
@settings(max_examples=120, deadline=None)
@given(problems())
def test_no_acyclic_choice_is_better_with_ties(problem):
    weights, alone = problem
    parents = maximum_branching(weights, alone)
    assert is_acyclic(parents)
    assert score(parents, weights, alone) == best_of_all(weights, alone)


@settings(max_examples=80, deadline=None)
@given(problems(values=st.floats(-1e3, -1e-3)))
def test_no_acyclic_choice_is_better_among_negative_values(problem):
    weights, alone = problem
    parents = maximum_branching(weights, alone)
    assert is_acyclic(parents)
    assert score(parents, weights, alone) == pytest.approx(best_of_all(weights, alone), rel=1e-12)


@pytest.mark.parametrize("n", [12, 45])
@pytest.mark.parametrize("kind", ["rings", "floats", "whole"])
def test_large_ones_against_networkx(n, kind):
    rng = np.random.default_rng(n)
    weights = rng.normal(-5.0, 1.0, size=(n, n)) if kind == "floats" else rng.integers(-9, 0, size=(n, n)).astype(float)
    alone = rng.normal(-6.0, 1.0, size=n)
    if kind == "rings":  # rings within rings: many contractions, nested
        weights = -(np.abs(np.subtract.outer(np.arange(n), np.arange(n))).astype(float) ** 1.5)
        alone = np.full(n, -1e4)
    graph = networkx.DiGraph()
    graph.add_weighted_edges_from(("top", i, float(alone[i])) for i in range(n))
    graph.add_weighted_edges_from((j, i, float(weights[j, i])) for i in range(n) for j in range(n) if i != j)
    oracle = networkx.maximum_spanning_arborescence(graph, attr="weight").size(weight="weight")
    parents = maximum_branching(weights, alone)
    assert is_acyclic(parents)
    assert score(parents, weights, alone) == pytest.approx(oracle, rel=1e-12)


def test_ties_go_to_no_parent_and_then_to_the_smallest():
    assert maximum_branching(np.zeros((3, 3)), np.zeros(3)) == [-1, -1, -1]
    assert maximum_branching([[0, 5, 5], [0, 0, 5], [0, 5, 0]], [0, 1, 1]) == [-1, 0, 0]


def test_all_alone_where_that_is_best():
    weights = np.random.default_rng(0).uniform(-9, -5, size=(6, 6))
    assert maximum_branching(weights, np.full(6, -4.0)) == [-1] * 6


def test_what_is_forbidden_is_not_chosen():
    weights = np.full((3, 3), -np.inf)
    weights[0, 1] = 2.0
    assert maximum_branching(weights, [0.0, 0.0, 0.0]) == [-1, 0, -1]


@given(problems(values=st.floats(-10, 10)), st.randoms(use_true_random=False))
def test_numbers_of_nodes_do_not_matter(problem, random):
    weights, alone = problem
    n = alone.size
    # Without ties, so that there is one best choice.
    weights = weights + np.random.default_rng(0).normal(size=(n, n))
    alone = alone + np.random.default_rng(1).normal(size=n)
    order = list(range(n))
    random.shuffle(order)
    parents = maximum_branching(weights, alone)
    moved = maximum_branching(weights[np.ix_(order, order)], alone[order])
    assert [order[j] if j >= 0 else -1 for j in moved] == [parents[i] for i in order]


def test_no_nodes_and_one():
    assert maximum_branching(np.zeros((0, 0)), []) == []
    assert maximum_branching([[3.0]], [-1.0]) == [-1]


@pytest.mark.parametrize(
    ("weights", "alone", "words"),
    [
        (np.zeros((2, 3)), np.zeros(2), "shape"),
        (np.zeros((2, 2)), np.zeros(3), "shape"),
        (np.full((2, 2), np.nan), np.zeros(2), "nan"),
        (np.full((2, 2), np.inf), np.zeros(2), "inf"),
        (np.zeros((2, 2)), np.array([0.0, -np.inf]), "-inf"),
    ],
)
def test_wrong_values(weights, alone, words):
    with pytest.raises(ParameterError, match=words):
        maximum_branching(weights, alone)
