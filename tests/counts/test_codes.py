import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

from plait.counts import PackedCodes, SparseCodes, encode
from plait.counts.codes import packed_bits

matrices = hnp.arrays(
    np.int8, hnp.array_shapes(min_dims=2, max_dims=2, min_side=1, max_side=140), elements=st.integers(-2, 2)
)


def holds(codes, X):
    """The rows of each plane, from the matrix itself."""
    vocabulary = codes.vocabulary
    return [X[:, j] == v for j, v in zip(vocabulary.plane_columns, vocabulary.values, strict=True)]


@given(matrices)
@settings(max_examples=30)
def test_both_forms_mark_the_rows_of_each_symbol(X):
    packed, rows = encode(X), encode(sparse.csr_matrix(X))
    assert isinstance(packed, PackedCodes)
    assert isinstance(rows, SparseCodes)
    for plane, expected in enumerate(holds(packed, X)):
        np.testing.assert_array_equal(packed.words[plane], packed_bits(expected[None])[0])
        starts, listed = rows.by_plane
        np.testing.assert_array_equal(listed[starts[plane] : starts[plane + 1]], np.flatnonzero(expected))
        assert packed.totals[plane] == rows.totals[plane] == expected.sum()
    assert packed.nnz == rows.nnz == np.count_nonzero(X)


@given(matrices)
@settings(max_examples=30)
def test_the_forms_convert_into_each_other(X):
    packed, rows = encode(X), encode(sparse.csr_matrix(X))
    np.testing.assert_array_equal(packed.words, rows.packed().words)
    np.testing.assert_array_equal(packed.sparse().indices, rows.indices)
    np.testing.assert_array_equal(packed.sparse().indptr, rows.indptr)
    assert packed.packed() is packed
    assert rows.sparse() is rows


@given(matrices, st.data())
@settings(max_examples=30)
def test_columns_and_rows_can_be_cut(X, data):
    first = data.draw(st.integers(0, X.shape[1]))
    last = data.draw(st.integers(first, X.shape[1]))
    mask = np.array(data.draw(st.lists(st.booleans(), min_size=X.shape[0], max_size=X.shape[0])))
    for codes in (encode(X), encode(sparse.csr_matrix(X))):
        part = codes.columns(first, last)
        assert part.vocabulary == codes.vocabulary.part(first, last)
        np.testing.assert_array_equal(part.sparse().indices, encode(X[:, first:last]).sparse().indices)
        inside = codes.within(mask)
        assert inside.n_rows == X.shape[0]
        np.testing.assert_array_equal(inside.totals, [(rows & mask).sum() for rows in holds(codes, X)])


@pytest.mark.parametrize("n_rows", [1, 63, 64, 65, 128])
def test_no_more_words_than_rows_need(n_rows):
    values = np.random.default_rng(0).integers(0, 2, (n_rows, 3))
    values[0] = 1
    for X in (values, sparse.csr_matrix(values)):
        words = encode(X).packed().words
        assert words.shape == (3, -(-n_rows // 64))
        np.testing.assert_array_equal(words, packed_bits(values.T == 1))
