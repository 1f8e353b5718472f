import numpy as np
import pytest
from scipy import sparse

from plait.counts.discretizers.cut_table import CutTable


def table(n_cuts=3):
    cuts = np.arange(n_cuts, dtype=float)
    columns = np.repeat([1, 0], [n_cuts, 2])
    return CutTable.build(columns, np.concatenate((cuts, [7.0, 0.0])), np.array([0, 1]), np.array([True, False]))


@pytest.mark.parametrize("n_cuts", [3, 8, 9, 40])
def test_codes_count_the_cuts_at_or_below(n_cuts):
    coded = table(n_cuts)
    values = np.array([-0.5, 0.0, 0.5, 1.0, n_cuts - 1.0, 99.0, np.nan])
    X = np.column_stack((np.array([0, 7, 3, np.nan, 7, 0, -1.0]), values))
    expected = [int(np.sum(np.arange(n_cuts) <= v)) - 1 for v in values[:-1]]
    found = coded.dense(X)
    assert found[:, 1].tolist() == [*expected, n_cuts]
    # An exact column: 0, its only value 7, then missing, then never seen.
    assert found[:, 0].tolist() == [0, 1, 3, 2, 1, 0, 3]
    assert coded.zero_codes.tolist() == [0, 0]
    np.testing.assert_array_equal(coded.sparse(sparse.csr_matrix(X)).toarray(), found)


def test_the_type_is_the_smallest_that_holds_all_codes():
    assert table(3).dtype == np.int8
    assert table(100).dtype == np.int8
    assert table(200).dtype == np.int16
    X = np.array([[0.0, 500.0]])
    assert table(200).dense(X)[0, 1] == 199


def test_sparse_kinds_are_kept():
    X = np.array([[7.0, 2.0], [0.0, 0.0]])
    assert isinstance(table().sparse(sparse.csr_array(X)), sparse.csr_array)
    assert isinstance(table().sparse(sparse.csr_matrix(X)), sparse.csr_matrix)
