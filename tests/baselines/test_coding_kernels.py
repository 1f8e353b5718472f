from itertools import product

import numpy as np

from plait.baselines import _coding_kernels as kernels


def made(n=30, q=5, seed=0):
    rng = np.random.default_rng(seed)
    Y = rng.integers(0, 2, size=(n, q)).astype(float)
    root = rng.normal(size=(q, q))
    return root @ root.T / q, rng.normal(scale=0.4, size=(n, q)), 1.0 - 2.0 * Y


def violation(metric, residuals, signs, flips):
    """|y - v| + (m - y)'Q(m - y) - (m - v)'Q(m - v), with v the flipped labels."""
    apart = residuals - signs * flips
    return flips.sum() + residuals @ metric @ residuals - apart @ metric @ apart


def test_no_flip_of_one_or_two_labels_adds_anything_in_the_end():
    metric, residuals, signs = made()
    start = np.random.default_rng(1).integers(0, 2, size=(30, 5)).astype(float)
    flips = start.copy()
    kernels.flip_labels(metric, residuals, signs, flips)
    assert set(np.unique(flips)) <= {0.0, 1.0}
    for i in range(30):
        reached = violation(metric, residuals[i], signs[i], flips[i])
        assert reached >= violation(metric, residuals[i], signs[i], start[i])
        for j in range(5):
            for k in range(5):
                other = flips[i].copy()
                other[j] = 1 - other[j]
                if k != j:
                    other[k] = 1 - other[k]
                assert violation(metric, residuals[i], signs[i], other) <= reached + 1e-9


def test_it_is_greedy():
    metric, residuals, signs = made()
    flips = np.zeros((30, 5))
    kernels.flip_labels(metric, residuals, signs, flips)
    for i in range(30):
        u = np.zeros(5)
        while True:
            now = violation(metric, residuals[i], signs[i], u)
            ones = [np.where(np.arange(5) == j, 1 - u, u) for j in range(5)]
            twos = [np.where(np.isin(np.arange(5), (j, k)), 1 - u, u) for j in range(5) for k in range(j)]
            better = [v for v in ones if violation(metric, residuals[i], signs[i], v) > now + 1e-10] or [
                v for v in twos if violation(metric, residuals[i], signs[i], v) > now + 1e-10
            ]
            if not better:
                break
            u = max(better, key=lambda v, i=i: violation(metric, residuals[i], signs[i], v))
        np.testing.assert_array_equal(flips[i], u)


def test_it_nearly_always_finds_the_worst_vector():
    metric, residuals, signs = made(n=200)
    flips = np.zeros((200, 5))
    kernels.flip_labels(metric, residuals, signs, flips)
    found = 0
    for i in range(200):
        worst = max(violation(metric, residuals[i], signs[i], np.array(u)) for u in product((0.0, 1.0), repeat=5))
        found += violation(metric, residuals[i], signs[i], flips[i]) > worst - 1e-9
    assert found > 180
