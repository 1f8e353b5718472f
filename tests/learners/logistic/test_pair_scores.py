"""Likelihoods and conditional information of pairs, plain and compiled, against exact joints."""

import math

import numpy as np
import pytest
from scipy import sparse

from plait.learners import _score_kernels
from plait.learners.logistic._descent_kernels import lower_grams, rows_times
from plait.learners.logistic.pair_dependence import MOST_SCORE, plain_logs, plain_pair_scores


@pytest.fixture(params=[plain_pair_scores, _score_kernels.score_pairs])
def score(request):
    return request.param


def logit(p):
    return np.log(p) - np.log1p(-np.asarray(p, dtype=float))


def alone_of(*rows):
    """Return p, log p and log(1 - p) of labels whose probabilities are given."""
    return np.array([[p, np.log(p), np.log1p(-np.asarray(p))] for p in rows])


def information(score, p_parent, off, on, p_child, consistent):
    """Return the mean information over rows, label 0 being the parent and label 1 the target."""
    n = len(p_parent)
    found = np.zeros((1, 2))
    without = logit(off)[None, :]
    step = logit(on) - logit(off)
    assert np.ptp(step) < 1e-9
    score(
        without,
        step[:1],
        np.array([0]),
        np.zeros((2, n)),
        1,
        np.ones(n),
        alone_of(p_parent, p_child),
        MOST_SCORE,
        consistent,
        found,
    )
    return found[0, 1] / n


def exact_information(p_parent, off, on):
    """Return the mutual information of the joint P(y_j) P(y_i | y_j), by its four cells."""
    total = 0.0
    for b, p_b in ((0, 1 - p_parent), (1, p_parent)):
        for a in (0, 1):
            given = (on if b else off) if a else 1 - (on if b else off)
            margin = (1 - p_parent) * (off if a else 1 - off) + p_parent * (on if a else 1 - on)
            total += p_b * given * math.log(given / margin)
    return total


def test_consistent_information_is_that_of_the_joint(score):
    rng = np.random.default_rng(0)
    p_parent, off = rng.uniform(0.01, 0.99, 50), rng.uniform(0.05, 0.6, 50)
    on = 1 / (1 + np.exp(-(logit(off) + 1.3)))
    expected = np.mean([exact_information(*row) for row in zip(p_parent, off, on, strict=True)])
    found = information(score, p_parent, off, on, p_child=np.full(50, 0.3), consistent=True)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)
    assert found > 0


def test_information_with_the_right_margin_is_that_of_the_joint(score):
    p_parent, off, on = np.array([0.3]), np.array([0.2]), np.array([0.7])
    margin = 0.7 * off + 0.3 * on
    found = information(score, p_parent, off, on, margin, consistent=False)
    np.testing.assert_allclose(found, exact_information(0.3, 0.2, 0.7), rtol=0, atol=1e-12)


def test_information_with_another_margin_can_be_anything(score):
    """P(y_i | x) is trained apart: a wrong one adds its divergence from the right margin."""
    right = 0.7 * 0.2 + 0.3 * 0.7
    added = right * math.log(right / 0.5) + (1 - right) * math.log((1 - right) / 0.5)
    found = information(score, np.array([0.3]), np.array([0.2]), np.array([0.7]), np.array([0.5]), consistent=False)
    np.testing.assert_allclose(found, exact_information(0.3, 0.2, 0.7) + added, rtol=0, atol=1e-12)


@pytest.mark.parametrize("consistent", [False, True])
def test_a_copy_has_the_entropy_of_the_label(consistent, score):
    off, on = np.array([1e-12]), np.array([1 - 1e-12])
    found = information(score, np.array([0.5]), off, on, np.array([0.5]), consistent)
    np.testing.assert_allclose(found, math.log(2), rtol=0, atol=1e-4)


@pytest.mark.parametrize("consistent", [False, True])
def test_independent_labels_have_no_information(consistent, score):
    p = np.array([0.1, 0.5, 0.9])
    np.testing.assert_allclose(information(score, np.full(3, 0.4), p, p, p, consistent), 0.0, rtol=0, atol=1e-15)


def test_likelihood_of_pairs_is_clipped(score):
    labels = np.array([[0.0, 1.0, 1.0, 0.0], [0.0, 1.0, 0.0, 1.0]])
    weight, found = np.array([1.0, 2.0, 3.0, 4.0]), np.zeros((1, 2))
    alone = alone_of(np.full(4, 0.5), np.full(4, 0.5))
    scores = np.array([[-40.0, 0.3, -2.0, -40.0]])
    score(scores, np.array([1.5]), np.array([0]), labels, 1, weight, alone, MOST_SCORE, False, found)
    z = scores[0] + 1.5 * labels[0]
    p = np.clip(1 / (1 + np.exp(-z)), 1e-6, 1 - 1e-6)
    expected = weight @ np.log(np.where(labels[1] == 1, p, 1 - p))
    np.testing.assert_allclose(found[0, 0], expected, rtol=1e-12)


@pytest.mark.parametrize("consistent", [False, True])
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_the_kernel_adds_what_plain_numpy_adds(kind, consistent):
    rng = np.random.default_rng(4)
    without, labels = rng.normal(scale=9, size=(3, 50)).astype(kind), (rng.random((4, 50)) < 0.5).astype(float)
    alone = alone_of(*rng.uniform(0.01, 0.99, size=(4, 50)))
    given = (without, rng.normal(size=3), np.array([0, 3, 1]), labels, 2, rng.random(50), alone, MOST_SCORE, consistent)
    plain, compiled = np.ones((2, 3, 2))
    plain_pair_scores(*given, plain)
    _score_kernels.score_pairs(*given, compiled)
    np.testing.assert_allclose(compiled, plain, rtol=1e-10)
    logs, kernel = np.empty((2, 3, 50))
    plain_logs(without[0], 0.3, MOST_SCORE, logs)
    _score_kernels.logistic_logs(without[0], 0.3, MOST_SCORE, kernel)
    np.testing.assert_allclose(kernel, logs, rtol=1e-12)


def test_sparse_products():
    rng = np.random.default_rng(3)
    dense = rng.normal(size=(9, 6)) * (rng.random((9, 6)) < 0.4)
    A, T = sparse.csr_array(dense), sparse.csr_array(dense.T)
    block, out = rng.normal(size=(6, 16)), np.empty((9, 16))
    rows_times(A.indptr, A.indices, A.data, block, out)
    np.testing.assert_allclose(out, dense @ block, rtol=1e-12, atol=1e-12)
    weights, grams = rng.random((9, 16)), np.zeros((3, 6, 6))
    lower_grams(A.indptr, A.indices, A.data, T.indptr, T.indices, T.data, weights, grams)
    for t in range(3):
        expected = dense.T @ (weights[:, [t]] * dense)
        np.testing.assert_allclose(np.tril(grams[t]), np.tril(expected), rtol=1e-12, atol=1e-12)
