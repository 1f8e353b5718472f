"""The templates of `fit`, `predict` and `predict_proba`, by classifiers that do next to nothing."""

from typing import ClassVar

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import NotFittedError

from plait.core.checks import Interval
from plait.core.multilabel_classifier import MultilabelClassifier, WeightedClassifier
from plait.core.sentences import ParameterError

X, Y = np.arange(8.0).reshape(4, 2), np.array([[0, 1], [1, 1], [0, 0], [1, 1]])


class Shares(WeightedClassifier):
    """Predicts how many of the training rows have each label."""

    parameter_rules: ClassVar = {"s": (Interval(float, 0, None),)}

    def __init__(self, s=0.0):
        self.s = s

    def _fit(self, X, Y, weights):
        self.given_ = X, Y, weights
        self.shares_ = np.average(Y, axis=0, weights=weights)

    def _marginals(self, X):
        return np.tile(self.shares_, (X.shape[0], 1))


class Signs(MultilabelClassifier):
    """Decides by the signs of the first columns, and gives no probabilities."""

    parameter_rules: ClassVar = {}

    def _fit(self, X, Y, sample_weight):
        self.fitted_ = sample_weight is None

    def _decide(self, X):
        return X[:, : self.n_labels_] > 0

    def _probabilistic(self):
        return False


def test_fit_checks_parameters_and_data_and_hands_them_on():
    model = Shares()
    assert model.fit(sparse.csc_matrix(X), Y.tolist()) is model
    rows, labels, weights = model.given_
    assert rows.format == "csr"
    assert labels.dtype == np.uint8
    assert weights is None
    with pytest.raises(ParameterError, match=r"^Shares needs s to be"):
        Shares(s=-1.0).fit(X, Y)
    with pytest.raises(ParameterError, match=r"^Shares needs X and y to have the same number of rows"):
        Shares().fit(X[:3], Y)


def test_answers_have_the_form_of_y():
    model = Shares().fit(X, Y)
    np.testing.assert_allclose(model.predict_proba(X[:1]), [[0.5, 0.75]], rtol=1e-15)
    np.testing.assert_array_equal(model.predict(X[:1]), [[0, 1]])
    words = Shares().fit(X, np.where(Y[:, 1] == 1, "yes", "no"))
    assert words.predict(X[:2]).tolist() == ["yes", "yes"]
    np.testing.assert_allclose(words.predict_proba(X[:1]), [[0.25, 0.75]], rtol=1e-15)
    with pytest.raises(NotFittedError):
        Shares().predict(X)


def test_predict_proba_is_there_where_there_are_probabilities():
    model = Signs().fit(X, Y)
    assert not hasattr(model, "predict_proba")
    np.testing.assert_array_equal(model.predict(X[:1]), [[0, 1]])
    with pytest.raises(TypeError, match="sample_weight"):
        model.fit(X, Y, sample_weight=np.ones(4))


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
def test_rows_without_weight_are_left_out(form):
    rows, labels, weights = Shares().fit(form(X), Y, [1.0, 0.0, 2.0, 0.0]).given_
    np.testing.assert_array_equal(rows.toarray() if sparse.issparse(rows) else rows, X[[0, 2]])
    np.testing.assert_array_equal(labels, Y[[0, 2]])
    np.testing.assert_array_equal(weights, [1.0, 2.0])


def test_all_rows_where_all_weigh_or_none_is_weighed():
    for weights in (None, [1.0, 1.0, 2.0, 3.0]):
        rows, labels, kept = Shares().fit(X, Y, weights).given_
        np.testing.assert_array_equal(rows, X)
        np.testing.assert_array_equal(labels, Y)
        assert kept is None if weights is None else (kept == weights).all()


def test_no_weight_anywhere_is_refused():
    # Newer versions of scikit-learn say it before plait does.
    with pytest.raises(ValueError, match=r"needs sample_weight to be above 0 somewhere|at least one non-zero"):
        Shares().fit(X, Y, np.zeros(4))


def test_names_come_out():
    model = Shares().fit(X, [{"sea"}, {"sun"}, {"sun", "sea"}, {"sun"}])
    assert model.predict_sets(X[:2]) == [("sun",)] * 2
    assert model.top_labels(X[:1], 1).names.tolist() == [["sun"]]
    assert model.top_labels(X[:1]).probabilities.tolist() == [[0.75, 0.5]]
    assert not hasattr(Signs().fit(X, Y), "top_labels")


@pytest.mark.parametrize("classes", [(0, 1), ("no", "yes"), (1,), (0,)])
def test_a_single_column_has_one_label_by_name(classes):
    column = np.array([classes[-1]] * 3 + [classes[0]])
    model = Shares().fit(X, column)
    there = classes != (0,)
    assert model.predict_sets(X[:1]) == [("y0",)] if there else [()]
    assert (model.top_labels(X[:1]).probabilities[0, 0] > 0.5) == there
