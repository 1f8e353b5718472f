"""Centres and distances against loops, and against k-means run by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.cluster import KMeans

from plait.baselines.cluster_distances import class_centres, distances_to, n_centres


def rows(n=60, d=8, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.4)


def naive_distances(centres, X):
    return np.array([[np.sqrt(sum((a - b) ** 2 for a, b in zip(x, c, strict=True))) for c in centres] for x in X])


@pytest.mark.parametrize("shift", [0.0, 1e6])
def test_distances_against_loops_in_every_form(shift):
    X = rows() + shift
    centres = np.vstack([rows(5, seed=1) + shift, X[:2]])  # two rows are centres themselves
    expected = naive_distances(centres, X)
    np.testing.assert_allclose(distances_to(centres, X), expected, rtol=1e-9, atol=1e-12)
    for C in (centres, sparse.csr_matrix(centres)):
        for form in (sparse.csr_matrix(X), sparse.csr_array(X)):
            np.testing.assert_allclose(distances_to(C, form), expected, rtol=1e-7, atol=1e-12)
        np.testing.assert_allclose(distances_to(C, X), expected, rtol=1e-9, atol=1e-12)
    assert distances_to(sparse.csr_matrix(centres), sparse.csr_matrix(X))[0, 5] == 0.0


def test_without_centres_there_is_one_column_that_says_nothing():
    X = rows()
    for form in (X, sparse.csr_matrix(X)):
        np.testing.assert_array_equal(distances_to(form[:0], form), np.zeros((60, 1)))


def test_rounding_adds_no_centre():
    assert 0.07 * 100 > 7
    assert n_centres(np.r_[np.ones(100), np.zeros(120)].astype(np.uint8), 0.07) == 7


@given(st.integers(0, 300), st.integers(0, 300), st.sampled_from([0.05, 0.1, 0.25, 1.0]))
def test_number_of_centres(n_ones, n_zeros, ratio):
    y = np.r_[np.ones(n_ones), np.zeros(n_zeros)].astype(np.uint8)
    found, smaller = n_centres(y, ratio), min(n_ones, n_zeros)
    parts = round(1 / ratio)  # ceil of a fraction of whole numbers
    assert found == -(-smaller // parts)
    assert found <= smaller


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
def test_centres_are_those_of_each_class(form):
    X = rows()
    y = (X[:, 0] + X[:, 1] > 0.2).astype(np.uint8)
    centres = class_centres(form(X), y, 0.2, 7)
    m = n_centres(y, 0.2)
    assert sparse.issparse(centres) == sparse.issparse(form(X))
    centres = centres.toarray() if sparse.issparse(centres) else centres
    assert centres.shape == (2 * m, 8)
    for part, value in ((centres[:m], 1), (centres[m:], 0)):
        own = X[y == value]
        hand = KMeans(m, n_init=1, random_state=7).fit(form(own))
        np.testing.assert_allclose(part, hand.cluster_centers_, rtol=1e-9, atol=1e-12)
        # A fixed point: every centre is the mean of the rows nearest to it.
        nearest = naive_distances(part, own).argmin(axis=1)
        for number in range(m):
            np.testing.assert_allclose(part[number], own[nearest == number].mean(axis=0), rtol=1e-9, atol=1e-9)


def test_one_value_copies_and_single_rows():
    X = rows()
    assert class_centres(X, np.ones(60, dtype=np.uint8), 0.1, 0).shape == (0, 8)
    y = np.zeros(60, dtype=np.uint8)
    y[3] = 1
    one = class_centres(X, y, 0.1, 0)
    np.testing.assert_allclose(one[0], X[3], rtol=1e-12)
    np.testing.assert_allclose(one[1], np.delete(X, 3, axis=0).mean(axis=0), rtol=1e-9, atol=1e-12)
    copies = np.repeat(X[:2], 30, axis=0)
    found = class_centres(copies, np.tile([1, 0], 30).astype(np.uint8), 0.2, 0)
    assert found.shape == (12, 8)
    assert naive_distances(copies[[0, 30]], found).min(axis=1).max() < 1e-9
