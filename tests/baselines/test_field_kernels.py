import numpy as np
import pytest

from plait.baselines import _field_kernels as kernels


def made(n=4, q=5, by_row=False, seed=0):
    rng = np.random.default_rng(seed)
    upper = np.triu(rng.normal(size=(n if by_row else 1, q, q)) * 1.5, 1)
    return rng.normal(size=(n, q)), upper + upper.transpose(0, 2, 1), rng


def of_row(pairs, row):
    return pairs[row if len(pairs) > 1 else 0]


@pytest.mark.parametrize("by_row", [False, True])
@pytest.mark.parametrize("n_draws", [0, 3, 20])
def test_gibbs_is_the_loop(by_row, n_draws):
    scores, pairs, rng = made(by_row=by_row)
    uniforms, start = rng.random((25, 5)), rng.integers(0, 2, size=(4, 5)).astype(np.uint8)
    labels, marginals, draws = start.copy(), np.empty((4, 5)), np.empty((4, n_draws, 5), dtype=np.uint8)
    kernels.gibbs_rows(scores, pairs, uniforms, 5, labels, marginals, draws)
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


@pytest.mark.parametrize("by_row", [False, True])
def test_annealing_is_the_loop(by_row):
    scores, pairs, rng = made(by_row=by_row)
    uniforms, start = rng.random((12, 5)), rng.integers(0, 2, size=(4, 5)).astype(np.uint8)
    coldness, labels = np.geomspace(0.1, 100, 12), start.copy()
    kernels.anneal_rows(scores, pairs, uniforms, coldness, labels)
    for i in range(4):
        y = start[i].astype(float)
        for t in range(12):
            for j in range(5):
                field = coldness[t] * (scores[i, j] + of_row(pairs, i)[j] @ y)
                y[j] = uniforms[t, j] < (1 / (1 + np.exp(-field)) if field > -500 else 0.0)
        np.testing.assert_array_equal(labels[i], y)


@pytest.mark.parametrize("by_row", [False, True])
def test_ascent_flips_what_gains_most(by_row):
    scores, pairs, rng = made(by_row=by_row)
    start = rng.integers(0, 2, size=(4, 5)).astype(np.uint8)
    labels = start.copy()
    kernels.ascend_rows(scores, pairs, labels)

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


@pytest.mark.parametrize("by_row", [False, True])
def test_mean_field_is_the_loop_and_ends_at_a_fixed_point(by_row):
    scores, pairs, rng = made(by_row=by_row)
    start = rng.random((4, 5))
    marginals = start.copy()
    kernels.mean_field_rows(scores, pairs, 3, 0.0, marginals)
    for i in range(4):
        m = start[i].copy()
        for _ in range(3):
            for j in range(5):
                m[j] = 1 / (1 + np.exp(-(scores[i, j] + of_row(pairs, i)[j] @ m)))
        np.testing.assert_allclose(marginals[i], m, rtol=1e-9)
    kernels.mean_field_rows(scores, pairs, 10_000, 1e-13, marginals)
    fields = scores + np.einsum("ijk,ik->ij", np.broadcast_to(pairs, (4, 5, 5)), marginals)
    np.testing.assert_allclose(marginals, 1 / (1 + np.exp(-fields)), rtol=1e-9)


def test_scores_beyond_the_range_of_exp():
    scores, pairs = np.array([[2000.0, -2000.0]]), np.zeros((1, 2, 2))
    marginals, draws = np.empty((1, 2)), np.empty((1, 0, 2), dtype=np.uint8)
    kernels.gibbs_rows(scores, pairs, np.full((3, 2), 0.5), 1, np.zeros((1, 2), dtype=np.uint8), marginals, draws)
    np.testing.assert_array_equal(marginals, [[1.0, 0.0]])
