"""LogisticLearner without a penalty, with heavy rows and with numbers at the end of the range."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

from plait.core.sentences import ParameterError
from plait.data import load_dataset
from plait.learners import LogisticLearner
from plait.learners.logistic import prepared_problem
from plait.learners.logistic.logistic_batch import Solution
from plait.structure import LabelGraph

pytestmark = pytest.mark.usefixtures("either_path")


def extreme_problem(n, form, separable=False):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 40 if n > 500 else 4))
    return form(X), X, (X[:, :2] + (not separable) * rng.normal(size=(n, 2)) > 0).astype(np.uint8)


SIZES_AND_FORMS = [(n, form) for n in (120, 2000) for form in (np.asarray, sparse.csr_array)]


@pytest.mark.parametrize(("n", "form"), SIZES_AND_FORMS)
@pytest.mark.parametrize("C", [np.inf, 1e50, 1e300, [np.inf, 1e300]])
def test_no_penalty_is_that_of_scikit_learn(n, form, C):
    given_X, X, Y = extreme_problem(n, form)
    fitted = LogisticLearner(C=C).fit(given_X, Y)
    np.testing.assert_array_equal(fitted.C_, np.broadcast_to(C, 2))
    for label in range(2):
        known = LogisticRegression(C=np.inf, solver="newton-cholesky", tol=1e-10).fit(X, Y[:, label])
        np.testing.assert_allclose(fitted.coef_[label], known.coef_[0], rtol=2e-3, atol=2e-4)


@pytest.mark.parametrize(("n", "form"), SIZES_AND_FORMS)
def test_separable_rows_without_penalty_stay_finite_and_say_so(n, form):
    given_X, _, Y = extreme_problem(n, form, separable=True)
    with pytest.warns(ConvergenceWarning, match=r"separates the training rows of 2 label\(s\) without error: 0, 1\."):
        fitted = LogisticLearner(C=np.inf).fit(given_X, Y)
    scores = fitted.base_scores(given_X)
    assert np.isfinite(scores).all()
    np.testing.assert_array_equal(scores > 0, Y == 1)


@pytest.mark.parametrize(("n", "form"), SIZES_AND_FORMS)
@pytest.mark.parametrize("weight", [1e300, 1e100, 1e30])
def test_heavy_rows_are_as_many_copies(n, form, weight):
    given_X, _, Y = extreme_problem(n, form)
    expected = LogisticLearner(C=np.inf).fit(given_X, Y)
    found = LogisticLearner().fit(given_X, Y, sample_weight=np.full(n, weight))
    np.testing.assert_allclose(found.coef_, expected.coef_, rtol=1e-3, atol=1e-4)
    one_heavy = LogisticLearner().fit(given_X, Y, sample_weight=np.where(np.arange(n) == 3, weight, 1.0))
    assert np.isfinite(one_heavy.coef_).all()


def test_what_cannot_be_learnt_is_refused():
    _, X, Y = extreme_problem(120, np.asarray)
    with pytest.raises(ParameterError, match=r"finite weights above 0, but it is \{0: 0, 1: 1\}"):
        LogisticLearner(class_weight={0: 0, 1: 1}).fit(X, Y)
    with pytest.raises(ParameterError, match=r"numbers of at most 1e\+15, as columns are not scaled, but it holds"):
        LogisticLearner(standardize=False).fit(X * 1e200, Y)
    np.testing.assert_allclose(
        LogisticLearner().fit(X * 1e200, Y).coef_ * 1e200, LogisticLearner().fit(X, Y).coef_, rtol=1e-9
    )
    constant = np.column_stack([X, np.full(len(X), 3e300)])
    np.testing.assert_allclose(LogisticLearner().fit(constant, Y).coef_[:, :4], LogisticLearner().fit(X, Y).coef_)


def test_coefficients_that_are_lost_are_an_error(monkeypatch):
    _, X, Y = extreme_problem(120, np.asarray)
    lost = Solution.start(np.full((2, 4), np.nan), np.zeros(2))
    monkeypatch.setattr(prepared_problem, "solve", lambda *args, **kwargs: lost)
    with pytest.raises(ParameterError, match=r"the coefficients of 2 label\(s\) are not finite: 0, 1\. Scale"):
        LogisticLearner().fit(X, Y)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_a_score_of_nan_is_no_label(form):
    _, X, Y = extreme_problem(120, np.asarray)
    fitted = LogisticLearner(C=1e6).fit(X, Y, LabelGraph([[], [0]]))
    fitted.coef_[:] = [np.inf, -np.inf, 1.0, 1.0]
    rows = form(np.ones((2, 4)))
    none = np.zeros((2, 0), dtype=np.uint8)
    asked = (
        lambda: fitted.base_scores(rows),
        lambda: fitted.scores(0, rows, none),
        lambda: fitted.score_table(1, rows),
        lambda: fitted.scores_of_pairs(0, rows, [0, 1], none),
    )
    for question in asked:
        with np.errstate(all="ignore"), pytest.raises(ParameterError, match="LogisticLearner needs rows whose scores"):
            question()


def test_separable_data_stay_finite_with_hardly_any_penalty():
    X = np.linspace(-1, 1, 40)[:, None] ** 3
    Y = np.hstack([X > 0, X > 0.5]).astype(int)
    fitted = LogisticLearner(C=1e8).fit(X, Y)
    assert np.isfinite(fitted.coef_).all()
    assert np.isfinite(fitted.intercept_).all()
    np.testing.assert_array_equal(fitted.base_scores(X) > 0, Y)


def test_badly_conditioned_columns_are_solved_as_far_as_promised(benchmark_data):
    """Columns of birds as they are: deviations from 0.0003 to 9,973."""
    data = load_dataset("birds")
    X, Y = np.asarray(data.X, dtype=float), np.asarray(data.Y)

    def objectives(fitted):
        z = fitted.base_scores(X)
        return (np.logaddexp(0, z) - Y * z).sum(axis=0) + 0.5 * (fitted.coef_**2).sum(axis=1)

    found = objectives(LogisticLearner(standardize=False).fit(X, Y))
    least = objectives(LogisticLearner(standardize=False, tol=1e-13, max_iter=1000).fit(X, Y))
    assert ((found - least) / least).max() < 1e-6
