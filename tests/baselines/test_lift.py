"""`LIFT` against a naive version, label by label."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.cluster import KMeans
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import pairwise_distances
from sklearn.svm import SVC
from sklearn.utils import get_tags

from plait.baselines import LIFT
from plait.learners import LinearSVMLearner, LogisticLearner


def problem(n=160, d=5, q=4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.6)
    Y = (np.abs(X @ rng.normal(size=(d, q))) + 0.3 * rng.normal(size=(n, q)) > 1.0).astype(np.uint8)
    return X, Y


def naive(model, X, Y, asked):
    """Return labels by the words of the paper, with the centres of the model: distances, then one classifier each."""
    columns = []
    for k in range(Y.shape[1]):
        centres = np.asarray(model.centres_[k])
        train, test = (pairwise_distances(rows, centres) for rows in (X, asked))
        scales = train.std(axis=0)
        classifier = LogisticRegression(C=1.0, tol=1e-10, max_iter=5000).fit(train / scales, Y[:, k])
        columns.append(classifier.predict_proba(test / scales)[:, 1])
    return np.column_stack(columns)


def test_probabilities_against_a_naive_version():
    X, Y = problem()
    asked = problem(seed=1)[0]
    model = LIFT(ratio=0.2, random_state=0).fit(X, Y)
    np.testing.assert_allclose(model.predict_proba(asked), naive(model, X, Y, asked), rtol=0, atol=1e-4)
    np.testing.assert_array_equal(model.predict(asked), model.predict_proba(asked) > 0.5)


def test_features_are_distances_to_the_clusters_of_each_class():
    X, Y = problem()
    model = LIFT(random_state=0).fit(X, Y)
    for label in range(4):
        m = int(np.ceil(0.1 * min(Y[:, label].sum(), 160 - Y[:, label].sum())))
        features = model.label_features(X, label)
        assert features.shape == (160, 2 * m)
        np.testing.assert_allclose(features, pairwise_distances(X, model.centres_[label]), rtol=1e-7, atol=1e-7)
        for part, value in ((slice(0, m), 1), (slice(m, None), 0)):
            own = X[Y[:, label] == value]
            inertia = (features[Y[:, label] == value, part].min(axis=1) ** 2).sum()
            best = KMeans(m, n_init=10, random_state=0).fit(own).inertia_
            assert inertia <= 1.3 * best


def test_clusters_beat_a_line_where_labels_are_discs():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 2))
    Y = np.column_stack([(X**2).sum(axis=1) < 1, ((X - 1) ** 2).sum(axis=1) < 1]).astype(np.uint8)
    found = LIFT(random_state=0).fit(X[:400], Y[:400]).predict(X[400:])
    line = LogisticLearner().fit(X[:400], Y[:400]).base_scores(X[400:]) > 0
    assert (found == Y[400:]).mean() > 0.9 > (line == Y[400:]).mean()


def test_sparse_rows_stay_sparse():
    X, Y = problem()
    model = LIFT(random_state=0).fit(sparse.csr_matrix(X), Y)
    assert all(sparse.issparse(centres) for centres in model.centres_)
    dense = LIFT(random_state=0).fit(X, Y)
    for one, two in zip(model.centres_, dense.centres_, strict=True):
        np.testing.assert_allclose(one.toarray(), two, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(model.predict_proba(X), dense.predict_proba(X), rtol=0, atol=1e-5)


def test_a_wide_text_is_never_made_dense():
    rows = sparse.random(50, 3_000_000, density=2e-6, format="csr", random_state=np.random.default_rng(0))
    Y = np.random.default_rng(1).integers(0, 2, size=(50, 2))
    model = LIFT(ratio=0.05, random_state=0).fit(rows, Y)
    assert sum(centres.nnz for centres in model.centres_) <= 2 * rows.nnz
    assert model.predict(rows).shape == (50, 2)


@pytest.mark.parametrize(
    "estimator",
    [
        SVC(kernel="linear"),
        LinearSVMLearner(),
        HistGradientBoostingClassifier(max_iter=20),
        LogisticRegression(max_iter=5000),
    ],
)
def test_any_binary_classifier(estimator):
    X, Y = problem()
    model = LIFT(estimator, ratio=0.2, random_state=0).fit(X, Y)
    assert (model.predict(X) == Y).mean() > 0.75
    assert hasattr(model, "predict_proba") == hasattr(estimator, "predict_proba")


def test_labels_do_not_know_of_each_other():
    X, Y = problem()
    all_labels, first_two = (LIFT(random_state=0).fit(X, part).predict_proba(X) for part in (Y, Y[:, :2]))
    np.testing.assert_array_equal(all_labels[:, :2], first_two)


def test_missing_values_are_refused_whatever_the_estimator_takes():
    X, Y = problem()
    X[0, 0] = np.nan
    assert not get_tags(LIFT(HistGradientBoostingClassifier())).input_tags.allow_nan
    with pytest.raises(ValueError, match="LIFT needs X to hold finite numbers"):
        LIFT(HistGradientBoostingClassifier()).fit(X, Y)
