"""C by cross-validation against a loop over scikit-learn with the same rows held out."""

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold, ShuffleSplit

from plait.core.sentences import ParameterError
from plait.data import load_dataset
from plait.features import FeatureMask
from plait.learners import LogisticLearner
from plait.learners.logistic.penalty_search import HALF_DECADES, PenaltyPath, penalty_splits
from plait.learners.training.problem import Problem
from plait.structure import LabelGraph

EPS = 1e-6
GRID = [0.0005 * 10 ** (place / 2) for place in range(13)]


def made_data(seed, n=90, d=5, q=3, density=None, noise=1.0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    if density is not None:
        X *= rng.random((n, d)) < density
    scores = X @ (rng.normal(size=(d, q)) * rng.gamma(0.5, size=q)) + noise * rng.normal(size=(n, q))
    return X, (scores > rng.normal(size=q) * 0.5).astype(np.uint8)


def naive_losses(A, y, weight=None, class_weight=None, intercept=True):
    """Return the held-out loss of every C, by a loop over scikit-learn."""
    weight = np.ones(len(y)) if weight is None else weight
    totals = np.zeros(len(GRID))
    for train, held in KFold(3, shuffle=True, random_state=0).split(A):
        for place, C in enumerate(GRID):
            ones, total = weight[train] @ y[train], weight[train].sum()
            if min(ones, total - ones) < 1e-8:
                p = np.full(len(held), (ones + 1) / (total + 2))
            else:
                model = LogisticRegression(
                    C=C, tol=1e-12, max_iter=1000, solver="newton-cholesky", fit_intercept=intercept
                )
                model.set_params(class_weight=class_weight).fit(A[train], y[train], sample_weight=weight[train])
                p = 1 / (1 + np.exp(-model.decision_function(A[held])))
            p = np.clip(p, EPS, 1 - EPS)
            totals[place] -= weight[held] @ np.log(np.where(y[held] == 1, p, 1 - p))
    return totals


def assert_picked(found, losses, Y, weight=None):
    """The best decade for all labels is found from the strongest on; within a decade of it a label has its own say.

    Beside its own losses count those of all labels, as many as 20 rows of the rarer class cause in the mean.
    """
    losses = np.reshape(losses, (len(found), len(GRID))).T
    totals, last = losses.sum(axis=1), 0
    while last < 12 and totals[last] <= 1.001 * totals[: last + 1 : 2].min():
        last += 2
    middle = 2 * int(totals[: last + 1 : 2].argmin())
    weight = np.ones(Y.shape) if weight is None else np.broadcast_to(weight.reshape(len(Y), -1), Y.shape)
    rarer = np.minimum((weight * Y).sum(axis=0), (weight * (1 - Y)).sum(axis=0))
    window = slice(max(middle - 2, 0), middle + 3)
    pooled = (losses + 20 * weight.mean() * totals[:, None] / rarer.sum())[window]
    for label, C in enumerate(found):
        place = int(np.argmin(np.abs(np.log(GRID[window]) - math.log(C))))
        np.testing.assert_allclose(C, GRID[window][place], rtol=1e-12)
        assert pooled[place, label] <= pooled[:, label].min() * (1 + 3e-6)


@pytest.mark.slow
@settings(max_examples=40)
@given(
    seed=st.integers(0, 10**6),
    d=st.integers(1, 8),
    kind=st.sampled_from(["dense", "sparse"]),
    weighting=st.sampled_from([None, "rows", "labels"]),
    class_weight=st.sampled_from([None, "balanced"]),
    noise=st.sampled_from([0.01, 1.0, 5.0]),
)
def test_picks_as_a_loop_over_scikit_learn(seed, d, kind, weighting, class_weight, noise):
    X, Y = made_data(seed, n=75, d=d, density=None if kind == "dense" else 0.4, noise=noise)
    rng = np.random.default_rng(seed + 1)
    weight = {None: None, "rows": rng.gamma(2.0, size=75), "labels": rng.gamma(2.0, size=(75, 3))}[weighting]
    learner = LogisticLearner(C="cv", standardize=False, class_weight=class_weight)
    fitted = learner.fit(X if kind == "dense" else sparse.csr_matrix(X), Y, sample_weight=weight)
    columns = [weight if weight is None or weight.ndim == 1 else weight[:, k] for k in range(3)]
    varying = [k for k in range(3) if 0 < Y[:, k].sum() < 75]
    assume(varying)
    losses = [naive_losses(X, Y[:, k], columns[k], class_weight) for k in varying]
    given_weight = weight if weight is None or weight.ndim == 1 else weight[:, varying]
    assert_picked(fitted.C_[varying], losses, Y[:, varying], given_weight)


def test_final_fit_is_that_of_the_picked_strength():
    X, Y = made_data(1, n=150)
    fitted = LogisticLearner(C="cv", tol=1e-10).fit(X, Y)
    assert len(set(fitted.C_)) > 1
    for k in range(3):
        single = LogisticLearner(C=float(fitted.C_[k]), tol=1e-10).fit(X, Y[:, [k]])
        np.testing.assert_allclose(fitted.coef_[k], single.coef_[0], rtol=1e-5, atol=1e-8)
        np.testing.assert_allclose(fitted.intercept_[k], single.intercept_[0], rtol=1e-5, atol=1e-8)


@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_parents_and_masks_take_part(kind):
    X, Y = made_data(2, n=120, d=6, q=4)
    Y[:, 2] = Y[:, 0] ^ (np.random.default_rng(0).random(120) < 0.1)
    graph = LabelGraph([[], [0], [0, 1], []])
    mask = FeatureMask.by_label([[0, 1], [2], [3, 4, 5], [1]], [[1, 1], [1], [1, 1, 1], [1]], n_features=6)
    given_X = X if kind == "dense" else sparse.csr_matrix(X)
    fitted = LogisticLearner(C="cv", standardize=False).fit(given_X, Y, graph, mask)
    losses = []
    for k in range(4):
        A = np.hstack([X[:, mask.support[k]], Y[:, list(graph.parents[k])]])
        losses.append(naive_losses(A, Y[:, k]))
    assert_picked(fitted.C_, losses, Y)


def test_rare_labels_follow_the_others():
    """A label with one positive says nothing; with hundreds it is heard."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 20))
    Y = (X[:, :6] * 2 + rng.normal(size=(400, 6)) > 0).astype(np.uint8)
    Y[:, 4:] = 0
    Y[[7], 4], Y[[90, 200], 5] = 1, 1
    alone = LogisticLearner(C="cv").fit(X, Y[:, :4]).C_
    found = LogisticLearner(C="cv").fit(X, Y).C_
    np.testing.assert_array_equal(found[:4], alone)
    assert (np.abs(np.log10(found[4:] / np.median(alone))) < 0.6).all()
    noise = np.hstack([Y[:, :4], (rng.random((400, 1)) < 0.5).astype(np.uint8)])
    assert LogisticLearner(C="cv").fit(X, noise).C_[4] < alone.min()


def test_without_intercept():
    X, Y = made_data(3)
    fitted = LogisticLearner(C="cv", standardize=False, fit_intercept=False).fit(X, Y)
    assert_picked(fitted.C_, [naive_losses(X, Y[:, k], intercept=False) for k in range(3)], Y)


def test_scales_come_from_the_training_parts():
    """Scaling rows of a training part with its own deviations is what a pipeline over the same rows does."""
    X, Y = made_data(4, n=60, d=3)
    X *= [1.0, 30.0, 0.01]
    X[::20] *= 10.0
    fitted, losses = LogisticLearner(C="cv").fit(X, Y), []
    for k in range(3):
        totals = np.zeros(len(GRID))
        for train, held in KFold(3, shuffle=True, random_state=0).split(X):
            scales = X[train].std(axis=0)
            for place, C in enumerate(GRID):
                model = LogisticRegression(C=C, tol=1e-12, solver="newton-cholesky", max_iter=500)
                model.fit(X[train] / scales, Y[train, k])
                p = np.clip(model.predict_proba(X[held] / scales)[:, 1], EPS, 1 - EPS)
                totals[place] -= np.log(np.where(Y[held, k] == 1, p, 1 - p)).sum()
        losses.append(totals)
    assert_picked(fitted.C_, losses, Y)


def test_few_positives_and_constant_labels():
    X, Y = made_data(5, n=60, q=4)
    Y[:, 1] = 0
    Y[17, 1] = 1
    Y[:, 2] = 1
    Y[[3, 40], 3] = 1
    Y[:, 3] *= 0
    Y[[3, 40], 3] = 1
    fitted = LogisticLearner(C="cv", standardize=False).fit(X, Y)
    assert_picked(fitted.C_[[0, 1, 3]], [naive_losses(X, Y[:, k]) for k in (0, 1, 3)], Y[:, [0, 1, 3]])
    assert np.isnan(fitted.C_[2])


@pytest.mark.parametrize("n", [2, 3, 4])
def test_hardly_any_rows(n):
    X = np.arange(2.0 * n).reshape(n, 2)
    fitted = LogisticLearner(C="cv").fit(X, np.arange(n)[:, None] % 2)
    assert fitted.C_[0] in HALF_DECADES
    assert np.isfinite(fitted.coef_).all()


def test_rows_that_weigh_nothing_are_left_out_first():
    X, Y = made_data(6)
    weight = (np.arange(90) % 3 > 0).astype(float)
    weighted = LogisticLearner(C="cv").fit(X, Y, sample_weight=weight)
    fewer = LogisticLearner(C="cv").fit(X[weight > 0], Y[weight > 0])
    np.testing.assert_array_equal(weighted.C_, fewer.C_)


def test_same_bits_every_time():
    X, Y = made_data(7)
    first, again = (LogisticLearner(C="cv").fit(X, Y) for _ in range(2))
    np.testing.assert_array_equal(first.C_, again.C_)
    np.testing.assert_array_equal(first.coef_, again.coef_)


def test_splits_are_those_of_scikit_learn():
    few = list(KFold(3, shuffle=True, random_state=0).split(np.zeros((100, 1))))
    many = list(ShuffleSplit(1, train_size=0.66, random_state=0).split(np.zeros((10_000, 1))))
    for expected, found in ((few, penalty_splits(100)), (many, penalty_splits(10_000))):
        assert len(expected) == len(found)
        for one, other in zip(expected, found, strict=True):
            np.testing.assert_array_equal(one[0], other[0])
            np.testing.assert_array_equal(one[1], other[1])
    assert len(many[0][0]) == 6600


def test_many_rows_are_split_once():
    X, Y = made_data(9, n=10_000, d=3, q=2)
    fitted = LogisticLearner(C="cv", standardize=False).fit(X, Y)
    train, held = next(ShuffleSplit(1, train_size=0.66, random_state=0).split(X))
    table = []
    for k in range(2):
        losses = []
        for C in GRID:
            model = LogisticRegression(C=C, tol=1e-12, solver="newton-cholesky").fit(X[train], Y[train, k])
            p = np.clip(model.predict_proba(X[held])[:, 1], EPS, 1 - EPS)
            losses.append(-np.log(np.where(Y[held, k] == 1, p, 1 - p)).sum())
        table.append(losses)
    assert_picked(fitted.C_, table, Y)


def test_a_start_does_not_keep_another_penalty():
    X, Y = made_data(6, n=150)
    start = LogisticLearner(C=0.0005).fit(X, Y)
    searched = LogisticLearner(C="cv").fit(X, Y)
    assert (searched.C_ != 0.0005).any()
    np.testing.assert_array_equal(LogisticLearner(C="cv").fit(X, Y, start=start).C_, searched.C_)


def test_a_settled_learner_keeps_what_was_chosen():
    X, Y = made_data(1, n=150)
    Y[:, 1] = 1
    learner = LogisticLearner(C="cv", standardize=False)
    fitted = learner.fit(X, Y)
    settled = learner.settled(fitted)
    np.testing.assert_array_equal(settled.C, [fitted.C_[0], 1.0, fitted.C_[2]])
    assert settled.standardize is False
    assert settled.settled(fitted) is settled
    np.testing.assert_array_equal(settled.fit(X[::2], Y[::2]).C_, fitted.C_)


def test_wrong_strength():
    X, Y = made_data(0)
    with pytest.raises(ParameterError, match="needs C to be a number above 0, one such number for each label or 'cv'"):
        LogisticLearner(C="best").fit(X, Y)


def test_pairs_take_the_strength_of_their_target():
    X, Y = made_data(8, n=150, d=4)
    searched = LogisticLearner(C="cv", tol=1e-10).fit_pairs(X, Y, folds=None, coefficients=True)
    picked = LogisticLearner(C="cv").fit(X, Y).C_
    for i in range(3):
        given_C = LogisticLearner(C=float(picked[i]), tol=1e-10).fit_pairs(X, Y, folds=None, coefficients=True)
        np.testing.assert_allclose(searched.coef[:, i], given_C.coef[:, i], rtol=1e-4, atol=1e-7)
        np.testing.assert_allclose(searched.log_likelihood[:, i], given_C.log_likelihood[:, i], rtol=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "n_labels"), [("emotions", 6), ("yeast", 5)])
def test_picks_on_benchmark_data(benchmark_data, name, n_labels):
    data = load_dataset(name)
    X, Y = np.asarray(data.X, dtype=float), np.asarray(data.Y)[:, -n_labels:]
    fitted = LogisticLearner(C="cv", standardize=False).fit(X, Y)
    assert_picked(fitted.C_, [naive_losses(X, Y[:, k]) for k in range(n_labels)], Y)


def test_the_fit_to_start_from_is_the_mean_of_those_of_the_splits_at_each_labels_own_place():
    X, Y = made_data(4, n=90)
    learner = LogisticLearner(standardize=False, class_weight=None, tol=1e-10)
    path, places = PenaltyPath(learner, Problem(X, Y, LabelGraph([[]] * 3), None, None)), np.array([4, 8, 4])
    for place in (4, 8):
        path.losses(place)
    found = path.mean_fit(places)
    for label, place in enumerate(places):
        parts = [
            LogisticRegression(C=GRID[place], tol=1e-10, max_iter=1000).fit(X[train], Y[train, label])
            for train, _ in KFold(3, shuffle=True, random_state=0).split(X)
        ]
        np.testing.assert_allclose(found.coef_[label], np.mean([part.coef_[0] for part in parts], axis=0), rtol=1e-4)
        np.testing.assert_allclose(
            found.intercept_[label], np.mean([p.intercept_ for p in parts]), rtol=1e-4, atol=1e-5
        )
