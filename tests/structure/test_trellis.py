import numpy as np
import pytest

from plait.structure import FullChain, Trellis


def build(structure, q):
    return structure.build(np.zeros((1, 1)), np.zeros((1, q)))


@pytest.mark.parametrize("q", [1, 2, 3, 7, 9, 10])
@pytest.mark.parametrize("width", [None, 1, 2, 3, 10, 50])
def test_parents_are_the_neighbours_to_the_left_and_above(q, width):
    order = list(range(q))[::-1]
    graph = build(Trellis(width, order), q)
    used = width or int(np.ceil(np.sqrt(q)))
    cells = {label: divmod(place, used) for place, label in enumerate(order)}
    for label, (row, column) in cells.items():
        beside = {other for other, cell in cells.items() if cell in ((row, column - 1), (row - 1, column))}
        assert set(graph.parents[label]) == beside
    assert list(graph.order) == order


def test_the_widest_and_the_narrowest_are_chains_of_single_parents():
    for width in (1, 6):
        assert build(Trellis(width), 6).parents == ((), (0,), (1,), (2,), (3,), (4,))
    assert build(Trellis(2), 2) == build(FullChain(), 2)
