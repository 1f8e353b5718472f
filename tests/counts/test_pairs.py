import numpy as np
import pytest

from plait.counts import count_columns, count_pairs


def test_tables_of_other_columns_are_not_added():
    X = np.eye(3)
    with pytest.raises(ValueError, match="same columns"):
        count_pairs(X) + count_pairs(X[:, :2])
    with pytest.raises(TypeError):
        count_pairs(X) + 1


def test_tables_differ_where_anything_differs():
    X = np.array([[0, 1], [1, 2], [1, 0]])
    table = count_pairs(X)
    assert table == count_pairs(X.copy())
    for other in (X[:2], X + 1, X[:, :1], X[:, ::-1]):
        assert table != count_pairs(other)
    assert table != count_pairs(X, weights=[0.5, 0.5, 0.5])
    assert table != "table"


def test_symbols_seen_in_one_part_only_are_added():
    first, second = np.array([[0], [5]]), np.array([[-1], [5]])
    total = count_pairs(first) + count_pairs(second)
    assert total.x.symbols(0).tolist() == [0, -1, 5]
    assert total.table(0, 0).tolist() == [[1, 0, 0], [0, 1, 0], [0, 0, 2]]


def test_a_column_of_zeros_keeps_an_empty_symbol():
    zeros = count_pairs(np.zeros((2, 1)))
    assert zeros.x.symbols(0).tolist() == [0, 1]
    assert (zeros + count_pairs(np.full((1, 1), 7.0))).x.symbols(0).tolist() == [0, 7]


def test_columns_alone():
    X = np.array([[0, 2], [1, 2], [1, 0]])
    table = count_columns(X)
    assert table.x_counts.tolist() == [2, 2]
    assert table.joint.shape == (2, 0)
    assert count_columns(iter([(X[:1],), (X[1:],)])) == table
