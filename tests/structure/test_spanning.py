from itertools import combinations

import networkx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plait.structure import maximum_spanning_forest
from plait.structure.spanning import components, directed_outward, neighbours


def symmetric(values, n):
    weights = np.zeros((n, n))
    weights[np.triu_indices(n, 1)] = values
    return weights + weights.T


WHOLE = st.integers(0, 3)


@st.composite
def weightings(draw, most=6, values=WHOLE):
    n = draw(st.integers(1, most))
    return symmetric(draw(st.lists(values, min_size=n * (n - 1) // 2, max_size=n * (n - 1) // 2)), n)


def best_spanning_tree(weights):
    """Return the greatest total over all spanning trees, one by one; edges of weight 0 cost nothing."""
    n = weights.shape[0]
    best = -np.inf
    for edges in combinations(list(combinations(range(n), 2)), n - 1):
        graph = networkx.Graph(list(edges))
        graph.add_nodes_from(range(n))
        if networkx.is_connected(graph):
            best = max(best, sum(weights[a, b] for a, b in edges))
    return best


@settings(max_examples=40, deadline=None)
@given(weightings(most=5))
def test_no_spanning_tree_is_heavier_with_ties(weights):
    assert sum(weights[a, b] for a, b in maximum_spanning_forest(weights)) == best_spanning_tree(weights)


def test_no_spanning_tree_of_six_is_heavier():
    weights = symmetric(np.random.default_rng(1).random(15), 6)
    total = sum(weights[a, b] for a, b in maximum_spanning_forest(weights))
    assert total == pytest.approx(best_spanning_tree(weights), rel=1e-12)


def kruskal(weights):
    """Take edges by falling weight, then by their ends, unless they close a ring; weight 0 is no edge."""
    n = weights.shape[0]
    part = list(range(n))
    kept = []
    for a, b in sorted(combinations(range(n), 2), key=lambda edge: (-weights[edge], edge)):
        if weights[a, b] > 0 and part[a] != part[b]:
            kept.append((a, b))
            part = [part[a] if p == part[b] else p for p in part]
    return sorted(kept)


@given(weightings(most=12))
def test_ties_are_decided_as_by_kruskal(weights):
    assert maximum_spanning_forest(weights) == kruskal(weights)


@given(weightings(most=9))
def test_parts_and_directions(weights):
    n = weights.shape[0]
    edges = maximum_spanning_forest(weights)
    parts = components(n, edges)
    graph = networkx.Graph(edges)
    graph.add_nodes_from(range(n))
    assert parts == sorted(sorted(part) for part in networkx.connected_components(graph))
    assert neighbours(n, edges) == [sorted(graph[k]) for k in range(n)]
    roots = [part[-1] for part in parts]
    parents = directed_outward(n, edges, roots)
    assert [k for k in range(n) if parents[k] < 0] == sorted(roots)
    assert sorted((min(k, p), max(k, p)) for k, p in enumerate(parents) if p >= 0) == edges


def test_no_nodes():
    assert maximum_spanning_forest(np.zeros((0, 0))) == []
    assert components(0, []) == []
