"""Counts by row and by label, of dense and sparse labels, against plain sums."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse

from plait.losses.overlap import label_overlap, row_overlap
from plait.metrics.inputs import label_pair


def wide(table):
    """Return CSR with 64-bit column numbers, as very large matrices have."""
    matrix = sparse.csr_matrix(table)
    matrix.indices, matrix.indptr = matrix.indices.astype(np.int64), matrix.indptr.astype(np.int64)
    return matrix


FORMS = {
    "dense": (np.asarray, np.asarray),
    "sparse": (sparse.csr_matrix, sparse.csr_matrix),
    "mixed": (np.asarray, sparse.csr_matrix),
    "wide": (wide, wide),
    "wide and narrow": (wide, sparse.csr_matrix),
}


@pytest.mark.parametrize("forms", FORMS.values(), ids=FORMS.keys())
@given(data=st.data())
def test_counts_equal_plain_sums(forms, data):
    shape = data.draw(st.tuples(st.integers(1, 6), st.integers(1, 9)))
    Y, H = (data.draw(arrays(np.uint8, shape, elements=st.integers(0, 1))) for _ in range(2))
    for axis, overlap in ((1, row_overlap), (0, label_overlap)):
        result = overlap(*label_pair("metric", forms[0](Y), forms[1](H)))
        np.testing.assert_array_equal(result.both, (Y & H).sum(axis=axis))
        np.testing.assert_array_equal(result.true, Y.sum(axis=axis))
        np.testing.assert_array_equal(result.predicted, H.sum(axis=axis))
        assert result.n_labels == shape[1]
        assert result.both.dtype == np.float64


def test_more_labels_than_a_byte_can_count():
    ones = np.ones((300, 700), dtype=np.uint8)
    for form in (np.asarray, sparse.csr_matrix):
        assert set(row_overlap(form(ones), form(ones)).both) == {700}
        assert set(label_overlap(form(ones), form(ones)).both) == {300}
