import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from plait.experiments.planning.measures import MEASURES
from plait.experiments.report.outcomes import outcomes_of
from plait.experiments.report.rankings import rank_methods
from plait.experiments.report.score_sections import _MEANINGS
from plait.experiments.report.score_tables import direction, metric_table, metric_words, pair_table
from plait.experiments.report.tables import report_contents
from plait.experiments.running.cells import CellResult


def test_every_measure_has_words_and_a_meaning():
    assert len({metric_words(metric) for metric in MEASURES}) == len(MEASURES)
    assert set(_MEANINGS) == set(MEASURES)
    assert (direction("exact_match"), direction("normalized_coverage")) == ("↑", "↓")


def test_the_glance_shows_average_ranks_and_marks_the_least(made_up):
    contents = report_contents(outcomes_of(made_up()))
    table = contents.glance
    assert [row[0].value for row in table.rows] == ["br", "cc", "pcc"]
    for c, ranking in enumerate(contents.rankings, start=1):
        np.testing.assert_array_equal([row[c].value for row in table.rows], ranking.average_ranks)
        assert [row[c].best for row in table.rows] == (ranking.average_ranks == ranking.average_ranks.min()).tolist()


def test_the_glance_of_one_data_set_shows_scores(made_up):
    table = report_contents(outcomes_of(made_up(("sea",)))).glance
    assert table.title == "Scores on sea"
    assert all(not math.isnan(row[1].spread) for row in table.rows)
    assert not table.columns[1].smaller_first
    assert table.columns[2].smaller_first


def test_a_method_without_a_metric_has_an_empty_place_at_a_glance(made_up):
    cells = [replace(c, metrics={"exact_match": 0.5}) if c.method == "cc" else c for c in made_up()]
    row = report_contents(outcomes_of(cells)).glance.rows[1]
    assert [math.isnan(entry.value) for entry in row[1:4]] == [False, True, True]


def test_the_table_of_a_metric_says_how_many_parts_are_there(made_up):
    cells = made_up()
    ranking = rank_methods(outcomes_of([*cells[:3], *cells[4:]], [replace(cells[3], metrics={})]), "exact_match")
    table = metric_table(ranking)
    first = table.rows[0]
    assert first[0].value == "br"
    assert first[2].note == "2/3"
    assert [entry.note for row in table.rows[1:] for entry in row] == [""] * 10
    np.testing.assert_array_equal([row[3].value for row in table.rows], ranking.means[1])


def test_a_method_that_is_not_planned_on_a_data_set_says_so(made_up):
    cells = [c for c in made_up() if (c.dataset, c.method) != ("sun", "cc")]
    table = metric_table(rank_methods(outcomes_of(cells), "exact_match"))
    assert table.rows[1][3].note == "not planned"


@pytest.mark.parametrize("metric", ["exact_match", "hamming_loss"])
def test_pairs_count_wins_and_agree_with_scipy(metric):
    chance = np.random.default_rng(3)
    scores = chance.random((9, 3))
    scores[0, 1] = scores[0, 0]
    cells = [CellResult(f"set {d}", f"m{m}", 0, 0, metrics={metric: scores[d, m]}) for d in range(9) for m in range(3)]
    table = pair_table(rank_methods(outcomes_of(cells), metric, control="m0"))
    assert "against m0 (the control)" in table.title
    sign = 1 if metric == "exact_match" else -1
    for row in table.rows:
        other = sign * (scores[:, int(row[0].value[1])] - scores[:, 0])
        assert [entry.value for entry in row[1:4]] == [(other > 0).sum(), (other == 0).sum(), (other < 0).sum()]
        expected = stats.wilcoxon(other[other != 0], method="exact").pvalue
        np.testing.assert_allclose(row[4].value, expected, rtol=1e-9)
        np.testing.assert_allclose(sum(entry.value for entry in row[6:]), 1.0, rtol=1e-9)
        if abs(row[6].value - row[8].value) > 0.1:
            assert (row[6].value > row[8].value) == (np.median(other) > 0)


def test_pairs_of_a_joint_measure_have_no_region_of_equivalence(made_up):
    ranking = rank_methods(outcomes_of(made_up()), "log_loss")
    assert [column.name for column in pair_table(ranking).columns] == [
        "method",
        "wins",
        "ties",
        "losses",
        "Wilcoxon p",
        "Holm p",
    ]
    assert pair_table(rank_methods(outcomes_of(made_up(("sea",))), "log_loss")) is None
