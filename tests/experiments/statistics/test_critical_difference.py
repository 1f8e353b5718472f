import itertools

import numpy as np
import pytest
from scipy import integrate, stats

from plait.core.sentences import ParameterError
from plait.experiments.statistics.critical_difference import rank_difference, rank_quantile, undecided_groups

# [Demsar2006, table 5] with the two digits that computation corrects.
NEMENYI = (1.960, 2.344, 2.569, 2.728, 2.850, 2.948, 3.031, 3.102, 3.164)
DUNN = (1.960, 2.241, 2.394, 2.498, 2.576, 2.638, 2.690, 2.734, 2.773)


@pytest.mark.parametrize("k", range(2, 11))
def test_quantiles_are_those_of_the_tables(k):
    np.testing.assert_allclose(rank_quantile(k), NEMENYI[k - 2], rtol=0, atol=6e-4)
    np.testing.assert_allclose(rank_quantile(k, test="bonferroni-dunn"), DUNN[k - 2], rtol=0, atol=6e-4)


@pytest.mark.parametrize("k", [2, 5, 9])
def test_the_studentised_range_of_normal_values_reaches_its_level(k):
    # P(range of k normal values <= w) = k int phi(z) (Phi(z) - Phi(z - w))^(k - 1) dz.
    w = rank_quantile(k, 0.1) * np.sqrt(2)
    norm = stats.norm
    inside = k * integrate.quad(lambda z: norm.pdf(z) * (norm.cdf(z) - norm.cdf(z - w)) ** (k - 1), -9, 14)[0]
    np.testing.assert_allclose(inside, 0.9, rtol=0, atol=1e-6)


@pytest.mark.parametrize(
    ("k", "n", "test", "cd"), [(5, 25, "bonferroni-dunn", 1.117), (7, 13, "nemenyi", 2.499), (4, 12, "nemenyi", 1.354)]
)
def test_differences_of_the_papers(k, n, test, cd):
    np.testing.assert_allclose(rank_difference(k, n, test=test), cd, rtol=0, atol=0.002)


def test_groups_are_the_maximal_sets_closer_than_the_difference():
    rng = np.random.default_rng(3)
    for _ in range(200):
        ranks, cd = rng.integers(2, 20, rng.integers(2, 7)) / 2, rng.choice([0.5, 1.0, 2.0, 2.5, 30.0])
        close = [
            set(s)
            for size in range(2, len(ranks) + 1)
            for s in itertools.combinations(range(len(ranks)), size)
            if np.ptp(ranks[list(s)]) < cd
        ]
        maximal = [s for s in close if not any(s < other for other in close)]
        groups = undecided_groups(ranks, cd)
        assert sorted(map(sorted, groups)) == sorted(map(sorted, maximal))
        assert all(list(ranks[list(g)]) == sorted(ranks[list(g)]) for g in groups)


@pytest.mark.parametrize(
    "call",
    [
        lambda: rank_quantile(1),
        lambda: rank_quantile(3, 0.0),
        lambda: rank_quantile(3, test="holm"),
        lambda: rank_difference(3, 0),
    ],
)
def test_bad_input_is_refused(call):
    with pytest.raises(ParameterError, match="needs"):
        call()
