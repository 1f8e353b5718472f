import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numba import njit
from numba.core.errors import TypingError

from plait.inference._row_vectors import (
    WIDTH,
    larger,
    load,
    load_column,
    logarithm,
    select_above,
    smaller,
    spread,
    store,
    store_column,
    store_labels,
)

numbers = arrays(np.float64, (2, 2 * WIDTH), elements=st.floats(-1e6, 1e6))


@njit
def arithmetic(a, b, out):
    for row in range(2):
        for r in range(0, a.shape[1], WIDTH):
            x, y = load(a, row, r), load(b, row, r)
            store(out, row, r, (x + y) * 2.0 - 3.0 * (x - y) / (1.0 + y * y))
            store(out, row + 2, r, larger(x, y) + smaller(x, spread(0.5)))
            store(out, row + 4, r, select_above(x, y, x, spread(-1.0)))


@given(numbers, numbers)
def test_operators_act_on_every_number(a, b):
    out = np.empty((6, 2 * WIDTH))
    arithmetic(a, b, out)
    np.testing.assert_allclose(out[:2], (a + b) * 2 - 3 * (a - b) / (1 + b * b), rtol=1e-12, atol=1e-9)
    np.testing.assert_array_equal(out[2:4], np.maximum(a, b) + np.minimum(a, 0.5))
    np.testing.assert_array_equal(out[4:], np.where(a > b, a, -1.0))


@njit
def logarithms(a, out):
    for r in range(0, a.shape[1], WIDTH):
        store(out, 0, r, logarithm(load(a, 0, r)))


@given(arrays(np.float64, (1, WIDTH), elements=st.floats(1e-300, 1e300)))
def test_logarithms(a):
    out = np.empty_like(a)
    logarithms(a, out)
    np.testing.assert_allclose(out, np.log(a), rtol=1e-14, atol=1e-15)


def test_logarithms_near_one_and_at_the_seams():
    base = np.concatenate([1.0 + np.linspace(-1e-3, 1e-3, 4000), np.sqrt(0.5) * (1 + np.linspace(-1e-9, 1e-9, 4000))])
    a = np.concatenate([base, base * 2.0, base * 2.0**-60])[None]
    out = np.empty_like(a)
    logarithms(a, out)
    np.testing.assert_allclose(out, np.log(a), rtol=1e-14, atol=1e-16)


@njit
def turned(a, out, labels):
    eight = (
        load_column(a, 1, 0), load_column(a, 1, 1), load_column(a, 1, 2), load_column(a, 1, 3),
        load_column(a, 1, 4), load_column(a, 1, 5), load_column(a, 1, 6), load_column(a, 1, 7),
    )  # fmt: skip
    store_column(out, 2, 3, eight[5])
    store_labels(labels, 1, 2, eight)


def test_columns_and_labels_go_where_they_belong():
    draws = np.random.default_rng(0)
    a = np.maximum(draws.normal(size=(WIDTH + 3, WIDTH + 1)), 0.0)
    out, labels = np.zeros((WIDTH + 4, 5)), np.full((WIDTH + 2, WIDTH + 5), 9, dtype=np.uint8)
    turned(a, out, labels)
    expected, expected_labels = np.zeros_like(out), np.full_like(labels, 9)
    expected[2 : 2 + WIDTH, 3] = a[1 : 1 + WIDTH, 5]
    expected_labels[1 : 1 + WIDTH, 2 : 2 + WIDTH] = a[1 : 1 + WIDTH, :WIDTH] > 0
    np.testing.assert_array_equal(out, expected)
    np.testing.assert_array_equal(labels, expected_labels)


def test_other_orders_are_refused_by_the_compiler():
    with pytest.raises(TypingError, match="in C order"):
        logarithms(np.ones((2, 2 * WIDTH))[:, ::2], np.ones((2, WIDTH)))
