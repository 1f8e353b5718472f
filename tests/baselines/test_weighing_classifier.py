import numpy as np
import pytest
from scipy import sparse

from plait.baselines.weighing_classifier import WeighingClassifier

X, Y = np.arange(8.0).reshape(4, 2), np.array([[0, 1], [1, 1], [0, 0], [1, 0]])


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
def test_rows_without_weight_are_left_out(form):
    rows, labels, weights = WeighingClassifier()._weighing_data(form(X), Y, [1.0, 0.0, 2.0, 0.0])
    np.testing.assert_array_equal(rows.toarray() if sparse.issparse(rows) else rows, X[[0, 2]])
    np.testing.assert_array_equal(labels, Y[[0, 2]])
    np.testing.assert_array_equal(weights, [1.0, 2.0])


def test_all_rows_where_all_weigh_or_none_is_weighed():
    for weights in (None, [1.0, 1.0, 2.0, 3.0]):
        rows, labels, kept = WeighingClassifier()._weighing_data(X, Y, weights)
        np.testing.assert_array_equal(rows, X)
        np.testing.assert_array_equal(labels, Y)
        assert kept is None if weights is None else (kept == weights).all()


def test_no_weight_anywhere_is_refused():
    # Newer versions of scikit-learn say it before plait does.
    with pytest.raises(ValueError, match=r"needs sample_weight to be above 0 somewhere|at least one non-zero"):
        WeighingClassifier()._weighing_data(X, Y, np.zeros(4))
