"""Columns of one label and the values of its parents side by side."""

import numpy as np
import pytest
from scipy import sparse

from plait.learners.label_inputs import own_features, read_only, with_parents

X = np.array([[1.0, 0.0, 3.0], [0.0, 5.0, 0.0]])
VALUES = np.array([[1, 0], [0, 1]], dtype=np.uint8)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix, sparse.csr_array])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_form_and_type_stay(form, dtype):
    matrix = form(X.astype(dtype))
    joined = with_parents(own_features(matrix, np.array([2, 0])), VALUES)
    assert type(joined) is type(matrix)
    assert joined.dtype == dtype
    dense = joined.toarray() if sparse.issparse(joined) else joined
    np.testing.assert_array_equal(dense, [[3, 1, 1, 0], [0, 0, 0, 1]])
    if sparse.issparse(joined):
        assert joined.format == "csr"
        assert joined.nnz == 4


def test_nothing_is_copied_without_need():
    assert own_features(X, None) is X
    assert with_parents(X, VALUES[:, :0]) is X


def test_parents_alone():
    joined = with_parents(own_features(X, np.array([], dtype=np.int64)), VALUES)
    np.testing.assert_array_equal(joined, VALUES)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix, sparse.csr_array])
def test_read_only_protects_without_a_copy(form):
    matrix = form(X.copy())
    same = read_only(matrix)
    assert type(same) is type(matrix)
    values, kept = (m.data if sparse.issparse(m) else m for m in (matrix, same))
    assert np.shares_memory(values, kept)
    with pytest.raises(ValueError, match="read-only"):
        kept *= 2
    values *= 2
    np.testing.assert_array_equal(same @ np.eye(3), 2 * X)
