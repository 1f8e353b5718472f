"""Designs: scales, centres and the way back to the units of X, the same for dense and sparse."""

import numpy as np
import pytest
from scipy import sparse

from plait.core.kernel_policy import using_kernels
from plait.learners.logistic import logistic_design
from plait.learners.logistic.logistic_design import LANES, DenseDesign, SparseDesign, prepared_design, zero_block
from plait.learners.training.column_scaling import column_scales

pytestmark = pytest.mark.usefixtures("compiled_path")


def drawn():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 6)) * [1, 5, 1, 1, 0.1, 1] + [0, 2, 0, 0, 9, 0]
    X[:, 0] = X[:, 0] > 0
    X[:, 2] *= rng.random(30) < 0.3
    X[:, 3] = 4.0
    return X, (rng.random((30, 2)) < 0.4).astype(np.uint8)


@pytest.mark.parametrize("stored", [np.asarray, sparse.csr_array])
def test_which_columns_are_scaled(stored):
    X, _ = drawn()
    deviations = X.std(axis=0)
    np.testing.assert_array_equal(column_scales(stored(X), False), np.ones(6))
    np.testing.assert_allclose(column_scales(stored(X), True), np.where(deviations > 0, deviations, 1), rtol=1e-12)
    chosen = np.array([False, True, False, False, True, True])
    scales = np.where(chosen, deviations, 1)
    scales[2] = np.sqrt(np.mean(X[:, 2] ** 2))  # mostly zero, among dense columns
    np.testing.assert_allclose(column_scales(stored(X), "auto"), scales, rtol=1e-12)


@pytest.mark.parametrize("stored", [np.asarray, sparse.csr_array])
def test_balanced_columns_have_a_total_variance_of_one(stored):
    X, _ = drawn()
    scales = column_scales(stored(X), "balanced")
    divided = X / scales
    np.testing.assert_allclose(divided.var(axis=0).sum(), 1.0, rtol=1e-12)
    assert scales[3] == 1.0  # constant
    varies = np.arange(6) != 3
    shares = scales[varies] / column_scales(X, "auto")[varies]
    np.testing.assert_allclose(shares, shares[0], rtol=1e-12)
    np.testing.assert_array_equal(column_scales(stored(np.full((4, 2), 3.0)), "balanced"), np.ones(2))


def test_zeros_that_are_stored_count_as_zeros():
    X, _ = drawn()
    thin = sparse.csr_array(X)
    thick = sparse.csr_array(
        (np.append(thin.data, 0.0), np.append(thin.indices, 2), np.append(thin.indptr[:-1], thin.nnz + 1)),
        shape=X.shape,
    )
    np.testing.assert_allclose(column_scales(thick, "auto"), column_scales(X, "auto"), rtol=1e-12)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("stored", [np.asarray, sparse.csr_array])
def test_scores_are_those_of_the_original_columns(stored, intercept):
    X, Y = drawn()
    design = prepared_design(stored(X), Y, fit_intercept=intercept)
    rng = np.random.default_rng(1)
    coef, intercepts = rng.normal(size=(LANES, 8)), rng.normal(size=LANES)
    if stored is np.asarray:
        width = design.rows(np.dtype(float)).size
        scores = design.rows(np.dtype(float)).scores(np.hstack([coef, np.zeros((LANES, 1))])[:, :width]).T
    else:
        scores = np.empty((30, LANES))
        design.forward(np.ascontiguousarray(coef.T), scores)
    ours, b = design.original(coef, intercepts)
    np.testing.assert_allclose(np.hstack([X, Y]) @ ours.T + b, scores + intercepts, rtol=1e-10, atol=1e-10)
    back, again = design.prepared(ours, b)
    np.testing.assert_allclose(back, coef, rtol=1e-12)
    np.testing.assert_allclose(again, intercepts, rtol=1e-9, atol=1e-12)
    assert (design.scales[6:] == 1).all()
    if not intercept:
        assert not design.centres.any()


@pytest.mark.parametrize("wide", [1, 4000])
def test_wide_designs_multiply_by_their_transposed_copy(monkeypatch, wide):
    monkeypatch.setattr(logistic_design, "_WIDE", wide)
    X, _ = drawn()
    X[:20, 0] = 0  # no longer the most frequent column
    design = prepared_design(sparse.csr_array(X), standardize=False)
    assert (design.order is None) == (wide > X.shape[1])
    if design.order is not None:
        X = X[:, design.order]
        assert (np.diff((X != 0).sum(axis=0)) <= 0).all()
    rng = np.random.default_rng(2)
    for dtype, near in ((np.float64, 1e-12), (np.float32, 1e-4)):
        S, P = rng.uniform(0, 1, size=(30, LANES)).astype(dtype), rng.normal(size=(6, LANES)).astype(dtype)
        product, sums, linear, square = np.empty_like(P), np.empty_like(P), np.empty((1, LANES)), np.empty((1, LANES))
        design.curvature(S, P, product, linear, square)
        np.testing.assert_allclose(product, X.T @ (S * (X @ P)), rtol=near, atol=100 * near)
        design.backward(S, sums)
        np.testing.assert_allclose(sums, X.T @ S, rtol=near, atol=100 * near)
        design.squares(S, sums, product)
        np.testing.assert_allclose(product, (X**2).T @ S, rtol=near, atol=100 * near)


def test_the_input_is_left_as_it_was():
    X, Y = drawn()
    thin = sparse.csr_array(X)
    before = X.copy(), thin.copy()
    prepared_design(X, Y)
    prepared_design(thin, Y)
    np.testing.assert_array_equal(X, before[0])
    np.testing.assert_array_equal(thin.data, before[1].data)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", [(0, 8), (1, 8), (7, 16), (5000, 16)])
def test_zeros_that_start_with_a_line(shape, dtype):
    blocks = [zero_block(shape, dtype) for _ in range(5)]
    for place, block in enumerate(blocks):
        assert block.shape == shape
        assert block.dtype == dtype
        assert block.ctypes.data % 64 == 0 or not block.size
        assert block.flags.c_contiguous
        assert not block.any()
        block[:] = place
    assert all((block == place).all() for place, block in enumerate(blocks))


def test_a_wide_sparse_design_stays_sparse_with_few_rows():
    few = sparse.random_array((5, 2000), density=0.01, random_state=0, format="csr")
    with using_kernels("auto"):
        assert isinstance(prepared_design(few, standardize=True, fit_intercept=True), SparseDesign)
        assert isinstance(prepared_design(few[:, :50], standardize=True, fit_intercept=True), DenseDesign)
