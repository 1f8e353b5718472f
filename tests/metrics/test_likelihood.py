"""CLL loss against loops, SciPy's Bernoulli and the log loss of scikit-learn."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse
from scipy.stats import bernoulli
from sklearn.metrics import log_loss

from plait.core.logspace import EPSILON
from plait.data import DataError
from plait.metrics import cll_loss


@st.composite
def labels_and_marginals(draw, low=0.0, high=1.0):
    shape = (draw(st.integers(1, 8)), draw(st.integers(1, 7)))
    Y = draw(arrays(np.uint8, shape, elements=st.integers(0, 1)))
    return Y, draw(arrays(np.float64, shape, elements=st.floats(low, high)))


def naive_loss(Y, marginals):
    total = 0.0
    for y, p in zip(Y.tolist(), marginals.tolist(), strict=True):
        for label, chance in zip(y, p, strict=True):
            chance = min(max(chance, EPSILON), 1 - EPSILON)
            total -= math.log(chance if label else 1 - chance)
    return total


@given(labels_and_marginals())
def test_marginals_equal_naive_loops(case):
    Y, marginals = case
    assert cll_loss(Y, marginals) == pytest.approx(naive_loss(Y, marginals), rel=1e-9)
    assert cll_loss(Y, marginals, mean=True) == pytest.approx(naive_loss(Y, marginals) / len(Y), rel=1e-9)
    assert cll_loss(sparse.csr_array(Y), sparse.csc_array(marginals)) == pytest.approx(
        cll_loss(Y, marginals), rel=1e-12
    )


@given(labels_and_marginals(low=0.001, high=0.999))
def test_marginals_equal_scipy_and_scikit_learn(case):
    Y, marginals = case
    assert cll_loss(Y, marginals) == pytest.approx(-bernoulli(marginals).logpmf(Y).sum(), rel=1e-9)
    theirs = sum(log_loss(y, p, labels=[0, 1], normalize=False) for y, p in zip(Y.T, marginals.T, strict=True))
    assert cll_loss(Y, marginals) == pytest.approx(theirs, rel=1e-9)


@given(labels_and_marginals(low=0.001, high=0.999))
def test_both_forms_agree_for_independent_labels(case):
    Y, marginals = case
    log_probs = bernoulli(marginals).logpmf(Y).sum(axis=1)
    assert cll_loss(Y, log_probs) == pytest.approx(cll_loss(Y, marginals), rel=1e-9)
    assert cll_loss(Y, list(log_probs), mean=True) == pytest.approx(-log_probs.mean(), rel=1e-9)


def test_a_certain_and_right_model_loses_almost_nothing():
    Y = np.array([[1, 0, 1], [0, 0, 0]])
    assert cll_loss(Y, Y.astype(float)) == pytest.approx(-6 * math.log1p(-EPSILON), rel=1e-6)
    assert cll_loss(Y, 1.0 - Y) == pytest.approx(-6 * math.log(EPSILON), rel=1e-9)


def test_joint_log_probabilities_are_taken_as_they_are():
    assert cll_loss([[1], [0]], [-math.inf, -1.0]) == math.inf
    assert cll_loss([[1], [0]], [0.0, 0.0]) == 0.0
    assert math.copysign(1.0, cll_loss([[1], [0]], [0.0, 0.0])) == 1.0
    # Rounding may leave a log-probability a hair above 0.
    assert cll_loss([[1], [0]], [1e-16, -1.0]) == pytest.approx(1.0, rel=1e-12)


def test_small_floats_are_added_up_in_double_precision():
    n = 200_000
    log_probs = np.full(n, -0.1, dtype=np.float32)
    assert cll_loss(np.zeros((n, 1)), log_probs) == pytest.approx(n * float(np.float32(0.1)), rel=1e-12)


@pytest.mark.parametrize(
    ("Y", "probabilities", "says"),
    [
        ([[1], [0]], [-1.0], "one log-probability per row of Y_true, 2, but it has 1"),
        ([[1], [0]], [0.3, 0.9], r"logarithms of at most 0, but it holds 0.9. Pass log P\(y \| x\), or marginals"),
        ([[1], [0]], [[1.5], [0.5]], "marginals from 0 to 1, but it holds 1.5"),
        ([[1], [0]], [[-2.0], [0.5]], "marginals from 0 to 1, but it holds -2.0"),
        ([[1], [0]], [[0.5, 0.5], [0.5, 0.5]], r"the shape of Y_true, \(2, 1\), but it is \(2, 2\)"),
        ([[1], [0]], [[math.nan], [0.5]], "probabilities to be numbers, but it holds nan"),
        ([[1], [0]], [math.nan, -1.0], "probabilities to be numbers, but it holds nan"),
        ([[1], [2]], [-1.0, -1.0], "Y_true to hold only 0 and 1, but it holds 2"),
        ([[1], [0]], [[0.5], [0.5, 0.5]], "its rows differ in length"),
    ],
)
def test_what_cannot_be_probabilities_is_refused(Y, probabilities, says):
    with pytest.raises(DataError, match=f"^cll_loss needs .*{says}"):
        cll_loss(Y, probabilities)


def test_mean_is_a_truth_value():
    with pytest.raises(ValueError, match="cll_loss needs mean to be True or False"):
        cll_loss([[1]], [-1.0], mean="yes")
