import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.preprocessing import StandardScaler

from plait.baselines.foundations.label_sets import LabelSetRegressions, constant_marginals, fitted_label_sets

NOTHING = np.full(2, np.nan)


def test_class_c_is_row_c_of_the_vectors():
    X = np.array([[0.0], [0.1], [5.0], [5.1], [9.0], [9.1]])
    Y = np.array([[1, 1], [1, 1], [0, 1], [0, 1], [1, 0], [1, 0]], dtype=np.uint8)
    model = fitted_label_sets(GaussianNB(), X, Y, {}, NOTHING)
    np.testing.assert_array_equal(model.vectors, [[0, 1], [1, 0], [1, 1]])
    np.testing.assert_array_equal(model.predict(X), Y)
    chances = model.probabilities(np.array([[4.0], [7.0]]))
    np.testing.assert_allclose(chances.sum(axis=1), 1.0, rtol=1e-12)
    expected = np.column_stack([chances[:, 1] + chances[:, 2], chances[:, 0] + chances[:, 2]])
    np.testing.assert_allclose(model.marginals(np.array([[4.0], [7.0]])), expected, rtol=1e-12)


def test_an_estimator_cannot_change_the_rows_of_others():
    class Careless(GaussianNB):
        def fit(self, X, y):
            X *= 2
            return super().fit(X, y)

    with pytest.raises(ValueError, match="read-only"):
        fitted_label_sets(Careless(), np.ones((2, 1)), np.array([[0, 1], [1, 0]], dtype=np.uint8), {}, NOTHING)


@pytest.mark.parametrize("weights", [None, np.array([2.0, 0.5, 1.5])])
def test_constant_marginals_are_laplace_estimates(weights):
    Y = np.array([[0, 1, 1], [0, 1, 0], [0, 1, 1]], dtype=np.uint8)
    total = 3.0 if weights is None else weights.sum()
    expected = [1 / (total + 2), (total + 1) / (total + 2), np.nan]
    np.testing.assert_allclose(constant_marginals(Y, weights), expected, rtol=1e-12)


def problem(seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(150, 3)) * [1.0, 50.0, 0.02] + [0.0, 10.0, 1.0]
    return X, np.digitize(X[:, 0] + X[:, 1] / 50 + rng.normal(size=150), [-0.5, 0.8])


def test_regressions_of_label_sets_are_one_against_the_rest_on_scaled_columns():
    X, y = problem()
    scaled = StandardScaler().fit_transform(X)
    naive = OneVsRestClassifier(LogisticRegression(tol=1e-9, max_iter=5000)).fit(scaled, y)
    model = LabelSetRegressions().fit(X, y)
    # Scikit-learn, too, divides what the regressions say by its sum.
    np.testing.assert_allclose(model.predict_proba(X), naive.predict_proba(scaled), rtol=1e-3)
    np.testing.assert_array_equal(model.predict(X), naive.predict(scaled))


def test_probabilities_of_far_rows_sum_to_one():
    X, y = problem()
    chances = LabelSetRegressions(C=1e4).fit(X, y).predict_proba(X * 1e6)
    np.testing.assert_allclose(chances.sum(axis=1), 1.0, rtol=1e-12)


def test_a_weight_is_a_repetition():
    X, y = problem()
    weights = np.random.default_rng(2).integers(1, 5, size=150)
    weighted = LabelSetRegressions().fit(X, y, weights.astype(float))
    repeated = LabelSetRegressions().fit(X.repeat(weights, axis=0), y.repeat(weights))
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), rtol=1e-4)
