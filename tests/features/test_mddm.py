import tracemalloc
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.multioutput import MultiOutputClassifier
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import estimator_checks_generator

from plait.core.checks import wrong_values
from plait.core.sentences import ParameterError
from plait.features import MDDM, SelectionWarning

variants = pytest.mark.parametrize("variant", ["orthonormal", "uncorrelated"])


def problem(n=50, d=7, q=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.6)
    return X, (X[:, :q] + 0.3 * rng.normal(size=(n, q)) > 0.1).astype(np.uint8)


def dependence(Z, Y):
    """Return tr(Z'C YY' CZ) by its definition."""
    C = np.eye(len(Z)) - 1 / len(Z)
    return np.trace(Z.T @ C @ Y @ Y.T @ C @ Z)


@variants
def test_scikit_learns_own_checks(variant):
    for estimator, check in estimator_checks_generator(MDDM(variant=variant)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SelectionWarning)
            check(estimator)


@variants
@pytest.mark.parametrize("n_components", [1, 2, 3])
def test_projected_dependence_is_the_sum_of_the_leading_eigenvalues(variant, n_components):
    X, Y = problem()
    found = MDDM(n_components, variant=variant).fit(X, Y)
    Z = found.transform(X)
    assert Z.shape == (50, n_components)
    assert dependence(Z, Y.astype(float)) == pytest.approx(found.eigenvalues_.sum(), rel=1e-10)
    np.testing.assert_allclose(Z.mean(axis=0), 0, rtol=0, atol=1e-12)


def test_no_other_orthonormal_directions_depend_more():
    X, Y = problem()
    best = MDDM(2).fit(X, Y).eigenvalues_.sum()
    rng = np.random.default_rng(1)
    for _ in range(50):
        P = np.linalg.qr(rng.normal(size=(7, 2)))[0]
        assert dependence(X @ P, Y.astype(float)) <= best * (1 + 1e-12)


@variants
def test_feature_order_does_not_matter(variant):
    X, Y = problem()
    order = np.array([4, 2, 6, 0, 1, 5, 3])
    plain, moved = MDDM(variant=variant).fit(X, Y), MDDM(variant=variant).fit(X[:, order], Y)
    np.testing.assert_allclose(moved.components_, plain.components_[:, order], rtol=0, atol=1e-9)
    np.testing.assert_allclose(moved.eigenvalues_, plain.eigenvalues_, rtol=1e-10)


@variants
@pytest.mark.parametrize("shape", [(50, 7), (7, 50)])
def test_dense_is_sparse(variant, shape):
    X, Y = problem(*shape)
    dense = MDDM(variant=variant).fit(X, Y)
    for form in (sparse.csr_matrix, sparse.csc_array):
        thin = MDDM(variant=variant).fit(form(X), form(Y))
        np.testing.assert_allclose(thin.components_, dense.components_, rtol=0, atol=1e-9)
        np.testing.assert_allclose(thin.transform(form(X)), dense.transform(X), rtol=0, atol=1e-9)


@variants
def test_a_sparse_matrix_is_not_filled(variant):
    rng = np.random.default_rng(0)
    X = sparse.random(40, 300_000, density=1e-4, format="csr", random_state=rng)
    Y = (rng.random((40, 3)) < 0.5).astype(np.uint8)
    tracemalloc.start()
    MDDM(1, variant=variant).fit(X, Y).transform(X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 40 * 300_000 * 8 / 2


def test_more_directions_than_carry_dependence():
    X, Y = problem()
    with pytest.warns(SelectionWarning, match="asked for 6 directions, but only 3 depend on the labels"):
        assert MDDM(0.9).fit(X, Y).n_components_ == 3
    assert MDDM().fit(X, Y).n_components_ == 3
    assert MDDM(0.3).fit(X, Y).n_components_ == 2


def test_directions_beyond_the_rank_complete_the_space():
    X, Y = problem()
    found, short = MDDM(6, beyond_rank=True).fit(X, Y), MDDM(3).fit(X, Y)
    np.testing.assert_allclose(found.components_ @ found.components_.T, np.eye(6), rtol=0, atol=1e-12)
    np.testing.assert_array_equal(found.components_[:3], short.components_)
    # What is added depends on no label.
    assert dependence(found.transform(X)[:, 3:], Y) < 1e-18 * dependence(short.transform(X), Y)
    assert found.eigenvalues_[3:].tolist() == [0.0] * 3
    assert MDDM(2, beyond_rank=True).fit(X, Y).n_components_ == 2
    plain = MDDM(2, centred=False).fit(X, Y)
    np.testing.assert_allclose(plain.transform(X), X @ plain.components_.T, rtol=0, atol=1e-12)


@pytest.mark.parametrize("given", [{"mu": 0.5}, {"variant": "uncorrelated", "beyond_rank": True}])
def test_what_a_variant_has_no_use_for_is_refused(given):
    X, Y = problem()
    with pytest.raises(ParameterError, match=r"MDDM needs (mu|beyond_rank) only where variant is"):
        MDDM(**given).fit(X, Y)


@variants
def test_labels_that_never_change(variant):
    X, _ = problem()
    with pytest.warns(SelectionWarning, match="no direction that depends on the labels; it gives the first feature"):
        found = MDDM(variant=variant).fit(X, np.ones((50, 2)))
    np.testing.assert_allclose(found.transform(X)[:, 0], X[:, 0] - X[:, 0].mean(), rtol=0, atol=1e-14)
    assert found.eigenvalues_.tolist() == [0.0]


def test_names_frames_pipelines():
    X, Y = problem()
    frame = pd.DataFrame(X, columns=list("abcdefg"))
    out = MDDM(2).set_output(transform="pandas").fit(frame, Y).transform(frame)
    assert list(out.columns) == ["mddm0", "mddm1"]
    pipeline = make_pipeline(MDDM(), MultiOutputClassifier(LogisticRegression()))
    search = GridSearchCV(pipeline, {"mddm__n_components": [1, 3]}, cv=2).fit(X, Y)
    assert search.predict(X).shape == Y.shape


def test_wrong_parameters_are_refused():
    X, Y = problem()
    for name, rules in MDDM.parameter_rules.items():
        for value in wrong_values(rules):
            with pytest.raises(ParameterError, match=f"^MDDM needs {name} to be"):
                MDDM(**{name: value}).fit(X, Y)
