"""Pairs of labels by refitting classifiers of scikit-learn."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

from plait.core.sentences import ParameterError
from plait.learners import LogisticLearner, SklearnLearner


def pair_data(n=200):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 3))
    first = X[:, 0] + rng.normal(size=n) > 0
    return X, np.column_stack([first, first ^ (rng.random(n) < 0.1), X[:, 1] > 0.3]).astype(np.uint8)


@pytest.mark.parametrize("consistent", [False, True])
@pytest.mark.parametrize("folds", [0.4, 3, None])
def test_pairs_by_refitting_are_those_of_the_same_model(folds, consistent):
    """With logistic regression inside they are what LogisticLearner finds in one batch."""
    X, Y = pair_data()
    weight = np.random.default_rng(1).uniform(0.5, 2.0, size=len(X))
    form = {"folds": folds, "consistent": consistent, "random_state": 3, "sample_weight": weight}
    found = SklearnLearner(LogisticRegression(tol=1e-10, max_iter=1000)).fit_pairs(X, Y, **form)
    expected = LogisticLearner(standardize=False, tol=1e-10).fit_pairs(X, Y, **form)
    np.testing.assert_allclose(found.log_likelihood, expected.log_likelihood, rtol=1e-4)
    np.testing.assert_allclose(found.log_likelihood_alone, expected.log_likelihood_alone, rtol=1e-4)
    np.testing.assert_allclose(found.directed_information, expected.directed_information, rtol=1e-3, atol=1e-5)
    assert found.n_held_out == expected.n_held_out


def test_pairs_with_a_constant_label_and_without_probabilities():
    X, Y = pair_data()
    Y[:, 2] = 1
    found = SklearnLearner(GaussianNB()).fit_pairs(X, Y, random_state=0)
    np.testing.assert_array_equal(found.directed_information[2], 0.0)
    np.testing.assert_array_equal(found.directed_information[:, 2], 0.0)
    np.testing.assert_array_equal(found.log_likelihood[:, 2], found.log_likelihood_alone[2])
    with pytest.raises(ParameterError, match="fit_pairs needs a learner that gives probabilities, but LinearSVC"):
        SklearnLearner(LinearSVC()).fit_pairs(X, Y)
