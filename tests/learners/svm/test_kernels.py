"""The loops of the linear SVM against dense NumPy."""

import numpy as np
import pytest
from scipy import sparse

from plait.learners.svm import _kernels as kernels


@pytest.fixture(params=[0, 1, 2], ids="seed{}".format)
def case(request):
    rng = np.random.default_rng(request.param)
    X = rng.normal(size=(17, 9)) * (rng.random((17, 9)) < 0.4)
    X[3] = 0.0
    rows = rng.permutation(17)[:8]
    return sparse.csr_matrix(X), X, rows, rng


def entries(csr):
    return csr.indptr, csr.indices, csr.data


def test_scores_and_sums_of_rows(case):
    csr, X, rows, rng = case
    w, factors, scores = rng.normal(size=9), rng.normal(size=8), np.empty(8)
    kernels.row_scores(*entries(csr), rows, w, scores)
    np.testing.assert_allclose(scores, (X @ w)[rows], rtol=1e-12, atol=1e-14)
    total = np.ones(9)
    kernels.add_rows(*entries(csr), rows, factors, total)
    np.testing.assert_allclose(total, 1 + factors @ X[rows], rtol=1e-12, atol=1e-14)


def test_outer_products_fill_the_lower_triangle(case):
    csr, X, rows, rng = case
    factors = rng.uniform(0.1, 2.0, size=8)
    H = np.eye(9)
    kernels.add_outer_products(*entries(csr), rows, factors, H)
    expected = np.eye(9) + (X[rows].T * factors) @ X[rows]
    np.testing.assert_allclose(np.tril(H), np.tril(expected), rtol=1e-12, atol=1e-14)
    assert not np.triu(H, 1).any()


@pytest.mark.parametrize("n_old", [0, 3, 8])
def test_gram_of_new_rows_and_a_part_of_it(case, n_old):
    csr, X, rows, _ = case
    n_entries = int(np.diff(csr.indptr)[rows].sum())
    K = np.full((10, 10), np.nan)
    starts, ends = np.zeros(10, dtype=np.intp), np.empty(9, dtype=np.intp)
    kernels.extend_gram(
        *entries(csr), rows, n_old, starts, ends, np.empty(n_entries, dtype=np.intp), np.empty(n_entries), K
    )
    expected = np.full((10, 10), np.nan)
    expected[:8, :8] = np.where(np.tri(8) > 0, X[rows] @ X[rows].T, np.nan)
    expected[:n_old] = np.nan
    np.testing.assert_allclose(K, expected, rtol=1e-12, atol=1e-14)
    if n_old == 0:
        slots, part = np.array([0, 2, 5, 7]), np.full((4, 4), np.nan)
        kernels.gather_gram(K, slots, part)
        whole = (X[rows] @ X[rows].T)[np.ix_(slots, slots)]
        np.testing.assert_allclose(part, np.where(np.tri(4) > 0, whole, np.nan), rtol=1e-12, atol=1e-14)
