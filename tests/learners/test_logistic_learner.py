"""LogisticLearner against scikit-learn label by label, and its promises: masks, weights, starts, constants."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

from plait.core.checks import wrong_values
from plait.core.sentences import ParameterError
from plait.features import FeatureMask
from plait.learners import Learner, LinearConditionals, LogisticLearner
from plait.structure import LabelGraph

pytestmark = pytest.mark.usefixtures("either_path")


def chain(n_labels):
    return LabelGraph([list(range(k)) for k in range(n_labels)])


def drawn(seed, n_samples, n_features, n_labels, *, filled=1.0):
    """Features on different scales, and labels that depend on them and on each other."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_samples, n_features)) * rng.uniform(0.2, 5.0, n_features) + rng.normal(size=n_features)
    X *= rng.random((n_samples, n_features)) < filled
    scores = (X / (X.std(axis=0) + 0.1)) @ rng.normal(size=(n_features, n_labels)) + rng.normal(size=n_labels)
    Y = np.zeros((n_samples, n_labels), dtype=np.uint8)
    for k in range(n_labels):
        Y[:, k] = scores[:, k] + Y[:, :k].sum(axis=1) + rng.logistic(size=n_samples) > 0
    return X, Y


def objective(A, y, w, b, C, weights):
    """C * sum weight * loss + 1/2 ||w||^2, plainly."""
    z = A @ w + b
    return C * (weights * (np.logaddexp(0, z) - y * z)).sum() + 0.5 * w @ w


def oracle(A, y, C, weights, **settings):
    """Return scikit-learn's coefficients and intercept at a tight tolerance."""
    model = LogisticRegression(C=C, solver="newton-cholesky", tol=1e-10, max_iter=1000, **settings)
    model.fit(A, y, sample_weight=weights)
    return model.coef_[0], model.intercept_[0] if settings.get("fit_intercept", True) else 0.0


def both_classes(y, weights):
    return min((weights * y).sum(), (weights * (1 - y)).sum()) > 0


def part(fitted, k, scales):
    """Return the coefficients of label k on scaled features and on all labels."""
    return np.concatenate([fitted.coef_[k] * scales, fitted.parent_coef_[k]])


@settings(max_examples=25)
@given(
    seed=st.integers(0, 10_000),
    n_samples=st.integers(5, 60),
    n_features=st.integers(1, 70),
    n_labels=st.integers(1, 19),
    C=st.sampled_from([0.01, 1.0, 30.0]),
    weighting=st.sampled_from(["none", "rows", "labels"]),
    stored=st.sampled_from(["dense", "sparse"]),
    masked=st.booleans(),
    chained=st.booleans(),
    intercept=st.booleans(),
)
def test_every_label_agrees_with_scikit_learn(
    seed, n_samples, n_features, n_labels, C, weighting, stored, masked, chained, intercept
):
    X, Y = drawn(seed, n_samples, n_features, n_labels, filled=0.3 if stored == "sparse" else 1.0)
    rng = np.random.default_rng(seed)
    shape = {"none": None, "rows": (n_samples,), "labels": (n_samples, n_labels)}[weighting]
    weights = None if shape is None else rng.uniform(0.1, 2, shape) * (rng.random(shape) < 0.9)
    support = rng.random((n_labels, n_features)) < 0.6 if masked else np.ones((n_labels, n_features), dtype=bool)
    mask = FeatureMask.by_label([np.flatnonzero(s) for s in support], [np.zeros(s.sum()) for s in support], n_features)
    graph = chain(n_labels) if chained else None
    learner = LogisticLearner(C=C, standardize=False, tol=1e-11, fit_intercept=intercept)
    fitted = learner.fit(
        sparse.csr_array(X) if stored == "sparse" else X, Y, graph, mask if masked else None, sample_weight=weights
    )
    present = np.ones(n_samples, dtype=bool) if weights is None else weights.reshape(n_samples, -1).any(axis=1)
    varying = Y[present].min(axis=0) != Y[present].max(axis=0)  # a constant parent gets no coefficient
    for k in range(n_labels):
        row_weights = np.ones(n_samples) if weights is None else weights if weights.ndim == 1 else weights[:, k]
        if not both_classes(Y[:, k], row_weights):
            continue
        kept = np.concatenate([support[k], (np.arange(n_labels) < (k if chained else 0)) & varying])
        A = np.hstack([X, Y])[:, kept]
        ours = part(fitted, k, 1.0)
        assert not ours[~kept].any()
        if not kept.any():
            continue
        w, b = oracle(A, Y[:, k], C, row_weights, fit_intercept=intercept)
        least = objective(A, Y[:, k], w, b, C, row_weights)
        found = objective(A, Y[:, k], ours[kept], fitted.intercept_[k], C, row_weights)
        assert found <= least * (1 + 1e-8) + 1e-12
        np.testing.assert_allclose(ours[kept], w, rtol=1e-3, atol=1e-3 * np.abs(w).max() + 1e-7)
        np.testing.assert_allclose(fitted.intercept_[k], b, rtol=1e-3, atol=1e-3 * (1 + np.abs(w).max()))


@pytest.mark.parametrize("stored", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("form", [list, np.array])
def test_every_label_may_have_its_own_penalty(stored, form):
    X, Y = drawn(21, 80, 6, 4)
    Y[:, 1] = 0
    C = [0.01, 1.0, 30.0, 0.3]
    fitted = LogisticLearner(C=form(C), standardize=False, tol=1e-12).fit(stored(X), Y)
    for k in (0, 2, 3):
        w, b = oracle(X, Y[:, k], C[k], None)
        np.testing.assert_allclose(fitted.coef_[k], w, rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(fitted.intercept_[k], b, rtol=1e-4, atol=1e-5)
    np.testing.assert_array_equal(fitted.C_, [0.01, np.nan, 30.0, 0.3])
    assert clone(LogisticLearner(C=form(C))).C is not C
    with pytest.raises(ParameterError, match=r"needs C to have one number for each of 3 labels, but it has 4. Pass"):
        LogisticLearner(C=form(C)).fit(X, Y[:, :3])


@settings(max_examples=15)
@given(seed=st.integers(0, 10_000), n_samples=st.integers(20, 120), n_features=st.integers(1, 20))
def test_the_default_tolerance_keeps_within_a_millionth_of_the_least_objective(seed, n_samples, n_features):
    X, Y = drawn(seed, n_samples, n_features, 5)
    fitted = LogisticLearner(standardize=False).fit(X, Y)
    for k in range(5):
        if both_classes(Y[:, k], 1):
            least = objective(X, Y[:, k], *oracle(X, Y[:, k], 1.0, None), 1.0, 1.0)
            assert objective(X, Y[:, k], fitted.coef_[k], fitted.intercept_[k], 1.0, 1.0) <= least * (1 + 1e-6)


@pytest.mark.parametrize("dtype", ["auto", "float32", "float64"])
def test_sparse_and_dense_give_the_same(dtype):
    X, Y = drawn(3, 150, 12, 6, filled=0.7)
    X[:, 0] = X[:, 0] > 0
    X[:, 1] *= np.arange(150) % 3 == 0
    learner = LogisticLearner(tol=1e-12, dtype=dtype)
    dense, thin = (learner.fit(stored, Y, chain(6)) for stored in (X, sparse.csr_array(X)))
    loose = 3e-3 if dtype == "float32" else 1e-5
    np.testing.assert_allclose(dense.coef_, thin.coef_, rtol=loose, atol=loose)
    np.testing.assert_allclose(dense.parent_coef_, thin.parent_coef_, rtol=loose, atol=loose)
    np.testing.assert_allclose(dense.intercept_, thin.intercept_, rtol=loose, atol=loose)


def test_standardizing_is_scaling_by_hand_with_coefficients_in_units_of_x():
    X, Y = drawn(5, 90, 6, 3)
    scales = X.std(axis=0)
    fitted = LogisticLearner(tol=1e-12, standardize=True).fit(X, Y)
    by_hand = LogisticLearner(tol=1e-12, standardize=False).fit(X / scales, Y)
    np.testing.assert_allclose(fitted.coef_, by_hand.coef_ / scales, rtol=1e-5, atol=1e-8)
    np.testing.assert_allclose(fitted.intercept_, by_hand.intercept_, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("stored", [np.asarray, sparse.csr_array])
def test_float32_keeps_its_stated_tolerance(stored):
    X, Y = drawn(11, 400, 30, 8)
    exact = LogisticLearner(standardize=False, tol=1e-12).fit(stored(X), Y)
    short = LogisticLearner(standardize=False, dtype="float32").fit(stored(X), Y)
    for k in range(8):
        least, found = (objective(X, Y[:, k], f.coef_[k], f.intercept_[k], 1.0, 1.0) for f in (exact, short))
        assert found <= least * (1 + 2e-6)


@pytest.mark.parametrize("class_weight", ["balanced", {0: 0.5, 1: 3.0}, {1: 2.0}])
@pytest.mark.parametrize("weighted", [False, True])
def test_class_weights_are_those_of_scikit_learn(class_weight, weighted):
    X, Y = drawn(2, 70, 4, 3)
    weights = np.random.default_rng(0).uniform(0, 2, 70) if weighted else None
    fitted = LogisticLearner(standardize=False, tol=1e-12, class_weight=class_weight).fit(X, Y, sample_weight=weights)
    for k in range(3):
        w, b = oracle(X, Y[:, k], 1.0, weights, class_weight=class_weight)
        np.testing.assert_allclose(fitted.coef_[k], w, rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(fitted.intercept_[k], b, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("standardize", [False, "auto"])
@pytest.mark.parametrize("stored", [np.asarray, sparse.csr_array])
def test_rows_of_weight_zero_are_as_good_as_absent(stored, standardize):
    X, Y = drawn(8, 60, 5, 4)
    weights = np.ones(60)
    weights[::4] = 0
    some = weights > 0
    learner = LogisticLearner(tol=1e-12, standardize=standardize)
    fitted = learner.fit(stored(X), Y, sample_weight=weights)
    without = learner.fit(stored(X[some]), Y[some])
    np.testing.assert_allclose(fitted.coef_, without.coef_, rtol=1e-4, atol=1e-6)
    # The same for one label alone: the scale of columns is shared, so it is switched off here.
    learner = LogisticLearner(tol=1e-12, standardize=False)
    for_one = np.ones((60, 4))
    for_one[:, 2] = weights
    fitted = learner.fit(stored(X), Y, sample_weight=for_one)
    np.testing.assert_allclose(fitted.coef_[2], learner.fit(stored(X[some]), Y[some]).coef_[2], rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(fitted.coef_[1], learner.fit(stored(X), Y).coef_[1], rtol=1e-4, atol=1e-6)


def test_a_row_that_stands_twice_is_a_row_of_weight_two():
    X, Y = drawn(9, 50, 5, 3)
    weights = np.ones(50)
    weights[:20] = 2
    learner = LogisticLearner(tol=1e-12, standardize=False)
    twice = learner.fit(np.vstack([X, X[:20]]), np.vstack([Y, Y[:20]]), chain(3))
    fitted = learner.fit(X, Y, chain(3), sample_weight=weights)
    np.testing.assert_allclose(fitted.coef_, twice.coef_, rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(fitted.parent_coef_, twice.parent_coef_, rtol=1e-4, atol=1e-6)


def test_weights_scaled_together_with_the_penalty_change_nothing():
    X, Y = drawn(10, 50, 5, 3)
    fitted = LogisticLearner(C=2.0, tol=1e-12).fit(X, Y, sample_weight=np.full(50, 3.0))
    np.testing.assert_allclose(fitted.coef_, LogisticLearner(C=6.0, tol=1e-12).fit(X, Y).coef_, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("stored", [np.asarray, sparse.csr_array])
def test_nothing_but_masked_columns_and_parents_moves_a_label(stored):
    X, Y = drawn(12, 80, 6, 4)
    support = np.ones((4, 6), dtype=bool)
    support[2, [1, 4]] = False
    mask = FeatureMask.by_label([np.flatnonzero(s) for s in support], [np.zeros(s.sum()) for s in support], 6)
    graph = LabelGraph([[], [0], [0], [1]])
    before = LogisticLearner().fit(stored(X), Y, graph, mask)
    X[:, [1, 4]] = np.random.default_rng(0).normal(size=(80, 2)) * 7
    Y[:, 3] = 1 - Y[:, 3]
    after = LogisticLearner().fit(stored(X), Y, graph, mask)
    np.testing.assert_allclose(after.coef_[2], before.coef_[2], rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(after.parent_coef_[2], before.parent_coef_[2], rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(after.intercept_[2], before.intercept_[2], rtol=1e-12, atol=1e-14)
    assert not np.allclose(after.coef_[1], before.coef_[1], rtol=1e-3, atol=1e-6)
    assert set(zip(*np.nonzero(before.parent_coef_), strict=True)) == {(1, 0), (2, 0), (3, 1)}


@pytest.mark.parametrize("stored", [np.asarray, sparse.csr_array])
def test_a_warm_start_saves_steps_and_ends_at_the_same_place(stored):
    X, Y = drawn(13, 200, 10, 5)
    learner = LogisticLearner(tol=1e-9)
    cold = learner.fit(stored(X), Y, chain(5))
    again = learner.fit(stored(X), Y, chain(5), start=cold)
    assert (again.n_iter_ == 1).all()
    assert (cold.n_iter_ >= 4).all()
    np.testing.assert_allclose(again.coef_, cold.coef_, rtol=1e-3, atol=1e-5)
    weights = np.random.default_rng(0).uniform(0.9, 1.1, 200)
    warm = learner.fit(stored(X), Y, chain(5), sample_weight=weights, start=cold)
    fresh = learner.fit(stored(X), Y, chain(5), sample_weight=weights)
    assert warm.n_iter_.sum() < 0.7 * fresh.n_iter_.sum()
    np.testing.assert_allclose(warm.coef_, fresh.coef_, rtol=1e-3, atol=1e-5)


def test_a_start_of_another_shape_is_refused():
    X, Y = drawn(14, 30, 4, 3)
    start = LogisticLearner().fit(X[:, :3], Y)
    with pytest.raises(ParameterError, match=r"LogisticLearner needs start to be .* 3 labels and 4 features, but"):
        LogisticLearner().fit(X, Y, start=start)
    with pytest.raises(ParameterError, match="needs start to be LinearConditionals"):
        LogisticLearner().fit(X, Y, start="zero")


def test_constant_labels_are_not_fitted_and_get_the_laplace_estimate():
    X, Y = drawn(15, 28, 3, 4)
    Y[:, 1], Y[:, 3] = 0, 1
    fitted = LogisticLearner().fit(X, Y, chain(4))
    np.testing.assert_allclose(fitted.intercept_[[1, 3]], [np.log(1 / 29), np.log(29)], rtol=1e-12)
    assert not fitted.coef_[[1, 3]].any()
    assert not fitted.parent_coef_[[1, 3]].any()
    assert not fitted.parent_coef_[:, [1, 3]].any()
    assert fitted.n_iter_[[1, 3]].tolist() == [0, 0]
    assert fitted.converged_.all()
    alone = LogisticLearner().fit(X, Y[:, [1]])
    assert not alone.coef_.any()


def test_a_label_constant_among_its_weighing_rows_is_constant():
    X, Y = drawn(16, 40, 3, 2)
    weights = np.ones((40, 2))
    weights[Y[:, 1] == 1, 1] = 0
    fitted = LogisticLearner().fit(X, Y, sample_weight=weights)
    n = weights[:, 1].sum()
    np.testing.assert_allclose(fitted.intercept_[1], -np.log(n + 1), rtol=1e-12)


def test_all_weights_zero_is_constant():
    X, Y = drawn(17, 10, 3, 2)
    fitted = LogisticLearner().fit(X, Y, sample_weight=np.zeros(10))
    np.testing.assert_allclose(fitted.intercept_, 0, atol=1e-12)
    assert not fitted.coef_.any()


@pytest.mark.parametrize("stored", [np.asarray, sparse.csr_array])
def test_one_row_one_positive_wide_and_degenerate_columns(stored):
    one = LogisticLearner().fit(stored(np.array([[1.0, 2.0]])), np.array([[1, 0]]))
    np.testing.assert_allclose(one.intercept_, [np.log(2), -np.log(2)], rtol=1e-12)
    X, Y = drawn(18, 25, 90, 3)
    Y[:, 0] = np.arange(25) == 7
    X[:, 5] = 3.0
    X[:, 6] = X[:, 7]
    X[:, 8] = 0.0
    fitted = LogisticLearner(tol=1e-12).fit(stored(X), Y)
    assert fitted.converged_.all()
    np.testing.assert_allclose(fitted.coef_[:, 5], 0, atol=1e-5)
    np.testing.assert_allclose(fitted.coef_[:, 6], fitted.coef_[:, 7], rtol=1e-5, atol=1e-7)
    assert not fitted.coef_[:, 8].any()
    np.testing.assert_array_equal((fitted.base_scores(X) > 0)[:, 0], Y[:, 0])


def test_a_label_without_columns_keeps_its_share():
    X, Y = drawn(19, 40, 3, 2)
    mask = FeatureMask.by_label([[0, 1, 2], []], [[0, 0, 0], []], 3)
    fitted = LogisticLearner().fit(X, Y, mask=mask)
    share = Y[:, 1].mean()
    np.testing.assert_allclose(fitted.intercept_[1], np.log(share / (1 - share)), rtol=1e-9)
    assert not fitted.coef_[1].any()


@pytest.mark.parametrize("stored", [np.asarray, sparse.csr_array])
def test_a_label_gets_the_same_bits_in_any_company(stored):
    X, Y = drawn(20, 70, 8, 23)
    everyone = LogisticLearner().fit(stored(X), Y)
    few = LogisticLearner().fit(stored(X), Y[:, [4, 21]])
    loose = {"rtol": 1e-4, "atol": 1e-6} if stored is np.asarray else {"rtol": 0, "atol": 0}
    np.testing.assert_allclose(few.coef_, everyone.coef_[[4, 21]], **loose)
    np.testing.assert_allclose(few.intercept_, everyone.intercept_[[4, 21]], **loose)


def test_too_few_steps_are_one_warning_that_names_the_labels():
    X, Y = drawn(21, 100, 10, 8)
    Y[0], Y[1] = 0, 1
    with pytest.warns(ConvergenceWarning, match=r"1 Newton steps for 8 label\(s\): 0, 1, 2, 3, 4, \.\.\.") as caught:
        fitted = LogisticLearner(max_iter=1).fit(X, Y)
    assert len(caught) == 1
    assert not fitted.converged_.any()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert LogisticLearner().fit(X, Y).converged_.all()


def test_the_attributes_of_what_is_handed_on():
    X, Y = drawn(22, 60, 4, 3)
    fitted = LogisticLearner(C=0.5).fit(X, Y, chain(3))
    assert isinstance(fitted, LinearConditionals)
    assert fitted.graph == chain(3)
    assert fitted.C_.tolist() == [0.5] * 3
    assert fitted.origin == "LogisticLearner"
    assert fitted.coef_.dtype == fitted.parent_coef_.dtype == fitted.intercept_.dtype == np.float64
    np.testing.assert_allclose(np.exp(fitted.log_prob(2, X, Y[:, :2])).mean(), Y[:, 2].mean(), rtol=1e-4)


def test_it_is_a_learner_and_clones():
    learner = LogisticLearner(C=3.0, dtype="float64")
    assert isinstance(learner, Learner)
    assert clone(learner).get_params() == learner.get_params()


def test_wrong_parameters_are_refused_in_the_house_form():
    X, Y = drawn(23, 20, 2, 2)
    for name, rules in LogisticLearner.parameter_rules.items():
        for value in wrong_values(rules):
            with pytest.raises(ParameterError, match=f"LogisticLearner needs {name} to be"):
                LogisticLearner(**{name: value}).fit(X, Y)
    for value in ({2: 1.0}, {1: -1.0}, {0: np.nan}):
        with pytest.raises(ParameterError, match="LogisticLearner needs class_weight to be"):
            LogisticLearner(class_weight=value).fit(X, Y)


@pytest.mark.parametrize("name", ["yeast", "enron"])
def test_real_data_within_a_millionth_of_scikit_learn(benchmark_data, name, kernels_where_they_pay):
    from_disk = pytest.importorskip("plait.data").load_dataset(name)
    X, Y = from_disk.X, np.asarray(from_disk.Y.toarray() if sparse.issparse(from_disk.Y) else from_disk.Y)
    fitted = LogisticLearner(standardize=False).fit(X, Y)
    labels = np.argsort(Y.sum(axis=0))[[-1, -5, 3, 0]]
    for k in labels:
        model = LogisticRegression(tol=1e-8, max_iter=10_000).fit(X, Y[:, k])
        least = objective(X, Y[:, k], model.coef_[0], model.intercept_[0], 1.0, 1.0)
        found = objective(X, Y[:, k], fitted.coef_[k], fitted.intercept_[k], 1.0, 1.0)
        assert found <= least * (1 + 1e-6)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("C", [0.1, 5.0])
def test_scaled_parents_are_columns_divided_by_their_deviations(form, C):
    X, Y = drawn(7, 120, 5, 4, filled=0.6)
    weights = np.random.default_rng(7).uniform(0.2, 2.0, 120)
    learner = LogisticLearner(C=C, standardize=False, tol=1e-11, scale_parents=True)
    fitted = learner.fit(form(X), Y, chain(4), sample_weight=weights)
    means = np.average(Y, axis=0, weights=weights)
    scales = np.sqrt(means * (1 - means))
    for k in range(4):
        w, b = oracle(np.hstack([X, (Y / scales)[:, :k]]), Y[:, k], C, weights)
        np.testing.assert_allclose(fitted.coef_[k], w[:5], rtol=1e-5, atol=1e-7)
        np.testing.assert_allclose(fitted.parent_coef_[k, :k] * scales[:k], w[5:], rtol=1e-5, atol=1e-7)
        np.testing.assert_allclose(fitted.intercept_[k], b, rtol=1e-5, atol=1e-7)
    expected = (np.square(fitted.coef_).sum() + np.square(fitted.parent_coef_ * Y.std(axis=0)).sum()) / (2 * C)
    assert learner.penalty_on(X, Y)([fitted]) == pytest.approx(expected, rel=1e-9)
