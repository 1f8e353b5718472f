import numpy as np
from scipy import sparse
from sklearn.tree import DecisionTreeClassifier

from plait.baselines.label_regressions import beside, label_scores
from plait.learners import LogisticLearner, SklearnLearner


def test_blocks_of_columns_side_by_side():
    left, right = np.arange(6.0).reshape(3, 2), np.eye(3)
    expected = np.hstack([left, right])
    for a in (left, sparse.csr_matrix(left)):
        for b in (right, sparse.csr_array(right)):
            both = beside(a, b)
            assert sparse.issparse(both) == (sparse.issparse(a) or sparse.issparse(b))
            np.testing.assert_array_equal(both.toarray() if sparse.issparse(both) else both, expected)


def test_scores_of_linear_and_of_called_labels_are_those_of_each_label():
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(40, 3)), rng.integers(0, 2, size=(40, 2))
    nothing = np.empty((40, 0), dtype=np.uint8)
    for learner in (LogisticLearner(), SklearnLearner(DecisionTreeClassifier(max_depth=2, random_state=0))):
        fitted = learner.fit(X, Y)
        scores = label_scores(fitted, X)
        for label in range(2):
            np.testing.assert_allclose(scores[:, label], fitted.scores(label, X, nothing), rtol=1e-12, atol=1e-14)
