import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

from plait.core.kernel_policy import using_kernels
from plait.counts.discretizers.profile import profile_columns, sorted_columns

VALUES = [0.0, 0.0, 1.0, -2.5, 0.1, 0.7, np.nan]


@given(hnp.arrays(np.float64, st.tuples(st.integers(1, 300), st.integers(1, 4)), elements=st.sampled_from(VALUES)))
def test_numbers_of_every_column(X):
    dense, rows = profile_columns(X), profile_columns(sparse.csr_matrix(X))
    _, deviations = dense.moments(X)
    np.testing.assert_array_equal(deviations, rows.moments(sparse.csr_matrix(X))[1])
    np.testing.assert_array_equal(dense.mean(), rows.mean())
    for j, column in enumerate(X.T):
        present = column[~np.isnan(column)]
        distinct = np.unique(present)
        for profile in (dense, rows):
            assert profile.n_missing[j] == column.size - present.size
            assert profile.n_zeros[j] == np.sum(present == 0)
            np.testing.assert_allclose(profile.mean()[j], present.mean() if present.size else 0.0, atol=1e-12)
            assert min(profile.n_distinct[j], 3) == min(distinct.size, 3)
            shown = [profile.first[j], profile.second[j]][: min(profile.n_nonzero[j], 2)]
            assert set(shown) <= set(distinct) - {0}
            assert len(set(shown)) == len(shown)
        if present.size > 1:
            np.testing.assert_allclose(dense.mean()[j], present.mean(), rtol=1e-12, atol=1e-12)
            np.testing.assert_allclose(deviations[j], present.std(ddof=1), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("kernels", ["auto", "always"])
def test_moments_of_columns_whose_squares_are_beyond_float64(form, kernels):
    columns = np.random.default_rng(0).normal(size=(50, 4)) * (np.arange(200).reshape(50, 4) % 3 > 0)
    columns[3, 1] = np.nan
    units = np.array([1000, -1000, 600, 0])
    with using_kernels(kernels):
        expected = [np.ldexp(moment, units) for moment in profile_columns(columns).moments(columns)]
        X = form(np.ldexp(columns, units))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            found = profile_columns(X).moments(X)
    np.testing.assert_array_equal(found, expected)


def test_entries_of_each_column_ascend_with_missing_ones_last(monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.choice([0.0, 1.0, -2.0, 0.5, np.nan], (40, 7))
    chosen = np.array([0, 2, 3, 6])
    monkeypatch.setattr("plait.counts.discretizers.profile._BLOCK", 90)
    for form in (X, sparse.csr_matrix(X)):
        seen = []
        for some in sorted_columns(form, chosen):
            for k, j in enumerate(some.columns):
                part = slice(some.starts[k], some.starts[k + 1])
                values, rows = some.values[part], some.rows[part]
                np.testing.assert_array_equal(values, np.sort(values))
                np.testing.assert_array_equal(values, X[rows, j])
                assert np.unique(rows).size == rows.size
                assert rows.size == (np.count_nonzero(X[:, j]) if sparse.issparse(form) else 40)
                seen.append(j)
        assert seen == chosen.tolist()
