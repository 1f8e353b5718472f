from itertools import product

import numpy as np
import pytest

from plait.baselines.foundations import _kernels
from plait.baselines.output_coding import max_margin_output_coding
from plait.baselines.pairwise_crf import pairwise_distribution
from plait.baselines.pairwise_crf.pairwise_distribution import (
    PairwiseDistribution,
    gibbs_sample,
    likely_vectors,
    potentials,
)
from plait.core.kernel_policy import using_kernels
from plait.core.sentences import ParameterError
from plait.inference import Auto, Exhaustive, MonteCarlo
from plait.joint import row_seeds
from plait.losses import F1

both_paths = pytest.mark.parametrize("policy", ["never", "always"])
both_forms = pytest.mark.parametrize("forms", [pairwise_distribution, _kernels], ids=["plain", "kernels"])


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
    monkeypatch.setattr("plait.baselines.pairwise_crf.pairwise_distribution._BLOCK", 1)
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


def made_field(n=20, q=8, strength=1.0, by_row=False, seed=0):
    rng = np.random.default_rng(seed)
    upper = np.triu(strength * rng.normal(size=(n, q, q)), 1)
    pairs = upper + upper.transpose(0, 2, 1)
    return rng.normal(size=(n, q)), pairs if by_row else pairs[0]


@both_paths
@pytest.mark.parametrize("by_row", [False, True])
def test_marginals_are_near_the_exact_ones(by_row, policy):
    scores, pairs = made_field(by_row=by_row)
    exact = Exhaustive().infer(PairwiseDistribution(scores, pairs), "marginals").marginals
    with using_kernels(policy):
        marginals, draws = gibbs_sample(scores, pairs, 20_000, 2000, random_state=0)
    np.testing.assert_allclose(marginals, exact, rtol=0, atol=0.02)
    np.testing.assert_allclose(draws.mean(axis=1), exact, rtol=0, atol=0.06)
    # Independent labels: every conditional is the marginal.
    with using_kernels(policy):
        alone = gibbs_sample(scores, np.zeros((8, 8)), 10, 0, random_state=0)[0]
    np.testing.assert_allclose(alone, 1 / (1 + np.exp(-scores)), rtol=1e-9)


@both_paths
@pytest.mark.parametrize("by_row", [False, True])
def test_modes_are_nearly_always_the_exact_ones(by_row, policy):
    scores, pairs = made_field(n=200, q=10, strength=1.5, by_row=by_row)
    exact = Exhaustive().infer(PairwiseDistribution(scores, pairs), "mode").mode()
    with using_kernels(policy):
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
    scores, pairs = made_field(n=100, q=25, strength=2.0)
    start = np.random.default_rng(5).integers(0, 2, size=(100, 25)).astype(np.uint8)
    kept = start.copy()
    found = likely_vectors(scores, pairs, [start], random_state=0)
    assert (potentials(scores, pairs, found[:, None]) >= potentials(scores, pairs, start[:, None])).all()
    np.testing.assert_array_equal(start, kept)


def test_large_fields_take_kernels_and_both_paths_find_the_same():
    scores, pairs = made_field(n=5, q=pairwise_distribution.KERNEL_LABELS)
    for ask in (lambda: gibbs_sample(scores, pairs, 40, 3, 0), lambda: (likely_vectors(scores, pairs, [], 0),)):
        found = {}
        for policy in ("never", "auto", "always"):
            with using_kernels(policy):
                found[policy] = ask()
        for plain, chosen, compiled in zip(*found.values(), strict=True):
            np.testing.assert_array_equal(chosen, compiled)
            np.testing.assert_allclose(plain, compiled, rtol=1e-12)


@pytest.fixture(params=["never", "always"])
def _each_path(request):
    with using_kernels(request.param):
        yield


@pytest.mark.usefixtures("_each_path")
def test_a_row_is_answered_alone_as_among_others():
    scores, pairs = made_field(by_row=True)
    marginals, draws = gibbs_sample(scores, pairs, 50, 5, random_state=1)
    modes = likely_vectors(scores, pairs, [], random_state=1)
    for row in (0, 7):
        alone = gibbs_sample(scores[[row]], pairs[[row]], 50, 5, random_state=1)
        np.testing.assert_array_equal(alone[0][0], marginals[row])
        np.testing.assert_array_equal(alone[1][0], draws[row])
        np.testing.assert_array_equal(likely_vectors(scores[[row]], pairs[[row]], [], random_state=1)[0], modes[row])
    assert (gibbs_sample(scores, pairs, 50, 5, random_state=2)[0] != marginals).any()


@pytest.mark.usefixtures("_each_path")
def test_no_rows():
    assert gibbs_sample(np.empty((0, 3)), np.zeros((3, 3)), 5, 2, 0)[1].shape == (0, 2, 3)
    assert likely_vectors(np.empty((0, 3)), np.zeros((3, 3)), [], 0).shape == (0, 3)


def made_rows(n=4, q=5, by_row=False, seed=0):
    rng = np.random.default_rng(seed)
    upper = np.triu(rng.normal(size=(n if by_row else 1, q, q)) * 1.5, 1)
    return rng.normal(size=(n, q)), upper + upper.transpose(0, 2, 1), rng


def of_row(pairs, row):
    return pairs[row if len(pairs) > 1 else 0]


@both_forms
@pytest.mark.parametrize("by_row", [False, True])
@pytest.mark.parametrize("n_draws", [0, 3, 20])
def test_gibbs_is_the_loop(by_row, n_draws, forms):
    scores, pairs, rng = made_rows(by_row=by_row)
    uniforms, start = rng.random((25, 5)), rng.integers(0, 2, size=(4, 5)).astype(np.uint8)
    labels, marginals, draws = start.copy(), np.empty((4, 5)), np.empty((4, n_draws, 5), dtype=np.uint8)
    forms.gibbs_rows(scores, pairs, uniforms, 5, labels, marginals, draws)
    for i in range(4):
        y, sums, states = start[i].astype(float), np.zeros(5), []
        for t in range(25):
            for j in range(5):
                chance = 1 / (1 + np.exp(-(scores[i, j] + of_row(pairs, i)[j] @ y)))
                sums[j] += chance * (t >= 5)
                y[j] = uniforms[t, j] < chance
            states.append(y.copy())
        np.testing.assert_array_equal(labels[i], y)
        np.testing.assert_allclose(marginals[i], sums / 20, rtol=1e-9)
        if n_draws == 20:
            np.testing.assert_array_equal(draws[i], states[5:])
        if n_draws == 3:
            np.testing.assert_array_equal(draws[i], [states[5 + 6], states[5 + 13], states[5 + 19]])


@both_forms
@pytest.mark.parametrize("by_row", [False, True])
def test_annealing_is_the_loop(by_row, forms):
    scores, pairs, rng = made_rows(by_row=by_row)
    uniforms, start = rng.random((12, 5)), rng.integers(0, 2, size=(4, 5)).astype(np.uint8)
    coldness, labels = np.geomspace(0.1, 100, 12), start.copy()
    forms.anneal_rows(scores, pairs, uniforms, coldness, labels)
    for i in range(4):
        y = start[i].astype(float)
        for t in range(12):
            for j in range(5):
                field = coldness[t] * (scores[i, j] + of_row(pairs, i)[j] @ y)
                y[j] = uniforms[t, j] < (1 / (1 + np.exp(-field)) if field > -500 else 0.0)
        np.testing.assert_array_equal(labels[i], y)


@both_forms
@pytest.mark.parametrize("by_row", [False, True])
def test_ascent_flips_what_gains_most(by_row, forms):
    scores, pairs, rng = made_rows(by_row=by_row)
    start = rng.integers(0, 2, size=(4, 5)).astype(np.uint8)
    labels = start.copy()
    forms.ascend_rows(scores, pairs, labels)

    def value(i, y):
        return scores[i] @ y + 0.5 * y @ of_row(pairs, i) @ y

    for i in range(4):
        y = start[i].astype(float)
        while True:
            flips = [value(i, np.where(np.arange(5) == j, 1 - y, y)) for j in range(5)]
            if max(flips) <= value(i, y) + 1e-12:
                break
            y[np.argmax(flips)] = 1 - y[np.argmax(flips)]
        np.testing.assert_array_equal(labels[i], y)


@pytest.mark.parametrize("forms", [max_margin_output_coding, _kernels], ids=["plain", "kernels"])
@pytest.mark.parametrize("by_row", [False, True])
def test_mean_field_is_the_loop_and_ends_at_a_fixed_point(by_row, forms):
    scores, pairs, rng = made_rows(by_row=by_row)
    start = rng.random((4, 5))
    marginals = start.copy()
    forms.mean_field_rows(scores, pairs, 3, 0.0, marginals)
    for i in range(4):
        m = start[i].copy()
        for _ in range(3):
            for j in range(5):
                m[j] = 1 / (1 + np.exp(-(scores[i, j] + of_row(pairs, i)[j] @ m)))
        np.testing.assert_allclose(marginals[i], m, rtol=1e-9)
    forms.mean_field_rows(scores, pairs, 10_000, 1e-13, marginals)
    fields = scores + np.einsum("ijk,ik->ij", np.broadcast_to(pairs, (4, 5, 5)), marginals)
    np.testing.assert_allclose(marginals, 1 / (1 + np.exp(-fields)), rtol=1e-9)


@both_forms
def test_scores_beyond_the_range_of_exp(forms):
    scores, pairs = np.array([[2000.0, -2000.0]]), np.zeros((1, 2, 2))
    marginals, draws = np.empty((1, 2)), np.empty((1, 0, 2), dtype=np.uint8)
    forms.gibbs_rows(scores, pairs, np.full((3, 2), 0.5), 1, np.zeros((1, 2), dtype=np.uint8), marginals, draws)
    np.testing.assert_array_equal(marginals, [[1.0, 0.0]])
