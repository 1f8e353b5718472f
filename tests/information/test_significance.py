import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import sparse
from scipy.stats import chi2, chi2_contingency

from plait.core.sentences import ParameterError
from plait.counts import count_pairs
from plait.information import g_test, g_test_matrix, mutual_information


@given(st.integers(0, 10**6), st.integers(2, 100))
def test_agrees_with_scipy(seed, n):
    a, b = np.random.default_rng(seed).integers(0, 3, (2, n))
    assume(np.ptp(a) and np.ptp(b))
    table = count_pairs(a[:, None], b[:, None]).table(0, 0)
    table = table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0]
    expected = chi2_contingency(table, correction=False, lambda_="log-likelihood")
    found = g_test(a, b)
    assert found.statistic == pytest.approx(expected.statistic, rel=1e-11, abs=1e-11)
    assert found.dof == expected.dof
    assert found.pvalue == pytest.approx(expected.pvalue, rel=1e-10)


def test_the_matrix_is_the_test_of_each_pair():
    rng = np.random.default_rng(0)
    X, Y = rng.integers(0, 3, (60, 4)), rng.integers(0, 2, (60, 3))
    X[:, 1] = 5
    for found in (
        g_test_matrix(X, Y),
        g_test_matrix(sparse.csr_matrix(X), sparse.csr_matrix(Y)),
        g_test_matrix(count_pairs(X, Y)),
        g_test_matrix(X, Y, weights=np.ones(60)),
    ):
        for i in range(4):
            for j in range(3):
                single = g_test(X[:, i], Y[:, j])
                assert (found.statistic[i, j], found.dof[i, j], found.pvalue[i, j]) == (
                    single.statistic,
                    single.dof,
                    single.pvalue,
                )


def test_significance_is_the_quantile_of_the_polytree_test():  # [PACC 14]
    n, alpha = 400, 0.05
    a = np.repeat([0, 1], n // 2)
    for flipped in range(0, n // 2, 5):
        b = a.copy()
        b[:flipped] = 1
        reached = 2 * n * mutual_information(a, b, base="e") >= chi2.ppf(1 - alpha, 1)
        assert g_test(a, b).significant(alpha) == reached


def test_a_constant_variable_is_never_significant():
    found = g_test(np.zeros(50), np.arange(50) % 2)
    assert (found.statistic, found.dof, found.pvalue, bool(found.significant())) == (0.0, 0, 1.0, False)


def test_weights_are_numbers_of_observations():
    a, b = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    weights = np.array([30, 10, 5, 25])
    whole = g_test(np.repeat(a, weights), np.repeat(b, weights))
    assert g_test(a, b, weights=weights).statistic == whole.statistic
    assert g_test(a, b, weights=weights + 1e-9).statistic == pytest.approx(whole.statistic, rel=1e-6)


def test_a_wrong_level_is_refused():
    with pytest.raises(ParameterError, match="alpha"):
        g_test([0, 1], [0, 1]).significant(0)
