import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse

from plait.features.pearson_subset import Correlations

small = st.integers(-3, 3).map(float)


def r(a, b):
    return 0.0 if np.ptp(a) == 0 or np.ptp(b) == 0 else abs(np.corrcoef(a, b)[0, 1])


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
@given(
    X=st.integers(2, 8).flatmap(lambda n: arrays(float, (n, 3), elements=small)),
    seed=st.integers(0, 99),
    scale=st.sampled_from([1.0, 1e-150, 1e200]),
)
def test_against_numpy(form, X, seed, scale):
    Y = (np.random.default_rng(seed).random((len(X), 2)) < 0.5).astype(np.uint8)
    found = Correlations.of(form(X * scale))
    np.testing.assert_array_equal(found.varies, np.ptp(X, axis=0) > 0)
    for column in np.flatnonzero(found.varies):
        expected = [r(X[:, column], X[:, other]) for other in range(3)]
        np.testing.assert_allclose(found.with_feature(column), expected, rtol=0, atol=1e-14)
    expected = [np.mean([r(X[:, column], Y[:, label]) for label in range(2)]) for column in range(3)]
    np.testing.assert_allclose(found.mean_with_labels(form(Y)), expected, rtol=0, atol=1e-14)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
def test_labels_in_blocks_and_far_from_zero(form, monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 4)) + np.array([0, 1e6, 0, 0])
    Y = (rng.random((50, 7)) < 0.4).astype(np.uint8)
    whole = Correlations.of(form(X)).mean_with_labels(form(Y))
    expected = np.abs(np.corrcoef(X.T, Y.T)[:4, 4:]).mean(axis=1)
    np.testing.assert_allclose(whole, expected, rtol=0, atol=1e-10)
    monkeypatch.setattr("plait.features.pearson_subset._MOST_CELLS", 120)
    blocked = Correlations.of(form(X)).mean_with_labels(form(Y))
    np.testing.assert_allclose(blocked, whole, rtol=1e-13, atol=0)
