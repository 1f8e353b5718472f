"""A predictor answers what its model answers, keeps what the model was, and looks at nothing."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import NotFittedError

from plait import AutoJoint, recipes


@pytest.fixture(scope="module")
def rows():
    """Two labels that follow two of three features."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3))
    return X, (X[:, :2] + rng.normal(size=(80, 2)) > 0).astype(int)


@pytest.mark.parametrize("make", [recipes.br, recipes.pcc, recipes.ctbn, lambda **k: AutoJoint(effort="fast", **k)])
def test_same_answers(make, rows):
    X, Y = rows
    model = make(random_state=0).fit(X, Y)
    service = model.predictor()
    np.testing.assert_array_equal(service.predict(X), model.predict(X))
    np.testing.assert_array_equal(service.predict(X, "hamming"), model.predict(X, "hamming"))
    np.testing.assert_array_equal(service.predict_proba(X[:1]), model.predict_proba(X[:1]))
    np.testing.assert_array_equal(service.joint(X).marginals(), model.joint(X).marginals())
    assert (service.top_labels(X, 1).names == model.top_labels(X, 1).names).all()


def test_it_looks_at_nothing_and_the_model_still_does(rows):
    X, Y = rows
    model = recipes.br(learner="logistic").fit(X, Y)
    wrong = np.full((1, 3), np.inf)
    assert np.isnan(model.predictor().predict_proba(np.where([[True, False, False]], wrong, 0.0))).sum() == 0
    with pytest.raises(ValueError, match="finite"):
        model.predict(wrong)


def test_it_keeps_what_the_model_was(rows):
    X, Y = rows
    model = recipes.pcc(learner="logistic", loss="hamming").fit(X, Y)
    service = model.predictor()
    expected = model.predict(X)
    model.set_params(loss="subset")
    np.testing.assert_array_equal(service.predict(X), expected)
    model.fit(X, 1 - Y)
    np.testing.assert_array_equal(service.predict(X), expected)


def test_it_needs_a_fitted_model():
    with pytest.raises(NotFittedError):
        recipes.br().predictor()


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix, sparse.csr_array, lambda X: X.astype(np.float32)])
def test_rows_that_need_no_look_are_those_that_the_long_look_lets_pass(form, rows):
    X, Y = rows
    model = recipes.br(learner="logistic").fit(X, Y)
    given = form(X)
    assert model._needs_no_look(given)
    assert model._rows(given) is given
    np.testing.assert_allclose(model.predict_proba(given), model.predict_proba(X.tolist()), rtol=0, atol=1e-6)


@pytest.mark.parametrize("spoilt", [np.nan, np.inf])
def test_rows_that_need_a_look_get_it(spoilt, rows):
    X, Y = rows
    model = recipes.br(learner="logistic").fit(X, Y)
    bad = X.copy()
    bad[3, 1] = spoilt
    for given in (bad, sparse.csr_matrix(bad)):
        with pytest.raises(ValueError, match="row 3, column 1"):
            model.predict(given)
    for given in (X[:, :2], X[:, :0], X[0], X[:0], X.astype(int)[:, :2], np.zeros((2, 3, 1))):
        assert not model._needs_no_look(given)
        with pytest.raises(ValueError, match=r"feature|[12]D array|sample|dim 3"):
            model.predict(given)


def test_a_model_with_named_features_is_told_when_names_are_missing(rows):
    pandas = pytest.importorskip("pandas")
    X, Y = rows
    model = recipes.br(learner="logistic").fit(pandas.DataFrame(X, columns=["a", "b", "c"]), Y)
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        model.predict(X)
