"""Binomial draws against SciPy's distribution, and the streams they come from."""

from dataclasses import replace

import numpy as np
import pytest
from numba import njit
from scipy import stats
from scipy.special import gammaln

from plait.core.kernel_policy import using_kernels
from plait.joint import counted_draws, row_seeds, row_streams
from plait.joint._draw_kernels import binomial, mixed
from plait.testing import random_evidence, random_graph, random_linear

TABLES = np.stack([gammaln(np.arange(5002) + 1.0), np.concatenate([[0.0], 1.0 / np.arange(1, 5002)])])


@njit
def compiled_binomials(count, p, us, tables, out):
    for m in range(us.size):
        out[m] = binomial(count, p, us[m], tables)


def compiled(count, p, us):
    out = np.empty(us.size, dtype=np.int64)
    compiled_binomials(count, p, us, TABLES, out)
    return out


def plain(count, p, us):
    return counted_draws.binomials(np.full(us.size, count), np.full(us.size, p), us, TABLES)


both_paths = pytest.mark.parametrize("drawn", [compiled, plain])


CASES = [(1, 0.3), (2, 0.5), (3, 1e-6), (7, 0.9), (50, 0.02), (50, 0.41), (1000, 0.5), (1000, 0.021), (1000, 1 - 1e-3)]


@both_paths
@pytest.mark.parametrize(("count", "p"), [*CASES, (5000, 0.3), (5000, 0.999999)])
def test_draws_fit_the_binomial_distribution(drawn, count, p):
    values = drawn(count, p, np.random.default_rng(0).random(60_000))
    assert values.min() >= 0
    assert values.max() <= count
    expected = stats.binom(count, p)
    # Outcomes in groups of at least 20 expected draws, and a chi-square test; one failure in a million by chance.
    low, high = (int(expected.ppf(tail)) for tail in (1e-3, 1 - 1e-3))
    edges = np.unique(np.concatenate([[-1], np.arange(low, high + 1, max(1, (high - low) // 40)), [count]]))
    mass = np.diff(expected.cdf(edges)) * values.size
    seen = np.histogram(values, bins=edges + 0.5)[0]
    common = mass >= 20
    assert (seen[~common] <= mass[~common] + 60).all()
    groups = np.append(seen[common], seen[~common].sum()), np.append(mass[common], mass[~common].sum())
    statistic = ((groups[0] - groups[1]) ** 2 / np.maximum(groups[1], 1e-9))[groups[1] > 5].sum()
    assert stats.chi2.sf(statistic, max(1, (groups[1] > 5).sum() - 1)) > 1e-6


@both_paths
@pytest.mark.parametrize(("count", "p"), CASES)
def test_every_outcome_gets_its_share_of_the_unit_interval(drawn, count, p):
    """Inversion is exact: an even grid of u gives each outcome its probability, to the grid's width."""
    n = 200_000
    share = np.bincount(drawn(count, p, (np.arange(n) + 0.5) / n), minlength=count + 1) / n
    np.testing.assert_allclose(share, stats.binom(count, p).pmf(np.arange(count + 1)), atol=2.5 / n, rtol=1e-9)


@both_paths
def test_certain_ends_stay_within_bounds(drawn):
    for count, p in CASES:
        values = drawn(count, p, np.array([0.0, np.nextafter(1.0, 0.0)]))
        assert (values >= 0).all()
        assert (values <= count).all()


def test_random_bits_are_the_same_in_kernels_and_numpy():
    states = np.random.default_rng(0).integers(0, 2**64, 100, dtype=np.uint64)
    np.testing.assert_array_equal(row_streams.mixed(states), [mixed(state) for state in states])
    for n in (1, 7, 40_000):
        numbers = row_streams.row_uniforms(states, n, stream=3)
        np.testing.assert_array_equal(numbers, row_streams.row_uniforms(states, n, stream=3, compiled=True))


def test_streams_are_even_and_neighbouring_ones_are_independent():
    step = np.uint64(0x9E3779B97F4A7C15)
    with np.errstate(over="ignore"):
        streams = [
            [float(mixed(np.uint64(seed) + np.uint64(k) * step) >> np.uint64(11)) * 2.0**-53 for k in range(4000)]
            for seed in (1, 2)
        ]
    for stream in streams:
        assert stats.kstest(stream, "uniform").pvalue > 1e-4
        assert abs(np.corrcoef(stream[1:], stream[:-1])[0, 1]) < 0.08
    assert abs(np.corrcoef(*streams)[0, 1]) < 0.08


@pytest.mark.parametrize("known", [False, True])
@pytest.mark.parametrize(("n_labels", "n_samples"), [(1, 7), (4, 1), (6, 300), (9, 1000), (20, 50)])
@pytest.mark.parametrize("factor", [1.0, 300.0])
def test_levels_in_numpy_and_compiled_walks_draw_the_same(n_labels, n_samples, known, factor):
    draws = np.random.default_rng(3)
    model = random_linear(random_graph(n_labels, draws), 60, draws, scale=1.5)
    # Effects that may move a score by hundreds are added to scores, others multiply odds.
    model = replace(model, parent_coef=factor * model.parent_coef, effects=None)
    assert model.along_the_order().of_walks[1] == (factor > 1.0 and n_labels > 1)
    model = model.clamp(random_evidence((60, n_labels), draws)) if known else model
    seeds = row_seeds(11, 60)
    found = {}
    for path in ("never", "always"):
        with using_kernels(path):
            counted = model.counted_draws(n_samples, seeds)
            found[path] = (counted, *counted.padded(), *counted.expanded(n_samples, seeds))
    plain, compiled = found["never"], found["always"]
    for name in ("row_starts", "counts", "one_starts", "n_evaluations"):
        np.testing.assert_array_equal(getattr(plain[0], name), getattr(compiled[0], name))
    for mine, theirs in zip(plain[1:], compiled[1:], strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-11, atol=1e-12)
