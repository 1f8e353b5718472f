import numpy as np
import pytest
from scipy import sparse

from plait.core.sentences import ParameterError
from plait.counts import encode
from plait.features.number_matrix import as_numbers, column_bounds


def test_sparse_numbers_are_summed_and_the_callers_matrix_stays():
    rows, columns, values = [0, 0, 1, 1], [0, 0, 1, 1], [1, 2, 5, -5]
    given = sparse.csr_matrix(sparse.coo_matrix((values, (rows, columns)), shape=(2, 3)))
    given = sparse.csr_matrix((np.array([1, 2, 0]), np.array([0, 0, 1]), np.array([0, 2, 3])), shape=(2, 3))
    numbers = as_numbers("S", given)
    assert numbers.dtype == np.float64
    assert numbers.nnz == 1
    assert numbers.toarray().tolist() == [[3, 0, 0], [0, 0, 0]]
    assert given.data.tolist() == [1, 2, 0]


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
def test_bounds_see_zeros(form):
    X = np.array([[1.0, -2.0, 0.0], [3.0, 0.0, 0.0]])
    low, high = column_bounds(form(X))
    assert low.tolist() == [1, -2, 0]
    assert high.tolist() == [3, 0, 0]


def test_codes_are_refused():
    with pytest.raises(ParameterError, match="S needs X to hold numbers, but it is PackedCodes"):
        as_numbers("S", encode(np.eye(2)))
