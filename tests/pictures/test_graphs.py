from xml.etree import ElementTree

import pytest

from plait.core.sentences import ParameterError
from plait.pictures import BLUE, GREY, ORANGE, draw_graph, layout_of, level_layout
from plait.structure import LabelGraph

SVG = "{http://www.w3.org/2000/svg}"
NAMES = ["sea", "<b>sun</b>", "数据", "x" * 80, "sand", "wind"]
TREE = LabelGraph([[], [0], [0], [1], [1], [2]])
CHAIN = LabelGraph([list(range(k)) for k in range(6)])
LAYOUTS = {
    "folders": (TREE, layout_of(TREE.parents, TREE.children, TREE.order, True)),
    "arcs": (CHAIN, layout_of(CHAIN.parents, CHAIN.children, CHAIN.order, False)),
    "levels": (TREE, level_layout(TREE.parents)),
}


@pytest.mark.parametrize("style", LAYOUTS)
def test_every_label_is_named_and_every_edge_drawn_inside_the_picture(style):
    graph, layout = LAYOUTS[style]
    assert layout.style == style
    root = ElementTree.fromstring(draw_graph(layout, graph.edges, NAMES, "a graph"))
    words = ["".join(node.itertext()) for node in root.iter(f"{SVG}text")]
    assert [name in words for name in NAMES] == [True, True, True, False, True, True]
    assert any("x" * 80 in line for line in words)  # the whole name when the pointer rests on it
    assert len(list(root.iter(f"{SVG}path"))) == len(graph.edges)
    width, height = map(float, root.get("viewBox").split()[2:])
    for node in root.iter(f"{SVG}text"):
        assert 0 < float(node.get("x")) < width
        assert 0 < float(node.get("y")) < height


@pytest.mark.parametrize("style", ["arcs", "levels"])
def test_strong_links_are_wider_only_where_strengths_are_known(style):
    graph, layout = LAYOUTS[style]

    def widths(strengths=None):
        root = ElementTree.fromstring(draw_graph(layout, graph.edges, NAMES, "a graph", strengths=strengths))
        return {node.get("stroke-width") for node in root.iter(f"{SVG}path")}

    n_edges = len(graph.edges)
    assert len(widths()) == 1
    assert len(widths([(k + 1) / n_edges for k in range(n_edges)])) == n_edges


def test_colours_say_what_a_label_depends_on():
    graph = LabelGraph([[], [0], []])
    root = ElementTree.fromstring(draw_graph(graph._layout(), graph.edges, ["a", "b", "c"], "a graph"))
    assert [node.get("fill") for node in root.iter(f"{SVG}circle")] == [ORANGE, BLUE, GREY]


# What notebooks show.

GRAPHS = [
    LabelGraph([[], [0], [1], [1]]),
    LabelGraph([[], [], [0, 1], [2]]),
    LabelGraph([[], [0], [0, 1]]),
    LabelGraph([[]]),
    LabelGraph([]),
]


def parsed(html):
    # What a strict parser of XML reads, a browser does too.
    return ElementTree.fromstring(html)


@pytest.mark.parametrize("graph", GRAPHS, ids=repr)
def test_one_dot_and_name_for_each_label_and_one_way_for_each_edge(graph):
    root = parsed(graph._repr_html_())
    assert [text.text for text in root.iter(f"{SVG}text")] == [str(k) for k in graph._layout().rows]
    assert len(list(root.iter(f"{SVG}circle"))) == graph.n_labels
    assert len(list(root.iter(f"{SVG}path"))) == len(graph.edges)


def test_everything_lies_inside():
    for graph in GRAPHS:
        svg = next(parsed(graph.to_html(["a rather long name"] * graph.n_labels)).iter(f"{SVG}svg"))
        for circle in svg.iter(f"{SVG}circle"):
            assert 0 < float(circle.get("cx")) < float(svg.get("width"))
            assert 0 < float(circle.get("cy")) < float(svg.get("height"))


def test_names_are_escaped():
    html = LabelGraph([[], [0]]).to_html(["<script>alert(1)</script>", 'a & "b"'])
    assert "<script>" not in html
    assert [text.text for text in parsed(html).iter(f"{SVG}text")] == ["<script>alert(1)</script>", 'a & "b"']


def test_nothing_is_loaded_from_outside():
    html = GRAPHS[1]._repr_html_()
    assert "href" not in html
    assert "src=" not in html


def test_very_many_edges_are_counted_and_not_drawn():
    html = LabelGraph([list(range(k)) for k in range(100)])._repr_html_()
    assert "100 labels, 4950 edges" in html
    assert "<path" not in html
    assert html.count("<circle") == 100


def test_wrong_number_of_names():
    with pytest.raises(ParameterError, match="label_names to hold 1 names, but it holds 2"):
        LabelGraph([[]]).to_html(["a", "b"])
