import numpy as np
import pytest
from scipy import sparse

from plait.baselines import field_strength
from plait.baselines.field_strength import held_out_loss, searched_strength
from plait.baselines.field_training import trained_field
from plait.baselines.pairwise_crf import PairwiseCRF
from plait.baselines.pseudo_likelihood import FieldWeights
from plait.learners.strengths.strength_search import STRENGTHS
from plait.learners.strengths.strength_splitting import strength_splits


def problem(n=150, d=6, q=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    Y = (X[:, :q] + rng.normal(size=(n, q)) > 0.3).astype(np.uint8)
    return X, Y, rng.uniform(0.3, 2.0, size=n)


@pytest.mark.parametrize("by_row", [False, True])
def test_the_loss_is_that_of_every_label_given_the_others(by_row):
    X, Y, weights = problem(n=10)
    rng = np.random.default_rng(1)
    upper = np.triu(rng.normal(size=(3, 3)), 1)
    slopes = np.triu(rng.normal(size=(6, 3, 3)), 1).transpose(1, 2, 0) if by_row else None
    touched = None if slopes is None else slopes + slopes.transpose(1, 0, 2)
    field = FieldWeights(rng.normal(size=(3, 6)), rng.normal(size=3), upper + upper.T, touched)
    total = 0.0
    for x, y, weight in zip(X, Y, weights, strict=True):
        for j in range(3):
            score = field.coef[j] @ x + field.intercept[j]
            for k in range(3):
                score += y[k] * (field.pair_intercept[j, k] + (0.0 if touched is None else touched[j, k] @ x))
            chance = 1 / (1 + np.exp(-score))
            total -= weight * np.log(chance if y[j] else 1 - chance)
    assert held_out_loss(field, X, Y, weights, exact=False) == pytest.approx(total, rel=1e-10)


def test_the_exact_loss_is_that_of_label_sets():
    X, Y, weights = problem()
    model = PairwiseCRF().fit(X, Y)
    field = FieldWeights(model.coef_, model.intercept_, model.pair_intercept_)
    expected = -weights @ model.log_prob(X, Y)
    assert held_out_loss(field, X, Y, weights, exact=True) == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("kind", ["none", "constant", "features"])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
def test_the_strength_with_the_least_held_out_loss(kind, form, exact):
    X, Y, weights = problem()
    losses = []
    for C in STRENGTHS:
        total = 0.0
        for rows, held in strength_splits(150):
            field = trained_field(X[rows], Y[rows], weights[rows], C, C, kind, "auto", 1e-9, 100)[0]
            total += held_out_loss(field, X[held], Y[held], weights[held], exact)
        losses.append(total)
    found = searched_strength(form(X), Y, weights, None, kind, "auto", 100, exact)
    assert found == STRENGTHS[np.argmin(losses)]
    assert STRENGTHS[0] < found < STRENGTHS[-1]


def test_rows_held_out_count_by_their_weights():
    """Light rows have labels at random: judged by them alone, the strongest penalty would be best."""
    X, Y, weights = problem()
    noise = np.random.default_rng(5)
    light = noise.random(150) < 0.7
    Y[light] = noise.integers(0, 2, size=(light.sum(), 3))
    weights[light] *= 0.01

    def best(counted):
        losses = np.zeros(len(STRENGTHS))
        for place, C in enumerate(STRENGTHS):
            for rows, held in strength_splits(150):
                field = trained_field(X[rows], Y[rows], weights[rows], C, C, "constant", "auto", 1e-9, 100)[0]
                losses[place] += held_out_loss(field, X[held], Y[held], counted[held], exact=True)
        return STRENGTHS[np.argmin(losses)]

    assert best(np.ones(150)) < best(weights)
    assert searched_strength(X, Y, weights, None, "constant", "auto", 100, exact=True) == best(weights)


def test_the_classifier_uses_it():
    X, Y, _ = problem()
    model = PairwiseCRF(C="cv").fit(X, Y)
    assert searched_strength(X, Y, None, None, "constant", "auto", 100, exact=True) == model.C_
    np.testing.assert_array_equal(model.coef_, PairwiseCRF(C=model.C_).fit(X, Y).coef_)
    assert PairwiseCRF(C=2.0).fit(X, Y).C_ == 2.0


def test_labels_that_a_fold_lacks_and_very_few_rows():
    X, Y, _ = problem()
    Y[:, 1] = 0
    Y[3, 1] = 1
    assert np.isfinite(PairwiseCRF(C="cv").fit(X, Y).predict_proba(X)).all()
    assert searched_strength(X[:1], Y[:1], None, None, "constant", "auto", 100, exact=True) == 1.0
    assert PairwiseCRF(C="cv").fit(X[:2], Y[:2]).predict(X[:2]).shape == (2, 3)


def tried_strengths(monkeypatch, losses):
    """Return which strengths are trained with, how often each, and which is chosen, if C has the loss at its place."""
    trained = []

    def train(X, Y, sample_weight, C, *others):
        trained.append(C)
        return (C,)

    def loss(C, *others):
        return losses[STRENGTHS.tolist().index(C)]

    monkeypatch.setattr(field_strength, "trained_field", train)
    monkeypatch.setattr(field_strength, "held_out_loss", loss)
    X, Y, _ = problem()
    found = searched_strength(X, Y, None, None, "constant", "auto", 100, exact=True)
    places = [STRENGTHS.tolist().index(C) for C in dict.fromkeys(trained)]
    assert trained == [STRENGTHS[place] for place in places for _ in strength_splits(len(X))]
    return places, STRENGTHS.tolist().index(found)


@pytest.mark.parametrize(
    ("losses", "n_tried", "best"),
    [
        ([1, 2, 3, 0, 0, 0, 0], 3, 0),  # two worse ones: the valley beyond is not seen
        ([3, 1, 2, 2, 0, 0, 0], 4, 1),
        ([3, 2, 2.5, 1, 1.5, 1.6, 0], 6, 3),  # one worse one is not the end, and the count starts again
        ([2, 1, 1, 1, 0, 0, 0], 4, 1),  # equals are not better
        ([7, 6, 5, 4, 3, 2, 1], 7, 6),  # to the last
        ([7, 6, 5, 4, 3, 1, 2], 7, 5),
    ],
)
def test_weaker_penalties_are_not_tried_after_two_that_are_worse(monkeypatch, losses, n_tried, best):
    assert len(losses) == len(STRENGTHS)
    assert tried_strengths(monkeypatch, losses) == (list(range(n_tried)), best)
