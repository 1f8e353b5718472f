import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.naive_bayes import CategoricalNB

from plait.core.sentences import ParameterError
from plait.experiments.reproduction.nominal_naive_bayes import NominalNaiveBayes


def test_every_column_has_frequencies():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 4, (150, 5))
    Y = (X[:, [0, 2]] + rng.integers(0, 3, (150, 2)) > 3).astype(int)
    found = clone(NominalNaiveBayes()).fit(X, Y)
    for label in range(2):
        theirs = CategoricalNB(alpha=1.0).fit(X, Y[:, label])
        # Priors are smoothed here and not there.
        shift = np.log((Y[:, label].sum() + 1) / (150 - Y[:, label].sum() + 1)) - np.diff(theirs.class_log_prior_)[0]
        odds = np.diff(theirs.predict_log_proba(X), axis=1).ravel() + shift
        np.testing.assert_allclose(found.predict_proba(X)[:, label], 1 / (1 + np.exp(-odds)), rtol=1e-8)
    np.testing.assert_array_equal(found.predict(X), found.predict_proba(X) > 0.5)


def test_sparse_codes_are_dense_codes():
    rng = np.random.default_rng(1)
    X = rng.integers(0, 3, (80, 4)) * (rng.random((80, 4)) < 0.4)
    Y = (X[:, :1] > 0).astype(int)
    dense = NominalNaiveBayes().fit(X, Y).predict_proba(X)
    np.testing.assert_allclose(NominalNaiveBayes().fit(sparse.csr_matrix(X), Y).predict_proba(X), dense, rtol=1e-9)


def test_a_wrong_count_is_refused():
    with pytest.raises(ParameterError, match="NominalNaiveBayes needs s"):
        NominalNaiveBayes(s=0.0).fit(np.zeros((2, 1)), np.zeros((2, 1)))
