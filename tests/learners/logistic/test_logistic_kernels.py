"""Kernels of the logistic solver against plain NumPy, and derivatives against finite differences."""

import numpy as np
import pytest

from plait.learners.logistic._logistic_kernels import (
    advance,
    along_line,
    copy_lanes,
    inner,
    loss_rows,
    move,
    next_direction,
)
from plait.learners.logistic.logistic_design import LANES, NARROW, WIDTHS

ROWS = 13


def drawn(weighted):
    rng = np.random.default_rng(0)
    Z = rng.normal(size=(ROWS, LANES)) * 4
    Z[0, :4] = [0.0, 40.0, -800.0, 800.0]
    targets = (rng.random((ROWS, LANES)) < 0.5).astype(np.float32)
    cost = rng.uniform(0, 2, size=(ROWS if weighted else 1, LANES))
    return Z, targets, cost


def losses(Z, targets, cost):
    return (cost * (np.logaddexp(0, Z) - targets * Z)).sum(axis=0)


def evaluated(Z, targets, cost, bounded=0.0):
    residuals, curvature, sums = np.empty_like(Z), np.empty_like(Z), np.empty((3, LANES))
    loss_rows(Z, targets, cost, np.full((1, LANES), bounded), residuals, curvature, sums, WIDTHS[LANES])
    return residuals, curvature, sums


@pytest.mark.parametrize("weighted", [False, True])
def test_losses_residuals_and_curvature(weighted):
    Z, targets, cost = drawn(weighted)
    residuals, curvature, sums = evaluated(Z, targets, cost)
    p = 1 / (1 + np.exp(-np.clip(Z, -700, 700)))
    np.testing.assert_allclose(residuals, cost * (p - targets), rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(curvature, cost * p * (1 - p), rtol=1e-9, atol=1e-15)
    np.testing.assert_allclose(sums[0], losses(Z, targets, cost), rtol=1e-12)
    np.testing.assert_allclose(sums[1:], [residuals.sum(axis=0), curvature.sum(axis=0)], rtol=1e-12, atol=1e-12)


def test_residuals_and_curvature_are_derivatives():
    Z, targets, cost = drawn(weighted=True)
    Z = np.clip(Z, -8, 8)
    residuals, curvature, _ = evaluated(Z, targets, cost)
    h = 1e-5
    for i in range(ROWS):
        step = np.zeros_like(Z)
        step[i] = h
        slope = (losses(Z + step, targets, cost) - losses(Z - step, targets, cost)) / (2 * h)
        np.testing.assert_allclose(residuals[i], slope, rtol=1e-5, atol=1e-8)
        bend = (evaluated(Z + step, targets, cost)[0] - evaluated(Z - step, targets, cost)[0])[i] / (2 * h)
        np.testing.assert_allclose(curvature[i], bend, rtol=1e-5, atol=1e-8)


def test_bounded_curvature_bounds_the_loss_where_a_row_is_on_the_wrong_side():
    Z, targets, cost = drawn(weighted=False)
    plain, careful = (evaluated(Z, targets, cost, bounded)[1] for bounded in (0.0, 1.0))
    wrong = (1 - 2 * targets) * Z > 0
    np.testing.assert_array_equal(careful[~wrong], plain[~wrong])
    assert (careful[wrong] >= plain[wrong]).all()
    far = wrong & (np.abs(Z) > 1)
    bound = np.broadcast_to(cost, Z.shape) * np.tanh(np.abs(Z) / 2) / (2 * np.maximum(np.abs(Z), 1e-9))
    np.testing.assert_allclose(careful[far], bound[far], rtol=1e-9)
    # The quadratic with this curvature lies above the loss wherever the row may move.
    residuals = evaluated(Z, targets, cost)[0]
    for move_by in np.linspace(-12, 12, 25):
        new = np.broadcast_to(cost, Z.shape) * (np.logaddexp(0, Z + move_by) - targets * (Z + move_by))
        old = np.broadcast_to(cost, Z.shape) * (np.logaddexp(0, Z) - targets * Z)
        above = old + residuals * move_by + 0.5 * careful * move_by**2
        assert (new[far] <= above[far] + 1e-9).all()


@pytest.mark.parametrize("weighted", [False, True])
def test_derivatives_along_a_line(weighted):
    Z, targets, cost = drawn(weighted)
    Z = np.clip(Z, -8, 8)
    D = np.random.default_rng(1).normal(size=Z.shape)
    lengths, sums, h = np.linspace(0, 2, LANES)[None], np.empty((2, LANES)), 1e-5

    def at(shift):
        return losses(Z + (lengths + shift) * D, targets, cost)

    along_line(Z, D, targets, cost, lengths, sums, WIDTHS[LANES])
    np.testing.assert_allclose(sums[0], (at(h) - at(-h)) / (2 * h), rtol=1e-5, atol=1e-7)
    np.testing.assert_allclose(sums[1], (at(1e-3) - 2 * at(0) + at(-1e-3)) / 1e-6, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("n_lanes", [NARROW, LANES])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_block_arithmetic(dtype, n_lanes):
    width = WIDTHS[n_lanes]
    rng = np.random.default_rng(2)
    near = {"rtol": 1e-5, "atol": 1e-5} if dtype == np.float32 else {"rtol": 1e-12, "atol": 1e-12}
    P, product, means, inverse, X, residual = (rng.uniform(0.5, 1, size=(6, n_lanes)).astype(dtype) for _ in range(6))
    steps, shares, energy, norms = (rng.uniform(0, 1, size=(1, n_lanes)) for _ in range(4))
    out = np.empty((1, n_lanes))
    inner(P, X, out, width)
    np.testing.assert_allclose(out[0], (P * X).sum(axis=0), **near)
    new_x, new_r = X + steps * P, residual - steps * (product + P - shares * means)
    advance(steps, shares, P, product, means, inverse, X, residual, energy, width)
    np.testing.assert_allclose(X, new_x, **near)
    np.testing.assert_allclose(residual, new_r, **near)
    np.testing.assert_allclose(energy[0], (inverse * new_r**2).sum(axis=0), **near)
    expected = inverse * residual + shares * P
    next_direction(residual, inverse, shares, P, norms, width)
    np.testing.assert_allclose(P, expected, **near)
    np.testing.assert_allclose(norms[0], (expected**2).sum(axis=0), **near)
    expected = X + steps * P
    move(X, P, steps, width)
    np.testing.assert_allclose(X, expected, **near)


@pytest.mark.parametrize("weighted", [False, True])
def test_eight_lanes_get_the_bits_of_sixteen(weighted):
    Z, targets, cost = drawn(weighted)
    bounded, lengths = (np.arange(LANES) % 2.0)[None], np.linspace(0, 2, LANES)[None]
    D = np.random.default_rng(1).normal(size=Z.shape)
    found = {}
    for n_lanes in (LANES, NARROW):
        parts = [np.ascontiguousarray(part[:, :n_lanes]) for part in (Z, targets, cost, bounded, D, lengths)]
        residuals, curvature = np.empty_like(parts[0]), np.empty_like(parts[0])
        sums, slopes = np.empty((3, n_lanes)), np.empty((2, n_lanes))
        loss_rows(*parts[:4], residuals, curvature, sums, WIDTHS[n_lanes])
        along_line(parts[0], parts[4], parts[1], parts[2], parts[5], slopes, WIDTHS[n_lanes])
        found[n_lanes] = np.vstack([residuals, curvature, sums, slopes])
    np.testing.assert_array_equal(found[NARROW], found[LANES][:, :NARROW])


def test_lanes_are_copied_and_others_left_alone():
    source, target = np.arange(5.0 * LANES).reshape(5, LANES), np.zeros((5, LANES))
    copy_lanes(source, np.array([3, 0]), target, np.array([7, 8]))
    np.testing.assert_array_equal(target[:, [7, 8]], source[:, [3, 0]])
    assert np.count_nonzero(target.any(axis=0)) == 2
