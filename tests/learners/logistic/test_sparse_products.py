"""Products of sparse and dense matrices with blocks, against NumPy."""

import numpy as np
import pytest
from scipy import sparse

from plait.learners.logistic._logistic_kernels import curvature_rows, sparse_backward, sparse_curvature, sparse_forward
from plait.learners.logistic.logistic_design import LANES, NARROW, WIDTHS

both_widths = pytest.mark.parametrize("n_lanes", [NARROW, LANES])


def blocks(n_rows, n_columns, dtype, n_lanes=LANES):
    rng = np.random.default_rng(n_rows)
    S, T = (rng.uniform(0.1, 1, size=(n_rows, n_lanes)).astype(dtype) for _ in range(2))
    P = rng.normal(size=(n_columns, n_lanes)).astype(dtype)
    return S, T, P


def stored(n_rows, n_columns, dtype):
    A = sparse.random_array(
        (n_rows, n_columns), density=0.4, format="csr", random_state=np.random.default_rng(3), dtype=np.float64
    )
    return A.astype(dtype), (A.indptr.astype(np.int64), A.indices.astype(np.int32), A.data.astype(dtype))


SHAPES = [(1, 1), (3, 5), (4, 2), (9, 30), (41, 7)]


@both_widths
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", SHAPES)
def test_sparse_products(shape, dtype, n_lanes):
    A, entries = stored(*shape, dtype)
    S, T, P = blocks(*shape, dtype, n_lanes)
    compare(A.toarray(), S, T, P, dtype, (sparse_forward, sparse_backward, sparse_curvature), entries)


def compare(A, S, T, P, dtype, kernels, matrix):
    forward, backward, curvature = kernels
    near = {"rtol": 1e-4, "atol": 1e-4} if dtype == np.float32 else {"rtol": 1e-12, "atol": 1e-12}
    scores, sums, product = np.empty_like(S), np.full_like(P, 9.0), np.full_like(P, 9.0)
    linear, square, width = np.empty((1, S.shape[1])), np.empty((1, S.shape[1])), WIDTHS[S.shape[1]]
    forward(*matrix, P, scores, width)
    backward(*matrix, T, sums, width)
    curvature(*matrix, S, P, product, linear, square, width)
    exact = A.astype(np.float64) @ P.astype(np.float64)
    np.testing.assert_allclose(scores, exact, **near)
    np.testing.assert_allclose(sums, A.T.astype(np.float64) @ T, **near)
    np.testing.assert_allclose(product, A.T.astype(np.float64) @ (S * exact), **near)
    np.testing.assert_allclose(linear[0], (S * exact).sum(axis=0), **near)
    np.testing.assert_allclose(square[0], (S * exact**2).sum(axis=0), **near)
    curvature_rows(S, scores, linear, square, width)
    np.testing.assert_allclose(scores, S * exact, **near)
    np.testing.assert_allclose(linear[0], (S * exact).sum(axis=0), **near)
    np.testing.assert_allclose(square[0], (S * exact**2).sum(axis=0), **near)
