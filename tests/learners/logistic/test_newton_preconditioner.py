"""Preconditioners against the matrices they stand for."""

import numpy as np
import pytest
from scipy import sparse

from plait.learners.logistic import newton_preconditioner
from plait.learners.logistic.logistic_design import LANES, prepared_design
from plait.learners.logistic.newton_preconditioner import DiagonalPreconditioner, HeavyRows

pytestmark = pytest.mark.usefixtures("compiled_path")


def drawn(n_rows=40, n_columns=11):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, n_columns)) * (rng.random((n_rows, n_columns)) < 0.5)
    X[:3] *= 100
    S, R = rng.uniform(0.01, 0.25, size=(n_rows, LANES)), rng.normal(size=(n_columns, LANES))
    return X, S, R


def parts(design, S):
    means = np.empty((design.n_columns, LANES))
    design.backward(S, means)
    return means, 1 / S.sum(axis=0)


def test_the_diagonal_is_that_of_the_hessian_without_intercept():
    X, S, R = drawn()
    allowed = np.ones((11, LANES))
    allowed[4, 3] = 0
    design = prepared_design(sparse.csr_array(X), standardize=False)
    means, inverse_bend = parts(design, S)
    preconditioner = DiagonalPreconditioner(design)
    inverse = preconditioner.inverse(S, means, inverse_bend, allowed)
    for lane in (0, 3):
        h = X.T @ S[:, lane]
        H = np.eye(11) + (X.T * S[:, lane]) @ X - np.outer(h, h) / S[:, lane].sum()
        expected = 1 / np.diag(H) * allowed[:, lane]
        np.testing.assert_allclose(inverse[:, lane], expected, rtol=1e-9)
    np.testing.assert_allclose(preconditioner.conditioned(R, inverse), inverse * R, rtol=1e-15)


def test_heavy_rows_follow_the_woodbury_identity(monkeypatch):
    monkeypatch.setattr(newton_preconditioner, "_ROWS", 6)
    X, S, R = drawn()
    design = prepared_design(sparse.csr_array(X), standardize=False)
    means, inverse_bend = parts(design, S)
    preconditioner = DiagonalPreconditioner(design)
    assert preconditioner.patience == 60_000 // 40
    allowed = np.ones((11, LANES))
    allowed[7, 5] = 0
    inverse = preconditioner.inverse(S, means, inverse_bend, allowed)
    first = inverse.copy()
    heavy = preconditioner.heavy(S, means, inverse_bend, inverse, np.array([2, 5]))
    assert sorted(heavy) == [2, 5]
    assert isinstance(heavy[2], HeavyRows)
    conditioned = preconditioner.conditioned(R, inverse)
    for lane in (2, 5):
        heavy[lane].correct(conditioned, lane)
        s, kept = S[:, lane], allowed[:, lane] > 0
        A = X[:, kept]
        top = np.argsort(-s * (A**2 @ first[kept, lane]))[:6]
        rest = np.setdiff1d(np.arange(40), top)
        M = np.diag(np.maximum(1, 1 + (A[rest] ** 2).T @ s[rest])) + (A[top].T * s[top]) @ A[top]
        np.testing.assert_allclose(conditioned[kept, lane], np.linalg.solve(M, R[kept, lane]), rtol=1e-8, atol=1e-12)
        assert not conditioned[~kept, lane].any()
    np.testing.assert_array_equal(inverse[:, 0], first[:, 0])


def test_all_rows_heavy_is_the_hessian_itself(monkeypatch):
    monkeypatch.setattr(newton_preconditioner, "_ROWS", 100)
    X, S, R = drawn()
    design = prepared_design(sparse.csr_array(X), standardize=False)
    means, inverse_bend = parts(design, S)
    preconditioner = DiagonalPreconditioner(design)
    inverse = preconditioner.inverse(S, means, inverse_bend, None)
    heavy = preconditioner.heavy(S, means, inverse_bend, inverse, np.array([1]))
    conditioned = preconditioner.conditioned(R, inverse)
    heavy[1].correct(conditioned, 1)
    H = np.eye(11) + (X.T * S[:, 1]) @ X
    np.testing.assert_allclose(conditioned[:, 1], np.linalg.solve(H, R[:, 1]), rtol=1e-6, atol=1e-9)
