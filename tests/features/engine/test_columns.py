import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

from plait.core.sentences import ParameterError
from plait.counts import encode
from plait.features.engine.columns import as_numbers, column_bounds, varying

matrices = st.tuples(st.integers(1, 5), st.integers(1, 6)).flatmap(
    lambda shape: hnp.arrays(np.float64, shape, elements=st.sampled_from([0.0, 1.0, -2.0, np.nan]))
)


@given(matrices)
def test_what_varies_stays_as_it_was(X):
    expected = [j for j in range(X.shape[1]) if np.unique(X[:, j]).size > 1]
    for codes in (encode(X).packed(), encode(X).sparse(), encode(sparse.csr_matrix(X))):
        kept, columns = varying(codes)
        assert columns.tolist() == expected
        alone = encode(X[:, expected])
        assert kept.vocabulary == alone.vocabulary
        assert kept.n_rows == len(X)
        np.testing.assert_array_equal(kept.packed().words, alone.packed().words)
        assert type(kept) is type(codes)


def test_nothing_to_leave_out():
    codes = encode([[0, 1], [1, 0]])
    assert varying(codes)[0] is codes


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
