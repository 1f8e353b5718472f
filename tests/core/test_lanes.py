"""Arithmetic on lanes, 8 or 16 of float32 or float64, against NumPy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numba import njit
from numba.core.errors import TypingError

from plait.core import _lanes as lanes

every_kind = pytest.mark.parametrize("dtype", [np.float32, np.float64])
every_width = pytest.mark.parametrize("count", sorted(lanes.WIDTHS))


@njit
def arithmetic(a, b, out):
    for row in range(2):
        for r in range(0, a.shape[1], 8):
            x, y = lanes.load(a, row, r), lanes.load(b, row, r)
            lanes.store(out, row, r, (x + y) * 2.0 - 3.0 * (x - y) / (1.0 + y * y))
            lanes.store(out, row + 2, r, lanes.larger(x, y) + lanes.smaller(x, 0.5))
            lanes.store(out, row + 4, r, lanes.select_above(x, y, x, -1.0))
            lanes.store(out, row + 6, r, lanes.within(x, -2.0, 3.0) + lanes.larger(0.0, y))


@given(*[arrays(np.float64, (2, 16), elements=st.floats(-1e6, 1e6))] * 2)
def test_operators_act_on_every_number_and_round_once(a, b):
    out = np.empty((8, 16))
    arithmetic(a, b, out)
    np.testing.assert_array_equal(out[:2], (a + b) * 2 - 3 * (a - b) / (1 + b * b))
    np.testing.assert_array_equal(out[2:4], np.maximum(a, b) + np.minimum(a, 0.5))
    np.testing.assert_array_equal(out[4:6], np.where(a > b, a, -1.0))
    np.testing.assert_array_equal(out[6:], np.clip(a, -2, 3) + np.maximum(0, b))


@njit
def of_rows(a, b, c, out, width):
    for i in range(a.shape[0]):
        x, y, z = lanes.load_row(a, i, width), lanes.load_row(b, i, width), lanes.load_row(c, i, width)
        total = lanes.fused(x, y, (x - y) / (z + 2.0))
        lanes.store_row(out, i, lanes.select_above(0.0, x, y * z, lanes.magnitude(total)))


@every_width
@every_kind
def test_rows_of_either_kind_and_width(dtype, count):
    a, b, c = (part.astype(dtype) for part in np.random.default_rng(0).uniform(-1, 1, size=(3, 9, count)))
    out = np.empty_like(a)
    of_rows(a, b, c, out, lanes.WIDTHS[count])
    total = a.astype(np.float64) * b + (a - b) / (c + 2.0)
    loose = 1e-5 if dtype == np.float32 else 1e-13
    np.testing.assert_allclose(out, np.where(a < 0, b * c, np.abs(total)), rtol=loose, atol=loose)


@every_kind
def test_a_lane_does_not_see_how_many_there_are(dtype):
    a, b, c = (part.astype(dtype) for part in np.random.default_rng(1).uniform(-1, 1, size=(3, 50, 16)))
    wide, half = np.empty_like(a), np.empty((50, 8), dtype)
    of_rows(a, b, c, wide, lanes.WIDTHS[16])
    of_rows(*(np.ascontiguousarray(part[:, :8]) for part in (a, b, c)), half, lanes.WIDTHS[8])
    np.testing.assert_array_equal(half, wide[:, :8])


@njit
def peaks(a, out, width):
    for i in range(a.shape[0]):
        out[i] = lanes.peak(lanes.load_row(a, i, width))


@every_width
@every_kind
def test_the_largest_of_all_lanes(dtype, count):
    a = np.random.default_rng(2).normal(size=(50, count)).astype(dtype)
    a[0] = -3.0
    out = np.empty(50, dtype)
    peaks(a, out, lanes.WIDTHS[count])
    np.testing.assert_array_equal(out, a.max(axis=1))


@njit
def converted(a, like, out, width):
    for i in range(a.shape[0]):
        lanes.store_row(out, i, lanes.narrow(lanes.widen(lanes.load_row(a, i, width)), like))


@every_width
def test_floats_get_longer_and_shorter(count):
    a = np.random.default_rng(1).normal(size=(4, count)).astype(np.float32)
    wide, short = np.empty(a.shape), np.empty_like(a)
    converted(a, wide, wide, lanes.WIDTHS[count])
    converted(wide, short, short, lanes.WIDTHS[count])
    np.testing.assert_array_equal(wide, a.astype(np.float64))
    np.testing.assert_array_equal(short, a)


@njit
def filled(values, out, width):
    for i in range(values.size):
        lanes.store(out, i, 1, lanes.fill(values[i], width))


@every_width
@every_kind
def test_one_number_in_all_lanes_and_no_other_place_touched(dtype, count):
    values, out = np.arange(3, dtype=dtype), np.full((3, count + 2), -1, dtype)
    filled(values, out, lanes.WIDTHS[count])
    np.testing.assert_array_equal(out[:, 1:-1], np.repeat(values[:, None], count, axis=1))
    assert (out[:, [0, -1]] == -1).all()


@njit
def turned(a, out, labels):
    eight = (
        lanes.load_column(a, 1, 0), lanes.load_column(a, 1, 1), lanes.load_column(a, 1, 2), lanes.load_column(a, 1, 3),
        lanes.load_column(a, 1, 4), lanes.load_column(a, 1, 5), lanes.load_column(a, 1, 6), lanes.load_column(a, 1, 7),
    )  # fmt: skip
    lanes.store_column(out, 2, 3, eight[5])
    lanes.store_labels(labels, 1, 2, eight)


def test_columns_and_labels_go_where_they_belong():
    draws = np.random.default_rng(0)
    a = np.maximum(draws.normal(size=(11, 9)), 0.0)
    out, labels = np.zeros((12, 5)), np.full((10, 13), 9, dtype=np.uint8)
    turned(a, out, labels)
    expected, expected_labels = np.zeros_like(out), np.full_like(labels, 9)
    expected[2:10, 3] = a[1:9, 5]
    expected_labels[1:9, 2:10] = a[1:9, :8] > 0
    np.testing.assert_array_equal(out, expected)
    np.testing.assert_array_equal(labels, expected_labels)


def test_other_orders_are_refused_by_the_compiler():
    with pytest.raises(TypingError, match="in C order"):
        arithmetic(np.ones((2, 16))[:, ::2], np.ones((2, 8)), np.ones((8, 8)))
