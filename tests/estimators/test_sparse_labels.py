"""Labels that come as a sparse matrix stay one, and answers may be sparse: the same bits as dense ones."""

import numpy as np
import pytest
from scipy import sparse

from plait import recipes
from plait.structure import FullChain, KDependence, LabelTree


@pytest.fixture(scope="module")
def rows():
    """Words and tags of rows, two labels of one value among them."""
    rng = np.random.default_rng(0)
    X = sparse.random_array((400, 300), density=0.05, random_state=rng, format="csr")
    scores = (X @ rng.normal(size=(300, 9))) * 4 - 0.5
    Y = (scores + rng.logistic(size=scores.shape) > 0.3).astype(np.uint8)
    Y[:, 2] |= Y[:, 1]
    Y[:, 7], Y[:, 8] = 0, 1
    return sparse.csr_matrix(X), Y


MODELS = {
    "br": lambda: recipes.br(learner="logistic"),
    "tuned": recipes.br,
    "kcc": lambda: recipes.kcc(k=2, learner="logistic", random_state=0),
    "bcc": lambda: recipes.bcc(learner="logistic", random_state=0),
    "pacc": lambda: recipes.pacc(learner="logistic", random_state=0),
    "pcc": lambda: recipes.pcc(learner="logistic"),
}


@pytest.mark.parametrize("name", MODELS)
def test_sparse_labels_give_the_same_bits_as_dense_ones(name, rows):
    X, Y = rows
    model = MODELS[name]()
    assert model._takes_sparse_labels()
    dense, thin = model.fit(X, Y), MODELS[name]().fit(X, sparse.csr_matrix(Y))
    assert dense.graph_.parents == thin.graph_.parents
    for attribute in ("coef_", "parent_coef_", "intercept_"):
        one, other = (getattr(each.conditionals_, attribute) for each in (dense, thin))
        np.testing.assert_array_equal(one, other)
    assert dense.score(X, Y) == thin.score(X, sparse.csr_matrix(Y))


@pytest.mark.parametrize("weights", [None, np.arange(400) % 3])
def test_weights_of_rows_and_dense_features(rows, weights):
    X, Y = rows
    fits = [
        recipes.br(learner="logistic").fit(X[:, :20].toarray(), labels, weights) for labels in (Y, sparse.csr_matrix(Y))
    ]
    np.testing.assert_array_equal(*(fit.conditionals_.coef_ for fit in fits))


def test_what_needs_dense_labels_gets_them(rows):
    X, Y = rows
    for model in (recipes.br_ldf, recipes.ctbn, lambda **k: recipes.br(loss="macro_f1", **k)):
        made = model(learner="logistic", random_state=0)
        assert not made._takes_sparse_labels()
        answers = [made.fit(X, labels).predict(X) for labels in (Y, sparse.csr_array(Y))]
        np.testing.assert_array_equal(*answers)


@pytest.mark.parametrize(
    "structure", [LabelTree(root=0), KDependence(2), FullChain("information"), FullChain("frequency")]
)
def test_structures_of_sparse_labels(structure, rows):
    X, Y = rows
    dense, thin = (structure.build(X, labels, random_state=0) for labels in (Y, sparse.csr_matrix(Y)))
    assert dense.parents == thin.parents
    assert dense.order == thin.order


def test_sparse_answers_hold_what_dense_ones_hold(rows):
    X, Y = rows
    model = recipes.bcc(learner="logistic", random_state=0).fit(X, Y)
    dense, thin = model.predict(X), model.predict(X, sparse_output=True)
    assert sparse.issparse(thin)
    assert thin.format == "csr"
    assert thin.dtype == dense.dtype == np.int64
    np.testing.assert_array_equal(thin.toarray(), dense)
    assert model.predict_sets(X) == model.predict_sets(X, sparse_output=True)
    with pytest.raises(ValueError, match="predict needs sparse_output"):
        model.predict(X, sparse_output="maybe")


def test_many_labels_are_answered_sparsely():
    rng = np.random.default_rng(0)
    X, Y = sparse.random_array((40, 40), density=0.2, random_state=rng, format="csr"), rng.random((40, 1000)) < 0.05
    model = recipes.br(learner="logistic").fit(X, sparse.csr_matrix(Y))
    answer = model.predict(X)
    assert sparse.issparse(answer)
    np.testing.assert_array_equal(answer.toarray(), model.predict_proba(X) > 0.5)
    assert not sparse.issparse(model.predict(X, sparse_output=False))
    assert model.score(X, Y) == np.mean((answer.toarray() == Y).all(axis=1))


@pytest.mark.parametrize("k", [1, 3, 9, 20])
def test_top_labels_are_the_highest_marginals(rows, k):
    X, Y = rows
    model = recipes.pcc(learner="logistic").fit(X, Y)
    names, probabilities = model.top_labels(X, k)
    marginals = model.predict_proba(X)
    expected = np.argsort(-marginals, axis=1, kind="stable")[:, :k]
    np.testing.assert_array_equal(names, model.label_names_[expected])
    np.testing.assert_array_equal(probabilities, np.take_along_axis(marginals, expected, axis=1))
