import numpy as np
import pytest

from plait.core.sentences import ParameterError
from plait.structure import LabelGraph, UserGraph

X, Y, NAMES = np.zeros((2, 1)), np.array([[0, 1, 0], [1, 1, 0]]), ["sea", "sun", "sand"]


def test_numbers_and_names_and_graphs():
    expected = LabelGraph([[], [], [0, 1]])
    for edges in ([(0, 2), (1, 2)], [("sea", "sand"), (1, "sand")], np.array([[0, 2], [1, 2]]), expected):
        assert UserGraph(edges).build(X, Y, label_names=NAMES) == expected


@pytest.mark.parametrize(
    ("edges", "names", "words"),
    [
        ([("see", "sand")], NAMES, "'see' is not one of the 3 labels. Did you mean 'sea'"),
        ([("zzz", "sand")], NAMES, "Did you mean 'sea' or 'sun' or 'sand'"),
        ([("sea", "sand")], None, "needs label names"),
        ([(0, 3)], NAMES, "labels from 0 to 2, but it holds 3"),
        ([(0, 1.5)], NAMES, "holds 1.5"),
        ([(0, True)], NAMES, "holds True"),
        ([(0, 1, 2)], NAMES, r"a pair \(parent, child\), but one is \(0, 1, 2\)"),
        (["sea"], NAMES, r"a pair \(parent, child\), but one is 'sea'"),
        ([7], NAMES, "a pair"),
        ([("sea", "sun"), ("sun", "sea")], NAMES, "acyclic"),
        ([(0, 1), (0, 1)], NAMES, "each parent once"),
        ([("a", "b")], ["a", "b", "b"], "2 labels are called 'b'"),
        (LabelGraph([[], []]), NAMES, "a graph over 3 labels"),
    ],
)
def test_wrong_edges(edges, names, words):
    with pytest.raises(ParameterError, match=words):
        UserGraph(edges).build(X, Y, label_names=names)
