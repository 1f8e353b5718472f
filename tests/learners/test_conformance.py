"""What every learner must do, for every learner in the room's `__all__`."""

import inspect
import pickle
import re

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import BernoulliNB
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from plait import learners
from plait.core.checks import wrong_values
from plait.core.sentences import ParameterError
from plait.features import FeatureMask
from plait.learners import Conditionals, Learner, LinearConditionals, SklearnLearner
from plait.structure import LabelGraph

# Two fits of one problem in different words (rows doubled or weighted, dense or sparse) may differ by what a solver
# leaves undone; learners without a solver must agree to rounding.
SOLVED, EXACT = 1e-4, 1e-9

ESTIMATORS = {
    "logistic": (LogisticRegression(solver="liblinear", tol=1e-8), SOLVED),
    "svm": (LinearSVC(dual=False, tol=1e-8), SOLVED),
    "tree": (DecisionTreeClassifier(max_depth=3, random_state=0), EXACT),
    "bayes": (BernoulliNB(), EXACT),
}


def examples():
    """Return a learner of every exported class, and how far two fits of one problem may be apart."""
    kinds = [getattr(learners, name) for name in learners.__all__]
    found = []
    for kind in kinds:
        if not issubclass(kind, Learner) or inspect.isabstract(kind):
            continue
        if kind is SklearnLearner:
            found += [pytest.param(kind(e), tol, id=f"{kind.__name__}-{word}") for word, (e, tol) in ESTIMATORS.items()]
        else:
            tight = {"tol": 1e-10} if "tol" in kind._get_param_names() else {}
            found.append(pytest.param(kind(**tight), SOLVED, id=kind.__name__))
    return found


every_learner = pytest.mark.parametrize(("learner", "tolerance"), examples())

GRAPH = LabelGraph([[], [0], [1, 0]])


def problem(n=60, d=5, seed=0):
    """Return data with three labels, each of which depends on features and on those before it."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)).round(3) * (rng.random((n, d)) < 0.8)
    Y = np.zeros((n, 3), dtype=np.uint8)
    for label in range(3):
        drive = X[:, label] - X[:, label + 1] + 2 * Y[:, :label].sum(axis=1) - label + rng.normal(size=n)
        Y[:, label] = drive > 0
    return X, Y


def answers(fitted, X):
    """Return the scores of all labels for all rows and settings of parents, side by side."""
    return np.hstack([fitted.score_table(label, X) for label in range(fitted.n_labels)])


def unscaled(learner):
    """Return the learner on columns as they are: scales come from rows and not from their weights."""
    return learner.set_params(standardize=False) if "standardize" in learner.get_params() else learner


def alike(first, second, tolerance):
    np.testing.assert_allclose(first, second, rtol=tolerance, atol=tolerance)


@every_learner
def test_clone_repr_and_parameters(learner, tolerance):
    copy = clone(learner)
    assert repr(copy) == repr(learner)
    assert repr(learner).startswith(type(learner).__name__ + "(")
    assert set(learner.get_params(deep=False)) <= set(type(learner).parameter_rules)
    assert list(inspect.signature(type(learner)).parameters) == list(vars(copy))


@every_learner
def test_wrong_parameters_are_refused(learner, tolerance):
    X, Y = problem()
    for name, rules in type(learner).parameter_rules.items():
        for value in wrong_values(rules):
            wrong = clone(learner)
            setattr(wrong, name, value)
            with pytest.raises(ParameterError, match=f"^{type(learner).__name__} needs {name} to be"):
                wrong.fit(X, Y)


@every_learner
def test_fit_hands_on_conditionals_and_leaves_the_learner_as_it_was(learner, tolerance):
    X, Y = problem()
    before = pickle.dumps(learner)
    X_before, Y_before = X.copy(), Y.copy()
    fitted = learner.fit(X, Y, GRAPH)
    assert isinstance(fitted, Conditionals)
    assert (fitted.graph, fitted.n_features, fitted.n_labels) == (GRAPH, 5, 3)
    assert pickle.dumps(learner) == before
    np.testing.assert_array_equal(X, X_before)
    np.testing.assert_array_equal(Y, Y_before)


@every_learner
def test_labels_are_learnt(learner, tolerance):
    X, Y = problem(400)
    fitted = learner.fit(X, Y, GRAPH)
    fresh, truth = problem(400, seed=1)
    for label, parents in enumerate(GRAPH.parents):
        scores = fitted.scores(label, fresh, truth[:, list(parents)])
        share = truth[:, label].mean()
        assert ((scores > 0) == truth[:, label]).mean() > max(share, 1 - share) + 0.05


@every_learner
def test_probabilities_are_those_of_the_scores(learner, tolerance):
    X, Y = problem()
    fitted = learner.fit(X, Y, GRAPH)
    scores = fitted.scores(1, X, Y[:, [0]])
    if fitted.probabilistic:
        alike(np.exp(fitted.log_prob(1, X, Y[:, [0]])), 1 / (1 + np.exp(-scores)), 1e-12)
    else:
        with pytest.raises(ParameterError, match=r"^log_prob needs a learner that gives probabilities, but "):
            fitted.log_prob(1, X, Y[:, [0]])


@every_learner
def test_the_same_bits_twice_and_after_pickling(learner, tolerance):
    X, Y = problem()
    first, again = learner.fit(X, Y, GRAPH), clone(learner).fit(X, Y, GRAPH)
    np.testing.assert_array_equal(answers(first, X), answers(again, X))
    thawed = pickle.loads(pickle.dumps(first))
    np.testing.assert_array_equal(answers(thawed, X), answers(first, X))


@every_learner
@pytest.mark.parametrize("form", [sparse.csr_matrix, sparse.csr_array, sparse.csc_matrix])
def test_dense_and_sparse_agree(learner, tolerance, form):
    X, Y = problem()
    dense = learner.fit(X, Y, GRAPH)
    fitted = learner.fit(form(X), Y, GRAPH)
    alike(answers(fitted, sparse.csr_matrix(X)), answers(dense, X), tolerance)
    alike(answers(fitted, X), answers(fitted, sparse.csr_array(X)), 1e-9)


@every_learner
def test_frames_lists_and_other_types_agree_to_the_bit(learner, tolerance):
    X, Y = problem()
    expected = answers(learner.fit(X, Y, GRAPH), X)
    names, labels = [f"f{j}" for j in range(5)], ["sea", "sun", "sand"]
    for form in (
        (pd.DataFrame(X, columns=names), pd.DataFrame(Y, columns=labels)),
        (pl.DataFrame(X, schema=names), pl.DataFrame(Y, schema=labels)),
        (X.tolist(), Y.tolist()),
        (np.asfortranarray(X), np.asfortranarray(Y)),
        (X, Y.astype(bool)),
        (X, Y.astype(float)),
        (X, sparse.csr_matrix(Y)),
        (X, sparse.csc_array(Y)),
    ):
        np.testing.assert_array_equal(answers(learner.fit(*form, GRAPH), X), expected)


@every_learner
def test_single_precision_is_close(learner, tolerance):
    X, Y = problem()
    fitted = learner.fit(X.astype(np.float32), Y, GRAPH)
    alike(answers(fitted, X), answers(learner.fit(X, Y, GRAPH), X), 2e-2)


MASK = FeatureMask.by_label([[0, 1], [1, 2, 4], [2, 3]], [[1, 1], [1, 1, 1], [1, 1]], n_features=5)


@every_learner
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix], ids=["dense", "csr"])
def test_features_outside_the_mask_change_nothing(learner, tolerance, form):
    X, Y = problem()
    other = X.copy()
    fitted = learner.fit(form(X), Y, GRAPH, MASK)
    for label in range(3):
        unused = ~MASK.support[label]
        other[:] = X
        other[:, unused] = np.random.default_rng(9).normal(size=(60, unused.sum())) * 5
        again = learner.fit(form(other), Y, GRAPH, MASK)
        alike(again.score_table(label, form(X)), fitted.score_table(label, form(X)), tolerance)
        alike(fitted.score_table(label, form(other)), fitted.score_table(label, form(X)), 1e-12)
        used = other.copy()
        used[:, ~unused] = other[::-1, ~unused]
        assert np.abs(
            learner.fit(form(used), Y, GRAPH, MASK).score_table(label, X) - fitted.score_table(label, X)
        ).any()


@every_learner
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix], ids=["dense", "csr"])
def test_labels_that_are_no_parents_change_nothing(learner, tolerance, form):
    X, Y = problem()
    graph = LabelGraph([[], [0], [0]])
    fitted = learner.fit(form(X), Y, graph)
    for changed, label in ((1, 2), (2, 1), (1, 0), (2, 0)):
        other = Y.copy()
        other[:, changed] = np.random.default_rng(9).integers(0, 2, size=60)
        again = learner.fit(form(X), other, graph)
        alike(again.score_table(label, form(X)), fitted.score_table(label, form(X)), tolerance)
    other = Y.copy()
    other[:, 0] = Y[::-1, 0]
    assert np.abs(learner.fit(X, other, graph).score_table(1, X) - fitted.score_table(1, X)).max() > 1e-3


@every_learner
def test_parents_matter_in_their_order(learner, tolerance):
    X, Y = problem(200)
    one, two = LabelGraph([[], [0], [1, 0]]), LabelGraph([[], [0], [0, 1]])
    first, second = (learner.fit(X, Y, graph).score_table(2, X) for graph in (one, two))
    assert np.abs(first[:, 3] - first[:, 0]).max() > 1e-2
    alike(first[:, [0, 2, 1, 3]], second, max(tolerance, EXACT))


def chances(scores):
    return 1 / (1 + np.exp(-scores))


@every_learner
@pytest.mark.parametrize("value", [0, 1])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix], ids=["dense", "csr"])
def test_constant_labels_get_the_laplace_estimate(learner, tolerance, value, form):
    X, Y = problem()
    Y[:, 1] = value
    fitted = learner.fit(form(X), Y, GRAPH)
    table = fitted.score_table(1, form(X))
    assert ((table > 0) == value).all()
    if fitted.probabilistic:
        alike(chances(table), np.full((60, 2), (60 * value + 1) / 62), 1e-9)
    assert np.isfinite(answers(fitted, form(X))).all()
    if isinstance(fitted, LinearConditionals):
        assert not fitted.coef_[1].any()
        assert np.abs(fitted.parent_coef_[:, 1]).max() < 1e-6


@every_learner
def test_constant_by_weight(learner, tolerance):
    X, Y = problem()
    weights = np.where(Y == 1, 0.0, 0.5)
    weights[:, [0, 2]] = 1.0
    fitted = learner.fit(X, Y, sample_weight=weights)
    table = fitted.score_table(1, X)
    assert (table < 0).all()
    if fitted.probabilistic:
        alike(chances(table), np.full((60, 1), 1 / (weights[:, 1].sum() + 2)), 1e-9)


@every_learner
def test_one_positive(learner, tolerance):
    X, Y = problem()
    Y[:, 1] = 0
    Y[7, 1] = 1
    fitted = learner.fit(X, Y, GRAPH)
    table = answers(fitted, X)
    assert np.isfinite(table).all()
    assert np.ptp(fitted.score_table(1, X)) > 0


@every_learner
def test_one_label(learner, tolerance):
    X, Y = problem()
    single = learner.fit(X, Y[:, [0]])
    assert single.n_labels == 1
    alike(single.score_table(0, X), learner.fit(X, Y).score_table(0, X), tolerance)
    np.testing.assert_array_equal(learner.fit(X, Y[:, 0]).score_table(0, X), single.score_table(0, X))


@every_learner
def test_one_row(learner, tolerance):
    X, _ = problem()
    fitted = learner.fit(X[:1], [[0, 1, 0]], GRAPH)
    for label, value in enumerate((0, 1, 0)):
        table = fitted.score_table(label, X[:1])
        assert ((table > 0) == value).all()
        if fitted.probabilistic:
            alike(chances(table), np.full(table.shape, (value + 1) / 3), 1e-9)


@every_learner
def test_no_rows_to_answer(learner, tolerance):
    X, Y = problem()
    fitted = learner.fit(X, Y, GRAPH)
    assert fitted.score_table(2, X[:0]).shape == (0, 4)
    assert fitted.scores(1, X[:0], np.zeros((0, 1), dtype=np.uint8)).shape == (0,)


@every_learner
def test_constant_columns_do_no_harm(learner, tolerance):
    X, Y = problem()
    X[:, 2], X[:, 3] = 0.0, 7.0
    assert np.isfinite(answers(learner.fit(X, Y, GRAPH), X)).all()
    assert np.isfinite(answers(learner.fit(sparse.csr_matrix(X), Y, GRAPH), X)).all()


@every_learner
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix], ids=["dense", "csr"])
def test_weights_are_numbers_of_rows(learner, tolerance, form):
    learner = unscaled(clone(learner))
    X, Y = problem()
    counts = np.random.default_rng(3).integers(0, 4, size=60)
    repeated = np.repeat(np.arange(60), counts)
    weighted = learner.fit(form(X), Y, GRAPH, sample_weight=counts)
    doubled = learner.fit(form(X[repeated]), Y[repeated], GRAPH)
    alike(answers(weighted, X), answers(doubled, X), tolerance)
    plain = answers(learner.fit(form(X), Y, GRAPH), X)
    assert np.abs(answers(weighted, X) - plain).max() > 10 * tolerance


@every_learner
def test_rows_of_weight_zero_are_absent(learner, tolerance):
    X, Y = problem()
    kept = np.arange(60) % 3 > 0
    strange = X.copy()
    strange[~kept] = 50.0
    weighted = learner.fit(strange, Y, GRAPH, sample_weight=kept.astype(float))
    alike(answers(weighted, X), answers(learner.fit(X[kept], Y[kept], GRAPH), X), tolerance)


@every_learner
def test_weights_of_each_label(learner, tolerance):
    learner = unscaled(clone(learner))
    X, Y = problem()
    weights = np.random.default_rng(4).uniform(0.2, 2.0, size=(60, 3))
    weights[::7, 1] = 0
    fitted = learner.fit(X, Y, GRAPH, sample_weight=weights)
    for label in range(3):
        alone = learner.fit(X, Y, GRAPH, sample_weight=weights[:, label])
        alike(fitted.score_table(label, X), alone.score_table(label, X), tolerance)
    ones = learner.fit(X, Y, GRAPH, sample_weight=np.ones((60, 3)))
    alike(answers(ones, X), answers(learner.fit(X, Y, GRAPH), X), tolerance)


@every_learner
def test_wrong_weights_rows_and_numbers_are_refused(learner, tolerance):
    X, Y = problem()
    name = type(learner).__name__
    bad = X.copy()
    bad[4, 2] = np.inf
    for sentence, parts in (
        ("sample_weight to have shape (60,) or (60, 3), but it has (59,).", (X, Y, np.ones(59))),
        ("sample_weight to have shape (60,) or (60, 3), but it has (60, 2).", (X, Y, np.ones((60, 2)))),
        ("sample_weight to hold finite numbers of at least 0, but it holds -1.0.", (X, Y, -np.ones(60))),
        ("X and Y to have the same number of rows, but X has 60 and Y has 59.", (X, Y[:59], None)),
        ("y to hold only 0 and 1, but it holds 2.", (X, Y + 1, None)),
        ("X to hold finite numbers, but it holds infinite ones.", (bad, Y, None)),
    ):
        with pytest.raises(ParameterError, match=f"^{re.escape(f'{name} needs {sentence}')}"):
            learner.fit(*parts[:2], GRAPH, sample_weight=parts[2])


TAKES_NAN = {"DecisionTreeClassifier"}


@every_learner
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix], ids=["dense", "csr"])
def test_nan_is_taken_or_refused_by_one_sentence(learner, tolerance, form):
    X, Y = problem()
    X[4, 2] = np.nan
    estimator = type(getattr(learner, "estimator", None)).__name__
    if estimator in TAKES_NAN and form is np.asarray:
        assert np.isfinite(answers(learner.fit(X, Y, GRAPH), X)).all()
        return
    with pytest.raises(ParameterError, match=rf"^{type(learner).__name__} needs .*NaN[^\n]*$"):
        learner.fit(form(X), Y, GRAPH)


@every_learner
def test_an_earlier_fit_may_be_handed_in(learner, tolerance):
    X, Y = problem()
    cold = learner.fit(X, Y, GRAPH)
    warm = learner.fit(X, Y, GRAPH, start=cold)
    alike(answers(warm, X), answers(cold, X), tolerance)
