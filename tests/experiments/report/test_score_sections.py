import re
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np

from plait.experiments.report.outcomes import outcomes_of
from plait.experiments.report.rankings import rank_methods
from plait.experiments.report.score_sections import draw_time_scatter
from plait.pictures.svg import BLUE

SVG = "{http://www.w3.org/2000/svg}"


def drawn(cells, metric="exact_match"):
    outcomes = outcomes_of(cells)
    return draw_time_scatter(rank_methods(outcomes, metric), outcomes)


def test_dots_say_mean_score_and_geometric_mean_of_seconds(made_up):
    cells = [
        replace(c, fit_seconds={"sea": 1.0, "sun": 100.0, "sand": 10.0}[c.dataset], predict_seconds=0.0)
        for c in made_up()
    ]
    root = ElementTree.fromstring(drawn(cells))
    titles = [node.find(f"{SVG}title").text for node in root.iter(f"{SVG}circle")]
    means = {m: np.mean([c.metrics["exact_match"] for c in cells if c.method == m]) for m in ("br", "cc", "pcc")}
    assert titles == [f"{method}: {mean:.4g}, 10 s" for method, mean in means.items()]
    # All take the same time, so only the best is unbeaten.
    blue = [node.get("fill") == BLUE for node in root.iter(f"{SVG}circle")]
    assert blue == [mean == max(means.values()) for mean in means.values()]


def test_without_a_number_there_is_no_picture(made_up):
    cells = [replace(c, metrics={"log_loss": float("inf")}) for c in made_up()]
    assert drawn(cells, "log_loss") == ""


def test_one_method_on_one_data_set_and_many_methods(made_up):
    one = drawn(made_up(("sea",), ("br",)))
    assert "sea" in one
    assert one.count("<circle") == 1
    many = drawn(made_up(("sea", "sun"), tuple(f"method {k}" for k in range(50))))
    assert many.count("<circle") == 50
    assert not re.search(r'"[^"]*nan', many)
