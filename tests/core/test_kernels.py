"""The exponential of the kernels against the C library's."""

import numpy as np
from numba import njit

from plait.core._kernels import exp_of


@njit
def exponentials(values, out):
    for i in range(values.size):
        out[i] = exp_of(values[i])


def test_exponential_is_right_to_the_last_bits_in_loops_and_alone():
    values = np.concatenate([np.linspace(-700, 700, 100_001), np.random.default_rng(0).uniform(-14, 14, 100_003)])
    out = np.empty_like(values)
    exponentials(values, out)
    np.testing.assert_allclose(out, np.exp(values), rtol=5e-16, atol=0)
    assert exp_of(0.0) == 1.0
    for value in (-13.8, -0.3465, 0.3466, 700.0):
        np.testing.assert_allclose(exp_of(value), np.exp(value), rtol=5e-16, atol=0)
