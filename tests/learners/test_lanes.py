"""Arithmetic on 16 lanes against NumPy."""

import numpy as np
import pytest
from numba import njit

from plait.learners import _lanes as lanes


@njit
def arithmetic(A, B, C, out):
    for i in range(A.shape[0]):
        a, b, c = lanes.load(A, i), lanes.load(B, i), lanes.load(C, i)
        total = lanes.fused(a, b, lanes.divide(lanes.subtract(a, b), lanes.add(c, lanes.fill(A.dtype.type(2.0)))))
        chosen = lanes.prefer(a, lanes.multiply(b, c), lanes.magnitude(total))
        lanes.store(out, i, chosen)


@njit
def converted(A, like, out):
    for i in range(A.shape[0]):
        lanes.store(out, i, lanes.narrow(lanes.widen(lanes.load(A, i)), like))


@njit
def exponentials(A, powers, logs):
    for i in range(A.shape[0]):
        lanes.store(powers, i, lanes.exp(lanes.load(A, i)))
        size = lanes.magnitude(lanes.load(A, i))
        lanes.store(logs, i, lanes.log1p(lanes.exp(lanes.subtract(lanes.fill(0.0), size))))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_arithmetic_lane_by_lane(dtype):
    A, B, C = (part.astype(dtype) for part in np.random.default_rng(0).uniform(-1, 1, size=(3, 9, lanes.LANES)))
    out = np.empty_like(A)
    arithmetic(A, B, C, out)
    total = A.astype(np.float64) * B + (A - B) / (C + 2.0)
    loose = 1e-5 if dtype == np.float32 else 1e-13
    np.testing.assert_allclose(out, np.where(A < 0, B * C, np.abs(total)), rtol=loose, atol=loose)


def test_floats_get_longer_and_shorter():
    A = np.random.default_rng(1).normal(size=(4, lanes.LANES)).astype(np.float32)
    wide, short = np.empty(A.shape), np.empty_like(A)
    converted(A, wide, wide)
    converted(wide, short, short)
    np.testing.assert_array_equal(wide, A.astype(np.float64))
    np.testing.assert_array_equal(short, A)


def test_exponentials_to_the_last_places():
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
    A = np.vstack([special, np.random.default_rng(2).normal(size=(500, lanes.LANES)) * 30])
    powers, logs = np.empty_like(A), np.empty_like(A)
    exponentials(A, powers, logs)
    cut = np.clip(A, -700, 700)
    np.testing.assert_allclose(powers, np.exp(cut), rtol=1e-15 * 4)
    np.testing.assert_allclose(logs, np.log1p(np.exp(-np.abs(cut))), rtol=4e-15)
