import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

from plait.data.label_sets import label_pattern

SHAPES = st.tuples(st.integers(0, 6), st.integers(0, 5))


@given(hnp.arrays(np.int8, SHAPES, elements=st.integers(0, 1)))
def test_dense_and_sparse_give_the_same_sorted_ones(Y):
    dense, from_sparse = label_pattern(Y), label_pattern(sparse.csc_matrix(Y))
    assert dense.shape == from_sparse.shape == Y.shape
    np.testing.assert_array_equal(dense.toarray(), Y)
    np.testing.assert_array_equal(dense.indptr, from_sparse.indptr)
    np.testing.assert_array_equal(dense.indices, from_sparse.indices)


def test_doubled_and_stored_zero_entries_and_wrong_order():
    twice = sparse.csr_matrix((np.ones(4), [2, 0, 0, 1], [0, 3, 4]), shape=(2, 3))
    zero = sparse.csr_matrix((np.array([1.0, 0.0]), [1, 0], [0, 2, 2]), shape=(2, 3))
    assert label_pattern(twice).indices.tolist() == [0, 2, 1]
    assert label_pattern(twice).data.tolist() == [1, 1, 1]
    assert label_pattern(zero).indices.tolist() == [1]
    assert zero.nnz == 2  # what came in is left alone


@pytest.mark.parametrize("kind", [bool, np.uint8, np.float32])
def test_any_kind_of_number(kind):
    assert label_pattern(np.array([[0, 1], [1, 1]], dtype=kind)).indices.tolist() == [1, 0, 1]
