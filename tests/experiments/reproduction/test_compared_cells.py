import numpy as np
import pytest

from plait.experiments.published import published_results
from plait.experiments.reproduction.compared_cells import compare_with_paper, n_printed, tally
from plait.experiments.running.cells import CellResult


def results(dataset, method, values, metric="exact_match"):
    return [CellResult(dataset, method, fold, 0, metrics={metric: value}) for fold, value in enumerate(values)]


def only(cells):
    assert len(cells) == 1
    return cells[0]


def test_the_difference_is_in_deviations_and_in_errors_of_the_difference_beyond_the_rounding_of_print():
    # [OCC table 3], emotions, BR: 0.233 with a standard error of 0.019 over five folds.
    values = [0.25, 0.27, 0.26, 0.28, 0.29]
    cell = only(compare_with_paper("occ", results("emotions", "BR", values)))
    assert (cell.published.mean, cell.published.std, cell.n_parts) == (0.233, 0.019, 5)
    np.testing.assert_allclose(cell.mean, 0.27, rtol=1e-12)
    np.testing.assert_allclose(cell.std, np.std(values, ddof=1), rtol=1e-12)
    gain = 0.27 - 0.233 - 0.0005
    np.testing.assert_allclose(cell.deviations, gain / (0.019 * np.sqrt(5)), rtol=1e-9)
    np.testing.assert_allclose(cell.errors, gain / np.sqrt(0.019**2 + np.var(values, ddof=1) / 5), rtol=1e-9)
    # [SCLS table 2], yeast, AMI: 0.276 with a deviation of 0.006 over ten parts.
    score = next(s for s in published_results("scls") if (s.dataset, s.method) == ("yeast", "AMI"))
    values = list(score.mean - 0.02 + 0.001 * np.arange(10))
    cell = only(compare_with_paper("scls", results("yeast", "AMI", values, score.metric)))
    gain = score.mean - np.mean(values) - 0.0005
    np.testing.assert_allclose(cell.deviations, gain / score.std, rtol=1e-9)
    np.testing.assert_allclose(cell.errors, gain / np.sqrt((score.std**2 + np.var(values, ddof=1)) / 10), rtol=1e-9)


@pytest.mark.parametrize(
    ("mean", "verdict"),
    [(0.511, "within"), (0.6094, "within"), (0.6096, "better"), (0.4126, "within"), (0.4124, "worse")],
)
def test_two_deviations_part_within_from_better_and_worse(mean, verdict):
    # [PACC table 4], emotions, BR: Jaccard accuracy 0.511 with a deviation of 0.049.
    score = next(s for s in published_results("pacc") if (s.dataset, s.metric) == ("emotions", "jaccard_accuracy"))
    assert (score.method, score.mean, score.std) == ("BR", 0.511, 0.049)
    made = results("emotions", "BR", [mean], score.metric)
    assert only(compare_with_paper("pacc", made)).verdict == verdict


def test_smaller_losses_are_better():
    # [PCC table 2], scene, BR: Hamming loss 0.102 with 0.003.
    for loss, verdict in ((0.08, "better"), (0.103, "within"), (0.12, "worse")):
        assert only(compare_with_paper("pcc", results("scene", "BR", [loss], "hamming_loss"))).verdict == verdict


def test_where_no_deviation_is_printed_plaits_own_stands_in():
    # [MC table 3], emotions, BR: CLL-loss 153.5.
    values = [150.0, 160.0, 170.0]
    cell = only(compare_with_paper("mc", results("emotions", "BR", values, "cll_loss")))
    np.testing.assert_allclose(cell.deviations, -(160 - 153.5 - 0.05) / 10.0, rtol=1e-9)
    alone = only(compare_with_paper("mc", results("emotions", "BR", [160.0], "cll_loss")))
    assert np.isnan(alone.deviations)
    assert alone.verdict == "within"


def test_a_printed_deviation_of_zero_is_at_most_what_rounds_to_it():
    zero = next(s for s in published_results("pacc") if s.std == 0.0)
    values = [zero.mean + 0.0014]
    cell = only(compare_with_paper("pacc", results(zero.dataset, zero.method, values, zero.metric)))
    np.testing.assert_allclose(cell.deviations, 0.0009 / 0.0005, rtol=1e-6)


def test_failures_strangers_gaps_and_times_are_left_out():
    failed = [*results("emotions", "BR", [0.2, 0.3]), CellResult("emotions", "BR", 2, 0, error="ValueError: no")]
    assert compare_with_paper("occ", failed) == []
    assert compare_with_paper("occ", results("emotions", "nobody", [0.2])) == []
    assert compare_with_paper("occ", results("emotions", "BR", [np.nan])) == []
    assert compare_with_paper("pcc", results("scene", "BR", [1.0], "fit_seconds")) == []
    assert compare_with_paper("mc", results("enron", "MMOC", [0.2])) == []  # printed as not run


def test_what_cannot_be_compared_is_marked_and_not_counted():
    cells = compare_with_paper("occ", results("langlog", "BR", [0.2]) + results("emotions", "BR", [0.1]))
    assert [cell.comparable for cell in cells] == [True, False]
    count = tally("occ", cells)
    assert (count.within, count.better, count.worse, count.compared, count.share) == (0, 0, 1, 1, 0.0)
    assert (count.printed, count.coverage) == (13 * 7 * 4, 1 / 364)
    assert np.isnan(tally("occ", []).share)
    assert n_printed("pcc") == 92
