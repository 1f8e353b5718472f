"""Binomial draws against SciPy's distribution, and the streams they come from."""

import numpy as np
import pytest
from numba import njit
from scipy import stats
from scipy.special import gammaln

from plait.joint._sampling_kernels import binomial, mixed

LOG_FACTORIALS = gammaln(np.arange(5002) + 1.0)
INVERSES = np.concatenate([[0.0], 1.0 / np.arange(1, 5002)])


@njit
def binomials(count, p, us, log_factorials, inverses, out):
    for m in range(us.size):
        out[m] = binomial(count, p, us[m], log_factorials, inverses)


def drawn(count, p, n=60_000, seed=0):
    out = np.empty(n, dtype=np.int64)
    binomials(count, p, np.random.default_rng(seed).random(n), LOG_FACTORIALS, INVERSES, out)
    return out


CASES = [(1, 0.3), (2, 0.5), (3, 1e-6), (7, 0.9), (50, 0.02), (50, 0.41), (1000, 0.5), (1000, 0.021), (1000, 1 - 1e-3)]


@pytest.mark.parametrize(("count", "p"), [*CASES, (5000, 0.3), (5000, 0.999999)])
def test_draws_fit_the_binomial_distribution(count, p):
    values = drawn(count, p)
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


@pytest.mark.parametrize(("count", "p"), CASES)
def test_every_outcome_gets_its_share_of_the_unit_interval(count, p):
    """Inversion is exact: an even grid of u gives each outcome its probability, to the grid's width."""
    n = 200_000
    out = np.empty(n, dtype=np.int64)
    binomials(count, p, (np.arange(n) + 0.5) / n, LOG_FACTORIALS, INVERSES, out)
    share = np.bincount(out, minlength=count + 1) / n
    np.testing.assert_allclose(share, stats.binom(count, p).pmf(np.arange(count + 1)), atol=2.5 / n, rtol=1e-9)


def test_certain_ends_stay_within_bounds():
    for u in (0.0, np.nextafter(1.0, 0.0)):
        for count, p in CASES:
            assert 0 <= binomial(count, p, u, LOG_FACTORIALS, INVERSES) <= count


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
