import numpy as np
from hypothesis import given
from hypothesis import strategies as st

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
    assert not layout.arcs
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
    assert layout.arcs
    assert layout.rows == (2, 1, 0)
    assert layout.columns == (0, 0, 0)
    assert layout.n_columns == 1


def test_deep_trees_and_no_labels():
    chain = LabelGraph([[], *([k] for k in range(4999))])
    assert chain._layout().columns == tuple(range(5000))
    assert LabelGraph([])._layout().n_columns == 1
    assert np.ptp(LabelGraph([[]] * 3)._layout().columns) == 0
