"""Kernels of descents and pairs against plain NumPy, and the conditional information against exact joints."""

import math

import numpy as np
import pytest
from scipy import sparse

from plait.learners._sparse_kernels import lower_grams, rows_times
from plait.learners.pairs import _descent_kernels, _pair_kernels
from plait.learners.pairs.pair_scores import MOST_SCORE


def logit(p):
    return np.log(p) - np.log1p(-np.asarray(p, dtype=float))


def alone_of(*rows):
    """Return p, log p and log(1 - p) of labels whose probabilities are given."""
    return np.array([[p, np.log(p), np.log1p(-np.asarray(p))] for p in rows])


def information(p_parent, off, on, p_child, consistent):
    """Return the mean information over rows, by the kernel, label 0 being the parent and label 1 the target."""
    n = len(p_parent)
    found = np.zeros((1, 2))
    without = logit(off)[None, :]
    step = logit(on) - logit(off)
    assert np.ptp(step) < 1e-9
    _pair_kernels.score_pairs(
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


def test_consistent_information_is_that_of_the_joint():
    rng = np.random.default_rng(0)
    p_parent, off = rng.uniform(0.01, 0.99, 50), rng.uniform(0.05, 0.6, 50)
    on = 1 / (1 + np.exp(-(logit(off) + 1.3)))
    expected = np.mean([exact_information(*row) for row in zip(p_parent, off, on, strict=True)])
    found = information(p_parent, off, on, p_child=np.full(50, 0.3), consistent=True)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)
    assert found > 0


def test_information_with_the_right_margin_is_that_of_the_joint():
    p_parent, off, on = np.array([0.3]), np.array([0.2]), np.array([0.7])
    margin = 0.7 * off + 0.3 * on
    found = information(p_parent, off, on, margin, consistent=False)
    np.testing.assert_allclose(found, exact_information(0.3, 0.2, 0.7), rtol=0, atol=1e-12)


def test_information_with_another_margin_can_be_anything():
    """P(y_i | x) is trained apart: a wrong one adds its divergence from the right margin."""
    right = 0.7 * 0.2 + 0.3 * 0.7
    added = right * math.log(right / 0.5) + (1 - right) * math.log((1 - right) / 0.5)
    found = information(np.array([0.3]), np.array([0.2]), np.array([0.7]), np.array([0.5]), consistent=False)
    np.testing.assert_allclose(found, exact_information(0.3, 0.2, 0.7) + added, rtol=0, atol=1e-12)


@pytest.mark.parametrize("consistent", [False, True])
def test_a_copy_has_the_entropy_of_the_label(consistent):
    off, on = np.array([1e-12]), np.array([1 - 1e-12])
    found = information(np.array([0.5]), off, on, np.array([0.5]), consistent)
    np.testing.assert_allclose(found, math.log(2), rtol=0, atol=1e-4)


@pytest.mark.parametrize("consistent", [False, True])
def test_independent_labels_have_no_information(consistent):
    p = np.array([0.1, 0.5, 0.9])
    np.testing.assert_allclose(information(np.full(3, 0.4), p, p, p, consistent), 0.0, rtol=0, atol=1e-15)


def test_likelihood_of_pairs_is_clipped():
    labels = np.array([[0.0, 1.0, 1.0, 0.0], [0.0, 1.0, 0.0, 1.0]])
    weight, found = np.array([1.0, 2.0, 3.0, 4.0]), np.zeros((1, 2))
    alone = alone_of(np.full(4, 0.5), np.full(4, 0.5))
    scores = np.array([[-40.0, 0.3, -2.0, -40.0]])
    _pair_kernels.score_pairs(
        scores, np.array([1.5]), np.array([0]), labels, 1, weight, alone, MOST_SCORE, False, found
    )
    z = scores[0] + 1.5 * labels[0]
    p = np.clip(1 / (1 + np.exp(-z)), 1e-6, 1 - 1e-6)
    expected = weight @ np.log(np.where(labels[1] == 1, p, 1 - p))
    np.testing.assert_allclose(found[0, 0], expected, rtol=1e-12)


@pytest.mark.parametrize(("kind", "rtol"), [(np.float32, 2e-5), (np.float64, 2e-9)])
def test_curve_along_a_step(kind, rtol):
    rng = np.random.default_rng(1)
    scores, change = (rng.normal(scale=4, size=(3, 77)).astype(kind) for _ in range(2))
    targets, weights = (rng.random((2, 77)) < 0.4).astype(kind), rng.gamma(1.0, size=(2, 77)).astype(kind)
    target_of, weight_of = np.array([0, 1, 1]), np.array([1, 0, 1])
    step, residual, curve = np.array([0.5, 1.0, 0.0], kind), np.full_like(scores, 9), np.full((3, 3), 9, kind)
    _descent_kernels.curve_along_step(
        scores, change, np.array([0, 2]), step, targets, target_of, weights, weight_of, residual, curve
    )
    for j in (0, 2):
        z, d = (scores[j] + step[j] * change[j]).astype(float), change[j].astype(float)
        y, w, p = targets[target_of[j]], weights[weight_of[j]].astype(float), 1 / (1 + np.exp(-z))
        np.testing.assert_allclose(residual[j], w * (p - y), rtol=rtol, atol=rtol)
        expected = [(w * (p - y)) @ d, (w * p * (1 - p)) @ d**2, w @ (np.logaddexp(0, z) - y * z)]
        np.testing.assert_allclose(curve[j], expected, rtol=rtol, atol=rtol)
    assert (residual[1] == 9).all()
    assert (curve[1] == 9).all()


def test_losses_are_clipped():
    scores = np.array([[-50.0, 50.0, 0.5, -3.0]])
    targets, weights = np.array([[1.0, 1.0, 0.0, 0.0]]), np.array([[1.0, 2.0, 3.0, 0.0]])
    out, first = np.empty(1), np.zeros(1, dtype=np.int64)
    least, most = -math.log1p(-1e-6), -math.log(1e-6)
    _descent_kernels.clipped_losses(scores, targets, first, weights, first, least, most, out)
    np.testing.assert_allclose(out, most + 2 * least + 3 * math.log1p(math.exp(0.5)), rtol=1e-8)


def test_two_loops_are_those_of_l_bfgs():
    """Against the textbook recursion for the inverse H: H = V' H V + s s' / (s'y)."""
    rng = np.random.default_rng(2)
    steps, hessian = rng.normal(size=(3, 2, 5)), np.diag(rng.uniform(1, 4, 5))
    differences = steps @ hessian
    inverse = 1 / (steps * differences).sum(axis=2)
    order, gradient = np.array([1, 2, 0]), rng.normal(size=(2, 5))
    direction, share = gradient.copy(), np.empty((3, 2))
    _descent_kernels.before_earlier_steps(steps, differences, inverse, order, direction, share)
    direction *= 0.7
    _descent_kernels.after_earlier_steps(steps, differences, inverse, order, direction, share)
    for j in range(2):
        H = 0.7 * np.eye(5)
        for t in order:
            s, y = steps[t, j], differences[t, j]
            V = np.eye(5) - np.outer(y, s) / (s @ y)
            H = V.T @ H @ V + np.outer(s, s) / (s @ y)
        np.testing.assert_allclose(direction[j], H @ gradient[j], rtol=1e-10)


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
