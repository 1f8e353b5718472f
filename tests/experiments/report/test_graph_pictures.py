from xml.etree import ElementTree

import pytest

from plait.experiments.report.graph_choice import choose_labels
from plait.experiments.report.graph_pictures import draw_graph

SVG = "{http://www.w3.org/2000/svg}"
NAMES = ["sea", "<b>sun</b>", "数据", "x" * 80, "sand", "wind"]
TREE = {"parents": [[], [0], [0], [1], [1], [2]]}
CHAIN = {"parents": [list(range(k)) for k in range(6)]}


@pytest.mark.parametrize("graph", [TREE, CHAIN])
def test_every_label_is_named_and_every_edge_drawn_inside_the_picture(graph):
    shown = choose_labels(graph)
    root = ElementTree.fromstring(draw_graph(shown, NAMES, "a graph"))
    words = ["".join(node.itertext()) for node in root.iter(f"{SVG}text")]
    assert [name in words for name in NAMES] == [True, True, True, False, True, True]
    assert any("x" * 80 in line for line in words)  # the whole name when the pointer rests on it
    assert len(list(root.iter(f"{SVG}path"))) == len(shown.edges)
    width, height = map(float, root.get("viewBox").split()[2:])
    for node in root.iter(f"{SVG}text"):
        assert 0 < float(node.get("x")) < width
        assert 0 < float(node.get("y")) < height


def test_strong_links_are_wider_only_where_strengths_are_known():
    def widths(graph):
        root = ElementTree.fromstring(draw_graph(choose_labels(graph), NAMES, "a graph"))
        return {node.get("stroke-width") for node in root.iter(f"{SVG}path")}

    assert len(widths(TREE)) == 1
    assert len(widths({**TREE, "strengths": [[], [1.0], [2.0], [3.0], [4.0], [5.0]]})) == 5
