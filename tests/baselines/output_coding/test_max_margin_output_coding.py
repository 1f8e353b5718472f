from itertools import product

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression, Ridge

from plait.baselines.output_coding.max_margin_output_coding import ALPHAS, MaxMarginOutputCoding, fitted_ridge
from plait.core.sentences import ParameterError
from plait.learners import LinearSVMLearner, LogisticLearner, SklearnLearner


def one_of_many(n=300, d=4, q=4, seed=0):
    """Rows with one label each, or now and then with two."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    chances = X @ rng.normal(size=(d, q)) + 0.5 * rng.normal(size=(n, q))
    Y = (chances >= chances.max(axis=1, keepdims=True)).astype(np.uint8)
    Y[rng.random(n) < 0.1, 0] = 1
    return X, Y


def test_codes_of_no_weight_are_binary_relevance():
    X, Y = one_of_many()
    model = MaxMarginOutputCoding(decoding_weight=0.0).fit(X, Y)
    scores = LogisticLearner().fit(X, Y).base_scores(X)
    np.testing.assert_allclose(model.predict_proba(X), 1 / (1 + np.exp(-scores)), rtol=1e-9)
    np.testing.assert_array_equal(model.predict(X), scores > 0)


@pytest.mark.parametrize("relaxed", [False, True])
def test_the_answer_is_the_best_product_of_marginals_around(relaxed):
    """Mean field: no marginal can be changed alone to bring the product closer to the decoding's distribution."""
    X, Y = one_of_many(n=120, q=3)
    model = MaxMarginOutputCoding(relaxed=relaxed, decoding_weight=0.5).fit(X, Y)
    marginals, scores = model.predict_proba(X), LogisticLearner().fit(X, Y).base_scores(X)
    vectors = np.array(list(product((0, 1), repeat=3)))
    codes, V, variances = model.codes(X), model.encoding_, model.code_variances_

    def divergence(row, m):
        # The definition: log-odds of single labels, and squared distances of codes.
        logs = vectors @ scores[row] - 0.5 * ((vectors @ V - codes[row]) ** 2 / (2 * variances)).sum(axis=1)
        weights = np.prod(np.where(vectors == 1, m, 1 - m), axis=1)
        return (weights * (np.log(weights) - logs)).sum()

    for row in range(0, 120, 15):
        inside = np.clip(marginals[row], 1e-9, 1 - 1e-9)
        least = divergence(row, inside)
        for label, step in product(range(3), (-1e-2, 1e-2)):
            other = inside.copy()
            other[label] = np.clip(other[label] + step, 1e-9, 1 - 1e-9)
            assert divergence(row, other) >= least - 1e-8


def test_the_regression_and_the_codes():
    X, Y = one_of_many()
    model = MaxMarginOutputCoding().fit(X, Y)
    ridge = fitted_ridge(X, Y.astype(float))
    assert model.alpha_ == ridge.alpha
    np.testing.assert_allclose(model.codes(X), ridge.predict(X) @ model.encoding_, rtol=1e-9, atol=1e-12)
    missed = ((ridge.left_out - Y) @ model.encoding_).var(axis=0)
    np.testing.assert_allclose(model.code_variances_, missed, rtol=0.05)
    lengths = (model.encoding_**2).sum(axis=0)
    assert (np.diff(lengths) <= 1e-9).all()
    np.testing.assert_allclose(model.encoding_.T @ model.encoding_, np.diag(lengths), rtol=0, atol=1e-9 * lengths[0])
    assert model.lower_bound_ <= model.objective_


@pytest.mark.parametrize("relaxed", [False, True])
def test_the_number_of_labels_is_the_first_code_where_it_never_varies(relaxed):
    X, Y = one_of_many()
    Y = (np.arange(4) == Y.argmax(axis=1)[:, None]).astype(np.uint8)
    model = MaxMarginOutputCoding(relaxed=relaxed).fit(X, Y)
    first = model.encoding_[:, 0] / np.linalg.norm(model.encoding_[:, 0])
    assert abs(first @ np.full(4, 0.5)) > 0.9
    assert (model.predict(X).sum(axis=1) == 1).mean() > 0.97
    assert (MaxMarginOutputCoding(decoding_weight=0.0).fit(X, Y).predict(X).sum(axis=1) == 1).mean() < 0.95


def test_it_predicts_label_sets_better_than_binary_relevance():
    X, Y = one_of_many(n=2000)
    scores = []
    for weight in (1.0, 0.0):
        model = MaxMarginOutputCoding(decoding_weight=weight).fit(X[:1000], Y[:1000])
        scores.append((model.predict(X[1000:]) == Y[1000:]).all(axis=1).mean())
    assert scores[0] > scores[1] + 0.02


@pytest.mark.parametrize("relaxed", [False, True])
@pytest.mark.parametrize("in_sample", [False, True])
def test_variants_run_on_sparse_rows_as_on_dense(relaxed, in_sample):
    X, Y = one_of_many()
    X[np.abs(X) < 0.5] = 0
    learner = LogisticLearner(tol=1e-12)
    models = [
        MaxMarginOutputCoding(relaxed=relaxed, in_sample=in_sample, learner=learner).fit(form(X), Y)
        for form in (np.asarray, sparse.csr_matrix)
    ]
    np.testing.assert_allclose(models[0].predict_proba(X), models[1].predict_proba(X), rtol=0, atol=1e-5)
    assert (models[0].predict(X) == Y).mean() > 0.8


@pytest.mark.parametrize("relaxed", [False, True])
def test_a_weight_is_a_repetition(relaxed):
    X, Y = one_of_many(n=100)
    times = np.random.default_rng(1).integers(0, 4, size=100)
    one = MaxMarginOutputCoding(relaxed=relaxed).fit(X, Y, sample_weight=times)
    two = MaxMarginOutputCoding(relaxed=relaxed).fit(X.repeat(times, axis=0), Y.repeat(times, axis=0))
    np.testing.assert_allclose(one.predict_proba(X), two.predict_proba(X), rtol=0, atol=1e-4)


def test_labels_with_one_value_have_no_code():
    X, Y = one_of_many()
    Y[:, 1], Y[:, 3] = 0, 1
    model = MaxMarginOutputCoding().fit(X, Y)
    assert not model.encoding_[[1, 3]].any()
    chances = model.predict_proba(X)
    np.testing.assert_allclose(chances[:, 1], 1 / 302, rtol=1e-9)
    np.testing.assert_allclose(chances[:, 3], 301 / 302, rtol=1e-9)
    assert MaxMarginOutputCoding().fit(X, np.zeros_like(Y)).codes(X).shape == (300, 0)


def test_copies_of_a_label_stay_together():
    X, Y = one_of_many(q=2)
    Y = np.column_stack([Y[:, 0], Y[:, 0], Y[:, 1]])
    found = MaxMarginOutputCoding().fit(X, Y).predict(X)
    np.testing.assert_array_equal(found[:, 0], found[:, 1])


def test_other_learners():
    X, Y = one_of_many()
    model = MaxMarginOutputCoding(learner=SklearnLearner(LogisticRegression())).fit(X, Y)
    assert (model.predict(X) == Y).mean() > 0.8
    with pytest.raises(ParameterError, match="MaxMarginOutputCoding needs a learner that gives probabilities"):
        MaxMarginOutputCoding(learner=LinearSVMLearner()).fit(X, Y)
    with pytest.raises(ParameterError, match="MaxMarginOutputCoding needs learner to be"):
        MaxMarginOutputCoding(learner="wrong").fit(X, Y)


@pytest.mark.parametrize("relaxed", [False, True])
def test_too_few_steps_are_told(relaxed):
    X, Y = one_of_many(n=50)
    with pytest.warns(ConvergenceWarning, match="MaxMarginOutputCoding did not reach tol"):
        MaxMarginOutputCoding(relaxed=relaxed, max_iter=1, tol=1e-9).fit(X, Y)


def problem(n=40, d=5, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * np.geomspace(0.1, 10, d) + 1.0
    centred = (X - X.mean(axis=0)) / X.std(axis=0)
    targets = (centred @ rng.normal(size=(d, 3)) + rng.normal(size=(n, 3)) > 0.2).astype(float)
    return X, targets, rng.uniform(0.3, 1.0, size=n)


def scaled(X, weights):
    centre = weights @ X / weights.sum()
    return X / np.sqrt(weights @ (X - centre) ** 2 / weights.sum())


@pytest.mark.parametrize("d", [5, 60])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
def test_it_is_scikit_learns_ridge_with_every_row_left_out_in_turn(d, weighted, form):
    X, targets, weights = problem(d=d)
    if not weighted:
        weights = np.ones(40)
    ours = fitted_ridge(form(X), targets, weights if weighted else None, alpha=3.0)
    columns = scaled(X, weights)
    theirs = Ridge(alpha=3.0).fit(columns, targets, sample_weight=weights)
    np.testing.assert_allclose(ours.in_sample, theirs.predict(columns), rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(ours.predict(form(X)), ours.in_sample, rtol=1e-8, atol=1e-8)
    for row in range(0, 40, 7):
        others = np.arange(40) != row
        without = Ridge(alpha=3.0).fit(columns[others], targets[others], sample_weight=weights[others])
        np.testing.assert_allclose(ours.left_out[row], without.predict(columns[[row]])[0], rtol=1e-7, atol=1e-7)
    assert ours.alpha == 3.0


@pytest.mark.parametrize("d", [5, 60])
def test_the_penalty_with_the_least_error_on_rows_left_out_is_taken(d):
    X, targets, weights = problem(d=d)
    found = fitted_ridge(X, targets, weights)
    errors = [
        (weights[:, None] * (fitted_ridge(X, targets, weights, alpha).left_out - targets) ** 2).sum()
        for alpha in ALPHAS
    ]
    assert found.alpha == ALPHAS[np.argmin(errors)]
    assert ALPHAS[0] > found.alpha > ALPHAS[-1]


@pytest.mark.parametrize("d", [5, 60])
def test_a_weight_is_a_repetition_in_the_ridge(d):
    X, targets, _ = problem(d=d)
    times = np.random.default_rng(1).integers(1, 4, size=40)
    one = fitted_ridge(X, targets, times.astype(float))
    two = fitted_ridge(X.repeat(times, axis=0), targets.repeat(times, axis=0))
    assert one.alpha == two.alpha
    np.testing.assert_allclose(one.coef, two.coef, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(one.left_out.repeat(times, axis=0), two.left_out, rtol=1e-7, atol=1e-7)


def test_columns_in_other_units_give_the_same():
    X, targets, _ = problem()
    one, two = fitted_ridge(X, targets), fitted_ridge(X * [1, 10, 100, 0.1, 3], targets)
    np.testing.assert_allclose(one.left_out, two.left_out, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
def test_few_rows_and_constant_columns(form):
    X = np.array([[1.0, 2.0, 0.0], [1.0, 5.0, 0.0]])
    found = fitted_ridge(form(X), np.array([[0.0], [1.0]]))
    assert np.isfinite(found.coef).all()
    # Without the other row there is nothing but its label to predict.
    np.testing.assert_allclose(found.left_out, [[1.0], [0.0]], rtol=0, atol=1e-6)
    nothing = fitted_ridge(form(np.ones((3, 4))), np.eye(3))
    np.testing.assert_allclose(nothing.in_sample, np.full((3, 3), 1 / 3), rtol=1e-9)
    assert fitted_ridge(form(X), np.empty((2, 0))).predict(form(X)).shape == (2, 0)
