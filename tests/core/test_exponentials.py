"""Exponentials and logarithms of kernels against the C library's, alone, in loops and in lanes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba import njit

from plait.core._exponentials import exp, log, log1p
from plait.core._lanes import WIDTHS, load, magnitude, store, within

every_kind = pytest.mark.parametrize(("dtype", "bound", "rtol"), [(np.float32, 87, 2e-7), (np.float64, 700, 5e-16)])
every_width = pytest.mark.parametrize("count", sorted(WIDTHS))


@njit
def in_loops(values, powers, logs, more):
    for i in range(values.size):
        powers[i] = exp(values[i])
    for i in range(values.size):
        logs[i] = log(powers[i])
    for i in range(values.size):
        more[i] = log1p(exp(-abs(values[i])))


@njit
def in_lanes(values, powers, logs, more, width):
    for r in range(0, values.shape[1], 8 * len(width)):
        x = load(values, 0, r, width)
        store(powers, 0, r, exp(x))
        store(logs, 0, r, log(exp(x)))
        store(more, 0, r, log1p(exp(0.0 - magnitude(x))))


def numbers(dtype, bound):
    drawn = np.random.default_rng(0).uniform(-14, 14, 100_003)
    near = np.concatenate([np.linspace(-1e-3, 1e-3, 4000), np.log(2) / 2 * (1 + np.linspace(-1e-6, 1e-6, 4000))])
    special = [0.0, -0.0, 1.0, -1.0, bound, -bound, 1e-30, -1e-30, 0.3465, -0.3466, -13.8]
    values = np.concatenate([np.linspace(-bound, bound, 100_001), drawn, near, special]).astype(dtype)
    return values[: values.size // 16 * 16]


@every_kind
def test_in_loops_to_the_last_bits(dtype, bound, rtol):
    values = numbers(dtype, bound)
    powers, logs, more = (np.empty_like(values) for _ in range(3))
    in_loops(values, powers, logs, more)
    compare(values, powers, logs, more, rtol)


@every_width
@every_kind
def test_in_lanes_to_the_last_bits(dtype, bound, rtol, count):
    values = numbers(dtype, bound)
    powers, logs, more = (np.empty((1, values.size), dtype) for _ in range(3))
    in_lanes(values[None], powers, logs, more, WIDTHS[count])
    compare(values, powers[0], logs[0], more[0], rtol)


def compare(values, powers, logs, more, rtol):
    np.testing.assert_allclose(powers, np.exp(values.astype(np.float64)), rtol=rtol, atol=0)
    # The logarithm of what was found, not of what should have been.
    np.testing.assert_allclose(logs, np.log(powers.astype(np.float64)), rtol=2 * rtol, atol=rtol)
    np.testing.assert_allclose(more, np.log1p(np.exp(-np.abs(values.astype(np.float64)))), rtol=4 * rtol, atol=0)


@njit
def alone(value):
    return exp(value), log(value)


def test_alone():
    assert alone(0.0)[0] == 1.0
    for value in (-13.8, -0.3465, 0.3466, 700.0):
        np.testing.assert_allclose(alone(value)[0], np.exp(value), rtol=5e-16, atol=0)


@njit
def logarithms(values, out):
    for r in range(0, values.shape[1], 8):
        store(out, 0, r, log(load(values, 0, r)))


@given(st.lists(st.floats(1e-300, 1e300), min_size=8, max_size=8))
def test_logarithms_of_any_size(values):
    given_values, out = np.array([values]), np.empty((1, 8))
    logarithms(given_values, out)
    np.testing.assert_allclose(out, np.log(given_values), rtol=1e-14, atol=1e-15)


def test_logarithms_near_one_and_at_the_seams():
    base = np.concatenate([1.0 + np.linspace(-1e-3, 1e-3, 4000), np.sqrt(0.5) * (1 + np.linspace(-1e-9, 1e-9, 4000))])
    values = np.concatenate([base, base * 2.0, base * 2.0**-60])[None]
    out = np.empty_like(values)
    logarithms(values, out)
    np.testing.assert_allclose(out, np.log(values), rtol=1e-14, atol=1e-16)


@njit
def cut(values, out, width):
    store(out, 0, 0, exp(within(load(values, 0, 0, width), -700.0, 700.0)))


def test_beyond_what_is_promised_after_a_cut():
    values = np.array([[709.0, -1e9, 1e9, np.inf, -np.inf, 3.0, -745.0, 0.0]])
    out = np.empty_like(values)
    cut(values, out, WIDTHS[8])
    np.testing.assert_allclose(out, np.exp(np.clip(values, -700, 700)), rtol=5e-16, atol=0)
