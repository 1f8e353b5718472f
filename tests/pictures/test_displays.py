"""Displays: pictures that are SVG everywhere, files, and axes of matplotlib."""

from xml.etree import ElementTree

import matplotlib as mpl
import numpy as np
import pytest

from plait.core.sentences import ParameterError
from plait.pictures import BLUE, ORANGE, BarDisplay, BarPanel, draw_signed_bars

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(autouse=True)
def no_window():
    with mpl.rc_context():
        mpl.use("Agg")
        yield


def display():
    return BarDisplay(
        "Row 3", (BarPanel("sets", ["a", "<b>"], [0.7, 0.2]), BarPanel("why", ["x", "y"], [1.5, -0.5], True))
    )


def test_signed_bars_lie_on_their_side_of_zero_and_are_as_long_as_their_values():
    values = [2.0, -1.0, 0.0, 0.5]
    root = ElementTree.fromstring(draw_signed_bars(["a", "b", "c", "<d>"], values, title="why"))
    bars = list(root.iter(f"{SVG}rect"))
    lengths = np.array([float(node.get("width")) for node in bars])
    np.testing.assert_allclose(lengths / lengths.max(), np.abs(values) / 2.0, rtol=0, atol=2e-3)
    zero = float(next(root.iter(f"{SVG}line")).get("x1"))
    starts = [float(node.get("x")) for node in bars]
    np.testing.assert_allclose([starts[0], starts[1] + lengths[1], starts[3]], zero, atol=0.2)
    assert [node.get("fill") for node in bars] == [BLUE, ORANGE, BLUE, BLUE]
    assert "+2.00" in "".join(root.itertext())
    assert "nan" not in draw_signed_bars(["a"], [0.0], title="nothing")


def test_groups_are_one_picture_that_is_a_file_too(tmp_path):
    root = ElementTree.fromstring(display().to_svg())
    assert "".join(root.itertext()).count("<b>") >= 1
    assert len(list(root.iter(f"{SVG}rect"))) == 4
    assert display()._repr_html_() == display().to_svg()
    display().save(tmp_path / "row.svg")
    assert ElementTree.parse(tmp_path / "row.svg").getroot().tag == f"{SVG}svg"
    with pytest.raises(ParameterError, match=r"save needs path to end in \.svg"):
        display().save(tmp_path / "row.png")


def test_matplotlib_draws_the_same_bars():
    axes = display().plot()
    lengths = [[bar.get_width() for bar in one.patches] for one in axes]
    assert lengths == [[0.7, 0.2], [1.5, -0.5]]
    assert [tick.get_text() for tick in axes[0].get_yticklabels()] == ["a", "<b>"]
    one = BarDisplay("Row 3", display().groups[:1])
    assert one.plot(axes[1]) is axes[1]
    mpl.pyplot.close("all")
