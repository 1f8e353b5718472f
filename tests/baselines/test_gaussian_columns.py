import numpy as np
import pytest
from scipy import sparse
from scipy.stats import norm

from plait.baselines.class_sums import ClassSums
from plait.baselines.gaussian_columns import GaussianColumns


def floored(rows, column):
    return max(rows.var(), 1e-9 * column.var() + 1e-12)


def naive_log_odds(X, y, asked):
    """Return the sum of log-ratios of normal densities, column by column."""
    total = np.zeros(len(asked))
    for j, column in enumerate(X.T):
        for value, sign in ((1, 1), (0, -1)):
            rows = column[y == value]
            spread = np.sqrt(floored(rows, column))
            total += sign * norm.logpdf(asked[:, j], rows.mean(), spread)
    return total


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
def test_log_odds_are_those_of_normal_densities(form):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 5)) * (rng.random((80, 5)) < 0.5) * [1.0, 100.0, 1e-4, 1.0, 7.0]
    Y = (rng.random((80, 3)) < [0.5, 0.1, 0.9]).astype(np.uint8)
    asked = rng.normal(size=(10, 5)) * [1.0, 100.0, 1e-4, 1.0, 7.0]
    found = GaussianColumns.fitted(form(X), ClassSums.of(Y)).log_odds(form(asked))
    expected = np.column_stack([naive_log_odds(X, y, asked) for y in Y.T])
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-10)


def test_means_and_variances_are_in_units_of_the_columns():
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(40, 2)) * [1.0, 50.0] + [3.0, 1000.0], rng.integers(0, 2, size=(40, 1), dtype=np.uint8)
    fitted = GaussianColumns.fitted(X, ClassSums.of(Y))
    for value in (0, 1):
        np.testing.assert_allclose(fitted.means[0, value], X[Y[:, 0] == value].mean(axis=0), rtol=1e-12)
        np.testing.assert_allclose(fitted.variances[0, value], X[Y[:, 0] == value].var(axis=0), rtol=1e-10)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
def test_a_column_that_is_constant_in_a_class_has_the_least_variance(form):
    X = np.array([[2.0], [2.0], [0.0], [1.0], [3.0]])
    y = np.array([1, 1, 0, 0, 0])
    asked = np.array([[2.0], [2.0 + 1e-5], [0.0]])
    fitted = GaussianColumns.fitted(form(X), ClassSums.of(y.reshape(-1, 1).astype(np.uint8)))
    np.testing.assert_allclose(fitted.variances[0, 1], 1e-9 * X.var() + 1e-12, rtol=1e-9)
    np.testing.assert_allclose(fitted.log_odds(form(asked))[:, 0], naive_log_odds(X, y, asked), rtol=1e-6, atol=1e-5)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
def test_a_constant_column_says_nothing(form):
    X = np.column_stack([np.full(6, 0.1), np.zeros(6), np.full(6, 1e9)])
    Y = np.array([[1], [0], [0], [1], [1], [1]], dtype=np.uint8)
    fitted = GaussianColumns.fitted(form(X), ClassSums.of(Y))
    np.testing.assert_array_equal(fitted.log_odds(form(X + 1.0)), np.zeros((6, 1)))


def test_columns_far_from_zero_keep_their_digits():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(50, 3)) + 1e6, rng.integers(0, 2, size=50)
    moved = X - 1e6
    fitted = GaussianColumns.fitted(X, ClassSums.of(y.reshape(-1, 1).astype(np.uint8)))
    np.testing.assert_allclose(fitted.log_odds(X)[:, 0], naive_log_odds(moved, y, moved), rtol=1e-6, atol=1e-7)


def test_no_columns_say_nothing():
    Y = np.array([[1], [0]], dtype=np.uint8)
    for empty in (np.empty((2, 0)), sparse.csr_matrix((2, 0))):
        assert GaussianColumns.fitted(empty, ClassSums.of(Y)).log_odds(empty).tolist() == [[0.0], [0.0]]
