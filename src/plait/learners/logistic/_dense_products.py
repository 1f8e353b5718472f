"""Kernels: products of a dense matrix with panels of 8 or 16 columns, four rows at a time.

Panels are so narrow that a general matrix product spends its time packing the matrix; these kernels read it once, in
place. Four rows share each load of a panel's row. 16 columns of float64 take twice the registers: for them two rows at
a time are faster on the way forward, and eight on the way back, where only one row of the result is at work. Eight
columns of float32 take half the registers, and eight rows at a time are faster on the way forward.
"""

from plait.core.compilation import kernel
from plait.learners.logistic._lanes import add, fill, fused, load, multiply, store, widen

__all__ = [
    "dense_backward",
    "dense_backward_eights",
    "dense_curvature",
    "dense_forward",
    "dense_forward_eights",
    "dense_forward_pairs",
]


@kernel
def _four_scores(A, i, P, width):  # type: ignore[no-untyped-def]
    """Return the products of rows i to i + 3 of A with P."""
    nil = fill(P.dtype.type(0.0), width)
    a, b, c, d = nil, nil, nil, nil
    for k in range(P.shape[0]):
        p = load(P, k, width)
        a = fused(fill(A[i, k], width), p, a)
        b = fused(fill(A[i + 1, k], width), p, b)
        c = fused(fill(A[i + 2, k], width), p, c)
        d = fused(fill(A[i + 3, k], width), p, d)
    return a, b, c, d


@kernel
def _one_score(A, i, P, width):  # type: ignore[no-untyped-def]
    total = fill(P.dtype.type(0.0), width)
    for k in range(P.shape[0]):
        total = fused(fill(A[i, k], width), load(P, k, width), total)
    return total


@kernel
def _add_four(A, i, a, b, c, d, Q, width):  # type: ignore[no-untyped-def]
    """Add the outer products of rows i to i + 3 of A with a, b, c and d to Q."""
    for k in range(Q.shape[0]):
        q = fused(fill(A[i, k], width), a, load(Q, k, width))
        q = fused(fill(A[i + 1, k], width), b, q)
        q = fused(fill(A[i + 2, k], width), c, q)
        store(Q, k, fused(fill(A[i + 3, k], width), d, q))


@kernel
def _add_one(A, i, row, Q, width):  # type: ignore[no-untyped-def]
    for k in range(Q.shape[0]):
        store(Q, k, fused(fill(A[i, k], width), row, load(Q, k, width)))


@kernel
def dense_forward(A, P, T, width):  # type: ignore[no-untyped-def]
    """T = A P."""
    whole = A.shape[0] - A.shape[0] % 4
    for i in range(0, whole, 4):
        a, b, c, d = _four_scores(A, i, P, width)
        store(T, i, a)
        store(T, i + 1, b)
        store(T, i + 2, c)
        store(T, i + 3, d)
    for i in range(whole, A.shape[0]):
        store(T, i, _one_score(A, i, P, width))


@kernel
def dense_backward(A, T, Q, width):  # type: ignore[no-untyped-def]
    """Q = A' T."""
    Q[:] = 0
    whole = A.shape[0] - A.shape[0] % 4
    for i in range(0, whole, 4):
        _add_four(
            A, i, load(T, i, width), load(T, i + 1, width), load(T, i + 2, width), load(T, i + 3, width), Q, width
        )
    for i in range(whole, A.shape[0]):
        _add_one(A, i, load(T, i, width), Q, width)


@kernel
def dense_forward_pairs(A, P, T, width):  # type: ignore[no-untyped-def]
    """T = A P, two rows at a time; the same bits as `dense_forward`."""
    whole = A.shape[0] - A.shape[0] % 2
    for i in range(0, whole, 2):
        a, b = fill(P.dtype.type(0.0), width), fill(P.dtype.type(0.0), width)
        for k in range(P.shape[0]):
            p = load(P, k, width)
            a = fused(fill(A[i, k], width), p, a)
            b = fused(fill(A[i + 1, k], width), p, b)
        store(T, i, a)
        store(T, i + 1, b)
    for i in range(whole, A.shape[0]):
        store(T, i, _one_score(A, i, P, width))


@kernel
def dense_forward_eights(A, P, T, width):  # type: ignore[no-untyped-def]
    """T = A P, eight rows at a time; the same bits as `dense_forward`."""
    whole = A.shape[0] - A.shape[0] % 8
    nil = fill(P.dtype.type(0.0), width)
    for i in range(0, whole, 8):
        a, b, c, d, e, f, g, h = nil, nil, nil, nil, nil, nil, nil, nil
        for k in range(P.shape[0]):
            p = load(P, k, width)
            a = fused(fill(A[i, k], width), p, a)
            b = fused(fill(A[i + 1, k], width), p, b)
            c = fused(fill(A[i + 2, k], width), p, c)
            d = fused(fill(A[i + 3, k], width), p, d)
            e = fused(fill(A[i + 4, k], width), p, e)
            f = fused(fill(A[i + 5, k], width), p, f)
            g = fused(fill(A[i + 6, k], width), p, g)
            h = fused(fill(A[i + 7, k], width), p, h)
        store(T, i, a)
        store(T, i + 1, b)
        store(T, i + 2, c)
        store(T, i + 3, d)
        store(T, i + 4, e)
        store(T, i + 5, f)
        store(T, i + 6, g)
        store(T, i + 7, h)
    for i in range(whole, A.shape[0]):
        store(T, i, _one_score(A, i, P, width))


@kernel
def dense_backward_eights(A, T, Q, width):  # type: ignore[no-untyped-def]
    """Q = A' T, eight rows at a time; the same bits as `dense_backward`."""
    Q[:] = 0
    whole = A.shape[0] - A.shape[0] % 8
    for i in range(0, whole, 8):
        a, b, c, d = load(T, i, width), load(T, i + 1, width), load(T, i + 2, width), load(T, i + 3, width)
        e, f, g, h = load(T, i + 4, width), load(T, i + 5, width), load(T, i + 6, width), load(T, i + 7, width)
        for k in range(Q.shape[0]):
            q = fused(fill(A[i, k], width), a, load(Q, k, width))
            q = fused(fill(A[i + 1, k], width), b, q)
            q = fused(fill(A[i + 2, k], width), c, q)
            q = fused(fill(A[i + 3, k], width), d, q)
            q = fused(fill(A[i + 4, k], width), e, q)
            q = fused(fill(A[i + 5, k], width), f, q)
            q = fused(fill(A[i + 6, k], width), g, q)
            store(Q, k, fused(fill(A[i + 7, k], width), h, q))
    for i in range(whole, A.shape[0]):
        _add_one(A, i, load(T, i, width), Q, width)


@kernel
def dense_curvature(A, S, P, Q, linear, square, width):  # type: ignore[no-untyped-def]
    """Q = A' (S * T) for T = A P, in one pass over the rows; linear = sum_i S T, square = sum_i S T^2."""
    Q[:] = 0
    sum_linear, sum_square = fill(0.0, width), fill(0.0, width)
    whole = A.shape[0] - A.shape[0] % 4
    for i in range(0, whole, 4):
        a, b, c, d = _four_scores(A, i, P, width)
        e, f = multiply(load(S, i, width), a), multiply(load(S, i + 1, width), b)
        g, h = multiply(load(S, i + 2, width), c), multiply(load(S, i + 3, width), d)
        _add_four(A, i, e, f, g, h, Q, width)
        sum_linear = add(sum_linear, widen(add(add(e, f), add(g, h))))
        squares = add(add(multiply(e, a), multiply(f, b)), add(multiply(g, c), multiply(h, d)))
        sum_square = add(sum_square, widen(squares))
    for i in range(whole, A.shape[0]):
        a = _one_score(A, i, P, width)
        e = multiply(load(S, i, width), a)
        _add_one(A, i, e, Q, width)
        sum_linear, sum_square = add(sum_linear, widen(e)), add(sum_square, widen(multiply(e, a)))
    store(linear, 0, sum_linear)
    store(square, 0, sum_square)
