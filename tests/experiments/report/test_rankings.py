import math
from dataclasses import replace
from statistics import mean, stdev

import numpy as np
import pytest

from plait.experiments.report.outcomes import outcomes_of
from plait.experiments.report.rankings import rank_methods
from plait.experiments.running.cells import CellResult


def cells_of(table, metric="exact_match"):
    """Return cells from {(data set, method): values of the folds}."""
    return [
        CellResult(dataset, method, fold, 0, metrics={metric: value})
        for (dataset, method), values in table.items()
        for fold, value in enumerate(values)
    ]


def test_means_and_spreads_against_the_standard_library(made_up):
    cells = made_up()
    found = rank_methods(outcomes_of(cells), "exact_match")
    for d, dataset in enumerate(found.datasets):
        for m, method in enumerate(found.methods):
            values = [c.metrics["exact_match"] for c in cells if (c.dataset, c.method) == (dataset, method)]
            np.testing.assert_allclose(found.means[d, m], mean(values), rtol=1e-12)
            np.testing.assert_allclose(found.spreads[d, m], stdev(values), rtol=1e-9)
    assert found.complete.all()
    assert found.notes == []


def test_ranks_by_hand_and_the_best_of_a_loss_is_the_least():
    table = {("sea", "br"): [3.0], ("sea", "cc"): [1.0], ("sun", "br"): [2.0], ("sun", "cc"): [2.0]}
    loss = rank_methods(outcomes_of(cells_of(table, "cll_loss")), "cll_loss")
    np.testing.assert_array_equal(loss.ranks, [[2, 1], [1.5, 1.5]])
    np.testing.assert_array_equal(loss.best, [[False, True], [True, True]])
    score = rank_methods(outcomes_of(cells_of(table)), "exact_match")
    np.testing.assert_array_equal(score.average_ranks, [1.25, 1.75])


def test_an_unfinished_method_takes_no_prize_and_its_data_set_no_part_in_the_test():
    table = {(d, m): [0.5, 0.6] for d in ("sea", "sun", "sand") for m in ("br", "cc")}
    table["sand", "br"] = [0.9]
    missing = [CellResult("sand", "br", 1, 0)]
    found = rank_methods(outcomes_of(cells_of(table), missing), "exact_match")
    np.testing.assert_array_equal(found.complete, [True, True, False])
    np.testing.assert_array_equal(found.best[2], [False, True])
    assert math.isnan(found.spreads[2, 0])
    assert found.comparison.friedman.n_datasets == 2
    assert found.notes == ["Ranks are over 2 of 3 data sets, those that every method has finished; not sand."]


def test_a_value_that_is_no_number_counts_as_missing():
    table = {(d, m): [0.5, 0.6] for d in ("sea", "sun") for m in ("br", "cc")}
    table["sea", "br"] = [0.5, math.nan]
    found = rank_methods(outcomes_of(cells_of(table)), "exact_match")
    assert (found.counts[0, 0], found.planned[0, 0], found.means[0, 0]) == (1, 2, 0.5)
    np.testing.assert_array_equal(found.complete, [False, True])
    assert "two complete data sets, and one is complete" in found.no_test


def test_an_infinite_loss_is_the_worst_and_has_no_spread():
    table = {("sea", "br"): [1.0, math.inf], ("sea", "cc"): [5.0, 6.0], ("sun", "br"): [1.0, 2.0]}
    table["sun", "cc"] = [2.0, 3.0]
    found = rank_methods(outcomes_of(cells_of(table, "log_loss")), "log_loss")
    assert found.means[0, 0] == math.inf
    assert math.isnan(found.spreads[0, 0])
    np.testing.assert_array_equal(found.ranks, [[2, 1], [1, 2]])
    np.testing.assert_array_equal(found.best[0], [False, True])


def test_a_method_that_never_gives_the_metric_is_left_out_by_name(made_up):
    cells = [replace(c, metrics={"exact_match": 0.5}) if c.method == "cc" else c for c in made_up()]
    found = rank_methods(outcomes_of(cells), "log_loss", control="cc")
    assert (found.methods, found.without) == (("br", "pcc"), ("cc",))
    assert found.notes == ["cc gives no such value.", "The control cc is not among them: all pairs are compared."]
    assert found.comparison.control is None


@pytest.mark.parametrize(
    ("datasets", "methods", "words"),
    [(("sea",), ("br", "cc"), "at least two data sets, and there is one"), (("sea", "sun"), ("br",), "two methods")],
)
def test_why_there_is_no_test(made_up, datasets, methods, words):
    found = rank_methods(outcomes_of(made_up(datasets, methods)), "exact_match")
    assert found.comparison is None
    assert words in found.no_test
    assert found.best.any(axis=1).all()


def test_a_control_makes_the_test_one_against_all(made_up):
    found = rank_methods(outcomes_of(made_up()), "exact_match", control="cc").comparison
    assert (found.test, found.methods[found.control]) == ("Bonferroni-Dunn", "cc")


def test_nothing_at_all():
    found = rank_methods(outcomes_of([]), "exact_match")
    assert found.ranks.shape == (0, 0)
    assert found.best.shape == (0, 0)
    assert found.no_test
