"""Preconditioners of the descent, and the matrices they are made of, against dense linear algebra."""

import numpy as np
import pytest
from scipy import sparse

from plait.learners.logistic.hessian_inverses import (
    BorderedInverses,
    DensePreconditioner,
    DiagonalInverses,
    LevelInverses,
    cholesky_factor,
    solve_factored,
)
from plait.learners.logistic.row_matrices import DenseRows, RawRows, SparseRows, SupportedRows, in_eights


def made_rows(kind, n=40, d=7, density=0.5, dtype=np.float64):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) < density)
    X[:3] = rng.normal(size=(3, d))  # rows with many entries
    scales, centres = rng.uniform(0.5, 2, d), np.zeros(d) if kind == "sparse" else rng.normal(size=d)
    A = np.column_stack([(X - centres) / scales, np.ones(n)])
    if kind == "sparse":
        return SparseRows(sparse.csr_matrix(X), scales, intercept=True, dtype=dtype), A
    if kind == "raw":
        return RawRows(X, scales, centres, intercept=True), A
    return DenseRows(X, scales, centres, intercept=True, dtype=dtype, compiled=kind == "compiled"), A


@pytest.mark.parametrize("kind", ["dense", "compiled", "raw", "sparse"])
@pytest.mark.parametrize("density", [0.05, 0.5])
@pytest.mark.parametrize("n_problems", [1, 3, 8, 19])
def test_products(kind, density, n_problems):
    dtype, near = (np.float32, 1e-4) if kind == "compiled" else (np.float64, 1e-10)
    rows, A = made_rows(kind, density=density, dtype=dtype)
    rng = np.random.default_rng(1)
    coefficients, residuals = (rng.normal(size=(n_problems, size)).astype(dtype) for size in (8, 40))
    np.testing.assert_allclose(rows.scores(coefficients), coefficients @ A.T, rtol=near, atol=near)
    np.testing.assert_allclose(rows.gradients(residuals), residuals @ A, rtol=near, atol=near)


@pytest.mark.parametrize("kind", ["dense", "compiled"])
def test_the_bits_of_a_problem_do_not_depend_on_the_others(kind):
    rows, _ = made_rows(kind, dtype=np.float32)
    values = np.random.default_rng(1).normal(size=(19, 40)).astype(np.float32)
    np.testing.assert_array_equal(rows.gradients(values)[[17, 4]], rows.gradients(values[[17, 4]]))
    np.testing.assert_array_equal(rows.scores(values[:, :8])[[17, 4]], rows.scores(values[[17, 4], :8]))
    np.testing.assert_array_equal(in_eights(values, rows.values)[[17]], in_eights(values[[17]], rows.values))


@pytest.mark.parametrize("kind", ["dense", "sparse"])
@pytest.mark.parametrize("density", [0.05, 0.5])
def test_weighted_gram_matrices(kind, density):
    rows, A = made_rows(kind, density=density)
    weights = np.random.default_rng(1).random((20, 40))
    np.testing.assert_allclose(rows.diagonal(weights[0]), weights[0] @ A**2, rtol=1e-10)
    for gram, row in zip(rows.grams(weights), weights, strict=True):
        np.testing.assert_allclose(np.tril(gram), np.tril(A.T @ (row[:, None] * A)), rtol=1e-10, atol=1e-12)


def test_gradients_off_the_support_are_zero():
    rows, A = made_rows("dense")
    support = (np.random.default_rng(2).random((5, 8)) < 0.5).astype(float)
    residuals = np.random.default_rng(3).normal(size=(2, 40))
    found = SupportedRows(rows, support).gradients(residuals, np.array([4, 1]))
    np.testing.assert_allclose(found, (residuals @ A) * support[[4, 1]], rtol=1e-10, atol=1e-12)


def test_the_nearest_power_of_four():
    values = np.array([1.0, 0.25, 0.13, 0.12, 3.0, 1e-9, 0.0])
    near = LevelInverses.near(values)
    np.testing.assert_allclose(near, [1.0, 0.25, 0.25, 0.0625, 4.0, 4.0**-15, 0.0], rtol=1e-12)
    assert (np.abs(np.log(near[:-1] / values[:-1])) <= np.log(2) + 1e-9).all()


@pytest.mark.parametrize("shared", [0, 3, 7])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_levels_invert_the_hessian_of_equal_weights_on_the_columns_of_each_problem(dtype, shared):
    rows, A = made_rows("dense", dtype=dtype)
    rng = np.random.default_rng(4)
    penalty = rng.uniform(0.1, 10, size=6)
    support = None if shared == 7 else (rng.random((6, 7)) < 0.6) | (np.arange(7) < shared)
    levels = LevelInverses(rows.gram(), np.arange(7) < shared)
    preconditioner = DensePreconditioner(rows, levels, penalty, support)
    chosen, values = np.array([5, 0, 2, 3]), rng.normal(size=(4, 8)).astype(dtype)
    mean = penalty[chosen] * 4.0 ** np.array([-2, 1, 1, 0])
    used = np.ones((6, 7), dtype=bool) if support is None else support
    values[:, :7] *= used[chosen]
    found = preconditioner.apply(values, chosen, mean * 40)
    for place, row in enumerate(chosen):
        columns = np.flatnonzero(used[row])
        H = penalty[row] * np.eye(len(columns)) + mean[place] * A[:, columns].T @ A[:, columns]
        expected = np.linalg.solve(H, values[place, columns])
        np.testing.assert_allclose(found[place, columns], expected, rtol=1e-3, atol=1e-4)
        assert not found[place, :7][~used[row]].any()
    np.testing.assert_allclose(found[:, 7], values[:, 7] / (mean * 40), rtol=1e-5)
    assert not preconditioner.apply(values, chosen, np.zeros(4))[:, 7].any()


def test_too_many_columns_leave_the_diagonal():
    rows, A = made_rows("dense")
    preconditioner = DensePreconditioner(rows, None, np.array([0.5, 2.0]), None)
    values = np.random.default_rng(4).normal(size=(2, 8))
    found = preconditioner.apply(values, np.arange(2), np.array([4.0, 8.0]))
    for row, (penalty, mean) in enumerate([(0.5, 0.1), (2.0, 0.2)]):
        expected = values[row, :7] / (penalty + mean * (A[:, :7] ** 2).sum(axis=0))
        np.testing.assert_allclose(found[row, :7], expected, rtol=1e-10)


def test_own_hessians_are_inverted_as_they_are():
    rows, A = made_rows("dense")
    rng = np.random.default_rng(5)
    support = np.ones((3, 7), dtype=bool)
    support[2, [1, 4]] = False
    levels = LevelInverses(rows.gram(), support.all(axis=0))
    preconditioner = DensePreconditioner(rows, levels, np.array([1.0, 2.0, 0.5]), support)
    before = preconditioner.apply(np.ones((1, 8)), np.array([0]), np.array([3.0]))
    weights, values = rng.random((2, 40)), rng.normal(size=(2, 8))
    values[1, [1, 4]] = 0
    preconditioner.renew(np.array([1, 2]), weights)
    found = preconditioner.apply(values, np.array([1, 2]), np.array([9.0, 9.0]))
    for place, (columns, penalty) in enumerate([(np.arange(8), 2.0), (np.array([0, 2, 3, 5, 6, 7]), 0.5)]):
        H = A[:, columns].T @ (weights[place][:, None] * A[:, columns]) + penalty * np.diag(columns < 7)
        np.testing.assert_allclose(found[place, columns], np.linalg.solve(H, values[place, columns]), rtol=1e-8)
    assert not found[1, [1, 4]].any()
    np.testing.assert_array_equal(preconditioner.apply(np.ones((1, 8)), np.array([0]), np.array([3.0])), before)
    preconditioner.renew_first(np.array([0, 1]), np.stack([weights[0], 9 * weights[0]]))
    again = preconditioner.apply(values[:1], np.array([1]), np.array([9.0]))
    np.testing.assert_array_equal(again, found[:1])
    assert (preconditioner.apply(np.ones((1, 8)), np.array([0]), np.array([3.0])) != before).any()


@pytest.mark.parametrize("scale", [1e3, 1e6])
def test_columns_that_are_the_same_up_to_rounding_do_not_break_it(scale):
    X = np.random.default_rng(0).normal(size=(40, 3)) * scale
    X = np.hstack([X, X, X[:, :1] + X[:, 1:2]])
    rows = DenseRows(X, np.ones(7), X.mean(axis=0), intercept=True, dtype=np.float32)
    found = LevelInverses(rows.gram(), np.ones(7, dtype=bool)).core(4.0)[0]
    assert np.isfinite(found).all()
    assert (np.linalg.eigvalsh(0.5 * (found + found.T).astype(np.float64)) > 0).all()


@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_bordered_inverses_are_exact(kind):
    matrix, A = made_rows(kind)
    rng = np.random.default_rng(2)
    weights, labels = rng.random((2, 40)), (rng.random((4, 40)) < 0.4).astype(float)
    penalty = np.stack([np.append(np.full(7, c), [0.0, c]) for c in (1.0, 3.0)])
    target_of, parent_of = np.array([0, 0, 0, 1, 1]), np.array([1, 2, 3, 0, 2])
    parts = (matrix, weights, penalty, labels, target_of, parent_of)
    inverses = BorderedInverses(matrix.grams(weights), *parts)
    values, pairs = rng.normal(size=(3, 9)), np.array([0, 2, 4])
    found, diagonal = (made.apply(values, pairs, np.ones(3)) for made in (inverses, DiagonalInverses(*parts)))
    for r, pair in enumerate(pairs):
        B = np.column_stack([A, labels[parent_of[pair]]])
        i = target_of[pair]
        whole = B.T @ (weights[i][:, None] * B) + np.diag(penalty[i])
        np.testing.assert_allclose(found[r], np.linalg.solve(whole, values[r]), rtol=1e-8)
        np.testing.assert_allclose(diagonal[r], values[r] / np.diagonal(whole), rtol=1e-10)


def test_factor_of_a_matrix_that_is_not_quite_definite():
    flat = np.ones((4, 4), dtype=np.float32)
    factor = cholesky_factor(flat, np.zeros(4, dtype=np.float32))
    found = solve_factored(factor, np.ones((1, 4), dtype=np.float32))
    assert np.isfinite(found).all()
    np.testing.assert_allclose(flat @ found[0], 1.0, rtol=1e-2)
