"""A graph over labels as SVG: like a tree of folders, as a list with arcs, or by levels from left to right."""

from collections.abc import Sequence
from html import escape

from plait.pictures.graph_layouts import GraphLayout
from plait.pictures.svg import BLUE, GREY, ORANGE, circle, cut_to, ground, path, picture, rectangle, text, text_width

__all__ = ["draw_graph", "graph_html"]

Edges = Sequence[tuple[int, int]]

_EDGE, _LONGEST = 10.0, 190.0
_FOLDER_ROW, _FOLDER_COLUMN = 18.0, 34.0
_ARC_ROW, _ARC_ROOM = 19.0, 260.0
_LEVEL_ROW, _LEVEL_GAP, _PILL = 26.0, 54.0, 20.0
# More edges than this would be a black spot: they are not drawn.
_MOST_EDGES = 2000


def draw_graph(
    layout: GraphLayout,
    edges: Edges,
    names: Sequence[str],
    title: str,
    *,
    strengths: Sequence[float] | None = None,
    shrinks: bool = True,
) -> str:
    """Return the picture of a graph in its natural size.

    Parameters
    ----------
    layout : GraphLayout
        Where the labels stand, and what edges look like.
    edges : sequence of (int, int)
        Parents and children.
    names : sequence of str
        Of the labels; long ones are cut, and whole when the pointer rests on them.
    title : str
        For readers who cannot see the picture.
    strengths : sequence of float, optional
        Of the edges, from 0 to 1: strong ones are wide.
    shrinks : bool, default=True
        Whether the picture shrinks with the page around it.

    Returns
    -------
    str

    Examples
    --------
    >>> from plait.pictures import layout_of
    >>> layout = layout_of([[], [0], [0]], [[1, 2], [], []], [0, 1, 2], True)
    >>> svg = draw_graph(layout, [(0, 1), (0, 2)], ["sea", "sand", "boats"], "what depends on what")
    >>> svg.startswith("<svg"), "boats" in svg
    (True, True)
    """
    drawing = _Drawing(layout, edges, [str(name) for name in names], strengths)
    ways = {"folders": drawing.folders, "arcs": drawing.arcs, "levels": drawing.levels}
    width, height, parts = ways[layout.style]()
    return picture(width, height, parts, title, shrinks=shrinks)


def graph_html(title: str, layout: GraphLayout, edges: Edges, names: Sequence[str]) -> str:
    """Return a heading and the picture for a notebook, in a box that scrolls where there are many labels.

    Parameters
    ----------
    title : str
        The heading.
    layout : GraphLayout
        Where labels stand.
    edges : sequence of (int, int)
        Parents and children.
    names : sequence of str
        Of the labels.

    Returns
    -------
    str

    Examples
    --------
    >>> from plait.pictures import layout_of
    >>> layout = layout_of([[], [0]], [[1], []], [0, 1], True)
    >>> graph_html("A tree over 2 labels", layout, [(0, 1)], ["sea", "sand"])[:56]
    '<div class="plait-graph"><p>A tree over 2 labels</p><div'
    """
    svg = draw_graph(layout, edges, names, title, shrinks=False)
    return (
        f'<div class="plait-graph"><p>{escape(title)}</p><div style="max-height:480px;overflow:auto">{svg}</div></div>'
    )


class _Drawing:
    """The parts of a picture; each style returns width, height and parts."""

    def __init__(
        self, layout: GraphLayout, edges: Edges, names: Sequence[str], strengths: Sequence[float] | None
    ) -> None:
        self.layout, self.names = layout, names
        self.short = [cut_to(name, _LONGEST) for name in names]
        self.widths = [text_width(words) for words in self.short]
        self.entered = {child for _, child in edges}
        self.left_from = {parent for parent, _ in edges}
        self.edges = edges if len(edges) <= _MOST_EDGES else ()
        # Where strengths are not known, all edges are alike.
        self.strengths = [0.5] * len(self.edges) if strengths is None else strengths

    def ink(self, label: int) -> str:
        """Return blue for a label that depends on others, orange where edges only leave, grey where there are none."""
        return BLUE if label in self.entered else ORANGE if label in self.left_from else GREY

    def words(self, label: int, x: float, y: float) -> str:
        """Return the name of a label beside its dot or in its pill."""
        name, short = self.names[label], self.short[label]
        return text(x, y + 4, short, title=name if short != name else "")

    def folders(self) -> tuple[float, float, list[str]]:
        places = [
            (_EDGE + _FOLDER_COLUMN * column, _FOLDER_ROW * (row + 0.5))
            for row, column in zip(self.layout.row_of, self.layout.columns, strict=True)
        ]
        faint = 0.8 if len(self.edges) < 60 else 0.25
        parts = [path(self._bend(places, edge), ink=BLUE, opacity=faint) for edge in self.edges]
        for label in self.layout.rows:
            x, y = places[label]
            parts += [circle(x, y, 3.5, fill=self.ink(label)), self.words(label, x + 7, y)]
        width = max((x + 7 + words for (x, _), words in zip(places, self.widths, strict=True)), default=0.0) + _EDGE
        return width, _FOLDER_ROW * max(len(places), 1), parts

    def _bend(self, places: Sequence[tuple[float, float]], edge: tuple[int, int]) -> str:
        """Return a way along the column of the end on the left and the row of the other, with a head at the child."""
        outer, inner = sorted(edge, key=lambda label: self.layout.columns[label])
        (x1, y1), (x2, y2) = places[outer], places[inner]
        corner = 6 if y2 > y1 else -6
        head = f"M{x2 - 9:g} {y2 - 3:g}l4 3l-4 3" if inner == edge[1] else f"M{x1 - 3:g} {y1 - 9:g}l3 4l3 -4"
        return f"M{x1:g} {y1:g}V{y2 - corner:g}Q{x1:g} {y2:g} {x1 + 6:g} {y2:g}H{x2:g}{head}"

    def arcs(self) -> tuple[float, float, list[str]]:
        """Return a list in the order of the chain; each arc leads down from a parent to a child."""
        rows, n_labels = self.layout.row_of, len(self.short)
        room = min(_ARC_ROOM, 40 + 9.0 * n_labels) if self.edges else 0.0
        left = _EDGE + room
        faint = 0.7 if len(self.edges) < 40 else 0.45 if len(self.edges) < 120 else 0.3
        span = max((abs(rows[child] - rows[parent]) for parent, child in self.edges), default=1)
        parts = []
        for (parent, child), known in zip(self.edges, self.strengths, strict=True):
            top, bottom = (_EDGE + _ARC_ROW * (rows[label] + 0.5) for label in (parent, child))
            depth = left - 8 - 1.25 * room * (abs(rows[child] - rows[parent]) / span) ** 0.8
            ends = f"{depth:.1f} {top:.1f} {depth:.1f} {bottom:.1f}"
            curve = f"M{left - 6:.1f} {top:.1f}C{ends} {left - 6:.1f} {bottom:.1f}"
            parts.append(path(curve, ink=BLUE, width=0.6 + 1.8 * known, opacity=faint * (0.3 + 0.9 * known)))
        for label in self.layout.rows:
            y = _EDGE + _ARC_ROW * (rows[label] + 0.5)
            parts += [circle(left, y, 3.5, fill=self.ink(label)), self.words(label, left + 9, y)]
        return left + 12 + max(self.widths, default=0.0) + _EDGE, 2 * _EDGE + _ARC_ROW * n_labels, parts

    def levels(self) -> tuple[float, float, list[str]]:
        """Return names in pills, column by column, each column as wide as its longest name."""
        columns, widths = self.layout.columns, [width + 16 for width in self.widths]
        lefts = [_EDGE]
        for column in range(max(columns, default=-1) + 1):
            widest = max(width for width, place in zip(widths, columns, strict=True) if place == column)
            lefts.append(lefts[-1] + widest + _LEVEL_GAP)
        places = [
            (lefts[column], _EDGE + _LEVEL_ROW * (row + 0.5))
            for row, column in zip(self.layout.row_of, columns, strict=True)
        ]
        parts = [
            _link(places[parent], widths[parent], places[child], known)
            for (parent, child), known in zip(self.edges, self.strengths, strict=True)
        ]
        for label, (x, y) in enumerate(places):
            ink = BLUE if label in self.entered else ORANGE
            parts.append(ground(x, y - _PILL / 2, widths[label], _PILL))
            parts.append(rectangle(x, y - _PILL / 2, widths[label], _PILL, fill=ink, opacity=0.16, radius=6))
            parts.append(self.words(label, x + 8, y))
        width = max((x + w for (x, _), w in zip(places, widths, strict=True)), default=0.0) + _EDGE
        return width, max((y for _, y in places), default=0.0) + _LEVEL_ROW / 2 + _EDGE, parts


def _link(start: tuple[float, float], width: float, end: tuple[float, float], strength: float) -> str:
    x1, y1, x2, y2 = start[0] + width, start[1], end[0], end[1]
    bend = (x2 - x1) / 2
    head = f"M{x2 - 6:.1f} {y2 - 3.5:.1f}L{x2 - 1:.1f} {y2:.1f}L{x2 - 6:.1f} {y2 + 3.5:.1f}"
    curve = f"M{x1:.1f} {y1:.1f}C{x1 + bend:.1f} {y1:.1f} {x2 - bend:.1f} {y2:.1f} {x2 - 1:.1f} {y2:.1f}"
    return path(curve + head, ink=BLUE, width=0.8 + 1.6 * strength, opacity=0.35 + 0.5 * strength)
