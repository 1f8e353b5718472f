import numpy as np
import pytest
from scipy import stats

from plait.core.sentences import ParameterError
from plait.experiments.statistics.friedman import friedman_from_ranks, friedman_test, method_ranks, score_table


@pytest.mark.parametrize(
    ("ranks", "f"),
    [
        ((1.12, 4.52, 3.40, 2.20, 3.76), 62.406),
        ((1.04, 4.00, 2.96, 2.52, 4.48), 63.719),
        ((1.16, 4.00, 2.96, 2.40, 4.48), 54.370),
    ],
)
def test_published_ranks_give_the_published_f(ranks, f):
    # [SCLS table 5], all printed digits.
    found = friedman_from_ranks(ranks, 25)
    assert round(found.f, 3) == f
    assert found.degrees_of_freedom == (4, 96)


@pytest.mark.parametrize(("n_methods", "n_datasets", "critical"), [(5, 25, 2.466), (7, 13, 2.227), (4, 12, 2.892)])
def test_critical_values_of_the_papers(n_methods, n_datasets, critical):
    ranks = [(n_methods + 1) / 2] * n_methods
    np.testing.assert_allclose(friedman_from_ranks(ranks, n_datasets).critical_value(0.05), critical, rtol=0, atol=5e-4)


@pytest.mark.parametrize("levels", [4, 1000])
def test_chi2_is_that_of_scipy_when_ties_are_corrected(levels):
    rng = np.random.default_rng(1)
    for n, k in ((3, 3), (8, 5), (30, 12)):
        scores = rng.integers(0, levels, (n, k)) / levels + 0.1 * np.arange(k) / k * (levels > 4)
        found = friedman_test(scores, correct_ties=True)
        np.testing.assert_allclose(found.chi2, stats.friedmanchisquare(*scores.T).statistic, rtol=1e-10)


def test_f_and_p_follow_the_formula_with_its_cancellation():
    scores = np.random.default_rng(2).normal(size=(9, 4))
    found = friedman_test(scores, higher_is_better=False)
    mean = stats.rankdata(scores, axis=1).mean(axis=0)
    chi2 = 12 * 9 / 20 * ((mean**2).sum() - 4 * 25 / 4)
    f = 8 * chi2 / (9 * 3 - chi2)
    np.testing.assert_allclose([found.chi2, found.f], [chi2, f], rtol=1e-10)
    np.testing.assert_allclose(found.p_value, 1 - stats.f.cdf(f, 3, 24), rtol=1e-9)


def test_perfect_agreement_and_all_tied():
    agree = friedman_test(np.tile([0.1, 0.2, 0.3], (7, 1)))
    assert (agree.f, agree.p_value) == (np.inf, 0.0)
    np.testing.assert_allclose(agree.average_ranks, [3, 2, 1], rtol=0, atol=0)
    for correct_ties in (False, True):
        tied = friedman_test(np.ones((5, 4)), correct_ties=correct_ties)
        assert (tied.chi2, tied.f, tied.p_value) == (0.0, 0.0, 1.0)


@pytest.mark.parametrize(("ranks", "n"), [([1.0, 1.0, 1.0], 5), ([1.5, 1.5], 1), ([1.0], 5), ([[1.0, 2.0]], 5)])
def test_ranks_that_are_none_are_refused(ranks, n):
    with pytest.raises(ParameterError, match="add up to"):
        friedman_from_ranks(ranks, n)


def naive_ranks(row, higher_is_better):
    values = [-v if higher_is_better else v for v in row]
    return [1 + sum(o < v for o in values) + (sum(o == v for o in values) - 1) / 2 for v in values]


@pytest.mark.parametrize("higher_is_better", [True, False])
def test_ranks_count_the_better_and_share_ties(higher_is_better):
    scores = np.random.default_rng(0).integers(0, 5, (40, 6)) / 4
    ranks = method_ranks(scores, higher_is_better=higher_is_better)
    np.testing.assert_allclose(ranks, [naive_ranks(row, higher_is_better) for row in scores], rtol=0, atol=0)
    np.testing.assert_allclose(ranks.sum(axis=1), 6 * 7 / 2, rtol=1e-14)


@pytest.mark.parametrize(
    ("scores", "words"),
    [
        ([0.5, 0.6], "axes"),
        ([[0.5, 0.6]], "at least 2 data sets"),
        ([[0.5], [0.6]], "at least 2 data sets and 2 methods"),
        ([[0.5, 0.6], [0.5, np.nan]], "data set 1 and method 1 is missing"),
    ],
)
def test_bad_tables_are_refused_in_one_sentence(scores, words):
    with pytest.raises(ParameterError, match=words):
        score_table("friedman_test", scores)
