"""Counting kernels against plain loops over a dense matrix of planes."""

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

from plait.counts import encode
from plait.features.engine._count_kernels import (
    add_pair_symbol,
    add_pairs_binary,
    count_by_bits,
    count_by_common_rows,
    count_by_rows,
    count_within,
    gather_label,
    joined_rows,
    pairs_within,
)
from plait.features.engine.column_pairs import ColumnPairs, every_count
from plait.features.engine.label_triples import LabelSums, LabelTriples, column_blocks, summed_relevance
from plait.information import logs_of

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


TOLERANCE = 1e-12


def codes(n_symbols):
    shape = st.tuples(st.integers(1, 12), st.integers(1, 4))
    return shape.flatmap(lambda s: hnp.arrays(np.int8, s, elements=st.integers(0, n_symbols - 1)))


def content(*columns):
    return sum(n * math.log2(n) for n in Counter(zip(*columns, strict=True)).values())


@given(codes(3), st.data())
def test_counts_in_some_rows(X, data):
    code = encode(X).sparse()
    planes = [(j, v) for j in range(X.shape[1]) for v in code.vocabulary.symbols(j)[1:]]
    rows = data.draw(st.lists(st.integers(0, len(X) - 1), unique=True))
    some = X[rows]
    counts = np.zeros(len(planes), dtype=np.uint32)
    cells = np.zeros((len(planes), len(planes)), dtype=np.uint32)
    count_within(np.array(rows, dtype=np.uint32), code.indptr, code.indices, counts)
    pairs_within(np.array(rows, dtype=np.uint32), code.indptr, code.indices, code.indptr, code.indices, cells)
    for a, (i, v) in enumerate(planes):
        assert counts[a] == (some[:, i] == v).sum()
        for b, (j, w) in enumerate(planes):
            assert cells[a, b] == ((some[:, i] == v) & (some[:, j] == w)).sum()


@given(codes(2))
def test_cells_of_two_symbols_are_those_of_any_number(X):
    code, n = encode(X), len(X)
    table, bits = every_count(n)
    s = X[:, -1] == 1
    joint, n_s = (X[s] == 1).sum(axis=0).astype(np.uint32), int(s.sum())
    two, many = np.zeros(X.shape[1], dtype=np.int64), np.zeros(X.shape[1], dtype=np.int64)
    add_pairs_binary(joint, n_s, code.totals, n, table, two)
    left = code.totals.copy()
    add_pair_symbol(joint, code.vocabulary.offsets, n_s, table, left, many)
    np.testing.assert_array_equal(left, (X[~s] == 1).sum(axis=0))
    add_pair_symbol(left, code.vocabulary.offsets, n - n_s, table, left, many)
    np.testing.assert_array_equal(two, many)
    expected = [content(column, X[:, -1].tolist()) / n for column in X.T.tolist()]
    np.testing.assert_allclose(two * bits, expected, rtol=0, atol=TOLERANCE)


@given(codes(4))
def test_shared_with_one_column(X):
    n, columns = len(X), X.T.tolist()
    for code in (encode(X).sparse(), encode(X).packed()):
        pairs = ColumnPairs(code)
        for s in range(X.shape[1]):
            expected = [
                (content(f, columns[s]) - content(f) - content(columns[s]) + n * math.log2(n)) / n for f in columns
            ]
            found = pairs.shared_with(s)
            np.testing.assert_allclose(found * pairs.bits, expected, rtol=0, atol=TOLERANCE)
            assert found[s] == pairs.entropies[s]


@given(codes(4), st.data())
def test_label_sums(X, data):
    """Relevance, and relevance with a feature or a label known."""
    n, q = len(X), data.draw(st.integers(1, 3))
    Y = data.draw(hnp.arrays(np.uint8, (n, q), elements=st.integers(0, 1)))
    columns, labels = X.T.tolist(), Y.T.tolist()

    def known(f, s, behind):
        terms = (content(f, s, y) - content(f, s) - content(y, s) + content(s) for y in labels[behind:])
        return sum(terms) / n

    for x, y in ((encode(X).sparse(), encode(Y).sparse()), (encode(X).packed(), encode(Y).packed())):
        triples, nothing = LabelTriples(x, y), [0] * n
        expected = [known(f, nothing, 0) for f in columns]
        np.testing.assert_allclose(summed_relevance(x, y), expected, rtol=0, atol=TOLERANCE)
        for s in range(X.shape[1]):
            expected = [known(f, columns[s], 0) for f in columns]
            np.testing.assert_allclose(triples.given_feature(s), expected, rtol=0, atol=TOLERANCE)
        for label in range(q - 1):
            expected = [known(f, labels[label], label + 1) for f in columns]
            np.testing.assert_allclose(triples.given_label(label), expected, rtol=0, atol=TOLERANCE)


@pytest.mark.parametrize("n", [2, 3, 64, 100])
def test_sums_over_very_many_labels_do_not_overflow(n):
    """Each of 3000 copies of a balanced feature adds a bit, in units far beyond 64 bits."""
    X = (np.arange(n) % 2).reshape(-1, 1)
    Y = np.repeat(X, 3000, axis=1).astype(np.uint8)
    entropy = (n * math.log2(n) - content(X[:, 0])) / n
    assert summed_relevance(encode(X), encode(Y))[0] == pytest.approx(3000 * entropy, rel=1e-12)
    still = np.column_stack([X, np.arange(n) < n // 2])
    expected = LabelTriples(encode(still), encode(Y[:, :1])).given_feature(1)
    found = LabelTriples(encode(still), encode(Y)).given_feature(1)
    np.testing.assert_allclose(found, 3000 * expected, rtol=1e-12)


def test_sums_start_at_a_label():
    X, Y = np.array([[0], [1], [1], [0]]), np.array([[0, 1], [1, 1], [1, 0], [0, 1]], dtype=np.uint32)
    for first in range(3):
        sums = LabelSums(encode(X).vocabulary, 2, 4, first)
        sums.add((X.T @ Y).astype(np.uint32), X.sum(axis=0), Y.sum(axis=0), 4)
        expected = summed_relevance(encode(X), encode(Y[:, first:])) if first < 2 else [0.0]
        np.testing.assert_array_equal(sums.bits(), expected)


@given(codes(4), st.integers(1, 5), st.integers(1, 5), st.integers(1, 40))
def test_blocks_cover_all_columns_once(X, n_labels, n_parts, most):
    vocabulary = encode(X).vocabulary
    blocks = list(column_blocks(vocabulary, n_labels, n_parts, most))
    assert [j for first, last in blocks for j in range(first, last)] == list(range(X.shape[1]))
    for first, last in blocks:
        n_cells = (vocabulary.offsets[last] - vocabulary.offsets[first]) * n_labels
        assert n_cells <= most or last == first + 1


def test_table_of_every_count_beyond_the_short_table():
    n = (1 << 22) + 3
    table, bits = every_count(n)
    logs = logs_of(n)
    assert table.size == n + 1 > logs.table.size
    np.testing.assert_array_equal(table[: logs.table.size], logs.table)
    assert table[n] == logs.whole
    assert bits == logs.bits
