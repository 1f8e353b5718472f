import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

from plait.core.sentences import ParameterError
from plait.counts import PackedCodes, SparseCodes, encode

VALUES = st.sampled_from([0.0, 1.0, 2.0, -1.0, 0.5, np.nan, 40000.0])


def decoded(codes):
    """Rebuild the matrix from its planes, entry by entry."""
    X = np.zeros((codes.n_rows, codes.vocabulary.n_columns))
    rows = codes.sparse()
    for i in range(codes.n_rows):
        for plane in rows.indices[rows.indptr[i] : rows.indptr[i + 1]]:
            X[i, codes.vocabulary.plane_columns[plane]] = codes.vocabulary.values[plane]
    return X


def matrices(elements, dtype=np.float64):
    return hnp.arrays(dtype, hnp.array_shapes(min_dims=2, max_dims=2, min_side=0, max_side=70), elements=elements)


@given(matrices(VALUES))
def test_planes_hold_the_matrix_and_sparse_equals_dense(X):
    dense, by_rows = encode(X), encode(sparse.csr_matrix(X))
    np.testing.assert_array_equal(decoded(dense), X)
    np.testing.assert_array_equal(decoded(by_rows), X)
    assert dense.vocabulary == by_rows.vocabulary
    np.testing.assert_array_equal(dense.totals, by_rows.totals)


@pytest.mark.parametrize("dtype", [np.bool_, np.uint8, np.int64, np.float32, np.float64])
def test_two_valued_columns_have_one_plane_each_whatever_the_type(dtype):
    X = np.array([[0, 1, 0], [1, 1, 0], [0, 1, 0]], dtype=dtype)
    for codes in (encode(X), encode(sparse.csr_matrix(X)), encode(np.asfortranarray(X))):
        assert codes.vocabulary.one_plane_each
        np.testing.assert_array_equal(codes.totals, [1, 3, 0])


def test_explicit_zeros_and_repeated_entries_of_a_sparse_matrix_do_not_count():
    X = sparse.csr_matrix((np.array([1.0, 0.0, 1.0, 1.0]), np.array([0, 1, 2, 2]), np.array([0, 2, 4])), shape=(2, 3))
    np.testing.assert_array_equal(decoded(encode(X)), [[1, 0, 0], [0, 0, 2]])


def test_few_symbols_are_packed_and_many_are_kept_by_row():
    assert isinstance(encode(np.eye(3)), PackedCodes)
    X = np.arange(400.0).reshape(200, 2) + 0.5
    assert isinstance(encode(X), SparseCodes)
    assert encode(X).vocabulary.n_planes == 400
    assert isinstance(encode(np.arange(400).reshape(200, 2)), SparseCodes)


@pytest.mark.parametrize("X", [np.zeros(3), np.array([["a"]]), np.zeros((2, 2, 2))])
def test_what_is_no_matrix_of_numbers_is_refused(X):
    with pytest.raises(ParameterError, match="two-dimensional matrix of numbers"):
        encode(X)


def test_integers_that_floats_cannot_tell_apart_are_refused():
    with pytest.raises(ParameterError, match="2\\*\\*53"):
        encode(np.array([[2**60], [2**60 + 1]]))
