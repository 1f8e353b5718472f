"""`BaselineConformance`: what every classifier must do, and what methods of the literature are tried with besides."""

import inspect
import pickle
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import clone

from plait.core.arrays import Array, Floats, Labels
from plait.core.kernel_policy import using_kernels
from plait.core.multilabel_classifier import MultilabelClassifier
from plait.testing.estimator_conformance import EstimatorConformance

__all__ = ["BaselineConformance"]

Answers = tuple[Array, Floats | None]


class BaselineConformance(EstimatorConformance):
    """Tests of a classifier that derives from `MultilabelClassifier`. Derive a class and give it classifiers.

    All of `EstimatorConformance`, scikit-learn's own checks among it, and the hard cases: labels with one value only,
    rare ones, very few rows, columns that do not vary, kernels and plain NumPy. The tests take a `model`, unfitted,
    with a fixed `random_state` where it has one: parametrise the class, or write a fixture of that name.

    Examples
    --------
    In a test file, with a classifier of one's own:

    >>> import pytest
    >>> from plait.baselines import MLkNN
    >>> @pytest.mark.parametrize("model", [MLkNN()], ids=repr)
    ... class TestMine(BaselineConformance):
    ...     pass
    """

    def test_shapes_and_types(self, model: Any) -> None:
        """Labels are 0/1 integers, probabilities floats between 0 and 1; most training labels are right."""
        X, Y = _problem()
        assert issubclass(type(model), MultilabelClassifier)
        fitted = clone(model)
        assert fitted.fit(X, Y) is fitted
        labels, marginals = _answers(fitted, X)
        assert labels.shape == Y.shape
        assert labels.dtype.kind == "i"
        assert np.isin(labels, (0, 1)).all()
        assert (labels == Y).mean() > 0.6
        if marginals is not None:
            assert marginals.shape == Y.shape
            assert marginals.dtype == np.float64
            assert ((marginals >= 0) & (marginals <= 1)).all()
        assert (fitted.n_labels_, fitted.n_features_in_) == (4, 6)
        assert list(fitted.label_names_) == ["y0", "y1", "y2", "y3"]

    def test_rows_to_predict_may_come_in_another_form_than_those_of_the_training(self, model: Any) -> None:
        """Dense after sparse, sparse after dense."""
        X, Y = _problem()
        for trained, asked in ((X, sparse.csr_matrix(X)), (sparse.csr_matrix(X), X)):
            fitted = clone(model).fit(trained, Y)
            _assert_alike(_answers(fitted, asked), _answers(fitted, trained), 1e-9, rtol=1e-7)

    def test_labels_with_one_value_are_predicted_as_they_are(self, model: Any) -> None:
        """Some of them, and all of them; dense and sparse."""
        X, Y = _problem()
        Y[:, 1], Y[:, 3] = 0, 1
        for form in (np.asarray, sparse.csr_matrix):
            labels, marginals = _answers(clone(model).fit(form(X), Y), form(X))
            assert not labels[:, 1].any()
            assert labels[:, 3].all()
            if marginals is not None:
                assert np.isfinite(marginals).all()
                assert (marginals[:, 1] < 0.5).all()
                assert (marginals[:, 3] > 0.5).all()
        for value in (0, 1):
            labels, marginals = _answers(clone(model).fit(X, np.full_like(Y, value)), X)
            assert (labels == value).all()
            assert marginals is None or ((marginals > 0.5) == value).all()

    def test_a_label_with_one_positive_row(self, model: Any) -> None:
        """The rarest label there is."""
        X, Y = _problem()
        Y[:, 2] = 0
        Y[5, 2] = 1
        labels, marginals = _answers(clone(model).fit(X, Y), X)
        assert labels.shape == Y.shape
        assert marginals is None or np.isfinite(marginals).all()

    def test_one_label_as_a_matrix_and_as_a_column(self, model: Any) -> None:
        """A single column in one dimension is scikit-learn's binary problem, of any two classes."""
        X, Y = _problem(q=1)
        matrix, column = clone(model).fit(X, Y), clone(model).fit(X, Y[:, 0])
        words = clone(model).fit(X, np.where(Y[:, 0] == 1, "yes", "no"))
        assert matrix.predict(X).shape == (90, 1)
        np.testing.assert_array_equal(matrix.predict(X)[:, 0], column.predict(X))
        np.testing.assert_array_equal(words.predict(X) == "yes", column.predict(X) == 1)
        if hasattr(matrix, "predict_proba"):
            assert matrix.predict_proba(X).shape == (90, 1)
            assert column.predict_proba(X).shape == (90, 2)
            np.testing.assert_array_equal(column.predict_proba(X)[:, 1], matrix.predict_proba(X)[:, 0])

    def test_very_few_rows(self, model: Any) -> None:
        """One, two or three; a single row is predicted as it is."""
        for n in (1, 2, 3):
            X, Y = _problem(n=n)
            labels, marginals = _answers(clone(model).fit(X, Y), X)
            assert labels.shape == (n, 4)
            assert marginals is None or np.isfinite(marginals).all()
            assert n > 1 or (labels == Y).all()

    def test_rows_are_answered_alone_as_among_others(self, model: Any) -> None:
        """What stands beside a row does not matter."""
        X, Y = _problem()
        fitted = clone(model).fit(X, Y)
        labels, marginals = _answers(fitted, X)
        for row in range(0, 90, 30):
            one, chance = _answers(fitted, X[[row]])
            np.testing.assert_array_equal(one[0], labels[row])
            if marginals is not None and chance is not None:
                np.testing.assert_allclose(chance[0], marginals[row], rtol=1e-9, atol=1e-12)

    def test_constant_and_copied_columns_do_no_harm(self, model: Any) -> None:
        """Nor does single precision."""
        X, Y = _problem()
        odd = np.column_stack([X, np.full(90, 3.0), np.zeros(90), X[:, 0]])
        for form in (odd, sparse.csr_matrix(odd), odd.astype(np.float32)):
            labels, marginals = _answers(clone(model).fit(form, Y), form)
            assert (labels == Y).mean() > 0.6
            assert marginals is None or np.isfinite(marginals).all()

    def test_kernels_and_plain_numpy_give_the_same_answers(self, model: Any) -> None:
        """Where problems are large kernels answer, and they answer the same."""
        X, Y = _problem()
        with using_kernels("never"):
            plain = _answers(clone(model).fit(X, Y), X)
        with using_kernels("always"):
            _assert_alike(_answers(clone(model).fit(X, Y), X), plain, 1e-5)

    def test_a_fitted_model_survives_pickling(self, model: Any) -> None:
        """To the bit."""
        X, Y = _problem()
        fitted = clone(model).fit(sparse.csr_matrix(X), Y)
        _assert_alike(_answers(pickle.loads(pickle.dumps(fitted)), X), _answers(fitted, X), 0.0)

    def test_a_clone_is_unfitted_and_has_the_same_parameters(self, model: Any) -> None:
        """`fit` sets nothing but attributes that end with an underscore or begin with one."""
        X, Y = _problem()
        fitted = clone(model).fit(X, Y)
        copy = clone(fitted)
        assert not hasattr(copy, "n_labels_")
        assert repr(copy) == repr(clone(model))
        new = set(vars(fitted)) - set(inspect.signature(type(model)).parameters)
        assert [name for name in new if not (name.endswith("_") or name.startswith("_"))] == []

    def test_the_input_is_left_as_it_was(self, model: Any) -> None:
        """Dense and sparse."""
        X, Y = _problem()
        for form in (np.asarray, sparse.csr_matrix):
            given: Any = form(X.copy())
            clone(model).fit(given, Y).predict(given)
            np.testing.assert_array_equal(given.toarray() if sparse.issparse(given) else given, X)


def _problem(n: int = 90, d: int = 6, q: int = 4, seed: int = 0) -> tuple[Floats, Labels]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)).round(3) * (rng.random((n, d)) < 0.7)
    Y = (X @ rng.normal(size=(d, q)) + 0.5 * rng.normal(size=(n, q)) > 0.3).astype(np.uint8)
    return X, Y


def _answers(model: Any, X: Any) -> Answers:
    return model.predict(X), model.predict_proba(X) if hasattr(model, "predict_proba") else None


def _assert_alike(ours: Answers, theirs: Answers, atol: float, rtol: float = 0.0) -> None:
    np.testing.assert_array_equal(ours[0], theirs[0])
    if ours[1] is not None and theirs[1] is not None:
        np.testing.assert_allclose(ours[1], theirs[1], rtol=rtol, atol=atol)
