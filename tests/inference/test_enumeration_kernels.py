"""Loops of the enumeration against plain Python."""

from itertools import product

import numpy as np
import pytest

from plait.inference import _enumeration_kernels as kernels


def bits(number, n):
    return [(number >> (n - 1 - t)) & 1 for t in range(n)]


@pytest.mark.parametrize("order", [[0], [0, 1, 2], [2, 0, 3, 1]], ids=str)
def test_numbers_of_whole_prefixes(order):
    n = len(order)
    numbers = np.empty(2**n, dtype=np.int64)
    kernels.number_of_prefix(np.array(order), numbers)
    for prefix in range(2**n):
        vector = [0] * n
        for t, value in enumerate(bits(prefix, n)):
            vector[order[t]] = value
        assert bits(numbers[prefix], n) == vector


def test_settings_of_prefixes():
    places, starts, n_parents = np.array([[0, 0], [0, 0], [1, 0]]), np.array([0, 1, 3]), np.array([0, 1, 2])
    settings = np.empty(7, dtype=np.int64)
    kernels.fill_settings(places, starts, n_parents, settings)
    # The third label's first parent is the second label: it is bit 0 of the setting.
    assert settings.tolist() == [0, 1, 2, 3 + 0, 3 + 1, 3 + 2, 3 + 3]


def test_probabilities_and_sums():
    rng = np.random.default_rng(0)
    settings = np.array([0, 1, 2, 3, 4, 3, 4])
    numbers = np.array([0, 4, 1, 5, 2, 6, 3, 7])
    on = rng.random((2, 5))
    out = np.empty((2, 8))
    kernels.vector_probabilities(1 - on, on, settings, numbers, np.empty(8), out)
    for row in range(2):
        for prefix, (a, b, c) in enumerate(product((0, 1), repeat=3)):
            p = [on[row, 0], on[row, 1 + a], on[row, 3 + b]]
            factors = [value if y else 1 - value for value, y in zip(p, (a, b, c), strict=True)]
            assert out[row, numbers[prefix]] == pytest.approx(np.prod(factors), rel=1e-14)
    total, by_label = np.empty(2), np.empty((2, 3))
    kernels.sum_by_label(out, np.empty(8), total, by_label)
    np.testing.assert_allclose(total, out.sum(axis=1), rtol=1e-14)
    for label in range(3):
        with_label = [number for number in range(8) if bits(number, 3)[label]]
        np.testing.assert_allclose(by_label[:, label], out[:, with_label].sum(axis=1), rtol=1e-14)
