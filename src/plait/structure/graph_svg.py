"""A graph over labels as a small picture for notebooks: SVG that needs nothing from outside."""

from collections.abc import Sequence
from html import escape

from plait.core.text_bars import shortened
from plait.structure.graph_layout import GraphLayout

__all__ = ["graph_html"]

# Pixels.
_ROW, _COLUMN, _CHARACTER, _ARCS, _EDGE = 18, 34, 7, 170, 8
# More edges than this are counted, not drawn.
_MOST_EDGES = 2000
_BLUE, _ORANGE, _GREY = "#5b8def", "#e08214", "#9aa5b1"


def graph_html(title: str, layout: GraphLayout, edges: Sequence[tuple[int, int]], names: Sequence[str]) -> str:
    """Return a heading and the picture, in a box that scrolls where there are many labels."""
    shown = edges if len(edges) <= _MOST_EDGES else ()
    left = _EDGE + (_ARCS if layout.arcs and shown else 0)
    short = [shortened(str(name)) for name in names]
    spread = _COLUMN * (layout.n_columns - 1) + _CHARACTER * max((len(name) for name in short), default=0)
    width, height = left + spread + 3 * _EDGE, _ROW * max(len(short), 1)
    rows, way = layout.row_of, _arc if layout.arcs else _line
    lines = [way(layout, rows, edge, left) for edge in shown]
    # Colours of text come from the notebook, so that the picture fits light and dark themes.
    return (
        f'<div class="plait-graph"><p>{escape(title)}</p><div style="max-height:480px;overflow:auto">'
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        'font-family="sans-serif" font-size="12" role="img">'
        f'<g fill="none" stroke="{_BLUE}" stroke-opacity="{0.8 if len(shown) < 60 else 0.25}">{"".join(lines)}</g>'
        f"{''.join(_dots(layout, edges, short, left))}</svg></div></div>"
    )


def _middle(row: int) -> float:
    return _ROW * (row + 0.5)


def _dots(layout: GraphLayout, edges: Sequence[tuple[int, int]], names: Sequence[str], left: int) -> list[str]:
    leaving, entering = {parent for parent, _ in edges}, {child for _, child in edges}
    dots = []
    for row, label in enumerate(layout.rows):
        colour = _BLUE if label in entering else _ORANGE if label in leaving else _GREY
        x, y = left + _COLUMN * layout.columns[label], _middle(row)
        dots.append(
            f'<circle cx="{x}" cy="{y:g}" r="3.5" fill="{colour}"/>'
            f'<text x="{x + 7}" y="{y + 4:g}" fill="currentColor">{escape(names[label])}</text>'
        )
    return dots


def _line(layout: GraphLayout, rows: Sequence[int], edge: tuple[int, int], left: int) -> str:
    """Return a way along the column of the end on the left and the row of the other, with a head at the child."""
    outer, inner = sorted(edge, key=lambda label: layout.columns[label])
    x1, y1 = left + _COLUMN * layout.columns[outer], _middle(rows[outer])
    x2, y2 = left + _COLUMN * layout.columns[inner], _middle(rows[inner])
    corner = 6 if y2 > y1 else -6
    head = f"M{x2 - 9} {y2 - 3:g}l4 3l-4 3" if inner == edge[1] else f"M{x1 - 3} {y1 - 9:g}l3 4l3 -4"
    return f'<path d="M{x1} {y1:g}V{y2 - corner:g}Q{x1} {y2:g} {x1 + 6} {y2:g}H{x2}{head}"/>'


def _arc(layout: GraphLayout, rows: Sequence[int], edge: tuple[int, int], left: int) -> str:
    top, bottom = _middle(rows[edge[0]]), _middle(rows[edge[1]])
    depth = left - 1.3 * _ARCS * ((bottom - top) / (_ROW * max(len(rows) - 1, 1))) ** 0.7
    return f'<path d="M{left} {top:g}C{depth:.1f} {top:g} {depth:.1f} {bottom:g} {left} {bottom:g}"/>'
