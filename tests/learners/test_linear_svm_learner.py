"""LinearSVMLearner against scikit-learn's LinearSVC label by label, and its promises: masks, weights, starts."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC

from plait.core.kernel_policy import using_kernels
from plait.core.sentences import ParameterError
from plait.data import load_dataset
from plait.features import FeatureMask
from plait.learners import LinearConditionals, LinearSVMLearner, LogisticLearner
from plait.structure import LabelGraph


@pytest.fixture(params=["never", "always"])
def policy(request):
    """Both paths: plain NumPy, and the kernels of sparse rows where few entries are other than zero."""
    with using_kernels(request.param):
        yield request.param


both_paths = pytest.mark.usefixtures("policy")


def chain(n_labels):
    return LabelGraph([list(range(k)) for k in range(n_labels)])


def drawn(seed, n_samples, n_features, n_labels, *, filled=1.0, noise=1.0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_samples, n_features)) * (rng.random((n_samples, n_features)) < filled)
    scores = X @ rng.normal(size=(n_features, n_labels)) + rng.normal(size=n_labels)
    Y = np.zeros((n_samples, n_labels), dtype=np.uint8)
    for k in range(n_labels):
        Y[:, k] = scores[:, k] + Y[:, :k].sum(axis=1) + noise * rng.logistic(size=n_samples) > 0
    return X, Y


def objective(A, y, w, b, C, weights, scaling=1.0):
    """1/2 ||w||^2 + 1/2 (b / scaling)^2 + C sum weight * squared hinge, plainly."""
    slack = np.maximum(0, 1 - (2.0 * y - 1) * (A @ w + b))
    return 0.5 * w @ w + 0.5 * (b / scaling) ** 2 + C * (weights * slack**2).sum()


def oracle(A, y, C, weights, *, dual=False, **parameters):
    """Return coefficients and intercept of LinearSVC at a tight tolerance."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = LinearSVC(C=C, dual=dual, tol=1e-9, max_iter=20_000, random_state=0, **parameters)
        model.fit(A, y, sample_weight=weights)
    return model.coef_[0], float(np.ravel(model.intercept_)[0])


def both_classes(y, weights):
    return min((weights * y).sum(), (weights * (1 - y)).sum()) > 0


@settings(max_examples=40)
@given(
    seed=st.integers(0, 10_000),
    n_samples=st.integers(4, 60),
    n_features=st.integers(1, 80),
    n_labels=st.integers(1, 10),
    C=st.sampled_from([0.01, 1.0, 20.0]),
    weighting=st.sampled_from(["none", "rows", "labels"]),
    filled=st.sampled_from([1.0, 0.3, 0.05]),
    stored=st.sampled_from(["dense", "sparse"]),
    masked=st.booleans(),
    chained=st.booleans(),
    scaling=st.sampled_from([None, 1.0, 5.0]),
    dual=st.booleans(),
    policy=st.sampled_from(["never", "always"]),
)
def test_every_label_agrees_with_linear_svc(
    seed, n_samples, n_features, n_labels, C, weighting, filled, stored, masked, chained, scaling, dual, policy
):
    X, Y = drawn(seed, n_samples, n_features, n_labels, filled=filled)
    rng = np.random.default_rng(seed)
    shape = {"none": None, "rows": (n_samples,), "labels": (n_samples, n_labels)}[weighting]
    weights = None if shape is None else rng.uniform(0.1, 2, shape) * (rng.random(shape) < 0.9)
    support = rng.random((n_labels, n_features)) < 0.6 if masked else np.ones((n_labels, n_features), dtype=bool)
    support[:, 0] = True
    mask = FeatureMask.by_label([np.flatnonzero(s) for s in support], [np.zeros(s.sum()) for s in support], n_features)
    graph = chain(n_labels) if chained else LabelGraph([[]] * n_labels)
    intercept = {"fit_intercept": scaling is not None, "intercept_scaling": scaling or 1.0}
    learner = LinearSVMLearner(C=C, tol=1e-9, **intercept)
    given_X = sparse.csr_matrix(X) if stored == "sparse" else X
    with using_kernels(policy):
        fitted = learner.fit(given_X, Y, graph, mask, sample_weight=weights)
    assert not fitted.probabilistic
    spread = np.ones((n_samples, n_labels))
    spread *= 1.0 if weights is None else weights if weights.ndim == 2 else weights[:, None]
    counted = spread.any(axis=1)
    for k in range(n_labels):
        assert not fitted.coef_[k, ~support[k]].any()
        # A constant parent gets weight 0 (SPEC 9.3), so it is no column of the other side.
        parents = [j for j in graph.parents[k] if np.ptp(Y[counted, j]) > 0]
        assert not np.delete(fitted.parent_coef_[k], parents).any()
        y, row_weights = Y[:, k], spread[:, k]
        if not both_classes(y, row_weights):
            continue
        A = np.hstack([X[:, support[k]], Y[:, parents]])
        w, b = oracle(A, y, C, row_weights, dual=dual, **intercept)
        reference = objective(A, y, w, b, C, row_weights, scaling or 1.0)
        own = np.concatenate([fitted.coef_[k, support[k]], fitted.parent_coef_[k, parents]])
        value = objective(A, y, own, fitted.intercept_[k], C, row_weights, scaling or 1.0)
        assert value <= reference * (1 + 1e-8)
        if not dual:  # coordinate descent may give up early; it cannot be below the minimum
            np.testing.assert_allclose(value, reference, rtol=1e-6)
            np.testing.assert_allclose(own, w, rtol=1e-3, atol=1e-3)


@both_paths
@pytest.mark.parametrize("dual", [False, True])
@pytest.mark.parametrize("shape", [(300, 20), (40, 90)], ids=["tall", "wide"])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix], ids=["dense", "sparse"])
def test_both_solvers_of_linear_svc_at_equal_objective(dual, shape, form):
    X, Y = drawn(1, *shape, 3)
    fitted = LinearSVMLearner().fit(form(X), Y)
    for k in range(3):
        w, b = oracle(X, Y[:, k], 1.0, np.ones(shape[0]), dual=dual)
        expected = objective(X, Y[:, k], w, b, 1.0, 1.0)
        np.testing.assert_allclose(
            objective(X, Y[:, k], fitted.coef_[k], fitted.intercept_[k], 1.0, 1.0), expected, rtol=1e-6
        )


@both_paths
@pytest.mark.parametrize("class_weight", ["balanced", {0: 0.5, 1: 3.0}, {1: 4.0}])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix], ids=["dense", "sparse"])
def test_class_weights_are_those_of_linear_svc(class_weight, form):
    X, Y = drawn(2, 150, 6, 2)
    weights = np.random.default_rng(0).uniform(0.5, 2.0, size=150)
    fitted = LinearSVMLearner(class_weight=class_weight, tol=1e-10).fit(form(X), Y, sample_weight=weights)
    for k in range(2):
        w, b = oracle(X, Y[:, k], 1.0, weights, class_weight=class_weight)
        np.testing.assert_allclose(fitted.coef_[k], w, rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(fitted.intercept_[k], b, rtol=1e-4, atol=1e-5)


@both_paths
def test_the_default_tolerance_bounds_the_gap_on_hard_data():
    rng = np.random.default_rng(4)
    X = rng.integers(0, 60, size=(200, 30)) * (rng.random((200, 30)) < 0.3).astype(float)
    Y = (rng.random((200, 4)) < [0.5, 0.2, 0.05, 0.01]).astype(np.uint8)
    Y[0], Y[1] = 1, 0
    loose, tight = LinearSVMLearner(C=50.0).fit(X, Y), LinearSVMLearner(C=50.0, tol=1e-13).fit(X, Y)
    for k in range(4):
        values = [objective(X, Y[:, k], f.coef_[k], f.intercept_[k], 50.0, 1.0) for f in (loose, tight)]
        assert values[1] * (1 - 1e-12) <= values[0] <= values[1] * (1 + 1e-6)


@both_paths
def test_margins_order_separable_data_and_stay_finite():
    X = np.array([[-2.0], [-1.0], [1.0], [3.0]])
    fitted = LinearSVMLearner(C=1e8, tol=1e-10).fit(X, [[0], [0], [1], [1]])
    # The hard margin: score -1 at -1 and +1 at 1 (the intercept is penalised and 0 by symmetry of the two).
    np.testing.assert_allclose(fitted.coef_, [[1.0]], rtol=1e-5)
    np.testing.assert_allclose(fitted.intercept_, [0.0], rtol=0, atol=1e-5)
    wide, Y = drawn(5, 20, 200, 3)
    fitted = LinearSVMLearner(C=1e6).fit(wide, Y)
    np.testing.assert_array_equal(fitted.base_scores(wide) > 0, Y == 1)


@both_paths
def test_forms_of_one_sparse_matrix_agree():
    X, Y = drawn(6, 80, 40, 3, filled=0.05)
    csr_X = sparse.csr_matrix(X)
    dense, csr = (LinearSVMLearner(tol=1e-12).fit(form(X), Y, chain(3)) for form in (np.asarray, sparse.csr_matrix))
    np.testing.assert_array_equal(dense.coef_, csr.coef_)  # a dense X of few entries is worked on as a sparse one
    parts = (np.repeat(csr_X.data / 2, 2), np.repeat(csr_X.indices, 2), 2 * csr_X.indptr)
    doubled = sparse.csr_matrix(parts, shape=X.shape)
    before = doubled.indices.copy()
    np.testing.assert_allclose(LinearSVMLearner(tol=1e-12).fit(doubled, Y, chain(3)).coef_, csr.coef_, atol=1e-8)
    np.testing.assert_array_equal(doubled.indices, before)


@both_paths
@pytest.mark.parametrize("filled", [1.0, 0.2])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix], ids=["dense", "sparse"])
def test_other_labels_and_masked_columns_leave_no_bit(form, filled):
    X, Y = drawn(7, 90, 30, 12, filled=filled)
    fitted = LinearSVMLearner().fit(form(X), Y)
    other = Y.copy()
    other[:, :5] = 1 - Y[::-1, :5]
    again = LinearSVMLearner().fit(form(X), other)
    np.testing.assert_array_equal(again.coef_[5:], fitted.coef_[5:])
    alone = LinearSVMLearner().fit(form(X), Y[:, 8])
    np.testing.assert_allclose(alone.coef_[0], fitted.coef_[8], rtol=1e-9, atol=1e-12)
    mask = FeatureMask.by_label([[0, 1, 2]] * 12, [[0, 0, 0]] * 12, 30)
    masked = LinearSVMLearner().fit(form(X), Y, mask=mask)
    X[:, 3:] = 1e3
    np.testing.assert_array_equal(LinearSVMLearner().fit(form(X), Y, mask=mask).coef_, masked.coef_)


@both_paths
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix], ids=["dense", "sparse"])
def test_a_start_saves_steps_and_changes_nothing_else(form):
    X, Y = drawn(8, 120, 15, 4)
    graph = chain(4)
    cold = LinearSVMLearner(tol=1e-9).fit(form(X), Y, graph)
    warm = LinearSVMLearner(tol=1e-8).fit(form(X), Y, graph, start=cold)
    assert not warm.n_iter_.any()
    np.testing.assert_array_equal(warm.coef_, cold.coef_)
    weights = np.random.default_rng(0).uniform(0.9, 1.1, size=120)
    far = LinearSVMLearner(tol=1e-9).fit(form(X), Y, graph, sample_weight=weights)
    near = LinearSVMLearner(tol=1e-9).fit(form(X), Y, graph, sample_weight=weights, start=cold)
    np.testing.assert_allclose(near.coef_, far.coef_, rtol=1e-3, atol=1e-4)
    if form is np.asarray:
        assert near.n_iter_.sum() < far.n_iter_.sum()
    awful = LinearConditionals(graph, cold.coef_ * 1e6, cold.parent_coef_, cold.intercept_)
    recovered = LinearSVMLearner(tol=1e-9).fit(form(X), Y, graph, start=awful)
    np.testing.assert_array_equal(recovered.coef_, cold.coef_)  # worse than nothing, so it starts from nothing


@pytest.mark.parametrize("graph", [None, chain(11)], ids=["alone", "chain"])
def test_both_paths_end_at_the_same_place(graph):
    X, Y = drawn(8, 200, 40, 11, filled=0.2)
    found = []
    for policy in ("never", "always"):
        with using_kernels(policy):
            found.append(LinearSVMLearner(tol=1e-14).fit(sparse.csr_matrix(X), Y, graph))
    assert all(fitted.converged_.all() for fitted in found)
    for name in ("coef_", "parent_coef_", "intercept_"):
        np.testing.assert_allclose(getattr(found[0], name), getattr(found[1], name), rtol=1e-5, atol=1e-7)


def test_a_start_of_another_shape_is_refused():
    X, Y = drawn(9, 30, 4, 2)
    start = LinearSVMLearner().fit(X[:, :3], Y)
    with pytest.raises(
        ParameterError, match=r"needs start to be LinearConditionals of 2 labels and 4 features, but it"
    ):
        LinearSVMLearner().fit(X, Y, start=start)
    with pytest.raises(ParameterError, match=r"features, but it is 'other'\."):
        LinearSVMLearner().fit(X, Y, start="other")


def test_a_failure_to_converge_is_one_warning_that_names_labels():
    X, Y = drawn(10, 200, 10, 8)
    with pytest.warns(ConvergenceWarning) as caught:
        fitted = LinearSVMLearner(max_iter=1, tol=1e-14).fit(X, Y)
    assert len(caught) == 1
    failed = np.flatnonzero(~fitted.converged_)
    assert len(failed) > 5
    named = ", ".join(map(str, failed[:5]))
    message = f"did not reach tol=1e-14 in 1 Newton steps for {len(failed)} label(s): {named}, .... Raise max_iter"
    assert message in str(caught[0].message)
    assert caught[0].filename == __file__


@both_paths
def test_a_label_without_columns():
    X, Y = drawn(11, 40, 3, 2)
    mask = FeatureMask.by_label([[], [0, 1, 2]], [[], [0, 0, 0]], 3)
    for form in (np.asarray, sparse.csr_matrix):
        fitted = LinearSVMLearner(fit_intercept=False).fit(form(X), Y, mask=mask)
        assert not fitted.coef_[0].any()
        assert fitted.converged_.all()
        only_bias = LinearSVMLearner(tol=1e-12).fit(form(X), Y, mask=mask).intercept_[0]
        _, b = oracle(np.zeros((40, 1)), Y[:, 0], 1.0, np.ones(40))
        np.testing.assert_allclose(only_bias, b, rtol=1e-6)


@both_paths
def test_vanishing_weights_do_no_harm():
    X, Y = drawn(12, 50, 4, 1)
    weights = np.ones(50)
    weights[:10] = 5e-324
    for form in (np.asarray, sparse.csr_matrix):
        tiny = LinearSVMLearner(tol=1e-12).fit(form(X), Y, sample_weight=weights)
        none = LinearSVMLearner(tol=1e-12).fit(form(X), Y, sample_weight=weights.round())
        np.testing.assert_allclose(tiny.coef_, none.coef_, rtol=1e-8)


def probabilities(fitted, X):
    return 1 / (1 + np.exp(-fitted.base_scores(X)))


@both_paths
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix], ids=["dense", "sparse"])
def test_calibrated_margins_are_probabilities_along_the_same_direction(form):
    X, Y = drawn(13, 3000, 5, 3, noise=2.0)
    plain, calibrated = (LinearSVMLearner(calibrate=c).fit(form(X), Y, chain(3)) for c in (False, True))
    assert calibrated.probabilistic
    slopes = calibrated.coef_[:, 0] / plain.coef_[:, 0]
    assert (slopes > 0).all()
    np.testing.assert_allclose(calibrated.coef_, plain.coef_ * slopes[:, None], rtol=1e-9)
    np.testing.assert_allclose(calibrated.parent_coef_, plain.parent_coef_ * slopes[:, None], rtol=1e-9, atol=1e-12)
    # The labels are logistic in the features, so a calibrated margin is close to logistic regression.
    logistic = LogisticLearner(standardize=False).fit(form(X), Y, chain(3))
    values = Y[:, :2]
    chances = [np.exp(f.log_prob(2, form(X), values)) for f in (calibrated, logistic)]
    np.testing.assert_allclose(chances[0], chances[1], rtol=0, atol=0.06)


def test_calibration_without_signal_and_with_one_positive_gives_the_share():
    rng = np.random.default_rng(14)
    X = rng.normal(size=(60, 3))
    Y = np.zeros((60, 2), dtype=np.uint8)
    Y[::2, 0] = 1
    X[1::2] = X[::2]  # every row stands once in each class: margins say nothing
    Y[4, 1] = 1
    fitted = LinearSVMLearner(calibrate=True).fit(X, Y)
    assert np.isfinite(fitted.coef_).all()
    np.testing.assert_allclose(probabilities(fitted, X)[:, 0], 0.5, rtol=0, atol=0.1)
    assert not fitted.coef_[1].any()
    np.testing.assert_allclose(probabilities(fitted, X)[:, 1], (2 / 3 + 59 / 61) / 60, rtol=1e-9)


def test_calibration_leaves_constant_labels_their_laplace_estimate():
    X, Y = drawn(15, 30, 3, 2)
    Y[:, 1] = 1
    chance = probabilities(LinearSVMLearner(calibrate=True).fit(X, Y), X)
    np.testing.assert_allclose(chance[:, 1], 31 / 32, rtol=1e-12)


def test_class_weights_do_not_bend_probabilities():
    X, Y = drawn(16, 2000, 3, 1, noise=2.0)
    heavy = LinearSVMLearner(calibrate=True, class_weight={1: 20.0}).fit(X, Y)
    np.testing.assert_allclose(probabilities(heavy, X).mean(), Y.mean(), rtol=0, atol=0.01)


@both_paths
@pytest.mark.parametrize("name", ["medical", "yeast"])
def test_real_data_at_equal_objective(benchmark_data, name):
    data = load_dataset(benchmark_data / name)
    Y = np.asarray(data.Y.todense() if sparse.issparse(data.Y) else data.Y)
    fitted = LinearSVMLearner().fit(data.X, Y)
    frequent = np.argsort(-Y.sum(axis=0))[:3]
    for k in frequent:
        w, b = oracle(data.X, Y[:, k], 1.0, np.ones(len(Y)))
        expected = objective(data.X, Y[:, k], w, b, 1.0, 1.0)
        value = objective(data.X, Y[:, k], fitted.coef_[k], fitted.intercept_[k], 1.0, 1.0)
        np.testing.assert_allclose(value, expected, rtol=1e-6)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_extreme_costs_and_columns(form):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 4))
    Y = (X[:, :2] + rng.normal(size=(120, 2)) > 0).astype(np.uint8)
    expected = LinearSVMLearner(C=1e12).fit(form(X), Y)
    for found in (
        LinearSVMLearner(C=1e300).fit(form(X), Y),
        LinearSVMLearner().fit(form(X), Y, sample_weight=np.full(120, 1e300)),
    ):
        np.testing.assert_allclose(found.coef_, expected.coef_, rtol=1e-5)
    with pytest.raises(ParameterError, match="needs C to be a number above 0 and at most"):
        LinearSVMLearner(C=np.inf).fit(form(X), Y)
    with pytest.raises(ParameterError, match=r"numbers of at most 1e\+15, as columns are not scaled, but it holds"):
        LinearSVMLearner().fit(form(X * 1e200), Y)
