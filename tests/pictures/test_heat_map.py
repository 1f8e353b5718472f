from xml.etree import ElementTree

import numpy as np

from plait.pictures import BLUE, ORANGE, draw_heat_map, draw_number_map

SVG = "{http://www.w3.org/2000/svg}"


def test_the_map_has_a_place_for_each_share_and_deeper_colour_for_more():
    shares = np.array([[0.5, 1, 0], [0.5, 0, 1]])
    svg = draw_heat_map(shares, ["sea", "sun"], ["f1", "f3", "f8"], title="a map", after=" of 2")
    places = [node for node in ElementTree.fromstring(svg).iter(f"{SVG}rect") if node.get("fill") == BLUE]
    titles = {node.find(f"{SVG}title").text: float(node.get("fill-opacity", 1)) for node in places}
    assert titles == {
        "sea, f1: 50% of 2": 0.57,
        "sea, f3: 100% of 2": 1.0,
        "sun, f1: 50% of 2": 0.57,
        "sun, f8: 100% of 2": 1.0,
    }
    x = {node.find(f"{SVG}title").text[:7]: float(node.get("x")) for node in places}
    assert x["sea, f1"] == x["sun, f1"] < x["sea, f3"] < x["sun, f8"]


def test_names_are_escaped_and_whole_where_the_pointer_rests():
    svg = draw_heat_map(np.ones((1, 1)), ["x" * 90], ["<b>"], title="a map")
    words = [node.text for node in ElementTree.fromstring(svg).iter(f"{SVG}title")]
    assert words == ["a map", "<b>", "x" * 90, f"{'x' * 90}, <b>: 100%"]


def test_numbers_stand_in_cells_whose_colour_is_their_share():
    shares, numbers = np.array([[0.0, 1.0]]), [["0.5", "0.7"]]
    svg = draw_number_map(shares, numbers, ["a"], ["b", "c"], note="colour: more", title="a map", ink=ORANGE)
    root = ElementTree.fromstring(svg)
    cells = [float(node.get("fill-opacity")) for node in root.iter(f"{SVG}rect") if node.get("fill") == ORANGE]
    assert cells == [0.06, 0.7]
    assert [node.text for node in root.iter(f"{SVG}text")] == ["b", "c", "a", "0.5", "0.7", "colour: more"]
