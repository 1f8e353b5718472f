"""The verdict says what the numbers say."""

import numpy as np
from scipy import stats

from plait.experiments.report import outcomes_of, report_contents
from plait.experiments.report.rankings import rank_methods
from plait.experiments.report.score_tables import holm_rows
from plait.experiments.running.cells import CellResult


def cells_of(scores, seconds=None, metric="exact_match"):
    """Return one cell for each row (data set) and column (method)."""
    return [
        CellResult(f"set {d}", f"m{m}", 0, 0, metrics={metric: value}, fit_seconds=(seconds or [1.0] * len(row))[m])
        for d, row in enumerate(scores)
        for m, value in enumerate(row)
    ]


def test_a_clear_winner_is_told_apart_by_both_tests_and_its_cost_is_said():
    chance = np.random.default_rng(0)
    base = chance.uniform(0.3, 0.6, size=12)
    scores = np.column_stack([base, base + 0.1 + 0.01 * chance.random(12), base - 0.05 - 0.01 * chance.random(12)])
    contents = report_contents(outcomes_of(cells_of(scores, [1.0, 5.0, 2.0])))
    first, *others = contents.verdict
    assert first.startswith("m1 is best in exact match, with a mean rank of 1.00 of 3 over 12 data sets: ")
    assert first.endswith("Nemenyi tells it apart from m0 and m2, Wilcoxon with Holm's correction from m0 and m2.")
    assert others == ["A part takes m1 5 s, 5 times as long as m0, the fastest."]


def test_no_difference_is_no_victory():
    scores = np.random.default_rng(1).random((5, 3))
    assert "no difference is shown (Friedman, p = " in report_contents(outcomes_of(cells_of(scores))).verdict[0]


def test_losses_are_best_where_they_are_least_and_ties_are_all_named():
    cells = [
        CellResult(f"set {d}", name, 0, 0, metrics={"exact_match": first, "hamming_loss": loss}, fit_seconds=1.0)
        for d in range(4)
        for name, first, loss in (("a", 0.9, 0.3), ("b", 0.8, 0.1), ("c", 0.7, 0.1))
    ]
    assert report_contents(outcomes_of(cells)).verdict[1] == "Best elsewhere: b and c in hamming loss."


def test_one_data_set_one_method_and_nothing():
    one = report_contents(outcomes_of(cells_of([[0.25, 0.5]]))).verdict[0]
    assert one == "m1 is best in exact match, 0.500 on set 0; one data set allows no rank test."
    assert report_contents(outcomes_of(cells_of([[0.25], [0.5]]))).verdict == []
    assert report_contents(outcomes_of([])).verdict == []


def test_a_control_is_the_one_that_is_told_apart():
    chance = np.random.default_rng(0)
    base = chance.uniform(0.3, 0.6, size=12)
    scores = np.column_stack([base, base + 0.1, base - 0.05]) + 0.001 * chance.random((12, 3))
    first = report_contents(outcomes_of(cells_of(scores)), "m2").verdict[0]
    assert "Bonferroni-Dunn tells m2 apart from m0 and m1" in first


def test_pairs_are_scipys_wilcoxon_corrected():
    scores = np.random.default_rng(2).random((9, 4))
    rows = holm_rows(rank_methods(outcomes_of(cells_of(scores)), "exact_match"), "m1")
    p = [stats.wilcoxon(scores[:, m], scores[:, 1], method="exact").pvalue for m in (0, 2, 3)]
    np.testing.assert_allclose([row.p_value for row in rows], p, rtol=1e-9)
    least = int(np.argmin(p))
    np.testing.assert_allclose(rows[least].corrected, min(1.0, 3 * p[least]), rtol=1e-9)


def test_names_that_hold_commas_are_quoted():
    values = [("pcc, greedy", 0.9, 0.2, 0.5), ("br", 0.8, 0.1, 1.0), ("c and d", 0.7, 0.1, 2.0)]
    cells = [
        CellResult(f"set {d}", name, 0, 0, metrics={"exact_match": first, "hamming_loss": loss}, fit_seconds=seconds)
        for d in range(9)
        for name, first, loss, seconds in values
    ]
    first, other, cost = report_contents(outcomes_of(cells)).verdict
    assert first.startswith('"pcc, greedy" is best in exact match')
    assert first.endswith('Wilcoxon with Holm\'s correction from br and "c and d".')
    assert other == 'Best elsewhere: br and "c and d" in hamming loss.'
    assert cost == 'A part takes "pcc, greedy" 0.5 s, less than any other.'
