"""Bordered inverses and designs of pairs against dense linear algebra."""

import numpy as np
import pytest
from scipy import sparse

from plait.learners.pairs.bordered_inverse import BorderedInverse, DiagonalInverse, cholesky_factor, solve_factored
from plait.learners.pairs.pair_designs import pair_design


def made_design(kind, n=40, d=7, density=0.5):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) < density)
    X[:3] = rng.normal(size=(3, d))  # rows with many entries
    scales, centres = rng.uniform(0.5, 2, d), rng.normal(size=d) if kind == "dense" else np.zeros(d)
    design = pair_design(
        X if kind == "dense" else sparse.csr_matrix(X), scales, centres, intercept=True, dtype=np.float64
    )
    return design, np.column_stack([(X - centres) / scales, np.ones(n)])


@pytest.mark.parametrize("kind", ["dense", "sparse"])
@pytest.mark.parametrize("density", [0.05, 0.5])
def test_designs(kind, density):
    design, A = made_design(kind, density=density)
    rng = np.random.default_rng(1)
    coefficients, residuals, weights = rng.normal(size=(3, 8)), rng.normal(size=(3, 40)), rng.random((20, 40))
    np.testing.assert_allclose(design.scores(coefficients), coefficients @ A.T, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(design.gradients(residuals), residuals @ A, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(design.diagonal(weights[0]), weights[0] @ A**2, rtol=1e-10)
    for gram, row in zip(design.grams(weights), weights, strict=True):
        np.testing.assert_allclose(np.tril(gram), np.tril(A.T @ (row[:, None] * A)), rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_bordered_inverse_is_exact(kind):
    design, A = made_design(kind)
    rng = np.random.default_rng(2)
    spread, parents = rng.random(40), (rng.random((3, 40)) < 0.4).astype(float)
    penalty = np.append(np.ones(7), [0.0, 1.0])
    inverse = BorderedInverse(design, design.grams(spread[None, :])[0], spread, penalty, parents)
    values, rows = rng.normal(size=(2, 9)), np.array([2, 0])
    found = inverse.apply(values, rows)
    for r, j in enumerate(rows):
        B = np.column_stack([A, parents[j]])
        whole = B.T @ (spread[:, None] * B) + np.diag(penalty)
        np.testing.assert_allclose(found[r], np.linalg.solve(whole, values[r]), rtol=1e-8)
        diagonal = DiagonalInverse(design, spread, penalty, parents).apply(values, rows)[r]
        np.testing.assert_allclose(diagonal, values[r] / np.diagonal(whole), rtol=1e-10)


def test_factor_of_a_matrix_that_is_not_quite_definite():
    flat = np.ones((4, 4), dtype=np.float32)
    factor = cholesky_factor(flat, np.zeros(4, dtype=np.float32))
    found = solve_factored(factor, np.ones((1, 4), dtype=np.float32))
    assert np.isfinite(found).all()
    np.testing.assert_allclose(flat @ found[0], 1.0, rtol=1e-2)
