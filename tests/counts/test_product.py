"""The three products against a plain one, on sizes that cross their blocks."""

import numpy as np
import pytest

from plait.counts import encode
from plait.counts.product import _from_bits, _from_blas, _from_rows, joint_counts, joint_weights


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
        _from_bits(a, b),
        _from_bits(b, a).T,
        _from_rows(a.sparse(), b.sparse()),
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
        _from_rows(a.sparse(), b.sparse(), weights),
        joint_weights(a, b.sparse(), weights),
        joint_weights(a, b, weights),
    ):
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)
    whole = np.arange(n) % 5
    np.testing.assert_array_equal(joint_weights(a, b, whole), (A * whole[:, None]).astype(np.int64).T @ B)


def test_the_way_is_chosen_by_what_the_input_is(monkeypatch):
    chosen = []
    for name, real in (("_from_bits", _from_bits), ("_from_rows", _from_rows), ("_from_blas", _from_blas)):
        monkeypatch.setattr(
            f"plait.counts.product.{name}", lambda *args, name=name, real=real: (chosen.append(name), real(*args))[1]
        )

    def way(product, *arguments):
        chosen.clear()
        product(*arguments)
        return set(chosen)

    (A, B), (rare_a, rare_b) = (tuple(encode(M) for M in matrices(5000, density)) for density in (0.5, 0.002))
    halves = np.full(5000, 0.5)
    assert way(joint_counts, A, B) == {"_from_bits"}
    assert way(joint_counts, rare_a.sparse(), rare_b.sparse()) == {"_from_rows"}
    assert way(joint_weights, A, B, halves) == {"_from_blas"}
    assert way(joint_weights, A.sparse(), B, halves) == {"_from_rows"}


def test_bits_are_not_made_from_rows_where_they_would_fill_the_memory(monkeypatch):
    A, B = matrices(5000, 0.5)
    monkeypatch.setattr("plait.counts.product._MOST_BYTES", 100)
    monkeypatch.setattr("plait.counts.product._from_bits", None)
    np.testing.assert_array_equal(
        joint_counts(encode(A).sparse(), encode(B).sparse()), A.astype(np.int64).T @ B.astype(np.int64)
    )
