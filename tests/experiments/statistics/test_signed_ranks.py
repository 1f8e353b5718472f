from itertools import product

import numpy as np
import pytest
from scipy import stats

from plait.core.sentences import ParameterError
from plait.experiments.statistics.signed_ranks import wilcoxon_test


def enumerated(d, zeros):
    """Return R+, R- and the two-sided p by going through all signs."""
    d = np.asarray(d)[np.asarray(d) != 0] if zeros == "drop" else np.asarray(d)
    ranks = stats.rankdata(abs(d))
    half = ranks[d == 0].sum() / 2
    plus, minus = ranks[d > 0].sum() + half, ranks[d < 0].sum() + half
    moved = ranks[d != 0]
    sums = np.array([half + sum(moved[np.array(signs) > 0]) for signs in product((0, 1), repeat=len(moved))])
    total = ranks.sum()
    low = min(plus, minus)
    return plus, minus, np.mean(sums <= low + 1e-9) * 2 if low < total / 2 - 1e-9 else 1.0


@pytest.mark.parametrize("zeros", ["zsplit", "drop"])
def test_sums_and_probability_equal_enumeration(zeros):
    rng = np.random.default_rng(4)
    for _ in range(60):
        d = rng.integers(-4, 6, rng.integers(1, 11)) / 100
        found = wilcoxon_test(d, zeros=zeros)
        plus, minus, p_value = enumerated(d, zeros)
        np.testing.assert_allclose([found.r_plus, found.r_minus], [plus, minus], rtol=1e-12)
        np.testing.assert_allclose(found.p_value, min(1.0, p_value), rtol=1e-10)


def test_without_ties_it_is_scipys_exact_test():
    rng = np.random.default_rng(5)
    for n in (3, 10, 40):
        a, b = rng.normal(size=(2, n)) + np.array([[0.3], [0.0]])
        np.testing.assert_allclose(wilcoxon_test(a, b).p_value, stats.wilcoxon(a, b, method="exact").pvalue, rtol=1e-10)


def test_ten_wins_of_ten():
    # [SCLS table 6]: R+ = 0, N = 10, p = 2 / 2^10.
    found = wilcoxon_test(-np.arange(1.0, 11))
    assert (found.r_plus, found.r_minus, found.n_ranked, found.exact) == (0.0, 55.0, 10, True)
    np.testing.assert_allclose(found.p_value, 1.953125e-3, rtol=1e-12)


def test_the_critical_value_of_ten_pairs_is_eight():
    # [SCLS section 4.3]: significant at 0.05 if the smaller sum is at most 8.
    d = np.arange(1.0, 11)
    eight, nine = d.copy(), d.copy()
    eight[7], nine[8] = -8, -9
    assert wilcoxon_test(eight).p_value < 0.05 < wilcoxon_test(nine).p_value


def test_many_pairs_take_the_normal_approximation_close_to_the_exact_one():
    d = np.random.default_rng(6).normal(0.08, 1.0, 201)
    approximate, exact = wilcoxon_test(d), wilcoxon_test(d[:200])
    assert (approximate.exact, exact.exact) == (False, True)
    np.testing.assert_allclose(exact.p_value, stats.wilcoxon(d[:200], method="approx").pvalue, rtol=0, atol=0.005)
    np.testing.assert_allclose(approximate.p_value, stats.wilcoxon(d, method="approx").pvalue, rtol=1e-10)


def test_decimals_tie_as_printed_and_all_equal_is_no_evidence():
    found = wilcoxon_test([0.3, 0.2, 0.7], [0.2, 0.1, 0.8])
    assert (found.r_plus, found.r_minus) == (4.0, 2.0)
    for zeros, n in (("drop", 0), ("zsplit", 3)):
        same = wilcoxon_test([0.1, 0.2, 0.3], [0.1, 0.2, 0.3], zeros=zeros)
        assert (same.p_value, same.n_ranked, same.r_plus) == (1.0, n, n * (n + 1) / 4)


@pytest.mark.parametrize(
    "call",
    [
        lambda: wilcoxon_test([]),
        lambda: wilcoxon_test([1.0], [1.0, 2.0]),
        lambda: wilcoxon_test([np.nan]),
        lambda: wilcoxon_test([1.0], zeros="pratt"),
    ],
)
def test_bad_input_is_refused(call):
    with pytest.raises(ParameterError, match="wilcoxon_test needs"):
        call()
