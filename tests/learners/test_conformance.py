"""What every learner must do, for every learner in the room's `__all__`."""

import inspect

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import BernoulliNB
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from plait import learners
from plait.core.naming import registry
from plait.core.sentences import ParameterError
from plait.learners import Learner, LinearConditionals, SklearnLearner
from plait.structure import LabelGraph
from plait.testing import LearnerConformance
from plait.testing.learner_conformance import _answers, _problem

GRAPH = LabelGraph([[], [0], [1, 0]])


def solved():
    """Return a learner of every exported class, as close to the end as it goes; any other solver by the adapter."""
    kinds = [kind for kind in registry(learners, Learner).values() if kind is not SklearnLearner]
    assert not any(inspect.isabstract(kind) for kind in kinds)
    tight = [kind(**({"tol": 1e-10} if "tol" in kind._get_param_names() else {})) for kind in kinds]
    inside = (LogisticRegression(solver="liblinear", tol=1e-8), LinearSVC(dual=False, tol=1e-8))
    return [*tight, *(SklearnLearner(estimator) for estimator in inside)]


EXACT = [SklearnLearner(DecisionTreeClassifier(max_depth=3, random_state=0)), SklearnLearner(BernoulliNB())]


def word(learner):
    return "-".join(type(part).__name__ for part in (learner, getattr(learner, "estimator", None)) if part is not None)


@pytest.mark.parametrize("learner", solved(), ids=word)
class TestSolved(LearnerConformance):
    pass


@pytest.mark.parametrize("learner", EXACT, ids=word)
class TestExact(LearnerConformance):
    tolerance = 1e-9


every_learner = pytest.mark.parametrize("learner", [*solved(), *EXACT], ids=word)


@every_learner
def test_frames_agree_to_the_bit(learner):
    X, Y = _problem()
    expected = _answers(learner.fit(X, Y, GRAPH), X)
    names, labels = [f"f{j}" for j in range(5)], ["sea", "sun", "sand"]
    for frame, keyword in ((pd.DataFrame, "columns"), (pl.DataFrame, "schema")):
        form = frame(X, **{keyword: names}), frame(Y, **{keyword: labels})
        np.testing.assert_array_equal(_answers(learner.fit(*form, GRAPH), X), expected)


@every_learner
@pytest.mark.parametrize("value", [0, 1])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix], ids=["dense", "csr"])
def test_constant_labels_have_no_coefficients(learner, value, form):
    X, Y = _problem()
    Y[:, 1] = value
    fitted = learner.fit(form(X), Y, GRAPH)
    if isinstance(fitted, LinearConditionals):
        assert not fitted.coef_[1].any()
        assert np.abs(fitted.parent_coef_[:, 1]).max() < 1e-6


TAKES_NAN = EXACT[0]


@every_learner
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix], ids=["dense", "csr"])
def test_missing_values_are_taken_by_a_tree_of_dense_rows_alone(learner, form):
    X, Y = _problem()
    X[4, 2] = np.nan
    if learner is TAKES_NAN and form is np.asarray:
        assert np.isfinite(_answers(learner.fit(X, Y, GRAPH), X)).all()
        return
    with pytest.raises(ParameterError, match=rf"^{type(learner).__name__} needs .*NaN[^\n]*$"):
        learner.fit(form(X), Y, GRAPH)
