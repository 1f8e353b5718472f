from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from plait.core.kernel_policy import using_kernels
from plait.core.sentences import ParameterError
from plait.counts import checked_weights, count_pairs, encode
from plait.counts.counting import (
    _from_bits,
    _from_blas,
    _from_rows,
    _from_sparse,
    _from_words,
    _gathered,
    joint_counts,
    joint_weights,
)


def counted_by_hand(a, b, weights=None):
    cells = Counter()
    for i, key in enumerate(zip(a.tolist(), b.tolist(), strict=True)):
        cells[key] += 1 if weights is None else weights[i]
    return cells


def as_cells(table, i, j):
    counts = table.table(i, j)
    x, y = table.x.symbols(i), table.y.symbols(j)
    return Counter({(x[a], y[b]): counts[a, b] for a, b in zip(*np.nonzero(counts), strict=True)})


def samples(seed, n=150, symbols=(-1, 0, 1, 2), density=0.5):
    rng = np.random.default_rng(seed)
    X = rng.choice(symbols, (n, 5)) * (rng.random((n, 5)) < density)
    Y = (rng.random((n, 3)) < 0.3).astype(np.uint8)
    return X, Y


@given(st.integers(0, 10**6), st.integers(0, 140))
@settings(max_examples=40)
def test_every_cell_is_right(seed, n):
    X, Y = samples(seed, n)
    table = count_pairs(X, Y)
    for i in range(X.shape[1]):
        for j in range(Y.shape[1]):
            assert as_cells(table, i, j) == counted_by_hand(X[:, i], Y[:, j])


@given(st.integers(0, 10**6), st.integers(0, 140), st.floats(0.01, 1.0))
@settings(max_examples=40)
def test_all_forms_of_input_give_the_same_table(seed, n, density):
    X, Y = samples(seed, n, density=density)
    table = count_pairs(X, Y)
    forms_x, forms_y = (
        (M, sparse.csr_matrix(M), sparse.csc_array(M), M.astype(float), encode(M).packed(), encode(M).sparse())
        for M in (X, Y)
    )
    for a in forms_x:
        for b in forms_y:
            assert count_pairs(a, b) == table


@given(st.integers(0, 10**6), st.lists(st.integers(0, 100), max_size=4))
@settings(max_examples=40)
def test_chunks_add_up_to_the_whole(seed, cuts):
    X, Y = samples(seed, 100, symbols=(0, 1, 2, 0.5, -3))
    ends = [0, *sorted(cuts), 100]
    parts = [slice(a, b) for a, b in pairwise(ends)]
    whole = count_pairs(X, Y)
    assert sum(count_pairs(X[p], Y[p]) for p in parts) == whole
    assert count_pairs((X[p], sparse.csr_matrix(Y[p])) for p in parts) == whole
    assert count_pairs(X) == count_pairs((X[p],) for p in parts)


@given(st.integers(0, 10**6))
@settings(max_examples=40)
def test_a_row_of_weight_two_is_the_row_twice(seed):
    X, Y = samples(seed, 60)
    weights = np.random.default_rng(seed).integers(0, 4, 60)
    twice = np.repeat(np.arange(60), weights)
    for a, b in ((X, Y), (sparse.csr_matrix(X), sparse.csr_matrix(Y))):
        assert count_pairs(a, b, weights=weights) == count_pairs(X[twice], Y[twice])
        assert count_pairs(a, b, weights=np.ones(60)) == count_pairs(X, Y)


@given(st.integers(0, 10**6))
@settings(max_examples=40)
def test_float_weights_are_summed_in_each_cell(seed):
    X, Y = samples(seed, 80)
    weights = np.random.default_rng(seed).random(80)
    for a, b in ((X, Y), (sparse.csr_matrix(X), sparse.csr_matrix(Y)), (X, sparse.csr_matrix(Y))):
        table = count_pairs(a, b, weights=weights)
        assert table.is_weighted
        cells = counted_by_hand(X[:, 1], Y[:, 2], weights)
        found = as_cells(table, 1, 2)
        for key in cells.keys() | {k for k, v in found.items() if v > 1e-12}:
            assert found[key] == pytest.approx(cells[key], rel=1e-12, abs=1e-12)
        parts = count_pairs(a[:30], b[:30], weights=weights[:30]) + count_pairs(a[30:], b[30:], weights=weights[30:])
        np.testing.assert_allclose(parts.joint, table.joint, rtol=1e-12, atol=0)


def test_a_memory_map_is_counted_in_blocks(tmp_path, monkeypatch):
    X, Y = samples(3, 1000)
    stored = np.memmap(tmp_path / "X.bin", dtype=np.int16, mode="w+", shape=X.shape)
    stored[:] = X
    monkeypatch.setattr("plait.counts.streams._ENTRIES", 500)
    weights = np.arange(1000) % 3
    for other in (Y, sparse.csr_matrix(Y)):
        assert count_pairs(stored, other) == count_pairs(encode(X), encode(Y))
        assert count_pairs(stored, other, weights=weights) == count_pairs(encode(X), encode(Y), weights=weights)
    assert count_pairs(stored) == count_pairs(encode(X))


def test_no_rows_and_no_columns_give_empty_tables():
    table = count_pairs(np.zeros((0, 3)), np.zeros((0, 2)))
    assert table.total == 0
    assert table.table(1, 1).sum() == 0
    assert count_pairs(np.zeros((4, 0)), np.zeros((4, 2))).joint.shape == (0, 2)
    assert count_pairs(sparse.csr_matrix((0, 3)), sparse.csr_matrix((0, 2))) == table


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((np.zeros((3, 1)), np.zeros((2, 1))), "same number of rows"),
        ((iter([]),), "at least one chunk"),
    ],
)
def test_what_cannot_be_counted_is_refused(arguments, words):
    with pytest.raises(ParameterError, match=words):
        count_pairs(*arguments)


def test_whole_numbers_become_integers_and_others_stay_floats():
    assert checked_weights([1.0, 2.0, 0.0], 3).dtype == np.int64
    assert checked_weights(np.array([True, False]), 2).tolist() == [1, 0]
    assert checked_weights([0.5, 1.0], 2).dtype == np.float64
    # Sums of these are no longer exact in floats, so that they are not taken for whole.
    assert checked_weights([2.0**53, 1.0], 2).dtype == np.float64


@pytest.mark.parametrize("weights", [[1.0], [1.0, -1.0, 1.0], [1.0, np.nan, 1.0], [[1.0], [1.0], [1.0]]])
def test_bad_weights_are_refused(weights):
    with pytest.raises(ParameterError, match="needs weights"):
        count_pairs(np.zeros((3, 1)), weights=weights)


def matrices(n, density):
    rng = np.random.default_rng(0)
    return ((rng.random((n, k)) < density).astype(np.uint8) for k in (9, 5))


@pytest.mark.parametrize("n", [1, 63, 64, 65, 5000, 33000, 70000])
@pytest.mark.parametrize("density", [0.01, 0.7])
def test_all_products_are_the_matrix_product(n, density):
    A, B = matrices(n, density)
    a, b = encode(A), encode(B)
    expected = A.astype(np.int64).T @ B
    for found in (
        _from_words(a, b),
        _from_words(b.sparse().packed(), a).T,
        _from_bits(a, b),
        _from_bits(b, a).T,
        _from_rows(a.sparse(), b.sparse()),
        _gathered(a.sparse(), b.sparse()),
        _gathered(b.sparse(), a.sparse()).T,
        _from_rows(b.sparse(), a.sparse()).T,
        joint_counts(a.sparse(), b),
        joint_counts(a, b.sparse()),
    ):
        np.testing.assert_array_equal(found, expected)
    itself = A.astype(np.int64).T @ A
    np.testing.assert_array_equal(_from_bits(a, a), itself)
    np.testing.assert_array_equal(joint_counts(a.sparse(), a.sparse()), itself)


@pytest.mark.parametrize("n", [1, 4096, 9000])
def test_weighted_products(n):
    A, B = matrices(n, 0.4)
    a, b = encode(A), encode(B)
    weights = np.random.default_rng(1).random(n)
    expected = (A * weights[:, None]).T @ B
    for found in (
        _from_blas(a.sparse(), b.sparse(), weights),
        joint_weights(a.sparse(), b.sparse(), weights),
        joint_weights(a, b.sparse(), weights),
        joint_weights(a, b, weights),
    ):
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)
    whole = np.arange(n) % 5
    np.testing.assert_array_equal(joint_weights(a, b, whole), (A * whole[:, None]).astype(np.int64).T @ B)


def test_the_way_is_chosen_by_what_the_input_is(monkeypatch, kernels):
    chosen = []
    ways = (_from_words, _from_bits, _from_rows, _gathered, _from_blas, _from_sparse)
    for name, real in ((way.__name__, way) for way in ways):
        monkeypatch.setattr(
            f"plait.counts.counting.{name}", lambda *args, name=name, real=real: (chosen.append(name), real(*args))[1]
        )

    def way(product, *arguments):
        chosen.clear()
        product(*arguments)
        return set(chosen)

    (A, B), (rare_a, rare_b) = (tuple(encode(M) for M in matrices(5000, density)) for density in (0.5, 0.002))
    halves = np.full(5000, 0.5)
    plain = kernels == "never"
    assert way(joint_counts, A, B) == {"_from_words" if plain else "_from_bits"}
    assert way(joint_counts, A.sparse(), B.sparse()) == {"_from_words" if plain else "_gathered"}
    assert way(joint_counts, rare_a.sparse(), rare_b.sparse()) == {"_from_words" if plain else "_from_rows"}
    assert way(joint_weights, A, B, halves) == {"_from_blas"}
    assert way(joint_weights, A.sparse(), B, halves) == {"_from_sparse"}
    with using_kernels("auto"):
        assert way(joint_counts, A, B) == {"_from_words"}
        assert way(joint_counts, *(encode(M) for M in matrices(200_000, 0.5))) == {"_from_bits"}


def test_bits_are_not_made_from_rows_where_they_would_fill_the_memory(monkeypatch):
    A, B = matrices(5000, 0.5)
    monkeypatch.setattr("plait.counts.counting._MOST_BYTES", 100)
    monkeypatch.setattr("plait.counts.counting._from_bits", None)
    np.testing.assert_array_equal(
        joint_counts(encode(A).sparse(), encode(B).sparse()), A.astype(np.int64).T @ B.astype(np.int64)
    )


@pytest.mark.parametrize("wrong", [-1.0, np.nan, np.inf])
def test_a_single_wrong_weight_is_named(wrong):
    with pytest.raises(ParameterError, match=f"finite and not negative, but one is {wrong}"):
        checked_weights([0.0, 0.5, wrong, 2.0], 4)
