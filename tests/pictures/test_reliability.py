from xml.etree import ElementTree

import numpy as np

from plait.pictures import draw_reliability

SVG = "{http://www.w3.org/2000/svg}"


def test_dots_stand_where_bins_are_and_empty_bins_have_none():
    count = np.array([4.0, 0.0, 9.0, 1.0])
    mean, frequency = np.array([0.1, 0.0, 0.6, 0.9]), np.array([0.25, 0.0, 0.5, 1.0])
    svg = draw_reliability(count, mean, frequency, name="a <b>", note="error 0.1", title="a picture")
    root = ElementTree.fromstring(svg)
    dots = np.array([[float(n.get(key)) for key in ("cx", "cy", "r")] for n in root.iter(f"{SVG}circle")])
    np.testing.assert_allclose((dots[:, 0] - 30) / 150, mean[count > 0], rtol=0, atol=1e-3)
    np.testing.assert_allclose(1 - (dots[:, 1] - 38) / 150, frequency[count > 0], rtol=0, atol=1e-3)
    assert np.argsort(dots[:, 2]).tolist() == [2, 0, 1]
    words = ["".join(node.itertext()) for node in root.iter(f"{SVG}text")]
    assert words[:2] == ["a <b>a <b>", "error 0.1"]
