"""`Learner`: checks first, then `_fit` on the checked problem."""

from typing import ClassVar

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import KFold
from sklearn.naive_bayes import GaussianNB

from plait.core.checks import Boolean
from plait.core.sentences import ParameterError
from plait.learners import Learner, LogisticLearner, SklearnLearner
from plait.learners import learner as learner_module
from plait.learners.training.problem import Problem
from plait.structure import LabelGraph


class Echo(Learner):
    """Hands back what it was called with."""

    parameter_rules: ClassVar = {"patient": (Boolean(),)}

    def __init__(self, patient=False):
        self.patient = patient

    def _fit(self, problem, start):
        return problem, start

    def _allows_nan(self):
        return self.patient


X = np.array([[0.0, 1.0], [2.0, 3.0]])
Y = np.array([[0, 1], [1, 1]])


def test_a_learner_has_no_fit_of_its_own():
    with pytest.raises(TypeError, match="abstract"):
        Learner()


def test_the_problem_is_checked_and_handed_on():
    graph = LabelGraph([[], [0]])
    problem, start = Echo().fit(X, Y, graph, sample_weight=[1, 2], start="earlier")
    assert (problem.graph, start) == (graph, "earlier")
    assert problem.weights.tolist() == [1.0, 2.0]
    with pytest.raises(ParameterError, match=r"^Echo needs X and Y to have the same number of rows"):
        Echo().fit(X, Y[:1])


def test_parameters_are_checked_at_fit():
    wrong = Echo(patient="very")
    with pytest.raises(ParameterError, match=r"^Echo needs patient to be True or False, but it is 'very'"):
        wrong.fit(X, Y)


def test_nan_where_the_learner_takes_it():
    broken = X * np.nan
    with pytest.raises(ParameterError, match=r"^Echo needs X to hold finite numbers, but it holds NaN"):
        Echo().fit(broken, Y)
    problem, _ = Echo(patient=True).fit(broken, Y)
    assert np.isnan(problem.X).all()


def test_clone_and_repr():
    assert repr(clone(Echo(patient=True))) == "Echo(patient=True)"


def test_a_checked_problem_is_trained_without_another_look(monkeypatch):
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(40, 3)), (rng.random((40, 2)) < 0.5).astype(np.uint8)
    expected, pairs = LogisticLearner().fit(X, Y), LogisticLearner().fit_pairs(X, Y, random_state=0)

    def looked(*_):
        raise AssertionError

    monkeypatch.setattr(learner_module, "check_parameters", looked)
    monkeypatch.setattr(learner_module, "checked_problem", looked)
    problem = Problem(X, Y, LabelGraph([[], []]))
    np.testing.assert_array_equal(LogisticLearner().fit_checked(problem).coef_, expected.coef_)
    again = LogisticLearner().fit_pairs_checked(problem, random_state=0)
    np.testing.assert_array_equal(again.log_likelihood, pairs.log_likelihood)


def drawn(n=120):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 3))
    return X, (X[:, :2] + rng.normal(size=(n, 2)) > 0).astype(np.uint8)


def test_out_of_fold_scores_come_from_the_other_rows():
    X, Y = drawn()
    graph, learner = LabelGraph([[], [0]]), LogisticLearner()
    splits = list(KFold(4).split(X))
    for cv in (splits, KFold(4)):
        found = learner.out_of_fold(X, Y, graph, cv=cv)
        for training, held_out in splits:
            fitted = learner.fit(X[training], Y[training], graph)
            np.testing.assert_allclose(found[held_out, 0], fitted.base_scores(X[held_out])[:, 0], rtol=1e-12)
            np.testing.assert_allclose(found[held_out, 1], fitted.scores(1, X[held_out], Y[held_out, :1]), rtol=1e-12)
    assert np.isnan(learner.out_of_fold(X, Y, cv=splits[:1])[splits[0][0]]).all()


def test_out_of_fold_shuffles_and_repeats():
    X, Y = drawn()
    one, again, other = (LogisticLearner().out_of_fold(X, Y, cv=3, random_state=seed) for seed in (0, 0, 1))
    np.testing.assert_array_equal(one, again)
    assert np.isfinite(one).all()
    assert (one != other).any()
    with pytest.raises(ParameterError, match="LogisticLearner needs cv to be an integer of at least 2"):
        LogisticLearner().out_of_fold(X, Y, cv=1)
    with pytest.raises(ParameterError, match="at least 200 rows"):
        LogisticLearner().out_of_fold(X, Y, cv=200)


def test_folds_keep_what_was_chosen_on_all_rows():
    X, Y = drawn()
    learner = LogisticLearner(C="cv")
    fitted = learner.fit(X, Y)
    found = learner.out_of_fold(X, Y, cv=KFold(3), start=fitted)
    kept = LogisticLearner(C=fitted.C_).out_of_fold(X, Y, cv=KFold(3))
    np.testing.assert_allclose(found, kept, rtol=1e-6, atol=1e-9)


def test_any_learner_scores_out_of_fold():
    X, Y = drawn()
    found = SklearnLearner(GaussianNB()).out_of_fold(X, Y, LabelGraph([[], [0]]), cv=KFold(2))
    fitted = GaussianNB().fit(np.hstack([X[60:], Y[60:, :1]]), Y[60:, 1])
    p = fitted.predict_proba(np.hstack([X[:60], Y[:60, :1]]))
    np.testing.assert_allclose(found[:60, 1], np.log(p[:, 1]) - np.log(p[:, 0]), rtol=1e-6)
