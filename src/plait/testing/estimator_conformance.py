"""`EstimatorConformance`: what every multi-label classifier must do, as tests that an author of one derives."""

import pickle
import warnings
from contextlib import suppress
from itertools import product
from typing import Any, assert_type
from unittest import SkipTest

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.estimator_checks import estimator_checks_generator

from plait.core.arrays import Array, Labels
from plait.core.checks import wrong_values
from plait.core.sentences import ParameterError
from plait.features import SelectionWarning
from plait.posterior import JointModel, Posterior

__all__ = ["EstimatorConformance"]


class EstimatorConformance:
    """Tests of a classifier that derives from `plait.core.MultilabelClassifier`. Derive a class and give it models.

    The tests take a `model` that is not fitted: parametrise the class, or write a fixture of that name. Needs pytest.

    Examples
    --------
    In a test file, with a classifier of one's own:

    >>> from plait import recipes
    >>> @pytest.mark.parametrize("model", [recipes.br()], ids=["br"])
    ... class TestMine(EstimatorConformance):
    ...     pass
    """

    def as_checked(self, model: Any, check: str) -> Any:
        """Return the model with the setting under which a check of scikit-learn is meant to hold; None leaves it out.

        By default every check is run on the model as it is.

        Parameters
        ----------
        model : estimator
            Not fitted.
        check : str
            Name of the check.
        """
        return model

    def test_scikit_learns_own_checks(self, model: Any) -> None:
        """All of `sklearn.utils.estimator_checks`, but for those that `as_checked` leaves out."""
        for checked, check in estimator_checks_generator(clone(model)):
            ready = self.as_checked(checked, getattr(check, "func", check).__name__)
            if ready is not None:
                # A check that skips itself (for want of an optional package) must not skip those behind it.
                with warnings.catch_warnings(), suppress(SkipTest):
                    warnings.simplefilter("ignore", SelectionWarning)
                    warnings.simplefilter("ignore", ConvergenceWarning)
                    check(ready)

    def test_the_same_bits_twice_and_for_any_number_of_jobs(self, model: Any) -> None:
        """A fixed `random_state` gives the same answers every time."""
        X, Y = _problem()
        one = _fitted(_with(model, random_state=3), X, Y)
        two = _fitted(_with(model, random_state=3, n_jobs=2), X, Y)
        np.testing.assert_array_equal(one.predict(X), two.predict(X))
        if hasattr(one, "predict_proba"):
            np.testing.assert_array_equal(one.predict_proba(X), two.predict_proba(X))
        if hasattr(one, "joint"):
            np.testing.assert_array_equal(one.joint(X).sample(3), two.joint(X).sample(3))

    def test_labels_may_come_in_any_form(self, model: Any) -> None:
        """A matrix, booleans, a sparse matrix and sets of names give the same answers, by name too."""
        X, Y = _problem()
        first = _fitted(_with(model, random_state=0), X, Y)
        expected = first.predict(X)
        assert expected.shape == Y.shape
        assert expected.dtype == np.int64
        sets = [{f"label {k}" for k in np.flatnonzero(row)} for row in Y]
        for labels in (Y.astype(bool), Y.tolist(), sparse.csr_matrix(Y), sets):
            again = _fitted(_with(model, random_state=0), X, labels)
            np.testing.assert_array_equal(again.predict(X), expected)
        assert list(again.label_names_) == [f"label {k}" for k in range(Y.shape[1])]
        assert again.predict_sets(X) == [tuple(f"label {k}" for k in np.flatnonzero(row)) for row in expected]
        if hasattr(again, "predict_proba"):
            names, chances = again.top_labels(X, 1)
            np.testing.assert_array_equal(chances[:, 0], again.predict_proba(X).max(axis=1))
            best = again.label_names_[again.predict_proba(X).argmax(axis=1)]
            np.testing.assert_array_equal(names[:, 0], best)
        assert (first.n_labels_, first.n_features_in_) == (Y.shape[1], X.shape[1])

    def test_rows_are_answered_alone_as_among_others(self, model: Any) -> None:
        """Labels of a row do not depend on the rows beside it."""
        X, Y = _problem()
        fitted = _fitted(_with(model, random_state=0), X, Y)
        alone = np.vstack([fitted.predict(X[row : row + 1]) for row in range(10)])
        np.testing.assert_array_equal(alone, fitted.predict(X[:10]))

    def test_a_fitted_model_survives_pickling(self, model: Any) -> None:
        """What is loaded answers as what was saved."""
        X, Y = _problem()
        fitted = _fitted(_with(model, random_state=0), X, Y)
        np.testing.assert_array_equal(pickle.loads(pickle.dumps(fitted)).predict(X), fitted.predict(X))

    def test_wrong_parameters_are_refused(self, model: Any) -> None:
        """Values that the rules do not accept are named in the house form of an error."""
        X, Y = _problem()
        for name, rules in type(model).parameter_rules.items():
            for value in wrong_values(rules):
                with pytest.raises(ParameterError, match=f"^{type(model).__name__} needs {name} to be"):
                    clone(model).set_params(**{name: value}).fit(X, Y)

    def test_the_joint_is_one_distribution(self, model: Any) -> None:
        """Probabilities of all label sets sum to one; marginals, modes and evidence are those of the sum."""
        if not hasattr(model, "joint"):
            return
        X, Y = _problem()
        answer: Posterior = _fitted(_with(model, random_state=0), X, Y).joint(X[:8])
        vectors = np.array(list(product((0, 1), repeat=answer.n_labels)), dtype=np.uint8)
        probabilities = _probabilities(answer, vectors)
        np.testing.assert_allclose(probabilities.sum(axis=1), 1.0, rtol=1e-9)
        marginals = answer.marginals()
        assert answer.exact.all()
        np.testing.assert_allclose(marginals, probabilities @ vectors, rtol=1e-7, atol=1e-9)
        modes, proved = answer.mode(), answer.exact
        found = np.exp(answer.log_prob(modes))[proved]
        np.testing.assert_allclose(found, probabilities.max(axis=1)[proved], rtol=1e-9)
        known = vectors[:, 0] == 1
        given = (probabilities * known) @ vectors / (probabilities @ known)[:, None]
        np.testing.assert_allclose(answer.given({0: 1}).marginals(), given, rtol=1e-7, atol=1e-9)

    def test_unknown_labels_count_for_nothing_or_are_refused(self, model: Any) -> None:
        """NaN, None, masks and stored NaN are the same, and what is known counts as it does alone.

        A row of which no label is known changes nothing, and where all are known there is nothing new, to the last bit;
        the likelihood of some labels is the sum over the others. Models that need all labels say so in one sentence.
        """
        X, Y = _problem()
        gaps = np.where(np.random.default_rng(1).random(Y.shape) < 0.3, np.nan, Y)
        model = _with(model, random_state=0)
        if not model.takes_unknown_labels:
            with pytest.raises(ParameterError, match=r"needs every label of [yY] to be known, but it holds NaN"):
                _fitted(model, X, gaps)
            return
        question = "predict_proba" if hasattr(_fitted(clone(model), X, Y), "predict_proba") else "predict"
        found, whole = (getattr(_fitted(clone(model), X, labels), question)(X) for labels in (gaps, Y))
        none = np.full((2, Y.shape[1]), np.nan)
        more = np.vstack([X[:2] + 50.0, X, X[2:4] - 50.0]), np.vstack([none, gaps, none])
        forms = (
            np.ma.masked_invalid(gaps),
            [[None if value != value else value for value in row] for row in gaps.tolist()],
            sparse.csr_matrix(gaps),
        )
        for rows, labels in (more, *((X, form) for form in forms)):
            np.testing.assert_array_equal(getattr(_fitted(clone(model), rows, labels), question)(X), found)
        np.testing.assert_array_equal(getattr(_fitted(clone(model), X, Y.astype(np.float64)), question)(X), whole)
        if hasattr(model, "joint"):
            answer: Posterior = _fitted(clone(model), X, gaps).joint(X[:8])
            vectors = np.array(list(product((0, 1), repeat=answer.n_labels)), dtype=np.uint8)
            agrees = ((gaps[:8, None] == vectors) | np.isnan(gaps[:8, None])).all(axis=2)
            known = (_probabilities(answer, vectors) * agrees).sum(axis=1)
            np.testing.assert_allclose(np.exp(answer.log_prob(gaps[:8])), known, rtol=1e-7)


def _static_types(model: JointModel, X: Any) -> None:
    """Let the type checker see that editors know what `joint` returns."""
    assert_type(model.joint(X), Posterior)


def _problem(n_rows: int = 80, n_features: int = 6, n_labels: int = 4) -> tuple[Array, Labels]:
    draws = np.random.default_rng(0)
    X = draws.normal(size=(n_rows, n_features)).round(3)
    noise = draws.normal(size=(n_rows, n_labels))
    return X, (X @ draws.normal(size=(n_features, n_labels)) + noise > 0).astype(np.uint8)


def _with(model: Any, **settings: Any) -> Any:
    """Return a copy with those of the settings that the model has."""
    known = model.get_params(deep=False)
    return clone(model).set_params(**{name: value for name, value in settings.items() if name in known})


def _fitted(model: Any, X: Any, Y: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SelectionWarning)
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(X, Y)


def _probabilities(answer: Posterior, vectors: Labels) -> Array:
    """Return P(y | x) of every row and every label set."""
    columns = [answer.log_prob(np.broadcast_to(vector, (len(answer), vector.size))) for vector in vectors]
    return np.exp(np.column_stack(columns))
