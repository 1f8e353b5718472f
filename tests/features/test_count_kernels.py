"""Counting kernels against plain loops over a dense matrix of planes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from plait.features._count_kernels import (
    count_by_bits,
    count_by_common_rows,
    count_by_rows,
    gather_label,
    joined_rows,
)

planes = st.builds(
    lambda n, p, share, seed: (np.random.default_rng(seed).random((n, p)) < share).astype(np.int64),
    st.integers(1, 200),
    st.integers(1, 9),
    st.sampled_from([0.05, 0.5, 0.95]),
    st.integers(0, 2**32 - 1),
)


def rows_of(dense):
    rows = sparse.csr_array(dense)
    return rows.indptr.astype(np.int64), rows.indices.astype(np.uint32)


def bits_of(dense):
    words = np.zeros(((len(dense) + 63) // 64, dense.shape[1]), dtype=np.uint64)
    for i, p in np.argwhere(dense):
        words[i // 64, p] |= np.uint64(1) << np.uint64(i % 64)
    return words


@given(planes)
def test_counts_of_one_plane(dense):
    indptr, indices = rows_of(dense)
    for plane in range(dense.shape[1]):
        expected = dense.T @ dense[:, plane]
        line = np.full(dense.shape[1], 7, dtype=np.uint32)
        count_by_bits(plane, bits_of(dense), line)
        np.testing.assert_array_equal(line, expected)
        count_by_bits(plane, bits_of(dense), line[:1])
        assert line[0] == expected[0]
        line[:] = 7
        count_by_rows(np.flatnonzero(dense[:, plane]).astype(np.uint32), indptr, indices, line)
        np.testing.assert_array_equal(line, expected)


@given(planes, st.integers(0, 2**32 - 1))
def test_counts_in_common_rows(dense, seed):
    some = np.flatnonzero(np.random.default_rng(seed).random(len(dense)) < 0.4).astype(np.uint32)
    for plane in range(dense.shape[1]):
        line = np.full(dense.shape[1], 7, dtype=np.uint32)
        rows = np.flatnonzero(dense[:, plane]).astype(np.uint32)
        count_by_common_rows(rows, some, *rows_of(dense), line)
        np.testing.assert_array_equal(line, dense[some].T @ dense[some, plane])


@pytest.mark.parametrize("with_bits", [True, False])
@given(planes, st.integers(0, 2**32 - 1))
def test_rows_of_a_label(with_bits, dense, seed):
    some = np.flatnonzero(np.random.default_rng(seed).random(len(dense)) < 0.4).astype(np.uint32)
    words = np.zeros(((some.size + 63) // 64 * with_bits, dense.shape[1]), dtype=np.uint64)
    margins = np.zeros((2, dense.shape[1]), dtype=np.uint32)
    totals = dense.sum(axis=0).astype(np.uint32)
    gather_label(some, *rows_of(dense), totals, words, margins)
    np.testing.assert_array_equal(margins[0], dense[some].sum(axis=0))
    np.testing.assert_array_equal(margins.sum(axis=0), totals)
    if with_bits:
        np.testing.assert_array_equal(words, bits_of(dense[some]))


@given(planes, st.integers(0, 3), st.integers(0, 2**32 - 1))
def test_rows_are_renumbered_and_joined(dense, n_more, seed):
    rng = np.random.default_rng(seed)
    places = rng.permutation(dense.shape[1]).astype(np.uint32)
    more = rng.integers(0, 2, size=(len(dense), n_more))
    indptr = np.zeros(len(dense) + 1, dtype=np.int64)
    indices = np.empty(dense.sum() + more.sum(), dtype=np.uint32)
    joined_rows(*rows_of(dense), places, *rows_of(more), indptr, indices)
    joined = np.zeros((len(dense), dense.shape[1] + n_more), dtype=np.int64)
    for i in range(len(dense)):
        joined[i, indices[indptr[i] : indptr[i + 1]]] += 1
    expected = np.empty_like(joined)
    expected[:, places] = dense
    expected[:, dense.shape[1] :] = more
    np.testing.assert_array_equal(joined, expected)
