"""All ordered pairs of labels against scikit-learn pair by pair, and sums over held-out rows by plain loops."""

import math
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

from plait.core.sentences import ParameterError
from plait.features import FeatureMask
from plait.learners import LogisticLearner
from plait.learners.logistic import pair_fits
from plait.learners.logistic.pair_fits import solve_pairs
from plait.learners.training.problem import Problem, row_splits
from plait.structure import LabelGraph

pytestmark = pytest.mark.usefixtures("either_path")

EPS = 1e-6
TIGHT = {"tol": 1e-11, "standardize": False}


def made_data(seed, n=120, d=4, q=4, density=None):
    """Return features and labels that depend on features and on each other."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    if density is not None:
        X *= rng.random((n, d)) < density
    Y = np.zeros((n, q), dtype=np.uint8)
    for k in range(q):
        scores = X @ rng.normal(size=d) + (Y[:, :k] * 2.0 - 0.5).sum(axis=1) * rng.normal() + rng.normal() * 0.3
        Y[:, k] = rng.random(n) < 1 / (1 + np.exp(-scores))
    return X, Y


def naive_fit(A, y, weight=None, C=1.0, intercept=True):
    """Return scikit-learn's scores as a function, or the constant rule."""
    weight = np.ones(len(y)) if weight is None else weight
    ones, total = weight @ y, weight.sum()
    if min(ones, total - ones) < 1e-8:
        share = (ones + 1) / (total + 2)
        return lambda B: np.full(len(B), math.log(share / (1 - share)))
    model = LogisticRegression(C=C, tol=1e-10, max_iter=500, solver="newton-cholesky", fit_intercept=intercept)
    model.fit(A, y, sample_weight=weight)
    return model.decision_function


def clipped(scores):
    return np.clip(1 / (1 + np.exp(-np.asarray(scores, dtype=float))), EPS, 1 - EPS)


def varies(y, weight):
    return min(weight @ y, weight.sum() - weight @ y) >= 1e-8


def naive_pairs(X, Y, splits, weight=None, C=1.0, consistent=False, support=None, intercept=True):
    """Return log-likelihoods of pairs and of labels alone, and the directed information, by loops."""
    n, q = Y.shape
    weight = np.ones((n, q)) if weight is None else np.broadcast_to(weight.reshape(n, -1), (n, q))
    support = np.ones((q, X.shape[1]), dtype=bool) if support is None else support
    pairs, alone, information, mass = np.zeros((q, q)), np.zeros(q), np.zeros((q, q)), np.zeros(q)
    for train, held in splits:
        base = []
        for i in range(q):
            fitted = naive_fit(X[train][:, support[i]], Y[train, i], weight[train, i], C, intercept)
            base.append(clipped(fitted(X[held][:, support[i]])))
            right = np.where(Y[held, i] == 1, base[i], 1 - base[i])
            alone[i] += weight[held, i] @ np.log(right)
            pairs[i, i] += weight[held, i] @ np.log(right)
            mass[i] += weight[held, i].sum()
        for j in range(q):
            for i in range(q):
                if i == j:
                    continue
                off, on = base[i], base[i]
                if varies(Y[train, j], weight[train, j]) and varies(Y[train, i], weight[train, i]):
                    A = np.column_stack([X[:, support[i]], Y[:, j]])
                    fitted = naive_fit(A[train], Y[train, i], weight[train, i], C, intercept)
                    zero, one = np.zeros((len(held), 1)), np.ones((len(held), 1))
                    off = clipped(fitted(np.hstack([X[held][:, support[i]], zero])))
                    on = clipped(fitted(np.hstack([X[held][:, support[i]], one])))
                given_parent = np.where(Y[held, j] == 1, on, off)
                right = np.where(Y[held, i] == 1, given_parent, 1 - given_parent)
                pairs[j, i] += weight[held, i] @ np.log(right)
                for n_row, w in enumerate(weight[held, i]):
                    pj, a, b, m = base[j][n_row], off[n_row], on[n_row], base[i][n_row]
                    m = pj * b + (1 - pj) * a if consistent else m
                    for p_parent, p_child in ((1 - pj, a), (pj, b)):
                        information[j, i] += w * p_parent * p_child * math.log(p_child / m)
                        information[j, i] += w * p_parent * (1 - p_child) * math.log((1 - p_child) / (1 - m))
    return pairs, alone, information / mass


def assert_same(found, expected, rtol, atol):
    pairs, alone, information = expected
    np.testing.assert_allclose(found.log_likelihood, pairs, rtol=rtol, atol=atol)
    np.testing.assert_allclose(found.log_likelihood_alone, alone, rtol=rtol, atol=atol)
    np.testing.assert_allclose(found.directed_information, information, rtol=rtol, atol=atol)
    both = np.maximum((information + information.T) / 2, 0)
    np.testing.assert_allclose(found.conditional_information, both, rtol=rtol, atol=atol)


@pytest.mark.slow
@given(
    seed=st.integers(0, 10**6),
    q=st.integers(1, 4),
    d=st.integers(1, 6),
    folds=st.sampled_from([1 / 3, 0.5, 2, 3, None]),
    C=st.sampled_from([0.05, 1.0, 20.0]),
    kind=st.sampled_from(["dense", "sparse"]),
    weighting=st.sampled_from([None, "rows", "labels"]),
    intercept=st.booleans(),
    consistent=st.booleans(),
)
def test_as_scikit_learn_pair_by_pair(seed, q, d, folds, C, kind, weighting, intercept, consistent):
    X, Y = made_data(seed, n=60, d=d, q=q, density=None if kind == "dense" else 0.4)
    rng = np.random.default_rng(seed + 1)
    weight = {None: None, "rows": rng.gamma(1.0, size=60), "labels": rng.gamma(1.0, size=(60, q))}[weighting]
    learner = LogisticLearner(C=C, fit_intercept=intercept, **TIGHT)
    given_X = X if kind == "dense" else sparse.csr_matrix(X)
    found = learner.fit_pairs(given_X, Y, folds=folds, sample_weight=weight, consistent=consistent, random_state=seed)
    splits = row_splits("test", 60, folds, seed)
    expected = naive_pairs(X, Y, splits, weight, C, consistent, intercept=intercept)
    assert_same(found, expected, rtol=2e-4, atol=1e-4)
    assert found.n_held_out == (0 if folds is None else sum(len(held) for _, held in splits))


@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_single_precision_stays_near_scikit_learn(kind):
    X, Y = made_data(3, n=300, d=8, q=5, density=None if kind == "dense" else 0.3)
    given_X = X if kind == "dense" else sparse.csr_matrix(X)
    found = LogisticLearner(standardize=False).fit_pairs(given_X, Y, folds=3, random_state=0)
    assert_same(found, naive_pairs(X, Y, row_splits("test", 300, 3, 0)), rtol=2e-3, atol=1e-3)


def objective(A, y, coef, intercept, C=1.0):
    z = A @ coef + intercept
    return C * (np.logaddexp(0, z) - y * z).sum() + 0.5 * coef @ coef


@pytest.mark.parametrize("kind", ["dense", "sparse"])
@pytest.mark.parametrize("seed", range(3))
def test_objective_of_every_pair_at_default_tolerance(kind, seed):
    """Relative gap of at most 1e-6, also for a label that copies another but for a few rows."""
    X, Y = made_data(seed, n=250, d=10, q=4, density=None if kind == "dense" else 0.3)
    copy = Y[:, :1] ^ (np.random.default_rng(seed).random((250, 1)) < 0.02)
    Y = np.hstack([Y, copy]).astype(np.uint8)
    given_X = X if kind == "dense" else sparse.csr_matrix(X)
    found = LogisticLearner(standardize=False).fit_pairs(given_X, Y, folds=None, coefficients=True)
    for j in range(5):
        for i in range(5):
            A = X if i == j else np.column_stack([X, Y[:, j]])
            coef = found.coef[j, i] if i == j else np.append(found.coef[j, i], found.parent_coef[j, i])
            model = LogisticRegression(tol=1e-10, max_iter=500, solver="newton-cholesky").fit(A, Y[:, i])
            least = objective(A, Y[:, i], model.coef_[0], model.intercept_[0])
            assert objective(A, Y[:, i], coef, found.intercept[j, i]) <= least * (1 + 1e-6)
    assert (np.diagonal(found.parent_coef) == 0).all()


def test_coefficients_are_of_all_rows_and_in_units_of_the_features():
    X, Y = made_data(5, n=200, d=3, q=3)
    X = X * [1.0, 50.0, 0.02] + [0.0, 400.0, 3.0]
    held = LogisticLearner(tol=1e-11).fit_pairs(X, Y, folds=1 / 3, coefficients=True, random_state=1)
    whole = LogisticLearner(tol=1e-11).fit_pairs(X, Y, folds=None, coefficients=True)
    np.testing.assert_allclose(held.coef, whole.coef, rtol=1e-7, atol=1e-10)
    scales = X.std(axis=0)
    for j, i in ((0, 1), (2, 0), (1, 2)):
        model = LogisticRegression(tol=1e-10, max_iter=500, solver="newton-cholesky")
        model.fit(np.column_stack([(X - X.mean(axis=0)) / scales, Y[:, j]]), Y[:, i])
        np.testing.assert_allclose(whole.coef[j, i], model.coef_[0, :-1] / scales, rtol=1e-3)
        np.testing.assert_allclose(whole.parent_coef[j, i], model.coef_[0, -1], rtol=1e-3)
        shift = (model.coef_[0, :-1] / scales) @ X.mean(axis=0)
        np.testing.assert_allclose(whole.intercept[j, i], model.intercept_[0] - shift, rtol=1e-3)


@pytest.mark.parametrize("kind", ["dense", "sparse", "many columns"])
def test_scaled_parents_are_columns_divided_by_their_deviations(kind, monkeypatch):
    X, Y = made_data(5, n=200, d=3, q=3)
    if kind == "many columns":  # no whole Hessians
        monkeypatch.setattr(pair_fits, "MOST_COLUMNS", 0)
    learner = LogisticLearner(2.0, scale_parents=True, **TIGHT)
    given_X = X if kind == "dense" else sparse.csr_matrix(X)
    found = learner.fit_pairs(given_X, Y, folds=None, coefficients=True)
    for j, i in ((0, 1), (2, 0), (1, 2)):
        model = LogisticRegression(C=2.0, tol=1e-10, max_iter=500, solver="newton-cholesky")
        model.fit(np.column_stack([X, Y[:, j] / Y[:, j].std()]), Y[:, i])
        np.testing.assert_allclose(found.coef[j, i], model.coef_[0, :-1], rtol=1e-4)
        np.testing.assert_allclose(found.parent_coef[j, i] * Y[:, j].std(), model.coef_[0, -1], rtol=1e-4)
        likelihood = -model.predict_log_proba(np.column_stack([X, Y[:, j] / Y[:, j].std()]))[np.arange(200), Y[:, i]]
        np.testing.assert_allclose(found.log_likelihood[j, i], -likelihood.sum(), rtol=1e-5)


def test_no_coefficients_unless_asked():
    X, Y = made_data(0)
    found = LogisticLearner().fit_pairs(X, Y, random_state=0)
    assert found.coef is None
    assert found.parent_coef is None
    assert found.intercept is None


def test_pair_uses_the_features_of_its_target():
    X, Y = made_data(7, n=150, d=6, q=3)
    mask = FeatureMask.by_label([[0, 1], [2], [3, 4, 5, 0]], [[1, 1], [1], [1, 1, 1, 1]], n_features=6)
    found = LogisticLearner(**TIGHT).fit_pairs(X, Y, mask=mask, folds=3, random_state=2, coefficients=True)
    expected = naive_pairs(X, Y, row_splits("test", 150, 3, 2), support=mask.support)
    assert_same(found, expected, rtol=1e-4, atol=1e-5)
    assert (found.coef[:, ~mask.support] == 0).all()
    changed = X.copy()
    changed[:, 2] = 7.0
    other = LogisticLearner(**TIGHT).fit_pairs(changed, Y, mask=mask, folds=3, random_state=2)
    for i in (0, 2):
        np.testing.assert_array_equal(other.log_likelihood[:, i], found.log_likelihood[:, i])


def test_shared_mask_is_as_fewer_columns():
    X, Y = made_data(8, d=5)
    mask = FeatureMask.shared([4, 1], [1.0, 0.5], n_labels=4, n_features=5)
    masked = LogisticLearner(**TIGHT).fit_pairs(X, Y, mask=mask, random_state=0)
    fewer = LogisticLearner(**TIGHT).fit_pairs(X[:, [1, 4]], Y, random_state=0)
    np.testing.assert_allclose(masked.log_likelihood, fewer.log_likelihood, rtol=1e-5)


@pytest.mark.parametrize("constant", [0, 1])
def test_constant_label_has_the_constant_model_for_every_parent(constant):
    X, Y = made_data(9, n=90, q=3)
    Y[:, 1] = constant
    found = LogisticLearner(**TIGHT).fit_pairs(X, Y, random_state=0)
    n_train, n_held = 60, 30
    share = (constant * n_train + 1) / (n_train + 2)
    log_share = math.log(share if constant else 1 - share)
    np.testing.assert_allclose(found.log_likelihood[:, 1], n_held * log_share, rtol=1e-12)
    np.testing.assert_array_equal(found.log_likelihood[1], found.log_likelihood_alone)
    assert (found.conditional_information[1] == 0).all()
    assert (found.conditional_information[:, 1] == 0).all()
    assert found.conditional_information[0, 2] >= 0


def test_label_absent_from_a_training_part():
    """The rule for constant labels holds in that part only."""
    X, Y = made_data(10, n=60, q=3)
    Y[:, 2] = 0
    Y[7, 2] = 1
    found = LogisticLearner(**TIGHT).fit_pairs(X, Y, folds=3, random_state=4)
    assert_same(found, naive_pairs(X, Y, row_splits("test", 60, 3, 4)), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_row_twice_is_weight_two(kind):
    X, Y = made_data(11, n=80, q=3)
    twice = np.repeat(np.arange(80), np.arange(80) % 3)
    to_kind = sparse.csr_matrix if kind == "sparse" else np.asarray
    repeated = LogisticLearner(**TIGHT).fit_pairs(to_kind(X[twice]), Y[twice], folds=None, coefficients=True)
    weight = np.arange(80) % 3
    weighted = LogisticLearner(**TIGHT).fit_pairs(to_kind(X), Y, folds=None, coefficients=True, sample_weight=weight)
    np.testing.assert_allclose(weighted.log_likelihood, repeated.log_likelihood, rtol=1e-5)
    np.testing.assert_allclose(weighted.directed_information, repeated.directed_information, rtol=1e-4, atol=1e-7)
    np.testing.assert_allclose(weighted.parent_coef, repeated.parent_coef, rtol=1e-5, atol=1e-8)


def test_weights_that_sum_to_one():
    """Weights of a mixture are small numbers; weights times a factor are the same as C times the factor."""
    X, Y = made_data(12, n=100, q=3)
    weight = np.random.default_rng(0).gamma(0.5, size=100)
    weight /= weight.sum()
    small = LogisticLearner(C=50.0, **TIGHT).fit_pairs(X, Y, sample_weight=weight, folds=3, random_state=0)
    large = LogisticLearner(C=0.5, **TIGHT).fit_pairs(X, Y, sample_weight=100 * weight, folds=3, random_state=0)
    np.testing.assert_allclose(100 * small.log_likelihood, large.log_likelihood, rtol=1e-5)
    np.testing.assert_allclose(small.directed_information, large.directed_information, rtol=1e-4, atol=1e-7)


def test_balanced_classes_weigh_in_training_only():
    X, Y = made_data(13, n=150, q=3)
    Y[:, 0] &= np.random.default_rng(0).random(150) < 0.4
    found = LogisticLearner(class_weight="balanced", **TIGHT).fit_pairs(X, Y, random_state=3)
    train, held = row_splits("test", 150, 1 / 3, 3)[0]
    model = LogisticRegression(class_weight="balanced", tol=1e-10, solver="newton-cholesky", max_iter=500)
    A = np.column_stack([X, Y[:, 1]])
    p = clipped(model.fit(A[train], Y[train, 0]).decision_function(A[held]))
    expected = np.log(np.where(Y[held, 0] == 1, p, 1 - p)).sum()
    np.testing.assert_allclose(found.log_likelihood[1, 0], expected, rtol=1e-5)


def test_sparse_is_as_dense():
    X, Y = made_data(14, n=150, d=9, q=4, density=0.5)
    dense = LogisticLearner(**TIGHT).fit_pairs(X, Y, folds=2, random_state=0)
    thin = LogisticLearner(**TIGHT).fit_pairs(sparse.csr_matrix(X), sparse.csr_matrix(Y), folds=2, random_state=0)
    np.testing.assert_allclose(thin.log_likelihood, dense.log_likelihood, rtol=1e-5)
    np.testing.assert_allclose(thin.directed_information, dense.directed_information, rtol=1e-4, atol=1e-7)


@pytest.mark.parametrize("folds", [0.25, 3])
def test_same_bits_for_the_same_random_state(folds):
    X, Y = made_data(15)
    first, again, other = (LogisticLearner().fit_pairs(X, Y, folds=folds, random_state=seed) for seed in (5, 5, 6))
    np.testing.assert_array_equal(first.log_likelihood, again.log_likelihood)
    np.testing.assert_array_equal(first.directed_information, again.directed_information)
    assert not np.array_equal(first.log_likelihood, other.log_likelihood)


def test_separable_pairs_stay_finite():
    """A label that is another's copy is separated by it; the penalty keeps the coefficients finite."""
    X, Y = made_data(16, n=100, q=2)
    Y = np.hstack([Y, Y[:, :1], 1 - Y[:, :1]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = LogisticLearner(C=1e4).fit_pairs(X, Y, folds=None, coefficients=True)
    assert np.isfinite(found.coef).all()
    assert np.isfinite(found.log_likelihood).all()
    assert found.parent_coef[0, 2] > 5 > -5 > found.parent_coef[0, 3]


def test_many_sparse_columns_go_without_the_whole_matrix(monkeypatch):
    X, Y = made_data(17, n=120, d=15, q=4, density=0.4)
    whole = LogisticLearner(**TIGHT).fit_pairs(sparse.csr_matrix(X), Y, folds=None, coefficients=True)
    monkeypatch.setattr("plait.learners.logistic.pair_fits.MOST_COLUMNS", 3)
    for given_X in (sparse.csr_matrix(X), X):
        diagonal = LogisticLearner(**TIGHT).fit_pairs(given_X, Y, folds=None, coefficients=True)
        np.testing.assert_allclose(diagonal.log_likelihood, whole.log_likelihood, rtol=1e-6)
        np.testing.assert_allclose(diagonal.parent_coef, whole.parent_coef, rtol=1e-3, atol=1e-5)


def test_pairs_not_solved_are_a_warning(monkeypatch):
    X, Y = made_data(18)
    monkeypatch.setattr(pair_fits, "solve_pairs", lambda task, tol, max_iter: solve_pairs(task, tol=tol, max_iter=1))
    with pytest.warns(ConvergenceWarning, match=r"did not reach tol=1e-11 for \d+ pair\(s\)"):
        LogisticLearner(**TIGHT).fit_pairs(X, Y, random_state=0)


@pytest.mark.parametrize(
    ("folds", "words"),
    [
        (1, "LogisticLearner needs folds to be"),
        (0.0, "LogisticLearner needs folds to be"),
        ("many", "LogisticLearner needs folds to be"),
        (200, "LogisticLearner needs at least 200 rows for folds=200, but X has 120"),
    ],
)
def test_wrong_folds(folds, words):
    X, Y = made_data(0)
    with pytest.raises(ParameterError, match=words):
        LogisticLearner().fit_pairs(X, Y, folds=folds)


def test_hessians_of_sparse_features_are_made_where_they_cost_less(either_path, monkeypatch):
    if either_path == "never":  # small designs are made dense
        return
    X, Y = made_data(3, n=60, d=6, density=0.4)
    found = []
    for steps, pay in ((0.0, False), (1e9, True)):
        monkeypatch.setattr(pair_fits, "MORE_STEPS", steps)
        fits = pair_fits.PairFits(LogisticLearner(), Problem(sparse.csr_matrix(X), Y, LabelGraph([[]] * 4)))
        group = fits.groups()[0]
        assert fits._hessians_pay(fits.matrix(fits.problem.X, group, np.float64)) is pay
        found.append(LogisticLearner(tol=1e-10).fit_pairs(sparse.csr_matrix(X), Y, random_state=0).log_likelihood)
    np.testing.assert_allclose(found[0], found[1], rtol=1e-6)
    monkeypatch.undo()
    for n_columns, pay in ((20, True), (3000, False)):
        wide = sparse.random(100, n_columns, 5 / n_columns, format="csr", random_state=0)
        fits = pair_fits.PairFits(LogisticLearner(), Problem(wide, Y[np.arange(100) % 60], LabelGraph([[]] * 4)))
        assert fits._hessians_pay(fits.matrix(wide, fits.groups()[0], np.float32)) is pay


@pytest.mark.parametrize("density", [None, 0.4])
def test_candidates_are_trained_as_among_all_pairs(density):
    """Pairs that are no candidates, and targets whose only candidate is constant, count as fits without parents."""
    X, Y = made_data(5, q=5, density=density)
    Y[:, 4] = 1
    X = X if density is None else sparse.csr_matrix(X)
    problem = Problem(X, Y, LabelGraph([[]] * 5))
    candidates = [np.array(group) for group in ([2], [0, 3], [0, 1, 3, 4], [4], [1])]
    learner = LogisticLearner(tol=1e-10)
    whole, few = (
        learner.fit_pairs_checked(problem, random_state=0, candidates=c, coefficients=True) for c in (None, candidates)
    )
    np.testing.assert_array_equal(few.log_likelihood_alone, whole.log_likelihood_alone)
    for target, group in enumerate(candidates):
        for parent in range(5):
            among = parent in group.tolist() and 4 not in (parent, target)
            expected = whole.log_likelihood[parent, target] if among else whole.log_likelihood_alone[target]
            np.testing.assert_allclose(few.log_likelihood[parent, target], expected, rtol=1e-8)
            information = whole.directed_information[parent, target] if among else 0.0
            np.testing.assert_allclose(few.directed_information[parent, target], information, rtol=1e-5, atol=1e-9)
            coef = whole.parent_coef[parent, target] if among else 0.0
            np.testing.assert_allclose(few.parent_coef[parent, target], coef, rtol=1e-5, atol=1e-9)
