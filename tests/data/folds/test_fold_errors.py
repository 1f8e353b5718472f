import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse
from sklearn.model_selection import KFold

from plait.data import DataError
from plait.data.folds import split_errors


def odds(column):
    on = sum(int(v) for v in column)
    return on / (len(column) - on) if on < len(column) else np.inf


def mean_odds_error(columns, folds):
    mixed = [c for c in columns if 0 < c.sum() < len(c)]
    errors = [abs(odds(c[fold]) - odds(c)) for c in mixed for fold in folds]
    return np.mean(errors) if errors else 0.0


@given(
    hnp.arrays(np.uint8, st.tuples(st.integers(2, 12), st.integers(0, 4)), elements=st.integers(0, 1)),
    st.integers(2, 4),
    st.booleans(),
)
def test_agrees_with_loops(Y, n_folds, as_sparse):
    n, q = Y.shape
    folds = [test for _, test in KFold(min(n_folds, n)).split(Y)]
    found = split_errors(sparse.csr_matrix(Y) if as_sparse else Y, folds)
    labels = [Y[:, j] for j in range(q)]
    pairs = [Y[:, i] * Y[:, j] for i in range(q) for j in range(i + 1, q)]
    np.testing.assert_allclose(found.labels, mean_odds_error(labels, folds), rtol=1e-12, atol=0)
    np.testing.assert_allclose(found.pairs, mean_odds_error(pairs, folds), rtol=1e-12, atol=0)
    np.testing.assert_allclose(found.sizes, np.mean([abs(len(f) - n / len(folds)) for f in folds]), rtol=1e-12, atol=0)
    assert found.n_empty == sum(1 for c in labels for fold in folds if c.any() and not c[fold].any())


def test_by_hand():
    # Odds of the label: 1/3 in all rows; 1/1 and 0/2 in the folds.
    assert split_errors([1, 0, 0, 0], [[0, 1], [2, 3]]) == ((2 / 3 + 1 / 3) / 2, 0.0, 0.0, 1)


def test_no_folds():
    with pytest.raises(DataError, match="at least one fold"):
        split_errors([1, 0], [])
