from collections import Counter

import numpy as np
import pytest
from scipy import sparse

from plait.baselines.class_sums import ClassSums
from plait.baselines.nominal_columns import NominalColumns, nominal_mask
from plait.core.sentences import ParameterError


def naive_log_odds(X, y, asked, s):
    total = np.zeros(len(asked))
    for j in range(X.shape[1]):
        n_values = len(set(X[:, j]))
        for value, sign in ((1, 1), (0, -1)):
            rows = X[y == value, j]
            seen = Counter(rows.tolist())
            total += [sign * np.log((seen[v] + s) / (len(rows) + s * n_values)) for v in asked[:, j].tolist()]
    return total


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("s", [1.0, 0.25])
def test_log_odds_are_those_of_smoothed_frequencies(form, s):
    rng = np.random.default_rng(0)
    X = np.column_stack(
        [
            rng.integers(0, 2, 40),  # 0 and 1
            rng.integers(1, 4, 40),  # never 0
            rng.choice([-1.5, 0.0, 7.0], 40),
            np.zeros(40),
            np.full(40, 2.0),
        ]
    ).astype(float)
    Y = (rng.random((40, 2)) < [0.5, 0.1]).astype(np.uint8)
    asked = np.vstack([X[:10], [[0, 0, 0, 0, 0], [5, 5, 5, 5, 5], [1, 9, -1.5, 1, 2], [2, 1, -1, 7, 0]]])
    found = NominalColumns.fitted(form(X), ClassSums.of(Y), s).log_odds(form(asked))
    expected = np.column_stack([naive_log_odds(X, y, asked, s) for y in Y.T])
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


def test_zeros_that_a_sparse_matrix_stores_are_zeros():
    X = sparse.csr_matrix((np.array([0.0, 1.0, 0.0]), np.array([0, 0, 0]), np.array([0, 1, 2, 3])), shape=(3, 1))
    classes = ClassSums.of(np.array([[1], [0], [0]], dtype=np.uint8))
    found = NominalColumns.fitted(X, classes, 1.0).log_odds(X)
    np.testing.assert_allclose(
        found, NominalColumns.fitted(X.toarray(), classes, 1.0).log_odds(X.toarray()), rtol=1e-15
    )
    assert X.nnz == 3


def test_which_columns_are_nominal():
    X = np.array([[0.0, 2.0, 1.0, 0.0], [1.0, 0.0, 1.0, -1.0]])
    for form in (X, sparse.csr_matrix(X)):
        assert nominal_mask("MLNB", None, form).tolist() == [False] * 4
        assert nominal_mask("MLNB", "auto", form).tolist() == [True, False, True, False]
        assert nominal_mask("MLNB", [True, False, False, True], form).tolist() == [True, False, False, True]
        assert nominal_mask("MLNB", np.array([3]), form).tolist() == [False, False, False, True]
        assert nominal_mask("MLNB", ("b", "a"), form, ["a", "b", "c", "d"]).tolist() == [True, True, False, False]
        assert nominal_mask("MLNB", [], form).tolist() == [False] * 4


@pytest.mark.parametrize("wrong", [["e"], [4], [-1], [True, False], [0.5]])
def test_columns_that_do_not_exist(wrong):
    with pytest.raises(ParameterError, match=r"^MLNB needs nominal to be None, 'auto', a mask of 4 columns"):
        nominal_mask("MLNB", wrong, np.zeros((2, 4)), ["a", "b", "c", "d"])
