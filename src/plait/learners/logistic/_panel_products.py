"""Kernels: products of a CSR matrix with panels: arrays of shape (n, 8) or (n, 16), C order."""

import numpy as np

from plait.core.compilation import kernel
from plait.learners.logistic._lanes import add, fill, fused, load, multiply, store, widen

__all__ = ["curvature_rows", "sparse_backward", "sparse_curvature", "sparse_forward"]


@kernel
def _gather(indices, data, start, stop, P, width):  # type: ignore[no-untyped-def]
    """Return the product of one row of the matrix with P."""
    total = fill(P.dtype.type(0.0), width)
    for t in range(start, stop):
        total = fused(fill(data[t], width), load(P, np.int64(indices[t]), width), total)
    return total


@kernel
def _scatter(indices, data, start, stop, row, Q, width):  # type: ignore[no-untyped-def]
    """Add the outer product of one row of the matrix with `row` to Q."""
    for t in range(start, stop):
        k = np.int64(indices[t])
        store(Q, k, fused(fill(data[t], width), row, load(Q, k, width)))


@kernel
def sparse_forward(indptr, indices, data, P, T, width):  # type: ignore[no-untyped-def]
    """T = A P."""
    for i in range(T.shape[0]):
        store(T, i, _gather(indices, data, indptr[i], indptr[i + 1], P, width))


@kernel
def sparse_backward(indptr, indices, data, T, Q, width):  # type: ignore[no-untyped-def]
    """Q = A' T."""
    Q[:] = 0
    for i in range(T.shape[0]):
        _scatter(indices, data, indptr[i], indptr[i + 1], load(T, i, width), Q, width)


@kernel
def sparse_curvature(indptr, indices, data, S, P, Q, linear, square, width):  # type: ignore[no-untyped-def]
    """Q = A' (S * T) for T = A P, in one pass over the rows; linear = sum_i S T, square = sum_i S T^2."""
    Q[:] = 0
    sum_linear, sum_square = fill(0.0, width), fill(0.0, width)
    for i in range(S.shape[0]):
        scores = _gather(indices, data, indptr[i], indptr[i + 1], P, width)
        row = multiply(load(S, i, width), scores)
        sum_linear = add(sum_linear, widen(row))
        sum_square = add(sum_square, widen(multiply(row, scores)))
        _scatter(indices, data, indptr[i], indptr[i + 1], row, Q, width)
    store(linear, 0, sum_linear)
    store(square, 0, sum_square)


@kernel
def curvature_rows(S, T, linear, square, width):  # type: ignore[no-untyped-def]
    """T = S * T in place; linear = sum_i S T, square = sum_i S T^2 of the T given."""
    sum_linear, sum_square = fill(0.0, width), fill(0.0, width)
    for i in range(S.shape[0]):
        scores = load(T, i, width)
        row = multiply(load(S, i, width), scores)
        sum_linear = add(sum_linear, widen(row))
        sum_square = add(sum_square, widen(multiply(row, scores)))
        store(T, i, row)
    store(linear, 0, sum_linear)
    store(square, 0, sum_square)
