import math
from xml.etree import ElementTree

import numpy as np
import pytest

from plait.pictures import BLUE, draw_dots

SVG = "{http://www.w3.org/2000/svg}"


def drawn(names, means, spreads=None, higher=True):
    means = np.asarray(means, float)
    spreads = np.full(len(means), math.nan) if spreads is None else np.asarray(spreads, float)
    best = means == (means.max() if higher else means.min())
    return draw_dots(names, means, spreads, best, heading="score", title="a picture", higher_is_better=higher)


@pytest.mark.parametrize("higher", [True, False])
def test_dots_stand_in_order_at_even_scale_and_the_best_is_blue(higher):
    means = [0.4, 0.75, 0.5]
    root = ElementTree.fromstring(drawn(["a", "b", "c"], means, [0.01, 0.02, 0.03], higher))
    dots = [(float(node.get("cx")), float(node.get("cy")), node.get("fill")) for node in root.iter(f"{SVG}circle")]
    assert [fill == BLUE for _, _, fill in sorted(dots, key=lambda dot: dot[1])] == [True, False, False]
    x = [place for place, _, _ in dots]
    ordered = sorted(means, reverse=higher)
    expected = np.interp(ordered, np.sort([ordered[0], ordered[-1]]), np.sort([x[0], x[-1]]))
    np.testing.assert_allclose(x, expected, rtol=0, atol=0.11)
    # Lines reach one spread to either side.
    lines = [n for n in root.iter(f"{SVG}line") if n.get("stroke-width") == "2"]
    scale = (max(x) - min(x)) / 0.35
    lengths = sorted(float(n.get("x2")) - float(n.get("x1")) for n in lines)
    np.testing.assert_allclose(lengths, scale * np.array([0.02, 0.04, 0.06]), rtol=0, atol=0.21)


def test_names_and_values_are_written():
    root = ElementTree.fromstring(drawn(["a <b>", "x" * 90], [0.25, 0.5]))
    words = ["".join(node.itertext()) for node in root.iter(f"{SVG}text")]
    assert "a <b>" in words
    assert any("x" * 90 in line and "…" in line for line in words)
    assert "0.500" in words


def test_equal_values_and_nothing():
    svg = drawn(["a", "b", "c"], [0.0, 0.0, 0.0])
    assert svg.count("<circle") == 3
    assert "nan" not in svg
    assert drawn(["a"], [math.inf]) == ""
