"""Products of sparse and dense matrices with panels, against NumPy."""

import numpy as np
import pytest
from scipy import sparse

from plait.learners._dense_products import (
    dense_backward,
    dense_backward_eights,
    dense_curvature,
    dense_forward,
    dense_forward_pairs,
)
from plait.learners._lanes import LANES
from plait.learners._panel_products import curvature_rows, sparse_backward, sparse_curvature, sparse_forward


def panels(n_rows, n_columns, dtype):
    rng = np.random.default_rng(n_rows)
    S, T = (rng.uniform(0.1, 1, size=(n_rows, LANES)).astype(dtype) for _ in range(2))
    P = rng.normal(size=(n_columns, LANES)).astype(dtype)
    return S, T, P


def stored(n_rows, n_columns, dtype):
    A = sparse.random_array(
        (n_rows, n_columns), density=0.4, format="csr", rng=np.random.default_rng(3), dtype=np.float64
    )
    return A.astype(dtype), (A.indptr.astype(np.int64), A.indices.astype(np.int32), A.data.astype(dtype))


SHAPES = [(1, 1), (3, 5), (4, 2), (9, 30), (41, 7)]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", SHAPES)
def test_sparse_products(shape, dtype):
    A, entries = stored(*shape, dtype)
    S, T, P = panels(*shape, dtype)
    compare(A.toarray(), S, T, P, dtype, (sparse_forward, sparse_backward, sparse_curvature), entries)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", SHAPES)
def test_dense_products(shape, dtype):
    A = np.random.default_rng(4).normal(size=shape).astype(dtype)
    S, T, P = panels(*shape, dtype)
    compare(A, S, T, P, dtype, (dense_forward, dense_backward, dense_curvature), (A,))
    compare(A, S, T, P, dtype, (dense_forward_pairs, dense_backward_eights, dense_curvature), (A,))


def compare(A, S, T, P, dtype, kernels, matrix):
    forward, backward, curvature = kernels
    near = {"rtol": 1e-4, "atol": 1e-4} if dtype == np.float32 else {"rtol": 1e-12, "atol": 1e-12}
    scores, sums, product = np.empty_like(S), np.full_like(P, 9.0), np.full_like(P, 9.0)
    linear, square = np.empty((1, LANES)), np.empty((1, LANES))
    forward(*matrix, P, scores)
    backward(*matrix, T, sums)
    curvature(*matrix, S, P, product, linear, square)
    exact = A.astype(np.float64) @ P.astype(np.float64)
    np.testing.assert_allclose(scores, exact, **near)
    np.testing.assert_allclose(sums, A.T.astype(np.float64) @ T, **near)
    np.testing.assert_allclose(product, A.T.astype(np.float64) @ (S * exact), **near)
    np.testing.assert_allclose(linear[0], (S * exact).sum(axis=0), **near)
    np.testing.assert_allclose(square[0], (S * exact**2).sum(axis=0), **near)
    curvature_rows(S, scores, linear, square)
    np.testing.assert_allclose(scores, S * exact, **near)
    np.testing.assert_allclose(linear[0], (S * exact).sum(axis=0), **near)
    np.testing.assert_allclose(square[0], (S * exact**2).sum(axis=0), **near)
