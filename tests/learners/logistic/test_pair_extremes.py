"""Pairs of labels where nothing varies and where rows lie far out."""

import math

import numpy as np
import pytest

from plait.learners import LogisticLearner

pytestmark = pytest.mark.usefixtures("either_path")


def test_all_labels_constant_and_a_single_label():
    X = np.arange(12.0).reshape(6, 2)
    found = LogisticLearner().fit_pairs(X, np.zeros((6, 2), dtype=int), folds=2, random_state=0)
    np.testing.assert_allclose(found.log_likelihood, 6 * math.log(4 / 5), rtol=1e-12)
    assert (found.conditional_information == 0).all()
    single = LogisticLearner().fit_pairs(X, [[0], [1], [0], [1], [1], [0]], folds=None, coefficients=True)
    assert single.log_likelihood.shape == (1, 1)
    assert single.coef.shape == (1, 1, 2)
    np.testing.assert_array_equal(single.log_likelihood[0], single.log_likelihood_alone)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_rows_far_out_overflow_nowhere(dtype):
    # Scores beyond what exp can hold; warnings are errors here.
    X = np.random.default_rng(0).normal(size=(60, 2))
    X[0], X[1] = (20000.0, 0.0), (-20000.0, 0.0)
    Y = np.column_stack([X[:, 0] > 0, X[:, 0] + X[:, 1] > 0]).astype(np.uint8)
    pairs = LogisticLearner(C=100.0, standardize=False, dtype=dtype).fit_pairs(X, Y, random_state=0)
    assert np.isfinite(pairs.log_likelihood).all()
