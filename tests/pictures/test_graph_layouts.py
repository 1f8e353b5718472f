import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from plait.pictures import level_layout
from plait.structure import LabelGraph


@st.composite
def polytrees(draw, most=9):
    """Draw trees over labels with edges in any direction, some of them left out."""
    q = draw(st.integers(1, most))
    parents = [[] for _ in range(q)]
    for label in range(1, q):
        other = draw(st.integers(0, label - 1))
        if draw(st.integers(0, 4)):
            a, b = (label, other) if draw(st.booleans()) else (other, label)
            parents[b].append(a)
    return LabelGraph(parents)


def lines(layout, edges):
    """Return the straight parts of all edges: (column, rows from, to) and (row, columns from, to)."""
    rows, columns = layout.row_of, layout.columns
    for parent, child in edges:
        left, right = sorted((parent, child), key=lambda label: columns[label])
        yield left, right, columns[left], rows[left], columns[right], rows[right]


@given(polytrees())
def test_polytrees_have_parents_above_and_no_crossing_lines(graph):
    layout = graph._layout()
    rows, columns = layout.row_of, layout.columns
    assert sorted(layout.rows) == list(range(graph.n_labels))
    assert layout.style == "folders"
    for parent, child in graph.edges:
        assert rows[parent] < rows[child]
        assert abs(columns[parent] - columns[child]) == 1
    # Along a column between the rows of an edge's ends, nothing stands in that column or to its left.
    for left, right, column, row, _, end in lines(layout, graph.edges):
        between = layout.rows[min(row, end) + 1 : max(row, end)]
        assert all(columns[label] > column for label in between)
        assert left != right


@given(polytrees())
def test_columns_of_a_forest_are_its_levels(graph):
    if graph.is_forest:
        assert graph._layout().columns == graph.levels


def test_other_graphs_are_lists_in_their_order():
    graph = LabelGraph([[1, 2], [2], []])
    layout = graph._layout()
    assert layout.style == "arcs"
    assert layout.rows == (2, 1, 0)
    assert layout.columns == (0, 0, 0)
    assert layout.n_columns == 1


def test_deep_trees_and_no_labels():
    chain = LabelGraph([[], *([k] for k in range(4999))])
    assert chain._layout().columns == tuple(range(5000))
    assert LabelGraph([])._layout().n_columns == 1
    assert np.ptp(LabelGraph([[]] * 3)._layout().columns) == 0


# Levels from left to right.


def level_places(parents):
    layout = level_layout(parents)
    return layout.columns, layout.row_of


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
