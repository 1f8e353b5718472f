import re
from xml.etree import ElementTree

from plait.pictures import draw_lines

WORDS = {"heading": "yeast", "across": "k", "upward": "exact match", "title": "exact match by k"}


def places(svg, kind="circle"):
    found = [e for e in ElementTree.fromstring(svg).iter() if e.tag.endswith(kind)]
    return [(float(e.get("cx")), float(e.get("cy"))) for e in found]


def test_points_lie_in_order_and_larger_numbers_higher():
    svg = draw_lines({"a": [(4, 0.2), (1, 0.3), (2, 0.25)], "b": [(1, 0.1), (4, 0.5)]}, **WORDS)
    first, second = places(svg)[:3], places(svg)[3:]
    assert [x for x, _ in first] == sorted(x for x, _ in first)
    assert [y for _, y in first] == sorted(y for _, y in first)
    assert (first[0][0], first[-1][0]) == (second[0][0], second[-1][0])
    # Even steps upward are even steps of the picture.
    assert abs((first[1][1] - first[0][1]) - (first[2][1] - first[1][1])) < 0.2
    assert "a: 4, 0.2" in svg


def test_names_do_not_cover_each_other_and_one_point_is_enough():
    svg = draw_lines({"one": [(1, 0.5)], "two": [(1, 0.5)]}, **WORDS)
    heights = [float(y) for y, word in re.findall(r'y="([0-9.]+)"[^>]*>(one|two)<', svg)]
    assert len(heights) == 2
    assert abs(heights[0] - heights[1]) >= 12
    assert "nan" not in svg
