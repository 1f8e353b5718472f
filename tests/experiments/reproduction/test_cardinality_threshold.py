import numpy as np
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, clone

from plait.core.sentences import ParameterError
from plait.experiments.reproduction.cardinality_threshold import CardinalityThreshold


class Echo(BaseEstimator):
    """Gives its features as confidences."""

    def fit(self, X, y):
        self.fitted_ = True
        return self

    def predict_proba(self, X):
        return X


def test_as_many_labels_as_in_training_and_they_are_the_most_confident():
    rng = np.random.default_rng(0)
    for n_labels in (1, 4, 9):
        X, Y = rng.random((50, n_labels)), (rng.random((80, n_labels)) < 0.3).astype(int)
        model = CardinalityThreshold(Echo()).fit(np.zeros((80, n_labels)), Y)
        found = model.predict(X)
        assert abs(found.sum() - 50 * Y.sum() / 80) <= 1.5
        assert X[found == 1].min() > X[found == 0].max()


def test_it_does_not_touch_labels_that_are_all_or_nothing():
    # Confidences of 0 and 1 leave nothing to cut, whether they are too few or too many.
    rng = np.random.default_rng(1)
    X = (rng.random((40, 5)) < 0.3).astype(float)
    for share in (0.05, 0.6):
        Y = (rng.random((60, 5)) < share).astype(int)
        np.testing.assert_array_equal(CardinalityThreshold(Echo()).fit(np.zeros((60, 5)), Y).predict(X), X)


def test_sparse_labels_one_row_and_clones():
    Y = sparse.csr_matrix(np.eye(4, dtype=np.uint8))
    model = clone(CardinalityThreshold(Echo())).fit(np.zeros((4, 4)), Y)
    assert model.cardinality_ == 1.0
    assert model.predict(np.array([[0.1, 0.9, 0.3, 0.2]])).tolist() == [[0, 1, 0, 0]]
    one = CardinalityThreshold(Echo()).fit(np.zeros((4, 1)), np.ones((4, 1)))
    assert one.predict(np.array([[0.7]])).tolist() == [[1]]
    assert not hasattr(model.estimator, "fitted_")


def test_what_is_no_estimator_is_refused():
    with pytest.raises(ParameterError, match="estimator"):
        CardinalityThreshold(3).fit(np.zeros((2, 2)), np.zeros((2, 2)))
