from xml.etree import ElementTree

import numpy as np

from plait.pictures import ORANGE, draw_bars

SVG = "{http://www.w3.org/2000/svg}"


def test_bars_are_as_long_as_their_values_and_everything_lies_inside():
    names, values = ["br", "<b>", "x" * 90], [0.2, 0.5, 0.1]
    svg = draw_bars(names, values, title="a picture", inks=["#111", ORANGE, "#333"])
    root = ElementTree.fromstring(svg)
    bars = list(root.iter(f"{SVG}rect"))
    lengths = np.array([float(node.get("width")) for node in bars])
    np.testing.assert_allclose(lengths / lengths.max(), np.array(values) / 0.5, rtol=0, atol=1e-3)
    assert [node.get("fill") for node in bars] == ["#111", ORANGE, "#333"]
    words = ["".join(node.itertext()) for node in root.iter(f"{SVG}text")]
    assert {"br", "<b>", "0.200", "0.500"} <= set(words)
    width = float(root.get("viewBox").split()[2])
    assert max(float(node.get("x")) for node in root.iter(f"{SVG}text")) < width


def test_nothing_and_zeros():
    assert "nan" not in draw_bars(["a", "b"], [0.0, 0.0], title="a picture")
    assert draw_bars([], [], title="a picture").count("<rect") == 0
