import numpy as np
import pytest
from scipy import sparse
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC

from plait.baselines.foundations.binary_learners import binary_learner, checked_weights
from plait.baselines.foundations.column_scaling import beside
from plait.core.sentences import ParameterError
from plait.learners import LinearSVMLearner, LogisticLearner, SklearnLearner


def test_what_is_given_becomes_a_learner():
    given = LinearSVMLearner()
    assert isinstance(binary_learner(None), LogisticLearner)
    assert binary_learner(given) is given
    assert isinstance(binary_learner(GaussianNB()), SklearnLearner)


@pytest.mark.parametrize(
    ("estimator", "expected"),
    [(None, True), (GaussianNB(), True), (LinearSVC(), False), (LinearSVMLearner(), False)],
)
def test_who_gives_probabilities(estimator, expected):
    learner = binary_learner(estimator)
    X = np.array([[0.0], [1.0], [2.0], [3.0]])
    assert learner.gives_probabilities is expected
    assert learner.fit(X, np.array([[0], [0], [1], [1]])).probabilistic is expected


def test_weights_are_refused_where_the_classifier_takes_none():
    checked_weights("A", SklearnLearner(KNeighborsClassifier()), None)
    checked_weights("A", LogisticLearner(), np.ones(2))
    with pytest.raises(ParameterError, match=r"^A needs an estimator whose fit takes sample_weight"):
        checked_weights("A", SklearnLearner(KNeighborsClassifier()), np.ones(2))


@pytest.mark.parametrize("learner", [LogisticLearner(), SklearnLearner(GaussianNB())])
def test_scores_of_all_labels(learner):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    Y = (X > 0).astype(np.uint8)
    fitted = learner.fit(X, Y)
    found = fitted.base_scores(X)
    for label in range(2):
        one = fitted.scores(label, X, np.zeros((40, 0), dtype=np.uint8))
        np.testing.assert_allclose(found[:, label], one, rtol=1e-12)


def test_blocks_of_columns_side_by_side():
    left, right = np.arange(6.0).reshape(3, 2), np.eye(3)
    expected = np.hstack([left, right])
    for a in (left, sparse.csr_matrix(left)):
        for b in (right, sparse.csr_array(right)):
            both = beside(a, b)
            assert sparse.issparse(both) == (sparse.issparse(a) or sparse.issparse(b))
            np.testing.assert_array_equal(both.toarray() if sparse.issparse(both) else both, expected)
