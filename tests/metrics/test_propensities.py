"""Propensity-scored metrics against loops over rows and all orders, the formula of propensities, and scorers."""

from itertools import permutations

import numpy as np
import pytest
from scipy import sparse
from sklearn.model_selection import cross_validate

from plait import recipes
from plait.metrics import Propensities, precision_at_k


def gain(labels, order, weights, k, discounted):
    """Return what the first k labels of one order are worth."""
    places = 1 / np.log2(np.arange(2, k + 2)) if discounted else np.ones(k)
    total = sum(weights[label] * labels[label] * place for label, place in zip(order[:k], places, strict=False))
    n_right = min(int(labels.sum()), k)
    return total / (places[:n_right].sum() if discounted and n_right else 1.0)


@pytest.mark.parametrize("discounted", [False, True])
@pytest.mark.parametrize("k", [1, 2, 3, 7])
@pytest.mark.parametrize("seed", range(3))
def test_against_all_orders(discounted, k, seed):
    rng = np.random.default_rng(seed)
    Y, scores = (rng.random((6, 5)) < 0.4).astype(int), rng.random((6, 5))
    Y[0] = 0
    known = Propensities((rng.random((50, 5)) < [0.02, 0.1, 0.3, 0.6, 0.9]).astype(int))
    found = sum(gain(y, np.argsort(-s), known.weights, k, discounted) for y, s in zip(Y, scores, strict=True))
    best = sum(max(gain(y, order, known.weights, k, discounted) for order in permutations(range(5))) for y in Y)
    metric = known.ndcg_at_k if discounted else known.precision_at_k
    for form in (np.asarray, sparse.csr_matrix):
        assert metric(form(Y), form(scores), k=k) == pytest.approx(found / best, rel=1e-12)


def test_propensities_by_their_formula():
    Y = np.repeat(np.eye(3, dtype=int), [10, 30, 60], axis=0)
    A, B, n = 0.55, 1.5, 100
    expected = [1 + (np.log(n) - 1) * (B + 1) ** A * np.exp(-A * np.log(count + B)) for count in (10, 30, 60)]
    np.testing.assert_allclose(Propensities(Y).weights, expected, rtol=1e-12)
    np.testing.assert_allclose(Propensities(sparse.csr_matrix(Y)).weights, expected, rtol=1e-12)
    assert (Propensities([[1], [0]]).weights == 1).all()


def test_perfect_and_worst_rankings_and_equal_weights():
    rng = np.random.default_rng(0)
    Y, scores = (rng.random((20, 8)) < 0.3).astype(int), rng.random((20, 8))
    Y[:, 0] = 1
    known = Propensities(Y)
    for metric in (known.precision_at_k, known.ndcg_at_k):
        assert metric(Y, Y * known.weights, k=3) == pytest.approx(1.0, rel=1e-12)
    assert Propensities(np.eye(4, dtype=int)).precision_at_k(np.eye(4, dtype=int), 1.0 - np.eye(4), k=2) == 0.0
    assert known.precision_at_k(np.zeros((2, 8), dtype=int), np.ones((2, 8))) == 0.0
    # Where all labels weigh the same and every row has one, PSP@1 is P@1.
    known.weights = np.ones(8)
    assert known.precision_at_k(Y, scores, k=1) == pytest.approx(precision_at_k(Y, scores, k=1), rel=1e-12)


def test_scorers():
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(60, 3)), (rng.random((60, 4)) < 0.4).astype(int)
    known = Propensities(Y)
    model = recipes.br(learner="logistic")
    found = cross_validate(model, X, Y, scoring=known.scorers(2), cv=[(np.arange(40), np.arange(40, 60))])
    marginals = model.fit(X[:40], Y[:40]).predict_proba(X[40:])
    expected = known.precision_at_k(Y[40:], marginals, k=2), known.ndcg_at_k(Y[40:], marginals, k=2)
    names = "test_propensity_precision_at_2", "test_propensity_ndcg_at_2"
    assert [found[name][0] for name in names] == pytest.approx(expected, rel=1e-12)


def test_what_does_not_fit_is_refused():
    known = Propensities([[1, 0]])
    with pytest.raises(ValueError, match="needs Y_true to have the 2 labels"):
        known.precision_at_k([[1, 0, 0]], [[0.1, 0.2, 0.3]])
    with pytest.raises(ValueError, match="needs k"):
        known.ndcg_at_k([[1, 0]], [[0.1, 0.2]], k=0)
    with pytest.raises(ValueError, match="Propensities needs A"):
        Propensities([[1, 0]], A=-1.0)
