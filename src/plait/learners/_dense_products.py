"""Kernels: products of a dense matrix with panels of 16 columns, four rows at a time.

Panels are so narrow that a general matrix product spends its time packing the matrix; these kernels read it once, in
place. Four rows share each load of a panel's row. Rows of float64 take twice the registers: for them two rows at a time
are faster on the way forward, and eight on the way back, where only one row of the result is at work.
"""

from numba import njit

from plait.learners._lanes import add, fill, fused, load, multiply, store, widen

__all__ = ["dense_backward", "dense_backward_eights", "dense_curvature", "dense_forward", "dense_forward_pairs"]


@njit(cache=True, nogil=True)
def _four_scores(A, i, P):  # type: ignore[no-untyped-def]
    """Return the products of rows i to i + 3 of A with P."""
    nil = fill(P.dtype.type(0.0))
    a, b, c, d = nil, nil, nil, nil
    for k in range(P.shape[0]):
        p = load(P, k)
        a = fused(fill(A[i, k]), p, a)
        b = fused(fill(A[i + 1, k]), p, b)
        c = fused(fill(A[i + 2, k]), p, c)
        d = fused(fill(A[i + 3, k]), p, d)
    return a, b, c, d


@njit(cache=True, nogil=True)
def _one_score(A, i, P):  # type: ignore[no-untyped-def]
    total = fill(P.dtype.type(0.0))
    for k in range(P.shape[0]):
        total = fused(fill(A[i, k]), load(P, k), total)
    return total


@njit(cache=True, nogil=True)
def _add_four(A, i, a, b, c, d, Q):  # type: ignore[no-untyped-def]
    """Add the outer products of rows i to i + 3 of A with a, b, c and d to Q."""
    for k in range(Q.shape[0]):
        q = fused(fill(A[i, k]), a, load(Q, k))
        q = fused(fill(A[i + 1, k]), b, q)
        q = fused(fill(A[i + 2, k]), c, q)
        store(Q, k, fused(fill(A[i + 3, k]), d, q))


@njit(cache=True, nogil=True)
def _add_one(A, i, row, Q):  # type: ignore[no-untyped-def]
    for k in range(Q.shape[0]):
        store(Q, k, fused(fill(A[i, k]), row, load(Q, k)))


@njit(cache=True, nogil=True)
def dense_forward(A, P, T):  # type: ignore[no-untyped-def]
    """T = A P."""
    whole = A.shape[0] - A.shape[0] % 4
    for i in range(0, whole, 4):
        a, b, c, d = _four_scores(A, i, P)
        store(T, i, a)
        store(T, i + 1, b)
        store(T, i + 2, c)
        store(T, i + 3, d)
    for i in range(whole, A.shape[0]):
        store(T, i, _one_score(A, i, P))


@njit(cache=True, nogil=True)
def dense_backward(A, T, Q):  # type: ignore[no-untyped-def]
    """Q = A' T."""
    Q[:] = 0
    whole = A.shape[0] - A.shape[0] % 4
    for i in range(0, whole, 4):
        _add_four(A, i, load(T, i), load(T, i + 1), load(T, i + 2), load(T, i + 3), Q)
    for i in range(whole, A.shape[0]):
        _add_one(A, i, load(T, i), Q)


@njit(cache=True, nogil=True)
def dense_forward_pairs(A, P, T):  # type: ignore[no-untyped-def]
    """T = A P, two rows at a time; the same bits as `dense_forward`."""
    whole = A.shape[0] - A.shape[0] % 2
    for i in range(0, whole, 2):
        a, b = fill(P.dtype.type(0.0)), fill(P.dtype.type(0.0))
        for k in range(P.shape[0]):
            p = load(P, k)
            a = fused(fill(A[i, k]), p, a)
            b = fused(fill(A[i + 1, k]), p, b)
        store(T, i, a)
        store(T, i + 1, b)
    for i in range(whole, A.shape[0]):
        store(T, i, _one_score(A, i, P))


@njit(cache=True, nogil=True)
def dense_backward_eights(A, T, Q):  # type: ignore[no-untyped-def]
    """Q = A' T, eight rows at a time; the same bits as `dense_backward`."""
    Q[:] = 0
    whole = A.shape[0] - A.shape[0] % 8
    for i in range(0, whole, 8):
        a, b, c, d = load(T, i), load(T, i + 1), load(T, i + 2), load(T, i + 3)
        e, f, g, h = load(T, i + 4), load(T, i + 5), load(T, i + 6), load(T, i + 7)
        for k in range(Q.shape[0]):
            q = fused(fill(A[i, k]), a, load(Q, k))
            q = fused(fill(A[i + 1, k]), b, q)
            q = fused(fill(A[i + 2, k]), c, q)
            q = fused(fill(A[i + 3, k]), d, q)
            q = fused(fill(A[i + 4, k]), e, q)
            q = fused(fill(A[i + 5, k]), f, q)
            q = fused(fill(A[i + 6, k]), g, q)
            store(Q, k, fused(fill(A[i + 7, k]), h, q))
    for i in range(whole, A.shape[0]):
        _add_one(A, i, load(T, i), Q)


@njit(cache=True, nogil=True)
def dense_curvature(A, S, P, Q, linear, square):  # type: ignore[no-untyped-def]
    """Q = A' (S * T) for T = A P, in one pass over the rows; linear = sum_i S T, square = sum_i S T^2."""
    Q[:] = 0
    sum_linear, sum_square = fill(0.0), fill(0.0)
    whole = A.shape[0] - A.shape[0] % 4
    for i in range(0, whole, 4):
        a, b, c, d = _four_scores(A, i, P)
        e, f = multiply(load(S, i), a), multiply(load(S, i + 1), b)
        g, h = multiply(load(S, i + 2), c), multiply(load(S, i + 3), d)
        _add_four(A, i, e, f, g, h, Q)
        sum_linear = add(sum_linear, widen(add(add(e, f), add(g, h))))
        squares = add(add(multiply(e, a), multiply(f, b)), add(multiply(g, c), multiply(h, d)))
        sum_square = add(sum_square, widen(squares))
    for i in range(whole, A.shape[0]):
        a = _one_score(A, i, P)
        e = multiply(load(S, i), a)
        _add_one(A, i, e, Q)
        sum_linear, sum_square = add(sum_linear, widen(e)), add(sum_square, widen(multiply(e, a)))
    store(linear, 0, sum_linear)
    store(square, 0, sum_square)
