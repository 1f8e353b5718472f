from itertools import product

import numpy as np
import pytest

from plait.baselines.pairwise_distribution import PairwiseDistribution, potentials
from plait.core.sentences import ParameterError
from plait.inference import Auto, Exhaustive, MonteCarlo
from plait.joint import row_seeds
from plait.losses import F1


def made(n=3, q=4, by_row=False, seed=0):
    rng = np.random.default_rng(seed)
    upper = np.triu(rng.normal(size=(n, q, q)) * 2, 1)
    pairs = upper + upper.transpose(0, 2, 1)
    return rng.normal(size=(n, q)), pairs if by_row else pairs[0]


def table(scores, pairs, row):
    """All vectors of one row and their probabilities, by the definition."""
    q = scores.shape[1]
    pair = pairs if pairs.ndim == 2 else pairs[row]
    vectors = np.array(list(product((0, 1), repeat=q)), dtype=np.uint8)
    weights = []
    for y in vectors:
        total = sum(y[j] * scores[row, j] for j in range(q))
        total += sum(y[j] * y[k] * pair[j, k] for j in range(q) for k in range(j + 1, q))
        weights.append(np.exp(total))
    return vectors, np.array(weights) / np.sum(weights)


@pytest.mark.parametrize("by_row", [False, True])
def test_probabilities_are_the_definition(by_row):
    scores, pairs = made(by_row=by_row)
    P = PairwiseDistribution(scores, pairs)
    for row in range(3):
        vectors, chances = table(scores, pairs, row)
        each = np.array([P.log_prob(np.tile(y, (3, 1)))[row] for y in vectors])
        np.testing.assert_allclose(np.exp(each), chances, rtol=1e-12)
        together = P.log_prob(np.broadcast_to(vectors, (3, *vectors.shape)))[row]
        np.testing.assert_allclose(together, each, rtol=1e-12, atol=1e-12)
        # The same vectors once more, but not as a view that all rows share.
        np.testing.assert_allclose(P.log_prob(np.repeat(vectors[None], 3, axis=0))[row], each, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("by_row", [False, True])
def test_inference_answers_questions_about_it(by_row):
    scores, pairs = made(by_row=by_row)
    P = PairwiseDistribution(scores, pairs)
    support = Exhaustive().infer(P, "distribution")
    for row in range(3):
        vectors, chances = table(scores, pairs, row)
        np.testing.assert_allclose(support.weights()[row], chances, rtol=1e-9)
        np.testing.assert_allclose(support.marginals[row], chances @ vectors, rtol=1e-9)
        np.testing.assert_array_equal(support.mode()[row], vectors[chances.argmax()])
        np.testing.assert_allclose(Auto().infer(P, "marginals").marginals[row], chances @ vectors, rtol=1e-9)
    assert F1().decide(support).shape == (3, 4)


@pytest.mark.parametrize("by_row", [False, True])
def test_evidence(by_row):
    scores, pairs = made(by_row=by_row)
    known = np.array([[1, -1, -1, 0], [-1, -1, -1, -1], [-1, 0, 1, -1]], dtype=np.int8)
    P = PairwiseDistribution(scores, pairs).clamp(known)
    found = Exhaustive().infer(P, "marginals")
    drawn = MonteCarlo(4000).infer(P, "marginals", random_state=0)
    for row in range(3):
        vectors, chances = table(scores, pairs, row)
        fits = ((known[row] < 0) | (vectors == known[row])).all(axis=1)
        marginals = (chances * fits) @ vectors / (chances * fits).sum()
        np.testing.assert_allclose(found.marginals[row], marginals, rtol=1e-9)
        np.testing.assert_allclose(found.log_evidence[row], np.log((chances * fits).sum()), rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(drawn.log_evidence[row], np.log((chances * fits).sum()), rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(drawn.marginal_estimate()[row], marginals, rtol=0, atol=4 * 0.5 / np.sqrt(4000))
        assert P.log_prob(np.tile(vectors[~fits][0], (3, 1)))[row] == -np.inf if (~fits).any() else True
    with pytest.raises(ParameterError, match="evidence needs to agree"):
        P.clamp(1 - np.maximum(known, 0))


def test_draws_have_the_probabilities_and_their_own_streams():
    scores, pairs = made()
    P = PairwiseDistribution(scores, pairs)
    drawn, logs = P.sample(20_000, random_state=3)
    assert (logs == 0).all()
    for row in range(3):
        _, chances = table(scores, pairs, row)
        counts = np.bincount(drawn[row] @ [8, 4, 2, 1], minlength=16)
        np.testing.assert_allclose(counts / 20_000, chances, rtol=0, atol=4 * np.sqrt(0.25 / 20_000))
    seeds = row_seeds(3, 3)
    np.testing.assert_array_equal(P.take(slice(1, 3)).sample(50, seeds[1:])[0], P.sample(50, seeds)[0][1:])


@pytest.mark.parametrize("by_row", [False, True])
def test_some_rows_in_blocks_or_all(by_row, monkeypatch):
    scores, pairs = made(n=7, by_row=by_row)
    Y = np.random.default_rng(1).integers(0, 2, size=(7, 4)).astype(np.uint8)
    whole = PairwiseDistribution(scores, pairs).log_prob(Y)
    monkeypatch.setattr("plait.baselines.pairwise_distribution._BLOCK", 1)
    P = PairwiseDistribution(scores, pairs)
    np.testing.assert_allclose(P.log_prob(Y), whole, rtol=1e-12)
    np.testing.assert_allclose(P.take([5, 2]).log_prob(Y[[5, 2]]), whole[[5, 2]], rtol=1e-12)
    np.testing.assert_allclose(P.sample(5, 0)[0], PairwiseDistribution(scores, pairs).sample(5, 0)[0], rtol=0, atol=0)


def test_no_rows_and_one_label():
    P = PairwiseDistribution(np.empty((0, 3)), np.zeros((3, 3)))
    assert P.log_prob(np.empty((0, 3), dtype=np.uint8)).shape == (0,)
    assert P.sample(4)[0].shape == (0, 4, 3)
    one = PairwiseDistribution(np.array([[0.3]]), np.zeros((1, 1)))
    assert np.exp(one.log_prob(np.array([[1]], dtype=np.uint8)))[0] == pytest.approx(1 / (1 + np.exp(-0.3)), rel=1e-12)


def test_large_weights_do_not_overflow():
    P = PairwiseDistribution(np.array([[900.0, -900.0]]), np.array([[0.0, 1800.0], [1800.0, 0.0]]))
    np.testing.assert_allclose(P.log_prob(np.array([[1, 1]], dtype=np.uint8)), [0.0], rtol=0, atol=1e-12)


def test_too_many_labels_are_refused():
    with pytest.raises(ParameterError, match="PairwiseDistribution needs at most 20 labels"):
        PairwiseDistribution(np.zeros((1, 21)), np.zeros((21, 21)))


def test_potentials_of_many_labels():
    rng = np.random.default_rng(0)
    upper = np.triu(rng.normal(size=(30, 30)), 1)
    scores, pairs = rng.normal(size=(2, 30)), upper + upper.T
    Y = rng.integers(0, 2, size=(2, 3, 30)).astype(np.uint8)
    for row in range(2):
        for place, y in enumerate(Y[row].astype(float)):
            assert potentials(scores, pairs, Y)[row, place] == pytest.approx(scores[row] @ y + y @ upper @ y, rel=1e-12)
