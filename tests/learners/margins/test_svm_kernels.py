"""The loops of the linear SVM against dense NumPy."""

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import minimize_scalar

from plait.learners.margins import _svm_kernels as kernels


@pytest.fixture(params=[0, 1, 2], ids="seed{}".format)
def case(request):
    rng = np.random.default_rng(request.param)
    X = rng.normal(size=(17, 9)) * (rng.random((17, 9)) < 0.4)
    X[3] = 0.0
    rows = rng.permutation(17)[:8]
    return sparse.csr_matrix(X), X, rows, rng


def entries(csr):
    return csr.indptr, csr.indices, csr.data


def test_scores_norms_and_sums_of_rows(case):
    csr, X, rows, rng = case
    w, factors = rng.normal(size=9), rng.normal(size=8)
    scores, some, norms = np.empty(17), np.empty(8), np.empty(17)
    kernels.row_scores(*entries(csr), w, scores)
    kernels.chosen_scores(*entries(csr), rows, w, some)
    kernels.squared_norms(csr.indptr, csr.data, norms)
    np.testing.assert_allclose(scores, X @ w, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(some, (X @ w)[rows], rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(norms, (X**2).sum(axis=1), rtol=1e-12)
    total = np.ones(9)
    kernels.add_rows(*entries(csr), rows, factors, total)
    np.testing.assert_allclose(total, 1 + factors @ X[rows], rtol=1e-12, atol=1e-14)
    total[:] = 1
    kernels.add_curvature(*entries(csr), rows, factors, w, total)
    np.testing.assert_allclose(total, 1 + (factors * (X[rows] @ w)) @ X[rows], rtol=1e-12, atol=1e-14)


def test_conjugate_steps_solve_a_system_in_as_many_steps_as_it_has_columns(case):
    _, X, _, rng = case
    H, right = np.eye(9) + X.T @ X, rng.normal(size=9)
    w, residual, scale = np.zeros(9), right.copy(), 1 / np.diag(H)
    direction = scale * residual
    size = residual @ direction
    for _ in range(9):
        size = kernels.conjugate_step(H @ direction, scale, size, w, residual, direction)
        np.testing.assert_allclose(residual, right - H @ w, rtol=0, atol=1e-10)
        np.testing.assert_allclose(size, residual @ (scale * residual), rtol=1e-9)
    np.testing.assert_allclose(w, np.linalg.solve(H, right), rtol=1e-7, atol=1e-9)


def test_outer_products_fill_the_lower_triangle(case):
    csr, X, rows, rng = case
    factors = rng.uniform(0.1, 2.0, size=8)
    H = np.eye(9)
    kernels.add_outer_products(*entries(csr), rows, factors, H)
    expected = np.eye(9) + (X[rows].T * factors) @ X[rows]
    np.testing.assert_allclose(np.tril(H), np.tril(expected), rtol=1e-12, atol=1e-14)
    assert not np.triu(H, 1).any()


@pytest.mark.parametrize("n_old", [0, 3, 8])
def test_gram_of_new_rows_and_a_part_of_it(case, n_old):
    csr, X, rows, rng = case
    n_entries = int(np.diff(csr.indptr)[rows].sum())
    K = np.full((10, 10), np.nan)
    starts, ends = np.zeros(10, dtype=np.intp), np.empty(9, dtype=np.intp)
    kernels.extend_gram(
        *entries(csr), rows, n_old, starts, ends, np.empty(n_entries, dtype=np.intp), np.empty(n_entries), K
    )
    expected = np.full((10, 10), np.nan)
    expected[:8, :8] = np.where(np.tri(8) > 0, X[rows] @ X[rows].T, np.nan)
    expected[:n_old] = np.nan
    np.testing.assert_allclose(K, expected, rtol=1e-12, atol=1e-14)
    if n_old == 0:
        slots, diagonal = np.array([5, 0, 7, 2]), rng.uniform(1, 2, size=4)
        part = np.full((4, 4), np.nan)
        kernels.gather_gram(K, slots, diagonal, part)
        whole = (X[rows] @ X[rows].T)[np.ix_(slots, slots)] + np.diag(diagonal)
        np.testing.assert_allclose(part[np.tril_indices(4)], whole[np.tril_indices(4)], rtol=1e-12)


def test_columns_are_cut_and_renumbered(case):
    csr, X, _, _ = case
    place = np.full(9, -1, dtype=np.intp)
    place[[1, 4, 8]] = [0, 1, 2]
    indptr, indices, data = np.zeros_like(csr.indptr), np.empty_like(csr.indices), np.empty_like(csr.data)
    filled = kernels.select_columns(*entries(csr), place, indptr, indices, data)
    cut = sparse.csr_matrix((data[:filled], indices[:filled], indptr), shape=(17, 3))
    np.testing.assert_array_equal(cut.toarray(), X[:, [1, 4, 8]])


@pytest.mark.parametrize("seed", range(20))
def test_the_step_is_exact(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 30))
    scores, change, cost = rng.normal(size=n), rng.normal(size=n) * 10.0 ** rng.integers(-3, 3), rng.uniform(0, 3, n)
    sign = rng.choice([-1.0, 1.0], size=n)
    w, d = rng.normal(size=4), rng.normal(size=4)

    def along(a):
        slack = np.maximum(0, 1 - sign * (scores + a * change))
        return 0.5 * (w + a * d) @ (w + a * d) + cost @ slack**2

    if (along(1e-7) - along(-1e-7)) > 0:
        d, change = -d, -change
    step = kernels.exact_step(scores, change, sign, cost, float(w @ d), float(d @ d))
    best = minimize_scalar(along, bounds=(0, 2 * step + 1), method="bounded", options={"xatol": 1e-12}).fun
    assert step > 0
    assert along(step) <= best * (1 + 1e-10)


def plain_descent(X, sign, cost, order, n_epochs):
    """Coordinate descent without leaving out and without shuffling."""
    alpha, w = np.zeros(len(X)), np.zeros(X.shape[1])
    for _ in range(n_epochs):
        for i in order:
            derivative = sign[i] * (X[i] @ w) - 1 + alpha[i] / (2 * cost[i])
            new = max(0.0, alpha[i] - derivative / (X[i] @ X[i] + 1 / (2 * cost[i])))
            w += (new - alpha[i]) * sign[i] * X[i]
            alpha[i] = new
    return alpha, w


def descent(csr, sign, cost, n_epochs, tol, state=None, alpha=None, w=None, order=None):
    order = np.flatnonzero(cost > 0) if order is None else order
    state = np.array([order.size, np.inf]) if state is None else state
    alpha = np.zeros(sign.size) if alpha is None else alpha
    w = np.zeros(csr.shape[1]) if w is None else w
    norms = np.asarray(csr.multiply(csr).sum(axis=1)).ravel()
    draws = np.random.default_rng(0).integers(0, 2**31, size=2 * sign.size)
    n = kernels.dual_descent(*entries(csr), sign, cost, norms, order, draws, alpha, w, state, n_epochs, tol)
    return n, alpha, w, state, order


def test_dual_descent_ends_at_the_optimum_of_the_rows_not_left_out(case):
    csr, X, _, rng = case
    sign, cost = rng.choice([-1.0, 1.0], size=17), rng.uniform(0.1, 2.0, size=17)
    cost[5] = 0.0
    n_epochs, alpha, w, state, order = descent(csr, sign, cost, 5000, 1e-12)
    assert n_epochs < 5000
    left = order[: int(state[0])]
    assert len(left) >= 8
    assert 5 not in order
    expected, w_expected = plain_descent(X, sign, cost, np.sort(left), 3000)
    np.testing.assert_allclose(alpha, expected, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(w, w_expected, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(w, (alpha * sign) @ X, rtol=1e-9, atol=1e-11)
    # The optimum is where each dual variable is 2 cost slack.
    slack = np.maximum(0, 1 - sign * (X @ w))
    np.testing.assert_allclose(alpha[left], (2 * cost * slack)[left], rtol=1e-7, atol=1e-9)


def test_dual_descent_goes_on_where_it_ended(case):
    csr, X, _, rng = case
    sign, cost = rng.choice([-1.0, 1.0], size=17), np.ones(17)
    _, alpha, w, state, order = descent(csr, sign, cost, 3, 0.0)
    out = order[int(state[0]) :].copy()
    descent(csr, sign, cost, 3000, 1e-13, state, alpha, w, order)
    np.testing.assert_array_equal(order[17 - out.size :], out)
    assert not alpha[order[int(state[0]) :]].any()
    left = order[: int(state[0])]
    slack = np.maximum(0, 1 - sign * (X @ w))
    np.testing.assert_allclose(alpha[left], 2 * slack[left], rtol=1e-7, atol=1e-9)


def test_rows_in_order_descend_as_plain_loops_do(case, monkeypatch):
    """While too many entries are left the order stands; leaving out begins in the second epoch."""
    csr, X, _, rng = case
    sign, cost = rng.choice([-1.0, 1.0], size=17), np.ones(17)
    monkeypatch.setattr(kernels, "CACHED_ENTRIES", 0)
    plain = kernels.dual_descent.py_func
    order, alpha, w = np.arange(17), np.zeros(17), np.zeros(9)
    norms, state = (X**2).sum(axis=1), np.array([17.0, np.inf])
    plain(*entries(csr), sign, cost, norms, order, np.zeros(34, dtype=np.int64), alpha, w, state, 1, 0.0)
    expected, w_expected = plain_descent(X, sign, cost, np.arange(17), 1)
    np.testing.assert_allclose(alpha, expected, rtol=1e-12)
    np.testing.assert_allclose(w, w_expected, rtol=1e-12)
