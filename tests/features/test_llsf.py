import numpy as np
import pytest
from scipy import sparse

from plait.core.sentences import ParameterError
from plait.features import LLSF, SelectionWarning


def problem(n=60, d=6, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.6)
    Y = np.column_stack([X[:, 1] > 0.2, X[:, 3] > 0.2, rng.random(n) < 0.4]).astype(np.uint8)
    return X, Y


def test_the_mask_is_where_weights_are():
    X, Y = problem()
    found = LLSF(beta=5.0, max_iter=500).fit(X, Y)
    assert found.coef_.shape == (3, 6)
    assert (found.coef_ == 0).any()
    np.testing.assert_array_equal(found.mask_.support, found.coef_ != 0)
    assert found.mask_.label_specific
    for label in range(3):
        ranking = found.ranking_[label]
        assert (np.diff(np.abs(found.coef_[label, ranking])) <= 1e-10).all()
        np.testing.assert_array_equal(found.scores_[label], np.abs(found.coef_[label, ranking]))
    assert found.ranking_[0][0] == 1
    assert found.ranking_[1][0] == 3
    assert found.objective_.shape == (found.n_iter_ + 1,)


def test_no_weights_left_means_all_features():
    X, Y = problem()
    found = LLSF(beta=1e6).fit(X, Y)
    assert not found.coef_.any()
    assert found.mask_.support.all()


def test_without_penalties_it_is_least_squares():
    X, Y = problem()
    found = LLSF(alpha=0.0, beta=0.0, gamma=10.0, max_iter=5000, tol=0.0).fit(X, Y)
    np.testing.assert_allclose(found.coef_.T, np.linalg.lstsq(X, Y, rcond=None)[0], rtol=0, atol=1e-8)


def test_similar_labels_share_and_sparse_agrees():
    X, Y = problem()
    dense = LLSF(beta=3.0).fit(X, Y)
    thin = LLSF(beta=3.0).fit(sparse.csr_matrix(X), sparse.csr_matrix(Y))
    np.testing.assert_allclose(thin.coef_, dense.coef_, rtol=0, atol=1e-12)
    np.testing.assert_array_equal(thin.coef_ == 0, dense.coef_ == 0)


def test_feature_order_does_not_matter():
    X, Y = problem()
    order = np.array([3, 0, 5, 1, 2, 4])
    plain, moved = LLSF(beta=2.0).fit(X, Y), LLSF(beta=2.0).fit(X[:, order], Y)
    np.testing.assert_allclose(moved.coef_, plain.coef_[:, order], rtol=0, atol=1e-11)


def test_a_size_keeps_the_largest_weights():
    X, Y = problem()
    whole, two = LLSF(beta=1.0).fit(X, Y), LLSF(beta=1.0, n_features=2).fit(X, Y)
    for label in range(3):
        assert two.ranking_[label].tolist() == whole.ranking_[label][:2].tolist()
    with pytest.warns(SelectionWarning, match="asked for 6 features"):
        LLSF(beta=10.0, n_features=6).fit(X, Y)


def test_features_that_do_not_vary_stand_last():
    X, Y = problem()
    X = np.column_stack([np.full(len(X), 3.0), X])
    Y[:, 2] = 1
    found = LLSF(beta=0.01).fit(X, Y)
    assert found.coef_[2, 0] != 0
    assert all(0 not in ranking[:-1] for ranking in found.ranking_)
    assert 0 not in LLSF(beta=0.01, n_features=3).fit(X, Y).ranking_[2]


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
def test_numbers_whose_products_are_beyond_float64_are_refused(form):
    X, Y = problem()
    X[4, 2] = -1e200
    with pytest.raises(ParameterError, match=r"LLSF needs X to hold numbers of at most 1e\+15.* it holds 1e\+200\."):
        LLSF().fit(form(X), Y)
    X = np.random.default_rng(0).normal(size=X.shape).clip(-1, 1) * 1e15
    assert np.isfinite(LLSF().fit(form(X), Y).coef_).all()


def test_a_label_is_regressed_on_the_rows_that_know_it():
    X, Y = problem()
    gaps = np.where(np.random.default_rng(3).random(Y.shape) < 0.4, np.nan, Y)
    gaps[:, 2] = Y[:, 2]
    found = LLSF(alpha=0.0, beta=0.0, max_iter=5000, tol=0.0).fit(X, gaps)
    for label, weights in enumerate(found.coef_):
        known = ~np.isnan(gaps[:, label])
        expected = np.linalg.lstsq(X[known], gaps[known, label], rcond=None)[0]
        np.testing.assert_allclose(weights, expected, rtol=0, atol=1e-8)
    # The steps begin near their end: for a label that is all known, where they always do.
    start = LLSF(alpha=0.0, beta=0.0, max_iter=1).fit(X, gaps)
    whole = LLSF(alpha=0.0, beta=0.0, max_iter=1).fit(X, Y)
    np.testing.assert_allclose(start.coef_[2], whole.coef_[2], rtol=0, atol=1e-12)
    assert start.objective_[0] < 1.01 * found.objective_[-1]
