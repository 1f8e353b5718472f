"""Conformal answers: hand-made scores, definitions by enumeration, coverage over many splits, refusals."""

import warnings
from contextlib import suppress
from unittest import SkipTest

import numpy as np
import pytest
from scipy.stats import binom
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV
from sklearn.utils.estimator_checks import estimator_checks_generator

from plait import recipes
from plait.core.sentences import ParameterError
from plait.inference import Auto
from plait.joint import LinearDistribution
from plait.posterior import Posterior
from plait.structure import LabelGraph
from plait.trust import Conformal


class Planted(BaseEstimator):
    """A fitted model of P(y | x) in closed form: a chain over three labels, scores from two features."""

    n_labels = 4
    label_names_ = np.array(["a", "b", "c", "d"])

    def __init__(self, temperature=1.0):
        self.temperature = temperature

    def fit(self, X, Y):
        return self

    def __sklearn_is_fitted__(self):
        return True

    def joint(self, X):
        return Posterior(self, np.asarray(X), self.label_names_, Auto(), "subset", 0)

    def condition(self, X):
        graph = LabelGraph(((), (0,), (0, 1), (2,)))
        coef = np.zeros((4, 4))
        coef[1, 0], coef[2, 0], coef[2, 1], coef[3, 2] = 2.0, -1.5, 1.0, -2.0
        base = np.asarray(X) @ np.array([[2.0, 0.5, -1.0, 1.0], [0.5, -1.0, 1.5, 0.0]]) - 0.3
        return LinearDistribution(graph, base * self.temperature, coef)

    def draw(self, n_rows, rng):
        X = rng.normal(size=(n_rows, 2))
        return X, Planted().condition(X).sample(1, rng)[0][:, 0, :]


def all_sets(q):
    return ((np.arange(2**q)[:, None] >> np.arange(q)) & 1).astype(np.uint8)


def probabilities(model, X):
    sets = all_sets(4)
    answer = model.joint(np.repeat(X, 16, axis=0))
    return np.exp(answer.log_prob(np.tile(sets, (len(X), 1)))).reshape(len(X), 16)


def place(Y):
    return (Y.astype(int) << np.arange(4)).sum(axis=1)


@pytest.mark.parametrize(("n", "rank"), [(9, 9), (19, 18), (40, 37)])
def test_the_threshold_is_the_right_order_statistic(n, rank):
    rng = np.random.default_rng(n)
    model = Planted()
    X, Y = model.draw(n, rng)
    found = Conformal(model, coverage=0.9).fit(X, Y)
    scores = np.sort(-probabilities(model, X)[np.arange(n), place(Y)])
    assert found.n_calibration_ == n
    np.testing.assert_allclose(found.threshold_, scores[rank - 1], rtol=1e-12)


def test_too_few_calibration_rows_are_refused():
    model = Planted()
    X, Y = model.draw(8, np.random.default_rng(0))
    with pytest.raises(ParameterError, match=r"at least 9 calibration rows for a coverage of 0\.9, but there are 8"):
        Conformal(model).fit(X, Y)


def test_families_are_all_sets_of_small_score():
    rng = np.random.default_rng(1)
    model = Planted()
    found = Conformal(model, coverage=0.8).fit(*model.draw(60, rng))
    X = rng.normal(size=(30, 2))
    families = found.predict(X)
    P = probabilities(model, X)
    assert families.exact.all()
    for row, p in enumerate(P):
        inside = -p <= found.threshold_
        wanted = set(np.flatnonzero(inside)) if inside.any() else {int(p.argmax())}
        assert set(place(families[row])) == wanted


def test_masses_are_those_of_the_likelier_sets():
    rng = np.random.default_rng(2)
    model = Planted()
    X, Y = model.draw(50, rng)
    found = Conformal(model, by="mass", random_state=5).fit(X, Y)
    P = probabilities(model, X)
    own = P[np.arange(50), place(Y)]
    before = np.where(own[:, None] * (1 + 1e-9) < P, P, 0).sum(axis=1)
    scores = found._scores[0]
    # The uniform of each row is all that is drawn, so every score lies between the two sums.
    ordered = np.sort(before), np.sort(before + own)
    assert (scores >= ordered[0] - 1e-12).all()
    assert (scores <= ordered[1] + 1e-12).all()


def test_boxes_are_the_hull_of_all_sets_of_small_score():
    rng = np.random.default_rng(3)
    model = Planted()
    found = Conformal(model, kind="labels", coverage=0.7).fit(*model.draw(80, rng))
    X = rng.normal(size=(40, 2))
    boxes, P, sets = found.predict(X), model.joint(X).marginals(), all_sets(4)
    for row, p in enumerate(P):
        scores = np.where(sets == 1, 1 - p, p).max(axis=1)
        inside = sets[scores <= found.threshold_]
        for k in range(4):
            values = set(inside[:, k]) if len(inside) else {int(p[k] > 0.5)}
            assert boxes[row, k] == (-1 if len(values) == 2 else values.pop())


def test_the_recall_threshold_is_the_smallest_that_keeps_the_corrected_risk():
    rng = np.random.default_rng(4)
    model = Planted()
    X, Y = model.draw(70, rng)
    found = Conformal(model, kind="recall", coverage=0.85).fit(X, Y)
    P = model.joint(X).marginals()

    def corrected(threshold):
        kept = threshold + 1e-12 >= 1 - P
        recall = (kept & (Y == 1)).sum(axis=1) / np.maximum(Y.sum(axis=1), 1)
        return (np.where(Y.any(axis=1), 1 - recall, 0).sum() + 1) / 71

    assert corrected(found.threshold_) <= 0.15
    lower = (1 - P)[found.threshold_ - 1e-9 > (1 - P)]
    assert corrected(lower.max()) > 0.15
    np.testing.assert_array_equal(found.predict(X[:5]), (1 - P[:5] <= found.threshold_).astype(int))


@pytest.mark.parametrize("kind", ["sets", "labels", "recall"])
@pytest.mark.parametrize("temperature", [1.0, 0.3])
def test_coverage_over_200_splits_is_within_binomial_error(kind, temperature):
    """Also for a model that is over- or under-confident."""
    rng = np.random.default_rng(5)
    model, held, n_new = Planted(temperature), [], 20
    for _ in range(200):
        X, Y = model.draw(40 + n_new, rng)
        found = Conformal(model, kind=kind, coverage=0.8).fit(X[:40], Y[:40])
        answer, truth = found.predict(X[40:]), Y[40:]
        if kind == "sets":
            held += [(family == y).all(axis=1).any() for family, y in zip(answer, truth, strict=True)]
        elif kind == "labels":
            held += ((answer == -1) | (answer == truth)).all(axis=1).tolist()
        else:
            hits = (answer * truth).sum(axis=1) / np.maximum(truth.sum(axis=1), 1)
            held += np.where(truth.any(axis=1), hits, 1.0).tolist()
    # Splits are independent, rows of one split are not: the deviation of 200 means, each at most that of one row.
    low = binom.ppf(0.001, 200, 0.8) / 200
    assert np.mean(held) >= low
    if kind == "sets":
        assert np.mean(held) <= 0.8 + 1 / 41 + (0.8 - low)


@pytest.mark.parametrize("kind", ["sets", "labels"])
@pytest.mark.parametrize("score", ["density", "mass"])
def test_an_unfitted_model_is_split_or_cross_fitted(kind, score):
    rng = np.random.default_rng(6)
    X, Y = Planted().draw(160, rng)
    model = recipes.pcc(random_state=0)
    for cv in (None, 4):
        found = Conformal(model, kind=kind, by=score, cv=cv, random_state=1).fit(X[:100], Y[:100])
        assert len(found.models_) == (cv or 1)
        assert found.n_calibration_ == (100 if cv else 30)
        answer = found.predict(X[100:])
        if kind == "sets":
            held = [(family == y).all(axis=1).any() for family, y in zip(answer, Y[100:], strict=True)]
        else:
            held = ((answer == -1) | (answer == Y[100:])).all(axis=1)
        assert np.mean(held) >= 0.75
    assert not hasattr(model, "joint_")


def test_cross_families_are_those_of_the_definition():
    """A set belongs where more than alpha (n + 1) - 1 calibration rows are at least as strange."""
    rng = np.random.default_rng(7)
    X, Y = Planted().draw(60, rng)
    found = Conformal(recipes.pcc(random_state=0), coverage=0.8, cv=3).fit(X, Y)
    new, sets = rng.normal(size=(8, 2)), all_sets(4)
    families = found.predict(new)
    for row in range(8):
        above = np.zeros(16)
        for model, kept in zip(found.models_, found._scores, strict=True):
            p = np.exp(model.joint(np.repeat(new[row : row + 1], 16, axis=0)).log_prob(sets))
            above += (kept[None, :] >= -p[:, None]).sum(axis=1)
        inside = above > 0.2 * 61 - 1
        assert set(place(families[row])) == set(np.flatnonzero(inside))


# Families are no array: there is nothing that a check could compare. All other answers pass all checks.
NOT_OF_FAMILIES = ("check_estimator_sparse_array", "check_estimator_sparse_matrix", "check_fit_idempotent")


@pytest.mark.parametrize("kind", ["sets", "labels", "recall"])
def test_scikit_learns_own_checks(kind):
    model = Conformal(recipes.pcc(learner="logistic", random_state=0), kind=kind, coverage=0.5)
    for checked, check in estimator_checks_generator(model):
        name = getattr(check, "func", check).__name__
        if kind == "sets" and name in NOT_OF_FAMILIES:
            continue
        with warnings.catch_warnings(), suppress(SkipTest):
            warnings.simplefilter("ignore", ConvergenceWarning)
            check(checked)


def test_more_coverage_never_takes_a_set_away():
    rng = np.random.default_rng(8)
    model = Planted()
    X, Y = model.draw(80, rng)
    new = rng.normal(size=(10, 2))
    answers = [Conformal(model, coverage=c).fit(X, Y).predict(new) for c in (0.5, 0.8, 0.95)]
    for row in range(10):
        grown = [set(place(families[row])) for families in answers]
        assert grown[0] <= grown[1] <= grown[2]


def test_a_fixed_seed_gives_the_same_families():
    rng = np.random.default_rng(9)
    model = Planted()
    X, Y = model.draw(50, rng)
    first, second = (Conformal(model, by="mass", random_state=3).fit(X, Y).predict(X[:10]) for _ in range(2))
    assert all(np.array_equal(a, b) for a, b in zip(first, second, strict=True))


def test_refusals_and_scikit_learn():
    model = Planted()
    X, Y = model.draw(20, np.random.default_rng(0))
    with pytest.raises(ParameterError, match="cv to be None"):
        Conformal(recipes.pcc(), kind="recall", cv=3).fit(X, Y)
    with pytest.raises(ParameterError, match="unfitted model for cv=3"):
        Conformal(model, cv=3).fit(X, Y)
    with pytest.raises(ParameterError, match="Conformal needs coverage to be"):
        Conformal(model, coverage=1.0).fit(X, Y)
    copy = clone(Conformal(recipes.pcc(), coverage=0.7))
    assert copy.get_params()["coverage"] == 0.7
    assert isinstance(GridSearchCV(copy, {"coverage": [0.5]}).get_params()["estimator"], Conformal)


def share_held(kind, answer, truth):
    if kind == "sets":
        return np.mean([(family == y).all(axis=1).any() for family, y in zip(answer, truth, strict=True)])
    if kind == "labels":
        return ((answer == -1) | (answer == truth)).all(axis=1).mean()
    return np.where(truth.any(axis=1), (answer * truth).sum(axis=1) / np.maximum(truth.sum(axis=1), 1), 1).mean()


@pytest.mark.parametrize("kind", ["sets", "labels", "recall"])
def test_rows_with_unknown_labels_count_as_wrong(kind):
    """So the promise holds even where labels are unknown because they are unlikely; without these rows it fails."""
    model, held = Planted(), []
    for seed in range(60):
        X, Y = model.draw(200, np.random.default_rng(seed))
        surprises = np.where(Y == 1, 1 - (P := model.joint(X).marginals()), P)
        if kind == "sets":
            surprises = surprises * 0 - probabilities(model, X)[np.arange(200), place(Y)][:, None]
        if kind == "recall":
            surprises = np.where(Y == 1, surprises, 0)
        worst = np.argsort(-surprises.max(axis=1), kind="stable")[:16]
        gaps = Y.astype(float)
        gaps[worst, surprises[worst].argmax(axis=1)] = np.nan
        new, truth = model.draw(50, np.random.default_rng(1000 + seed))
        rows = ((X, Y), (X, gaps), (np.delete(X, worst, 0), np.delete(Y, worst, 0)))
        found = [Conformal(model, kind=kind).fit(*each) for each in rows]
        assert found[1].threshold_ >= found[0].threshold_ > found[2].threshold_
        held.append([share_held(kind, each.predict(new), truth) for each in found[1:]])
    means, errors = np.mean(held, axis=0), np.std(held, axis=0) / np.sqrt(60)
    assert means[0] > 0.9 - 3 * errors[0]
    assert means[1] < 0.9 - 3 * errors[1]


def test_unknown_labels_train_and_too_many_are_refused():
    X, Y = Planted().draw(300, np.random.default_rng(9))
    gaps = Y.astype(float)
    gaps[::40, 1] = np.nan
    model = recipes.pcc(learner="logistic", random_state=0)
    for how in ({}, {"cv": 3}):
        found = Conformal(model, coverage=0.8, **how).fit(X, gaps)
        assert len(found.predict(X[:5])) == 5
    gaps[::4, 1] = np.nan
    words = r"labels of at least 271 of 300 calibration rows to be known .* of 225 are"
    with pytest.raises(ParameterError, match=words):
        Conformal(Planted()).fit(X, gaps)


class Wavering(Planted):
    """Four kinds of rows, whose scores have other last digits where fewer rows are asked about at a time."""

    fitted = False

    def fit(self, X, Y):
        self.fitted = True
        return self

    def __sklearn_is_fitted__(self):
        return self.fitted

    def condition(self, X):
        found = super().condition(np.sign(X))
        return LinearDistribution(found.graph, found.base * (1.0 + 1e-12 * (len(X) < 120)), found.parent_coef)


@pytest.mark.parametrize(("kind", "cv"), [("sets", None), ("sets", 3), ("labels", None), ("labels", 3)])
def test_scores_that_are_equal_but_for_their_last_digits_are_equal(kind, cv):
    model = Wavering()
    X, Y = model.draw(360, np.random.default_rng(0))
    found = Conformal(model if cv else model.fit(X, Y), coverage=0.7, kind=kind, cv=cv, random_state=0).fit(X, Y)
    held = []
    for start in range(0, 360, 90):
        rows = slice(start, start + 90)
        for answer, y in zip(found.predict(X[rows]), Y[rows], strict=True):
            held.append((answer == y).all(axis=1).any() if kind == "sets" else ((answer == -1) | (answer == y)).all())
    assert np.mean(held) >= 0.7


def test_recall_has_the_same_labels_in_batches_of_any_size():
    model = Wavering()
    X, Y = model.draw(360, np.random.default_rng(0))
    found = Conformal(model.fit(X, Y), coverage=0.7, kind="recall").fit(X, Y)
    np.testing.assert_array_equal(found.predict(X)[:90], found.predict(X[:90]))
