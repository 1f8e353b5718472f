import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import special

from plait.core.logspace import EPSILON, clip_probability, log1m_exp, log_normalize, log_sigmoid, log_sum_exp

logs = st.one_of(st.floats(-800, 800), st.just(-np.inf))
matrices = hnp.arrays(np.float64, hnp.array_shapes(min_dims=2, max_dims=2, max_side=5), elements=logs)


@given(matrices, st.sampled_from([0, 1, None]))
def test_log_sum_exp_agrees_with_scipy(a, axis):
    with np.errstate(divide="ignore"):
        expected = special.logsumexp(a, axis=axis)
    np.testing.assert_allclose(log_sum_exp(a, axis=axis), expected, rtol=1e-13, atol=1e-13)


def test_log_sum_exp_of_nothing_is_minus_infinity():
    assert log_sum_exp(np.empty((0,))) == -np.inf
    assert log_sum_exp(np.empty((3, 0)), axis=1).tolist() == [-np.inf] * 3


@given(hnp.arrays(np.float64, (3, 4), elements=st.floats(-700, 700)))
def test_normalized_weights_sum_to_one(a):
    np.testing.assert_allclose(np.exp(log_normalize(a)).sum(axis=1), 1.0, rtol=1e-12, atol=0)


@given(st.floats(-700, -1e-300))
def test_log1m_exp_undoes_itself(a):
    # exp(a) + exp(log1m_exp(a)) = 1, checked in the half where no digits are lost.
    b = log1m_exp(a)
    np.testing.assert_allclose(np.exp(a) + np.exp(b), 1.0, rtol=1e-15, atol=0)


@pytest.mark.parametrize("p", [1e-300, 1e-20, 0.3, 0.5, 0.9])
def test_log1m_exp_keeps_digits_near_both_ends(p):
    # log(p) itself is rounded: an error of eps * |log p| in the exponent, at most 700 eps here.
    np.testing.assert_allclose(log1m_exp(np.log(p)), np.log1p(-p), rtol=700 * 2.3e-16, atol=0)
    np.testing.assert_allclose(log1m_exp(-p), np.log(-np.expm1(-p)), rtol=1e-14, atol=0)


def test_log1m_exp_at_the_ends():
    assert log1m_exp(0.0) == -np.inf
    assert log1m_exp(-np.inf) == 0.0


@given(st.floats(-1000, 1000))
def test_log_sigmoid_agrees_with_scipy(t):
    np.testing.assert_allclose(log_sigmoid(t), special.log_expit(t), rtol=1e-13, atol=1e-300)


def test_clipping():
    assert clip_probability([0.0, 0.5, 1.0]).tolist() == [EPSILON, 0.5, 1.0 - EPSILON]
