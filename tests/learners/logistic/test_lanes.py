"""Arithmetic on 8 and 16 lanes against NumPy."""

import numpy as np
import pytest
from numba import njit

from plait.learners.logistic import _lanes as lanes

both_widths = pytest.mark.parametrize("n_lanes", [lanes.NARROW, lanes.LANES])


@njit
def arithmetic(A, B, C, out, width):
    for i in range(A.shape[0]):
        a, b, c = lanes.load(A, i, width), lanes.load(B, i, width), lanes.load(C, i, width)
        two = lanes.fill(A.dtype.type(2.0), width)
        total = lanes.fused(a, b, lanes.divide(lanes.subtract(a, b), lanes.add(c, two)))
        chosen = lanes.prefer(a, lanes.multiply(b, c), lanes.magnitude(total))
        lanes.store(out, i, chosen)


@njit
def converted(A, like, out, width):
    for i in range(A.shape[0]):
        lanes.store(out, i, lanes.narrow(lanes.widen(lanes.load(A, i, width)), like))


@njit
def exponentials(A, powers, logs, width):
    for i in range(A.shape[0]):
        lanes.store(powers, i, lanes.exp(lanes.load(A, i, width)))
        size = lanes.magnitude(lanes.load(A, i, width))
        lanes.store(logs, i, lanes.log1p(lanes.exp(lanes.subtract(lanes.fill(A.dtype.type(0.0), width), size))))


@njit
def peaks(A, out, width):
    for i in range(A.shape[0]):
        out[i] = lanes.peak(lanes.load(A, i, width))


@both_widths
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_largest_of_all_lanes(dtype, n_lanes):
    A = np.random.default_rng(2).normal(size=(50, n_lanes)).astype(dtype)
    A[0] = -3.0
    out = np.empty(50, dtype)
    peaks(A, out, lanes.WIDTHS[n_lanes])
    np.testing.assert_array_equal(out, A.max(axis=1))


@both_widths
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_arithmetic_lane_by_lane(dtype, n_lanes):
    A, B, C = (part.astype(dtype) for part in np.random.default_rng(0).uniform(-1, 1, size=(3, 9, n_lanes)))
    out = np.empty_like(A)
    arithmetic(A, B, C, out, lanes.WIDTHS[n_lanes])
    total = A.astype(np.float64) * B + (A - B) / (C + 2.0)
    loose = 1e-5 if dtype == np.float32 else 1e-13
    np.testing.assert_allclose(out, np.where(A < 0, B * C, np.abs(total)), rtol=loose, atol=loose)


@both_widths
def test_floats_get_longer_and_shorter(n_lanes):
    A = np.random.default_rng(1).normal(size=(4, n_lanes)).astype(np.float32)
    wide, short = np.empty(A.shape), np.empty_like(A)
    converted(A, wide, wide, lanes.WIDTHS[n_lanes])
    converted(wide, short, short, lanes.WIDTHS[n_lanes])
    np.testing.assert_array_equal(wide, A.astype(np.float64))
    np.testing.assert_array_equal(short, A)


@both_widths
def test_exponentials_to_the_last_places(n_lanes):
    special = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        700.0,
        -700.0,
        1e-300,
        -1e-300,
        0.5 * np.log(2),
        36.7,
        -36.7,
        1e-8,
        709.0,
        -1e9,
        1e9,
        3,
    ]
    A = np.vstack([np.reshape(special, (-1, n_lanes)), np.random.default_rng(2).normal(size=(500, n_lanes)) * 30])
    powers, logs = np.empty_like(A), np.empty_like(A)
    exponentials(A, powers, logs, lanes.WIDTHS[n_lanes])
    cut = np.clip(A, -700, 700)
    np.testing.assert_allclose(powers, np.exp(cut), rtol=1e-15 * 4)
    np.testing.assert_allclose(logs, np.log1p(np.exp(-np.abs(cut))), rtol=4e-15)


@both_widths
def test_exponentials_of_short_floats(n_lanes):
    special = [0.0, -0.0, 1.0, -1.0, 87.0, -87.0, 1e-30, -1e-30, 0.5 * np.log(2), 36.7, -36.7, 1e-8, 88.0, -1e9, 1e9, 3]
    drawn = np.random.default_rng(3).normal(size=(500, n_lanes)) * 30
    A = np.vstack([np.reshape(special, (-1, n_lanes)), drawn]).astype(np.float32)
    powers, logs = np.empty_like(A), np.empty_like(A)
    exponentials(A, powers, logs, lanes.WIDTHS[n_lanes])
    cut = np.clip(A.astype(np.float64), -87, 87)
    np.testing.assert_allclose(powers, np.exp(cut), rtol=4e-7)
    np.testing.assert_allclose(logs, np.log1p(np.exp(-np.abs(cut))), rtol=4e-7)
