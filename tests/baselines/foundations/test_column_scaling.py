import numpy as np
from scipy import sparse

from plait.baselines.foundations.column_scaling import divided_columns, unscaled_learner
from plait.learners import LogisticLearner, SklearnLearner


def mixed_columns(n=40, seed=0):
    rng = np.random.default_rng(seed)
    return np.column_stack(
        [rng.normal(3, 2, n), rng.integers(0, 2, n), rng.poisson(0.3, n), rng.poisson(1.2, n), np.full(n, 4.0)]
    )


def test_divided_columns():
    X, scales = mixed_columns(), np.array([2.0, 1.0, 1.0, 0.5, 1.0])
    np.testing.assert_array_equal(divided_columns(X, scales), X / scales)
    np.testing.assert_array_equal(divided_columns(sparse.csr_array(X), scales).toarray(), X / scales)
    assert divided_columns(X, np.ones(5)) is X


def test_a_learner_on_divided_columns_is_the_learner_itself():
    X = mixed_columns(200)
    Y = (X[:, :1] + X[:, 3:4] > 4).astype(np.uint8)
    learner, scales = unscaled_learner(LogisticLearner(tol=1e-10), X, None)
    fitted = learner.fit(divided_columns(X, scales), Y).divided_by(scales)
    expected = LogisticLearner(tol=1e-10).fit(X, Y)
    np.testing.assert_allclose(fitted.base_scores(X), expected.base_scores(X), rtol=1e-6, atol=1e-6)


def test_other_learners_are_left_alone():
    learner = SklearnLearner(LogisticLearner())
    found, scales = unscaled_learner(learner, mixed_columns(), None)
    assert found is learner
    np.testing.assert_array_equal(scales, np.ones(5))
