from plait.experiments.reproduction.facts import Figure
from plait.experiments.reproduction.figures import draw_figure, means_table
from plait.experiments.running.cells import CellResult
from plait.pictures.tables import as_text


def made():
    rows = [("yeast", "kCC @ 0", (0.1, 0.2)), ("yeast", "kCC @ 5", (0.3, 0.4)), ("scene", "kCC @ 2", (0.5, 0.5))]
    return [CellResult(d, m, f, 0, metrics={"exact_match": v}) for d, m, both in rows for f, v in enumerate(both)]


def test_each_data_set_has_a_panel_with_the_means():
    svg = draw_figure(made(), Figure("exact_match", "k", "exact match by k"))
    for words, times in (("<circle", 3), ("kCC: 0, 0.15", 1), ("kCC: 5, 0.35", 1), ("kCC: 2, 0.5", 1)):
        assert svg.count(words) == times
    assert draw_figure([], Figure("exact_match", "k", "exact match by k")) == ""


def test_means_have_their_deviations_and_failures_are_left_out():
    failed = CellResult("scene", "kCC @ 9", 0, 0, error="ValueError: no")
    text = as_text(means_table([*made(), failed], ["exact_match"]), 200)
    assert "0.150 ±0.071" in text
    assert "@ 9" not in text
