"""A graph over labels drawn into the axes of matplotlib, where it is installed."""

from collections.abc import Sequence
from typing import Any

from plait.core.extras import optional
from plait.pictures.graph_layouts import GraphLayout
from plait.pictures.text_bars import shortened

__all__ = ["plot_graph"]

# Dark blue and orange are told apart by colour-blind readers and in grey print.
_BLUE, _ORANGE, _GREY = "#1f4e8c", "#e08214", "#9aa5b1"
_ROW_INCHES, _COLUMN_INCHES, _CHARACTER_INCHES = 0.21, 0.42, 0.085
_ARC_INCHES = 3.4


def plot_graph(layout: GraphLayout, edges: Sequence[tuple[int, int]], names: Sequence[str], ax: Any = None) -> Any:
    """Draw a graph into given axes, or into a new figure of a size at which names can be read; return the axes.

    Parameters
    ----------
    layout : GraphLayout
        Where the labels stand, and what edges look like.
    edges : sequence of (int, int)
        Parents and children.
    names : sequence of str
        Of the labels; long ones are cut.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from plait.pictures import layout_of
    >>> layout = layout_of([[], [0]], [[1], []], [0, 1], True)
    >>> axes = plot_graph(layout, [(0, 1)], ["sea", "sand"], Figure().subplots())
    >>> [words.get_text() for words in axes.texts]
    ['sea', 'sand']
    """
    names = [shortened(name) for name in names]
    wide = _ARC_INCHES if layout.style == "arcs" else _COLUMN_INCHES * (layout.n_columns - 1)
    text = _CHARACTER_INCHES * max((len(name) for name in names), default=0) + 0.3
    if ax is None:
        pyplot = optional("matplotlib.pyplot", extra="plots", purpose="pictures")
        size = (max(wide + text, 2.0) + 0.3, _ROW_INCHES * max(len(names), 3) + 0.3)
        ax = pyplot.subplots(figsize=size, layout="constrained")[1]
    _draw_arcs(ax, layout, edges) if layout.style == "arcs" else _draw_lines(ax, layout, edges)
    _draw_labels(ax, layout, edges, names)
    left, scale = (-1.05, _ARC_INCHES) if layout.style == "arcs" else (-0.3, _COLUMN_INCHES)
    ax.set_xlim(left, layout.n_columns - 1 + text / scale)
    ax.set_ylim(len(names) - 0.3, -0.7)
    ax.set_axis_off()
    return ax


def _draw_labels(ax: Any, layout: GraphLayout, edges: Sequence[tuple[int, int]], names: Sequence[str]) -> None:
    """Draw a dot and a name for every label: orange where edges only leave, grey where there are none."""
    effects = optional("matplotlib.patheffects", extra="plots", purpose="pictures")
    halo = [effects.withStroke(linewidth=2.5, foreground=ax.get_facecolor())]
    leaving, entering = {parent for parent, _ in edges}, {child for _, child in edges}
    for row, label in enumerate(layout.rows):
        colour = _BLUE if label in entering else _ORANGE if label in leaving else _GREY
        ax.plot(layout.columns[label], row, "o", color=colour, markersize=5, zorder=3)
        ax.annotate(
            names[label],
            (layout.columns[label], row),
            (6, 0),
            textcoords="offset points",
            va="center",
            fontsize=9,
            color=_GREY if colour == _GREY else "black",
            path_effects=halo,
            zorder=4,
        )


def _draw_lines(ax: Any, layout: GraphLayout, edges: Sequence[tuple[int, int]]) -> None:
    """Draw edges along the column of the end further to the left and the row of the other, with a head at the child."""
    rows, curves = layout.row_of, []
    for parent, child in edges:
        left, right = (parent, child) if layout.columns[parent] < layout.columns[child] else (child, parent)
        (x, y), (end, row) = (layout.columns[left], rows[left]), (layout.columns[right], rows[right])
        corner = row - 0.6 if row > y else row + 0.6
        curves.append([(x, y), (x, corner), (x, row), (x + 0.3, row), (end, row)])
        place, head = ((end - 0.17, row), ">") if right == child else ((x, y - 0.36), "v")
        ax.plot(*place, head, color=_BLUE, alpha=0.75, markersize=4, zorder=2)
    _add_curves(ax, curves, [1, 2, 3, 3, 2], alpha=0.75)


def _draw_arcs(ax: Any, layout: GraphLayout, edges: Sequence[tuple[int, int]]) -> None:
    """Draw edges as arcs to the left of the list, further out for labels further apart; all lead downward."""
    rows = layout.row_of
    curves = []
    for parent, child in edges:
        top, bottom = rows[parent], rows[child]
        depth = -1.33 * ((bottom - top) / max(len(rows) - 1, 1)) ** 0.7
        curves.append([(0.0, top), (depth, top), (depth, bottom), (0.0, bottom)])
    _add_curves(ax, curves, [1, 4, 4, 4], alpha=max(0.08, min(0.75, 12.0 / max(len(edges), 1) ** 0.6)))


def _add_curves(ax: Any, curves: list[Any], codes: list[int], alpha: float) -> None:
    paths = optional("matplotlib.path", extra="plots", purpose="pictures")
    collections = optional("matplotlib.collections", extra="plots", purpose="pictures")
    shapes = [paths.Path(points, codes) for points in curves]
    lines = collections.PathCollection(
        shapes, facecolors="none", edgecolors=_BLUE, linewidths=1.0, alpha=alpha, zorder=1
    )
    ax.add_collection(lines)
