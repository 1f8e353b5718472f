import sys
from itertools import pairwise

import numpy as np
import pytest

from plait.structure import LabelGraph

matplotlib = pytest.importorskip("matplotlib")
figures = pytest.importorskip("matplotlib.figure")
backend = pytest.importorskip("matplotlib.backends.backend_agg")

GRAPHS = {
    "tree": LabelGraph([[], *([(k - 1) // 2] for k in range(1, 60))]),
    "polytree": LabelGraph([[], [], [0, 1], [2], [], [3, 4]]),
    "chain": LabelGraph([list(range(k)) for k in range(60)]),
    "no edges": LabelGraph([[]] * 14),
    "one label": LabelGraph([[]]),
    "no labels": LabelGraph([]),
}


@pytest.fixture
def pyplot(monkeypatch):
    plt = pytest.importorskip("matplotlib.pyplot")
    plt.switch_backend("agg")
    yield plt
    plt.close("all")


def boxes_of_names(ax):
    canvas = backend.FigureCanvasAgg(ax.figure)
    canvas.draw()
    return {text.get_text(): text.get_window_extent(canvas.get_renderer()) for text in ax.texts}, ax.figure.bbox


@pytest.mark.parametrize("name", GRAPHS)
def test_every_name_is_seen_once_and_none_covers_another(name, pyplot):
    graph = GRAPHS[name]
    names = [f"label number {k}" for k in range(graph.n_labels)]
    ax = graph.plot(names)
    boxes, page = boxes_of_names(ax)
    assert set(boxes) == set(names)
    ordered = sorted(boxes.values(), key=lambda box: -box.y1)
    for box, below in pairwise(ordered):
        assert below.y1 <= box.y0 + 1.5  # pixels
    for box in ordered:
        assert page.x0 <= box.x0 <= box.x1 <= page.x1 + 1.0
        assert page.y0 <= box.y0 <= box.y1 <= page.y1 + 1.0


def test_every_edge_is_drawn(pyplot):
    for graph in GRAPHS.values():
        ax = graph.plot()
        assert len(ax.collections[0].get_paths()) == len(graph.edges)


def test_arrows_end_at_children(pyplot):
    """0 -> 2 <- 1: one head left of label 2 for the parent on its left, one above it for the other parent."""
    ax = LabelGraph([[], [], [0, 1]]).plot()
    heads = {line.get_marker(): line.get_xydata()[0] for line in ax.lines if line.get_marker() in ">v"}
    assert set(heads) == {">", "v"}
    for place in heads.values():
        assert np.abs(place - [1.0, 2.0]).sum() < 0.5


def test_given_axes_are_used_without_pyplot(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    ax = figures.Figure().subplots()
    assert GRAPHS["tree"].plot(ax=ax) is ax
    assert len(ax.texts) == 60


def test_what_is_missing_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises((ImportError, ModuleNotFoundError), match="matplotlib"):
        GRAPHS["tree"].plot()
