import numpy as np
import pytest
from scipy import sparse

from plait.learners.training.column_scaling import column_scales


def mixed_columns(n=40, seed=0):
    rng = np.random.default_rng(seed)
    return np.column_stack(
        [rng.normal(3, 2, n), rng.integers(0, 2, n), rng.poisson(0.3, n), rng.poisson(1.2, n), np.full(n, 4.0)]
    )


@pytest.mark.parametrize("standardize", ["auto", "balanced", True, False])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_weighted_scales_are_those_of_repeated_rows(standardize, form):
    for seed in range(5):
        X = mixed_columns(seed=seed)
        weights = np.random.default_rng(seed).integers(1, 5, size=len(X))
        expected = column_scales(X.repeat(weights, axis=0), standardize)
        found = column_scales(form(X), standardize, weights.astype(float))
        np.testing.assert_allclose(found, expected, rtol=1e-12)
        np.testing.assert_allclose(
            column_scales(form(X), standardize), column_scales(X, standardize, np.ones(len(X))), rtol=1e-12
        )


def test_rows_that_weigh_nothing_leave_columns_as_they_are():
    np.testing.assert_array_equal(column_scales(mixed_columns(), True, np.zeros(40)), np.ones(5))


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("unit", [1e300, 1e-300, 1e160])
def test_columns_whose_squares_are_no_numbers_are_scaled_too(form, unit):
    X = np.random.default_rng(0).normal(size=(30, 3))
    expected = column_scales(X, True)
    units = np.array([1.0, unit, 1.0])
    with np.errstate(all="raise", under="ignore"):
        found = column_scales(form(X * units), True)
    np.testing.assert_allclose(found / units, expected, rtol=1e-12)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_mostly_zero_columns_become_comparable(form):
    """To columns of 0 and 1, or to unit deviations where most columns are dense; like sizes stay in proportion."""
    rng = np.random.default_rng(1)
    present = rng.random((400, 6)) < [0.05, 0.2, 0.2, 0.3, 0.02, 0.3]
    X = present * rng.uniform(0.5, 1.5, size=(400, 6)) * [1.0, 1.2, 0.9, 1e4, 1e-3, 1.1]
    X[:, 5] = present[:, 5]
    sizes = np.array([np.sqrt(np.mean(column[column != 0] ** 2)) for column in X.T])
    middle = np.median(sizes[:5])
    found = column_scales(form(X), "auto")
    np.testing.assert_allclose(found, [middle, middle, middle, sizes[3], sizes[4], 1.0], rtol=1e-12)
    np.testing.assert_allclose((X / column_scales(form(X), "balanced")).var(axis=0).sum(), 1.0, rtol=1e-12)

    dense = rng.normal(5.0, 3.0, size=(400, 6))
    sizes = sizes[:5] * np.sqrt(np.maximum(present[:, :5].mean(axis=0), 0.1))
    middle = np.median(sizes)
    found = column_scales(form(np.hstack([X, dense])), "auto")
    np.testing.assert_allclose(found[:6], [middle, middle, middle, sizes[3], sizes[4], 1.0], rtol=1e-12)
    np.testing.assert_allclose(found[6:], dense.std(axis=0), rtol=1e-12)
