import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier

from plait.core.sentences import ParameterError
from plait.experiments.reproduction.one_against_rest import OneAgainstRest


def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 5))
    # Divided by their deviations, as LogisticLearner does it, so that scikit-learn sees the same columns.
    X = X / X.std(axis=0)
    y = (X @ rng.normal(size=(5, 4)) + rng.gumbel(size=(200, 4))).argmax(axis=1)
    return X, np.array(["a", "b", "c", "d"])[y]


@pytest.mark.parametrize("C", [0.2, 5.0])
def test_it_is_scikit_learns_one_against_the_rest(C):
    X, y = data()
    ours = OneAgainstRest(C=C).fit(X, y)
    theirs = OneVsRestClassifier(LogisticRegression(C=C, tol=1e-10, max_iter=10000)).fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=0, atol=1e-6)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))


def test_sparse_is_dense_and_one_class_is_always_predicted():
    X, y = data()
    X = np.where(X > 0, X, 0.0)
    dense = OneAgainstRest().fit(X, y).predict_proba(X)
    np.testing.assert_allclose(OneAgainstRest().fit(sparse.csr_matrix(X), y).predict_proba(X), dense, rtol=0, atol=1e-6)
    alone = OneAgainstRest().fit(X, np.zeros(200, dtype=int))
    assert set(alone.predict(X)) == {0}
    np.testing.assert_allclose(alone.predict_proba(X), 1.0, rtol=0, atol=0)


def test_a_wrong_strength_is_refused():
    with pytest.raises(ParameterError, match="OneAgainstRest needs C"):
        OneAgainstRest(C=0.0).fit([[1.0], [2.0]], [0, 1])
