import numpy as np
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, clone
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import CategoricalNB

from plait import recipes
from plait.baselines import MultilabelNaiveBayes
from plait.core.sentences import ParameterError
from plait.counts import LAIMDiscretizer
from plait.experiments.reproduction.paper_methods import (
    CardinalityThreshold,
    CodesAndNumbers,
    FewerRows,
    OneAgainstRest,
    PredictedParents,
    SelectedNaiveBayes,
)
from plait.features import MRMR, PearsonSubset


def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 5))
    # Divided by their deviations, as LogisticLearner does it, so that scikit-learn sees the same columns.
    X = X / X.std(axis=0)
    y = (X @ rng.normal(size=(5, 4)) + rng.gumbel(size=(200, 4))).argmax(axis=1)
    return X, np.array(["a", "b", "c", "d"])[y]


@pytest.mark.parametrize("C", [0.2, 5.0])
def test_it_is_scikit_learns_one_against_the_rest(C):
    X, y = data()
    ours = OneAgainstRest(C=C).fit(X, y)
    theirs = OneVsRestClassifier(LogisticRegression(C=C, tol=1e-10, max_iter=10000)).fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=0, atol=1e-6)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))


def test_sparse_is_dense_and_one_class_is_always_predicted():
    X, y = data()
    X = np.where(X > 0, X, 0.0)
    dense = OneAgainstRest().fit(X, y).predict_proba(X)
    np.testing.assert_allclose(OneAgainstRest().fit(sparse.csr_matrix(X), y).predict_proba(X), dense, rtol=0, atol=1e-6)
    alone = OneAgainstRest().fit(X, np.zeros(200, dtype=int))
    assert set(alone.predict(X)) == {0}
    np.testing.assert_allclose(alone.predict_proba(X), 1.0, rtol=0, atol=0)


def test_a_wrong_strength_is_refused():
    with pytest.raises(ParameterError, match="OneAgainstRest needs C"):
        OneAgainstRest(C=0.0).fit([[1.0], [2.0]], [0, 1])


def test_every_column_has_frequencies():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 4, (150, 5))
    Y = (X[:, [0, 2]] + rng.integers(0, 3, (150, 2)) > 3).astype(int)
    found = MultilabelNaiveBayes(nominal="all").fit(X, Y)
    for label in range(2):
        theirs = CategoricalNB(alpha=1.0).fit(X, Y[:, label])
        # Priors are smoothed here and not there.
        shift = np.log((Y[:, label].sum() + 1) / (150 - Y[:, label].sum() + 1)) - np.diff(theirs.class_log_prior_)[0]
        odds = np.diff(theirs.predict_log_proba(X), axis=1).ravel() + shift
        np.testing.assert_allclose(found.predict_proba(X)[:, label], 1 / (1 + np.exp(-odds)), rtol=1e-8)
    np.testing.assert_array_equal(found.predict(X), found.predict_proba(X) > 0.5)


def test_sparse_codes_are_dense_codes():
    rng = np.random.default_rng(1)
    X = rng.integers(0, 3, (80, 4)) * (rng.random((80, 4)) < 0.4)
    Y = (X[:, :1] > 0).astype(int)
    dense = MultilabelNaiveBayes(nominal="all").fit(X, Y).predict_proba(X)
    np.testing.assert_allclose(
        MultilabelNaiveBayes(nominal="all").fit(sparse.csr_matrix(X), Y).predict_proba(X), dense, rtol=1e-9
    )


def test_codes_are_those_of_all_rows_and_labels_may_stand_among_the_columns():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(60, 3)) * (rng.random((60, 3)) < 0.7)
    Y = (X[:, :2] > 0.3).astype(int)
    codes = LAIMDiscretizer().fit(X, Y).transform(X)
    np.testing.assert_array_equal(CodesAndNumbers().fit_transform(X, Y), np.hstack([codes, X]))
    wide = CodesAndNumbers(with_labels=True).fit_transform(X, Y)
    np.testing.assert_array_equal(wide[:, 5:], np.hstack([X, Y]))
    rows = CodesAndNumbers(with_labels=True).fit_transform(sparse.csr_matrix(X), Y)
    np.testing.assert_array_equal(rows.toarray()[:, 5:], np.hstack([X, Y]))
    # Codes of sparse columns are moved so that 0 stays 0: the same bins with other names.
    for column in range(5):
        names = {*zip(wide[:, column].tolist(), rows.toarray()[:, column].tolist(), strict=True)}
        assert len(names) == len(set(wide[:, column])) == len(set(rows.toarray()[:, column]))


def test_the_number_of_columns_is_by_all_rows_and_labels_unseen_have_confidence_one():
    rng = np.random.default_rng(3)
    numbers = rng.normal(size=(80, 30))
    codes = (numbers > 0).astype(float)
    Y = np.column_stack([codes[:, 4], np.zeros(80, dtype=int), codes[:, 7]]).astype(int)
    model = SelectedNaiveBayes(MRMR(discretizer="passthrough")).fit(np.hstack([codes, numbers]), Y)
    assert len(model.columns_) == 10  # 80 of 100 rows
    alone = MRMR(10, discretizer="passthrough").fit(codes, Y)
    np.testing.assert_array_equal(model.columns_, alone.ranking_)
    found = model.predict_proba(np.hstack([codes, numbers]))
    plain = MultilabelNaiveBayes(nominal="all").fit(codes[:, alone.ranking_], Y)
    expected = plain.predict_proba(codes[:, alone.ranking_])
    np.testing.assert_array_equal(found[:, [0, 2]], expected[:, [0, 2]])
    assert set(found[:, 1]) == {1.0}
    assert not model.predict(np.hstack([codes, numbers]))[:, 1].any()
    subset = SelectedNaiveBayes(PearsonSubset(), sees="numbers", own_size=True).fit(np.hstack([codes, numbers]), Y)
    np.testing.assert_array_equal(subset.columns_, PearsonSubset().fit(numbers, Y).ranking_)


def test_fewer_rows_are_drawn_and_the_model_is_that_of_those():
    X, y = data()
    model = FewerRows(OneAgainstRest(), share=0.3, random_state=1).fit(X, y)
    assert len(set(model.rows_)) == 60
    np.testing.assert_array_equal(model.predict(X), OneAgainstRest().fit(X[model.rows_], y[model.rows_]).predict(X))
    assert set(FewerRows(OneAgainstRest(), share=1.0).fit(X, y).rows_) == set(range(200))


class Echo(BaseEstimator):
    """Gives its features as confidences."""

    def fit(self, X, y):
        self.fitted_ = True
        return self

    def predict_proba(self, X):
        return X


def test_as_many_labels_as_in_training_and_they_are_the_most_confident():
    rng = np.random.default_rng(0)
    for n_labels in (1, 4, 9):
        X, Y = rng.random((50, n_labels)), (rng.random((80, n_labels)) < 0.3).astype(int)
        model = CardinalityThreshold(Echo()).fit(np.zeros((80, n_labels)), Y)
        found = model.predict(X)
        assert abs(found.sum() - 50 * Y.sum() / 80) <= 1.5
        assert X[found == 1].min() > X[found == 0].max()


def test_it_does_not_touch_labels_that_are_all_or_nothing():
    # Confidences of 0 and 1 leave nothing to cut, whether they are too few or too many.
    rng = np.random.default_rng(1)
    X = (rng.random((40, 5)) < 0.3).astype(float)
    for share in (0.05, 0.6):
        Y = (rng.random((60, 5)) < share).astype(int)
        np.testing.assert_array_equal(CardinalityThreshold(Echo()).fit(np.zeros((60, 5)), Y).predict(X), X)


def test_sparse_labels_one_row_and_clones():
    Y = sparse.csr_matrix(np.eye(4, dtype=np.uint8))
    model = clone(CardinalityThreshold(Echo())).fit(np.zeros((4, 4)), Y)
    assert model.cardinality_ == 1.0
    assert model.predict(np.array([[0.1, 0.9, 0.3, 0.2]])).tolist() == [[0, 1, 0, 0]]
    one = CardinalityThreshold(Echo()).fit(np.zeros((4, 1)), np.ones((4, 1)))
    assert one.predict(np.array([[0.7]])).tolist() == [[1]]
    assert not hasattr(model.estimator, "fitted_")


def test_what_is_no_estimator_is_refused():
    with pytest.raises(ParameterError, match="estimator"):
        CardinalityThreshold(3).fit(np.zeros((2, 2)), np.zeros((2, 2)))


def chain_data(seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(150, 4))
    Y = (X[:, :3] + rng.normal(size=(150, 3)) > 0).astype(int)
    return X, np.column_stack([Y, Y[:, 0] ^ Y[:, 1]])


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
def test_confidences_of_a_chain_are_those_at_its_own_predictions(form):
    X, Y = chain_data()
    X = form(np.where(X > 0, X, 0.0))
    model = PredictedParents(recipes.cc(order="given", learner="logistic")).fit(X, Y)
    predicted, found = model.predict(X), model.predict_proba(X)
    joint = model.estimator_.joint(X)
    for label in range(4):
        # P(y_j = 1 | x, labels before) as a ratio of two sums over all that come after.
        known = {before: predicted[:, before] for before in range(label)}
        for row in range(0, 150, 29):
            given = {before: int(values[row]) for before, values in known.items()}
            part = (
                model.estimator_.joint(X[row : row + 1]).given(given)
                if given
                else model.estimator_.joint(X[row : row + 1])
            )
            np.testing.assert_allclose(found[row, label], part.marginals()[0, label], rtol=0, atol=1e-9)
    # The greedy decision is the confidence above one half, and the loss is not that at the true labels.
    np.testing.assert_array_equal(found > 0.5, predicted == 1)
    chosen = np.where(Y == 1, found, 1 - found)
    assert abs(np.log(chosen).sum() - joint.log_prob(Y).sum()) > 1
