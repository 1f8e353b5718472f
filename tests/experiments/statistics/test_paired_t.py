import numpy as np
import pytest
from scipy import stats

from plait.core.sentences import ParameterError
from plait.experiments.statistics.paired_t import paired_t_test, wins_ties_losses


def test_t_and_p_are_scipys():
    rng = np.random.default_rng(7)
    for _ in range(20):
        a, b = rng.normal(size=(2, 10))
        found, theirs = paired_t_test(a, b), stats.ttest_rel(a, b)
        np.testing.assert_allclose([found.t, found.p_value], [theirs.statistic, theirs.pvalue], rtol=1e-10)


def test_the_outcome_is_from_the_side_of_the_first():
    good, bad = np.array([0.8, 0.82, 0.81, 0.79]), np.array([0.7, 0.71, 0.72, 0.69])
    assert paired_t_test(good, bad).outcome == "win"
    assert paired_t_test(bad, good).outcome == "loss"
    assert paired_t_test(good, bad, higher_is_better=False).outcome == "loss"
    assert paired_t_test(good, bad, alpha=1e-9).outcome == "tie"


def test_no_variance_is_decided_by_the_sign():
    a = np.array([0.1, 0.2, 0.3])
    assert paired_t_test(a, a).outcome == "tie"
    up = paired_t_test(a + 0.1, a)
    assert (up.outcome, up.p_value, up.t) == ("win", 0.0, np.inf)
    assert paired_t_test(a, a + 0.1).outcome == "loss"
    assert paired_t_test(a + 0.1, a, higher_is_better=False).outcome == "loss"


def test_counts_over_data_sets_leave_out_what_did_not_run():
    rng = np.random.default_rng(8)
    folds = rng.normal(size=(12, 3, 10)) + np.array([0.0, 0.8, -0.8])[None, :, None]
    folds[4, 1] = np.nan
    counts = wins_ties_losses(folds, control=0, higher_is_better=False)
    for other in (1, 2):
        rows = [row for row in folds if not np.isnan(row[other]).any()]
        p = [stats.ttest_rel(row[0], row[other]).pvalue for row in rows]
        better = [row[0].mean() < row[other].mean() for row in rows]
        wins = sum(v < 0.05 and is_better for v, is_better in zip(p, better, strict=True))
        ties = sum(v >= 0.05 for v in p)
        assert counts[other] == (wins, ties, len(rows) - wins - ties)
    assert (sum(counts[1]), sum(counts[2])) == (11, 12)


@pytest.mark.parametrize(
    "call",
    [
        lambda: paired_t_test([1.0], [1.0]),
        lambda: paired_t_test([1.0, 2.0], [1.0]),
        lambda: paired_t_test([1.0, np.nan], [1.0, 2.0]),
        lambda: wins_ties_losses([[1.0, 2.0]]),
        lambda: wins_ties_losses(np.ones((2, 2, 3)), control=2),
    ],
)
def test_bad_input_is_refused(call):
    with pytest.raises(ParameterError, match="needs"):
        call()
