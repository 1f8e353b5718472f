"""`LIFT` against a naive version, label by label."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.cluster import KMeans
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import pairwise_distances
from sklearn.svm import SVC
from sklearn.utils import get_tags

from plait.baselines import LIFT
from plait.baselines.lift import class_centres, distances_to, n_centres
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


def rows(n=60, d=8, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.4)


def naive_distances(centres, X):
    return np.array([[np.sqrt(sum((a - b) ** 2 for a, b in zip(x, c, strict=True))) for c in centres] for x in X])


@pytest.mark.parametrize("shift", [0.0, 1e6])
def test_distances_against_loops_in_every_form(shift):
    X = rows() + shift
    centres = np.vstack([rows(5, seed=1) + shift, X[:2]])  # two rows are centres themselves
    expected = naive_distances(centres, X)
    np.testing.assert_allclose(distances_to(centres, X), expected, rtol=1e-9, atol=1e-12)
    for C in (centres, sparse.csr_matrix(centres)):
        for form in (sparse.csr_matrix(X), sparse.csr_array(X)):
            np.testing.assert_allclose(distances_to(C, form), expected, rtol=1e-7, atol=1e-12)
        np.testing.assert_allclose(distances_to(C, X), expected, rtol=1e-9, atol=1e-12)
    assert distances_to(sparse.csr_matrix(centres), sparse.csr_matrix(X))[0, 5] == 0.0


def test_without_centres_there_is_one_column_that_says_nothing():
    X = rows()
    for form in (X, sparse.csr_matrix(X)):
        np.testing.assert_array_equal(distances_to(form[:0], form), np.zeros((60, 1)))


def test_rounding_adds_no_centre():
    assert 0.07 * 100 > 7
    assert n_centres(np.r_[np.ones(100), np.zeros(120)].astype(np.uint8), 0.07) == 7


@given(st.integers(0, 300), st.integers(0, 300), st.sampled_from([0.05, 0.1, 0.25, 1.0]))
def test_number_of_centres(n_ones, n_zeros, ratio):
    y = np.r_[np.ones(n_ones), np.zeros(n_zeros)].astype(np.uint8)
    found, smaller = n_centres(y, ratio), min(n_ones, n_zeros)
    parts = round(1 / ratio)  # ceil of a fraction of whole numbers
    assert found == -(-smaller // parts)
    assert found <= smaller


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
def test_centres_are_those_of_each_class(form):
    X = rows()
    y = (X[:, 0] + X[:, 1] > 0.2).astype(np.uint8)
    centres = class_centres(form(X), y, 0.2, 7)
    m = n_centres(y, 0.2)
    assert sparse.issparse(centres) == sparse.issparse(form(X))
    centres = centres.toarray() if sparse.issparse(centres) else centres
    assert centres.shape == (2 * m, 8)
    for part, value in ((centres[:m], 1), (centres[m:], 0)):
        own = X[y == value]
        hand = KMeans(m, n_init=1, random_state=7).fit(form(own))
        np.testing.assert_allclose(part, hand.cluster_centers_, rtol=1e-9, atol=1e-12)
        # A fixed point: every centre is the mean of the rows nearest to it.
        nearest = naive_distances(part, own).argmin(axis=1)
        for number in range(m):
            np.testing.assert_allclose(part[number], own[nearest == number].mean(axis=0), rtol=1e-9, atol=1e-9)


def test_one_value_copies_and_single_rows():
    X = rows()
    assert class_centres(X, np.ones(60, dtype=np.uint8), 0.1, 0).shape == (0, 8)
    y = np.zeros(60, dtype=np.uint8)
    y[3] = 1
    one = class_centres(X, y, 0.1, 0)
    np.testing.assert_allclose(one[0], X[3], rtol=1e-12)
    np.testing.assert_allclose(one[1], np.delete(X, 3, axis=0).mean(axis=0), rtol=1e-9, atol=1e-12)
    copies = np.repeat(X[:2], 30, axis=0)
    found = class_centres(copies, np.tile([1, 0], 30).astype(np.uint8), 0.2, 0)
    assert found.shape == (12, 8)
    assert naive_distances(copies[[0, 30]], found).min(axis=1).max() < 1e-9
