"""Scores of sparse rows against SciPy's product, to the last bit, and against the dense product."""

import numpy as np
import pytest
from scipy import sparse

from plait.core.kernel_policy import using_kernels
from plait.learners import LinearConditionals
from plait.structure import LabelGraph


@pytest.fixture(params=["never", "always"], ids=["plain", "kernels"], autouse=True)
def path(request):
    with using_kernels(request.param):
        yield request.param


def conditionals(n_features, n_labels, draws):
    graph = LabelGraph([[]] * n_labels)
    coef, intercept = draws.normal(size=(n_labels, n_features)), draws.normal(size=n_labels)
    return LinearConditionals(graph, coef, np.zeros((n_labels, n_labels)), intercept)


@pytest.mark.parametrize("make", [sparse.csr_matrix, sparse.csr_array])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize(("n_features", "n_labels"), [(1, 1), (3, 5), (40, 17), (200, 64)])
def test_bits_are_those_of_scipy_for_any_block_of_rows(make, dtype, n_features, n_labels):
    draws = np.random.default_rng(n_features)
    model = conditionals(n_features, n_labels, draws)
    dense = (draws.normal(size=(50, n_features)) * (draws.random((50, n_features)) < 0.3)).astype(dtype)
    X = make(dense)
    scores = model.base_scores(X)
    np.testing.assert_array_equal(scores, X.astype(np.float64) @ np.ascontiguousarray(model.coef_.T) + model.intercept_)
    np.testing.assert_allclose(scores, model.base_scores(dense), rtol=1e-5, atol=1e-6 if dtype == np.float32 else 1e-12)
    parts = np.concatenate([model.base_scores(X[start : start + 7]) for start in range(0, 50, 7)])
    np.testing.assert_array_equal(parts, scores)


def test_other_forms_and_whole_numbers_take_the_general_product():
    draws = np.random.default_rng(0)
    model = conditionals(6, 3, draws)
    counts = draws.integers(0, 3, (8, 6))
    expected = counts @ model.coef_.T + model.intercept_
    for X in (sparse.csr_matrix(counts), sparse.csc_matrix(counts.astype(float)), counts):
        scores = model.base_scores(X)
        assert scores.dtype == np.float64
        np.testing.assert_allclose(scores, expected, rtol=1e-12, atol=1e-12)


def test_unsorted_and_repeated_entries_and_empty_rows():
    data, indices, indptr = np.array([1.0, 2.0, 3.0]), np.array([2, 0, 2]), np.array([0, 3, 3])
    X = sparse.csr_matrix((data, indices, indptr), shape=(2, 3))
    model = conditionals(3, 2, np.random.default_rng(0))
    np.testing.assert_allclose(model.base_scores(X)[0], np.array([2.0, 0.0, 4.0]) @ model.coef_.T + model.intercept_)
    np.testing.assert_array_equal(model.base_scores(X)[1], model.intercept_)
    assert model.base_scores(X[:0]).shape == (0, 2)
