import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from plait.experiments.report.graph_levels import level_places


@st.composite
def graphs(draw):
    """Graphs whose parents have smaller numbers."""
    n_labels = draw(st.integers(0, 14))
    parents = [draw(st.sets(st.integers(0, k - 1), max_size=3)) if k else set() for k in range(n_labels)]
    return [sorted(group) for group in parents]


@given(graphs())
def test_parents_stand_left_of_children_and_no_two_labels_in_one_place(parents):
    columns, rows = level_places(parents)
    assert len(columns) == len(rows) == len(parents)
    for child, group in enumerate(parents):
        assert all(columns[parent] < columns[child] for parent in group)
    for a, b in itertools.combinations(range(len(parents)), 2):
        assert columns[a] != columns[b] or abs(rows[a] - rows[b]) >= 1 - 1e-2
    if parents:
        assert min(rows) == 0
        assert min(columns) == 0


@given(st.lists(st.integers(0, 1000), max_size=40))
def test_a_forest_has_no_crossings(draws):
    parents = [[] if k == 0 or draw % 5 == 0 else [draw % k] for k, draw in enumerate(draws)]
    columns, rows = level_places(parents)
    edges = [(group[0], child) for child, group in enumerate(parents) if group]
    for (a, b), (c, d) in itertools.combinations(edges, 2):
        if columns[a] == columns[c] and columns[b] == columns[d] and a != c:
            assert (rows[a] < rows[c]) == (rows[b] < rows[d])


def test_a_tree_of_a_thousand_labels_has_no_crossings():
    chance = np.random.default_rng(0)
    parents = [[] if k == 0 else [int(chance.integers(k))] for k in range(1000)]
    columns, rows = level_places(parents)
    assert all(columns[child] == columns[group[0]] + 1 for child, group in enumerate(parents) if group)
    for column in range(1, max(columns) + 1):
        children = sorted((label for label in range(1000) if columns[label] == column), key=lambda label: rows[label])
        heights = [rows[parents[child][0]] for child in children]
        assert heights == sorted(heights)
