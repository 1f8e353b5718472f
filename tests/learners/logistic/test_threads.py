"""Fits are the same, to the last bit, for any number of threads."""

import joblib
import numpy as np
import pytest
from scipy import sparse

from plait import recipes
from plait.learners import LogisticLearner
from plait.learners.logistic import logistic_solver
from plait.structure import LabelGraph

N_LABELS = 7


def rows(form, n_columns=40, n_rows=400):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, n_columns))
    if form == "sparse":
        X = sparse.csr_matrix(X * (rng.random(X.shape) < 0.2))
    scores = X @ rng.normal(size=(n_columns, N_LABELS))
    return X, (scores + rng.normal(size=scores.shape) > np.linspace(0, 5, N_LABELS)).astype(np.uint8)


@pytest.fixture(autouse=True)
def shared(monkeypatch):
    """Threads from the first problem on, and how many shares there were."""
    shares = []
    solved = logistic_solver._solved
    monkeypatch.setattr(logistic_solver, "MANY", 0)
    monkeypatch.setattr(
        logistic_solver, "_solved", lambda *args, **how: shares.append(args[1].n_problems) or solved(*args, **how)
    )
    return shares


@pytest.mark.parametrize("graph", [None, LabelGraph([list(range(k)) for k in range(N_LABELS)])], ids=["alone", "chain"])
@pytest.mark.parametrize(("form", "n_columns"), [("sparse", 200), ("sparse", 4100), ("dense", 20), ("dense", 200)])
def test_labels(form, n_columns, graph, shared):
    X, Y = rows(form, n_columns)
    found = []
    for n_jobs in (1, 2, 3):
        with joblib.parallel_config(n_jobs=n_jobs):
            found.append(LogisticLearner().fit(X, Y, graph))
    assert shared == [7, 4, 3, 3, 2, 2]
    for other in found[1:]:
        for name in ("coef_", "parent_coef_", "intercept_", "n_iter_", "converged_"):
            np.testing.assert_array_equal(getattr(other, name), getattr(found[0], name))


@pytest.mark.parametrize("form", ["sparse", "dense"])
def test_pairs(form):
    X, Y = rows(form, 200)
    found = []
    for n_jobs in (1, 3):
        with joblib.parallel_config(n_jobs=n_jobs):
            found.append(LogisticLearner().fit_pairs(X, Y, random_state=0))
    np.testing.assert_array_equal(found[0].log_likelihood, found[1].log_likelihood)
    np.testing.assert_array_equal(found[0].directed_information, found[1].directed_information)


@pytest.mark.parametrize("recipe", [recipes.br, recipes.pcc, recipes.ctbn, recipes.mc])
def test_classifiers(recipe, shared):
    X, Y = rows("sparse", 30, 200)
    one, two = (recipe(random_state=0, n_jobs=n_jobs).fit(X, Y).predict_proba(X) for n_jobs in (None, 2))
    np.testing.assert_array_equal(one, two)
    assert {4, 3} <= set(shared)
