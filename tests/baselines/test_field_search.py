import numpy as np
import pytest

from plait.baselines.field_search import gibbs_sample, likely_vectors
from plait.baselines.pairwise_distribution import PairwiseDistribution, potentials
from plait.inference import Exhaustive


def made(n=20, q=8, strength=1.0, by_row=False, seed=0):
    rng = np.random.default_rng(seed)
    upper = np.triu(strength * rng.normal(size=(n, q, q)), 1)
    pairs = upper + upper.transpose(0, 2, 1)
    return rng.normal(size=(n, q)), pairs if by_row else pairs[0]


@pytest.mark.parametrize("by_row", [False, True])
def test_marginals_are_near_the_exact_ones(by_row):
    scores, pairs = made(by_row=by_row)
    exact = Exhaustive().infer(PairwiseDistribution(scores, pairs), "marginals").marginals
    marginals, draws = gibbs_sample(scores, pairs, 20_000, 2000, random_state=0)
    np.testing.assert_allclose(marginals, exact, rtol=0, atol=0.02)
    np.testing.assert_allclose(draws.mean(axis=1), exact, rtol=0, atol=0.06)
    # Independent labels: every conditional is the marginal.
    alone = gibbs_sample(scores, np.zeros((8, 8)), 10, 0, random_state=0)[0]
    np.testing.assert_allclose(alone, 1 / (1 + np.exp(-scores)), rtol=1e-9)


@pytest.mark.parametrize("by_row", [False, True])
def test_modes_are_nearly_always_the_exact_ones(by_row):
    scores, pairs = made(n=200, q=10, strength=1.5, by_row=by_row)
    exact = Exhaustive().infer(PairwiseDistribution(scores, pairs), "mode").mode()
    found = likely_vectors(scores, pairs, [], random_state=0)
    best, reached = (potentials(scores, pairs, vectors[:, None])[:, 0] for vectors in (exact, found))
    assert (reached <= best + 1e-9).all()
    assert (reached > best - 1e-9).mean() > 0.95
    # No single flip improves what was found.
    for label in range(10):
        flipped = found.copy()
        flipped[:, label] ^= 1
        assert (potentials(scores, pairs, flipped[:, None])[:, 0] <= reached + 1e-9).all()


def test_a_start_is_never_made_worse():
    scores, pairs = made(n=100, q=25, strength=2.0)
    start = np.random.default_rng(5).integers(0, 2, size=(100, 25)).astype(np.uint8)
    kept = start.copy()
    found = likely_vectors(scores, pairs, [start], random_state=0)
    assert (potentials(scores, pairs, found[:, None]) >= potentials(scores, pairs, start[:, None])).all()
    np.testing.assert_array_equal(start, kept)


def test_a_row_is_answered_alone_as_among_others():
    scores, pairs = made(by_row=True)
    marginals, draws = gibbs_sample(scores, pairs, 50, 5, random_state=1)
    modes = likely_vectors(scores, pairs, [], random_state=1)
    for row in (0, 7):
        alone = gibbs_sample(scores[[row]], pairs[[row]], 50, 5, random_state=1)
        np.testing.assert_array_equal(alone[0][0], marginals[row])
        np.testing.assert_array_equal(alone[1][0], draws[row])
        np.testing.assert_array_equal(likely_vectors(scores[[row]], pairs[[row]], [], random_state=1)[0], modes[row])
    assert (gibbs_sample(scores, pairs, 50, 5, random_state=2)[0] != marginals).any()


def test_no_rows():
    assert gibbs_sample(np.empty((0, 3)), np.zeros((3, 3)), 5, 2, 0)[1].shape == (0, 2, 3)
    assert likely_vectors(np.empty((0, 3)), np.zeros((3, 3)), [], 0).shape == (0, 3)
