import numpy as np
import pytest
from scipy import sparse
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC

from plait.baselines.homer import HOMER
from plait.baselines.label_hierarchy import LEAF
from plait.core.sentences import ParameterError
from plait.learners import LinearSVMLearner, LogisticLearner


def problem(n=300, d=5, q=11, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    Y = (X @ rng.normal(size=(d, q)) + rng.normal(size=(n, q)) > 2.5).astype(np.uint8)
    return X, Y


def naive_node(X, Y, Z, nodes, number, estimator, labels, chances, above, alive):
    """Train and ask one node and what is below it, one row and child at a time."""
    node = nodes[number]
    rows = [i for i in range(len(Y)) if Y[i, node.labels].any()]
    for child, link in zip(node.children, node.links, strict=True):
        target = [int(Y[i, child].any()) for i in rows]
        if len(set(target)) == 1:
            p = np.full(len(Z), (sum(target) + 1) / (len(target) + 2))
        else:
            p = estimator().fit(X[rows], target).predict_proba(Z)[:, 1]
        if link == LEAF:
            labels[:, child[0]] = alive & (p > 0.5)
            chances[:, child[0]] = above * p
        else:
            naive_node(X, Y, Z, nodes, link, estimator, labels, chances, above * p, alive & (p > 0.5))


@pytest.mark.parametrize("estimator", [GaussianNB, lambda: LogisticRegression(tol=1e-10, max_iter=2000)])
@pytest.mark.parametrize("n_clusters", [2, 3, 4])
def test_agrees_with_a_naive_version(estimator, n_clusters):
    X, Y = problem(seed=n_clusters)
    Y[:, 0] = 0
    Z = problem(n=60, seed=99)[0]
    model = HOMER(estimator(), n_clusters=n_clusters, random_state=0).fit(X, Y)
    labels, chances = np.zeros((60, 11), dtype=int), np.zeros((60, 11))
    naive_node(X, Y, Z, model.hierarchy_, 0, estimator, labels, chances, np.ones(60), np.ones(60, dtype=bool))
    np.testing.assert_allclose(model.predict_proba(Z), chances, rtol=1e-4, atol=1e-5)
    np.testing.assert_array_equal(model.predict(Z), labels)
    assert labels.any()


def test_the_default_is_logistic_regression_of_the_same_nodes():
    X, Y = problem()
    X = (X - X[Y.any(axis=1)].mean(axis=0)) / X[Y.any(axis=1)].std(axis=0)
    batched = HOMER(LogisticLearner(tol=1e-12), random_state=1).fit(X, Y)
    each = HOMER(LogisticRegression(tol=1e-10, max_iter=2000), random_state=1).fit(X, Y)
    np.testing.assert_allclose(batched.predict_proba(X), each.predict_proba(X), rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("n_clusters", [1, 4, 9])
def test_enough_clusters_are_binary_relevance_on_rows_with_a_label(n_clusters):
    X, Y = problem(q=4)
    rows = Y.any(axis=1)
    assert 0 < rows.sum() < len(Y)
    model = HOMER(n_clusters=n_clusters).fit(X, Y)
    scores = LogisticLearner().fit(X[rows], Y[rows]).base_scores(X)
    np.testing.assert_allclose(model.predict_proba(X), 1 / (1 + np.exp(-scores)), rtol=1e-6, atol=1e-9)
    np.testing.assert_array_equal(model.predict(X), scores > 0)


def test_labels_below_a_negative_child_are_zero():
    X, Y = problem()
    model = HOMER(n_clusters=2, random_state=0).fit(X, Y)
    root, predicted = model.hierarchy_[0], model.predict(X)
    scores = model.conditionals_[0].base_scores(X)
    for place, child in enumerate(root.children):
        assert not predicted[np.ix_(scores[:, place] <= 0, child)].any()


def test_nodes_whose_labels_never_occur():
    X, Y = problem(q=8)
    Y[:, 4:] = 0
    model = HOMER(n_clusters=2, random_state=0).fit(X, Y)
    assert not model.predict(X)[:, 4:].any()
    assert (model.predict_proba(X)[:, 4:] < 0.5).all()
    nothing = HOMER(n_clusters=2, random_state=0).fit(X, np.zeros_like(Y))
    assert any(each is None for each in nothing.conditionals_)
    assert not nothing.predict(X).any()
    assert (nothing.predict_proba(X) < 0.5).all()


def test_one_label_trains_on_all_rows():
    X, Y = problem(q=1)
    scores = LogisticLearner().fit(X, Y).base_scores(X)
    np.testing.assert_allclose(HOMER().fit(X, Y).predict_proba(X), 1 / (1 + np.exp(-scores)), rtol=1e-6)


def test_one_row():
    X, Y = problem(n=1)
    np.testing.assert_array_equal(HOMER(n_clusters=2).fit(X, Y).predict(X), Y)


@pytest.mark.parametrize("estimator", [None, ExtraTreesClassifier(3)])
def test_the_same_bits_for_any_number_of_jobs(estimator):
    X, Y = problem()
    one = HOMER(estimator, n_clusters=2, random_state=3).fit(X, Y)
    two = HOMER(estimator, n_clusters=2, random_state=3, n_jobs=2).fit(X, Y)
    np.testing.assert_array_equal(one.predict_proba(X), two.predict_proba(X))


def test_sparse_rows():
    X, Y = problem()
    X[np.abs(X) < 1] = 0
    thin = HOMER(LogisticLearner(tol=1e-10), random_state=0).fit(sparse.csr_array(X), Y)
    dense = HOMER(LogisticLearner(tol=1e-10), random_state=0).fit(X, Y)
    np.testing.assert_allclose(thin.predict_proba(sparse.csr_array(X)), dense.predict_proba(X), rtol=1e-4, atol=1e-6)
    np.testing.assert_array_equal(thin.predict(sparse.csr_array(X)), dense.predict(X))


@pytest.mark.parametrize("estimator", [LogisticLearner(tol=1e-12), GaussianNB()])
def test_a_weight_is_a_repetition(estimator):
    X, Y = problem(n=80)
    weights = np.random.default_rng(1).integers(0, 4, size=80)
    weighted = HOMER(estimator, n_clusters=2, random_state=0).fit(X, Y, sample_weight=weights)
    repeated = HOMER(estimator, n_clusters=2, random_state=0).fit(X.repeat(weights, 0), Y.repeat(weights, 0))
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), rtol=1e-4, atol=1e-7)


def test_estimators_without_weights_or_probabilities():
    X, Y = problem()
    with pytest.raises(ParameterError, match="HOMER needs an estimator whose fit takes sample_weight"):
        HOMER(KNeighborsClassifier()).fit(X, Y, sample_weight=np.ones(300))
    for margins in (LinearSVC(), LinearSVMLearner()):
        model = HOMER(margins, random_state=0).fit(X, Y)
        assert not hasattr(model, "predict_proba")
        assert model.predict(X).any()
