import math
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np

from plait.experiments.report.dataset_dots import draw_dots
from plait.experiments.report.drawing import BLUE
from plait.experiments.report.outcomes import outcomes_of
from plait.experiments.report.rankings import rank_methods

SVG = "{http://www.w3.org/2000/svg}"


def test_dots_stand_in_order_at_even_scale_and_the_best_is_blue(made_up):
    for metric in ("exact_match", "hamming_loss"):
        ranking = rank_methods(outcomes_of(made_up()), metric)
        root = ElementTree.fromstring(draw_dots(ranking, 1))
        dots = [(float(node.get("cx")), float(node.get("cy")), node.get("fill")) for node in root.iter(f"{SVG}circle")]
        means = sorted(ranking.means[1], reverse=ranking.higher_is_better)
        assert [fill == BLUE for _, _, fill in sorted(dots, key=lambda dot: dot[1])] == [True, False, False]
        x = [place for place, _, _ in dots]
        expected = np.interp(means, np.sort([means[0], means[-1]]), np.sort([x[0], x[-1]]))
        np.testing.assert_allclose(x, expected, rtol=0, atol=0.11)


def test_names_and_values_are_written(made_up):
    ranking = rank_methods(outcomes_of(made_up(methods=("a <b>", "x" * 90))), "exact_match")
    root = ElementTree.fromstring(draw_dots(ranking, 0))
    words = ["".join(node.itertext()) for node in root.iter(f"{SVG}text")]
    assert "a <b>" in words
    assert any("x" * 90 in line and "…" in line for line in words)
    assert f"{ranking.means[0].max():.3f}" in words


def test_equal_values_one_fold_and_nothing(made_up):
    equal = [replace(c, metrics={"exact_match": 0.0}) for c in made_up(folds=1)]
    svg = draw_dots(rank_methods(outcomes_of(equal), "exact_match"), 0)
    assert svg.count("<circle") == 3
    assert "nan" not in svg
    infinite = [replace(c, metrics={"log_loss": math.inf}) for c in made_up()]
    assert draw_dots(rank_methods(outcomes_of(infinite), "log_loss"), 0) == ""
