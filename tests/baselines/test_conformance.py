"""What every classifier of the room must do; a class joins by being listed in `plait.baselines.__all__`."""

import contextlib
import pickle
import re
import warnings
from unittest import SkipTest

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.estimator_checks import estimator_checks_generator

from plait import baselines
from plait.core.checks import wrong_values
from plait.core.kernel_policy import using_kernels
from plait.core.multilabel_classifier import MultilabelClassifier
from plait.core.sentences import ParameterError
from plait.estimators import trusted_types
from plait.learners import LogisticLearner

KINDS = {name: getattr(baselines, name) for name in baselines.__all__}
every_kind = pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
LABELS = ["sand", "sea", "sky", "sun"]  # as sets of names come out: in the order of the alphabet


def made(kind, **parameters):
    """Return an unfitted classifier; a fixed seed where it has one."""
    seed = {"random_state": 0} if "random_state" in kind._get_param_names() else {}
    return kind(**(seed | parameters))


def problem(n=90, d=6, q=4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)).round(3) * (rng.random((n, d)) < 0.7)
    Y = (X @ rng.normal(size=(d, q)) + 0.5 * rng.normal(size=(n, q)) > 0.3).astype(np.uint8)
    return X, Y


def answers(model, X):
    return model.predict(X), model.predict_proba(X) if hasattr(model, "predict_proba") else None


def assert_same_bits(ours, theirs):
    np.testing.assert_array_equal(ours[0], theirs[0])
    if ours[1] is not None:
        np.testing.assert_array_equal(ours[1], theirs[1])


@every_kind
def test_scikit_learns_own_checks(kind):
    for model, check in estimator_checks_generator(kind()):
        # A check that skips itself (for want of an optional package) must not skip those behind it.
        with warnings.catch_warnings(), contextlib.suppress(SkipTest):
            warnings.simplefilter("ignore", ConvergenceWarning)
            check(model)


@every_kind
def test_wrong_parameters_are_refused(kind):
    X, Y = problem()
    assert issubclass(kind, MultilabelClassifier)
    for name, rules in kind.parameter_rules.items():
        wrong = wrong_values(rules)
        assert wrong
        for value in wrong:
            with pytest.raises(ParameterError, match=f"^{kind.__name__} needs {name} to be"):
                kind(**{name: value}).fit(X, Y)


@every_kind
def test_shapes_types_and_names(kind):
    X, Y = problem()
    model = made(kind)
    assert model.fit(X, Y) is model
    labels, marginals = answers(model, X)
    assert labels.shape == Y.shape
    assert labels.dtype.kind == "i"
    assert set(np.unique(labels)) <= {0, 1}
    assert (labels == Y).mean() > 0.6
    if marginals is not None:
        assert marginals.shape == Y.shape
        assert marginals.dtype == np.float64
        assert ((marginals >= 0) & (marginals <= 1)).all()
    assert model.n_labels_ == 4
    assert model.n_features_in_ == 6
    assert list(model.label_names_) == ["y0", "y1", "y2", "y3"]
    assert made(kind).fit(X, pd.DataFrame(Y, columns=LABELS)).label_names_.tolist() == LABELS


@every_kind
def test_every_form_of_input_gives_the_same_answers(kind):
    X, Y = problem()
    columns = [f"f{i}" for i in range(X.shape[1])]
    # Dense and sparse rows have solvers of their own, which meet where both go on to the end; estimators of
    # scikit-learn stop earlier.
    tight = {"learner": LogisticLearner(tol=1e-12)} if "learner" in kind._get_param_names() else {}
    labels, marginals = answers(made(kind, **tight).fit(X, Y), X)
    frame, table = pd.DataFrame(X, columns=columns), pl.DataFrame(X, schema=columns)
    forms = [
        (sparse.csr_matrix(X), sparse.csr_matrix(Y)),
        (sparse.csc_array(X), Y.astype(bool)),
        (frame, pd.DataFrame(Y, columns=LABELS)),
        (table, pl.DataFrame(Y, schema=LABELS)),
        (X.tolist(), [{LABELS[k] for k in np.flatnonzero(row)} for row in Y]),
    ]
    for same_X, same_Y in forms:
        found, chances = answers(made(kind, **tight).fit(same_X, same_Y), same_X)
        np.testing.assert_array_equal(found, labels)
        if marginals is not None:
            np.testing.assert_allclose(chances, marginals, rtol=0, atol=1e-5 if tight else 1e-3)


@every_kind
def test_rows_to_predict_may_come_in_another_form_than_those_of_the_training(kind):
    X, Y = problem()
    for trained, asked in ((X, sparse.csr_matrix(X)), (sparse.csr_matrix(X), X)):
        model = made(kind).fit(trained, Y)
        ours, theirs = answers(model, asked), answers(model, trained)
        np.testing.assert_array_equal(ours[0], theirs[0])
        if ours[1] is not None:
            np.testing.assert_allclose(ours[1], theirs[1], rtol=1e-7, atol=1e-9)


@every_kind
@pytest.mark.parametrize("to_sparse", [np.asarray, sparse.csr_matrix])
def test_labels_with_one_value_are_predicted_as_they_are(kind, to_sparse):
    X, Y = problem()
    Y[:, 1], Y[:, 3] = 0, 1
    model = made(kind).fit(to_sparse(X), Y)
    labels, marginals = answers(model, to_sparse(X))
    assert not labels[:, 1].any()
    assert labels[:, 3].all()
    if marginals is not None:
        assert (marginals[:, 1] < 0.5).all()
        assert (marginals[:, 3] > 0.5).all()
        assert np.isfinite(marginals).all()


@every_kind
@pytest.mark.parametrize("value", [0, 1])
def test_nothing_but_labels_with_one_value(kind, value):
    X, Y = problem(n=20)
    model = made(kind).fit(X, np.full_like(Y, value))
    labels, marginals = answers(model, X)
    assert (labels == value).all()
    if marginals is not None:
        assert ((marginals > 0.5) == value).all()


@every_kind
def test_a_label_with_one_positive_row(kind):
    X, Y = problem()
    Y[:, 2] = 0
    Y[5, 2] = 1
    labels, marginals = answers(made(kind).fit(X, Y), X)
    assert labels.shape == Y.shape
    assert marginals is None or np.isfinite(marginals).all()


@every_kind
def test_one_label_as_a_matrix_and_as_a_column(kind):
    X, Y = problem(q=1)
    matrix, column = made(kind).fit(X, Y), made(kind).fit(X, Y[:, 0])
    words = made(kind).fit(X, np.where(Y[:, 0] == 1, "yes", "no"))
    assert matrix.predict(X).shape == (90, 1)
    assert column.predict(X).shape == (90,)
    np.testing.assert_array_equal(matrix.predict(X)[:, 0], column.predict(X))
    np.testing.assert_array_equal(words.predict(X) == "yes", column.predict(X) == 1)
    if hasattr(matrix, "predict_proba"):
        assert matrix.predict_proba(X).shape == (90, 1)
        assert column.predict_proba(X).shape == (90, 2)
        np.testing.assert_array_equal(column.predict_proba(X)[:, 1], matrix.predict_proba(X)[:, 0])


@every_kind
@pytest.mark.parametrize("n", [1, 2, 3])
def test_very_few_rows(kind, n):
    X, Y = problem(n=n)
    labels, marginals = answers(made(kind).fit(X, Y), X)
    assert labels.shape == (n, 4)
    assert marginals is None or np.isfinite(marginals).all()
    if n == 1:
        np.testing.assert_array_equal(labels, Y)


@every_kind
def test_rows_are_answered_one_by_one_as_together(kind):
    X, Y = problem()
    model = made(kind).fit(X, Y)
    labels, marginals = answers(model, X)
    for row in range(0, 90, 30):
        one, chance = answers(model, X[[row]])
        np.testing.assert_array_equal(one[0], labels[row])
        if marginals is not None:
            np.testing.assert_allclose(chance[0], marginals[row], rtol=1e-9, atol=1e-12)


@every_kind
def test_constant_and_copied_columns_do_no_harm(kind):
    X, Y = problem()
    odd = np.column_stack([X, np.full(90, 3.0), np.zeros(90), X[:, 0]])
    for form in (odd, sparse.csr_matrix(odd), odd.astype(np.float32)):
        labels, marginals = answers(made(kind).fit(form, Y), form)
        assert (labels == Y).mean() > 0.6
        assert marginals is None or np.isfinite(marginals).all()


@every_kind
def test_the_same_bits_twice_and_for_any_number_of_jobs(kind):
    X, Y = problem()
    first = answers(made(kind).fit(X, Y), X)
    assert_same_bits(answers(clone(made(kind)).fit(X, Y), X), first)
    if "n_jobs" in kind._get_param_names():
        assert_same_bits(answers(made(kind, n_jobs=2).fit(X, Y), X), first)


@every_kind
def test_kernels_and_plain_numpy_give_the_same_answers(kind):
    X, Y = problem()
    tight = {"learner": LogisticLearner(tol=1e-12)} if "learner" in kind._get_param_names() else {}
    tight |= {"max_enumerated": 1} if "max_enumerated" in kind._get_param_names() else {}
    found = {}
    for policy in ("never", "always"):
        with using_kernels(policy):
            found[policy] = answers(made(kind, **tight).fit(X, Y), X)
    np.testing.assert_array_equal(found["always"][0], found["never"][0])
    if found["never"][1] is not None:
        np.testing.assert_allclose(found["always"][1], found["never"][1], rtol=0, atol=1e-5)


@every_kind
def test_a_pickled_model_answers_the_same(kind):
    X, Y = problem()
    model = made(kind).fit(sparse.csr_matrix(X), pd.DataFrame(Y, columns=LABELS))
    again = pickle.loads(pickle.dumps(model))
    assert_same_bits(answers(again, X), answers(model, X))
    assert list(again.label_names_) == LABELS


@every_kind
def test_a_clone_is_unfitted_and_has_the_same_parameters(kind):
    X, Y = problem()
    model = made(kind)
    copy = clone(model.fit(X, Y))
    assert not hasattr(copy, "n_labels_")
    assert repr(copy) == repr(clone(made(kind)))


@every_kind
def test_the_input_is_left_as_it_was(kind):
    X, Y = problem()
    rows = sparse.csr_matrix(X)
    made(kind).fit(rows, Y).predict(rows)
    np.testing.assert_array_equal(rows.toarray(), X)
    again, _ = problem()
    made(kind).fit(X, Y).predict(X)
    np.testing.assert_array_equal(X, again)


@every_kind
def test_the_docstring_names_the_paper_and_has_an_example(kind):
    assert re.search(r"\[[A-Z][A-Za-z]*\d{4}[;\]]", kind.__doc__)
    assert ">>> " in kind.__doc__


@every_kind
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
def test_models_go_through_skops_with_trusted_types_only(kind, form):
    skops = pytest.importorskip("skops.io")
    X, Y = problem()
    model = made(kind).fit(form(X), Y)
    written = skops.dumps(model)
    assert set(skops.get_untrusted_types(data=written)) <= set(trusted_types())
    assert_same_bits(answers(skops.loads(written, trusted=trusted_types()), form(X)), answers(model, form(X)))
