from dataclasses import replace
from xml.etree import ElementTree

import numpy as np

from plait.experiments.report.drawing import BLUE
from plait.experiments.report.feature_heat import chosen_features, draw_heat
from plait.experiments.running.cells import CellResult

SVG = "{http://www.w3.org/2000/svg}"


def cell(fold, by_label, shared=False, n_features=9, names=True):
    features = {"shared": shared, "by_label": by_label}
    if names:
        features["names"] = {str(f): f"f{f}" for group in by_label for f in group}
    extras = {"features": features, "n_features": n_features, "label_names": ["sea", "sun"]}
    return CellResult("beach", "occ", fold, 0, extras=extras)


def test_shares_of_parts_by_hand():
    found = chosen_features([cell(0, [[3, 1], [8]]), cell(1, [[3], [1, 8]])])
    assert found.features == ("f1", "f3", "f8")
    np.testing.assert_array_equal(found.shares, [[0.5, 1, 0], [0.5, 0, 1]])
    assert (found.labels, found.n_parts, found.n_kept) == (("sea", "sun"), 2, 1.5)


def test_the_map_has_a_place_for_each_choice_and_deeper_colour_for_more_parts():
    found = chosen_features([cell(0, [[3, 1], [8]]), cell(1, [[3], [1, 8]])])
    svg, words = draw_heat(found, "a map")
    places = [node for node in ElementTree.fromstring(svg).iter(f"{SVG}rect") if node.get("fill") == BLUE]
    titles = {node.find(f"{SVG}title").text: float(node.get("fill-opacity", 1)) for node in places}
    assert titles == {
        "sea, f1: 50% of 2": 0.57,
        "sea, f3: 100% of 2": 1.0,
        "sun, f1: 50% of 2": 0.57,
        "sun, f8: 100% of 2": 1.0,
    }
    assert words.startswith("A label keeps 1.5 of 9 features on average over 2 parts.")


def test_features_for_all_labels_together_and_without_names():
    found = chosen_features([cell(0, [[2, 0]], shared=True, names=False)])
    assert (found.labels, found.features) == (("all labels",), ("feature 0", "feature 2"))
    assert draw_heat(found, "a map")[1].startswith("The model keeps 2 of 9")


def test_nothing_selected_or_all_features_kept_is_no_map():
    assert chosen_features([CellResult("beach", "br", 0, 0)]) is None
    assert chosen_features([cell(0, [[0, 1], [0, 1]], n_features=2)]) is None
    assert chosen_features([cell(0, [[], []])]) is None


def test_many_features_and_labels_are_cut_and_counted(made_up):
    cells = [
        replace(c, extras={**c.extras, "features": {"shared": False, "by_label": [[k, k + 1] for k in range(200)]}})
        for c in made_up(("sea",), ("br",), labels=200)
    ]
    svg, words = draw_heat(chosen_features(cells), "a map")
    assert "Shown are the 60 of 201 chosen ones" in words
    assert "Shown are 60 of 200 labels." in words
    assert svg.count("<text") == 120
