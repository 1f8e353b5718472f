"""A learned label graph: by levels from left to right where it is sparse, as a list with arcs where it is a chain."""

from collections.abc import Sequence

from plait.experiments.report.drawing import (
    BLUE,
    ORANGE,
    circle,
    cut_to,
    ground,
    path,
    picture,
    rectangle,
    text,
    text_width,
)
from plait.experiments.report.graph_choice import ShownGraph
from plait.experiments.report.graph_levels import level_places

__all__ = ["draw_graph"]

_ROW, _GAP, _EDGE, _LONGEST, _PILL = 26.0, 54.0, 10.0, 190.0, 20.0
_ARC_ROW, _ARC_ROOM = 19.0, 260.0


def draw_graph(shown: ShownGraph, names: Sequence[str], title: str) -> str:
    """Return the picture of a graph in its natural size; `names` are those of all labels."""
    if shown.is_dense:
        return _draw_arcs(shown, names, title)
    return _draw_levels(shown, names, title)


def _draw_levels(shown: ShownGraph, names: Sequence[str], title: str) -> str:
    number = {label: place for place, label in enumerate(shown.labels)}
    parents: list[list[int]] = [[] for _ in shown.labels]
    for parent, child, _ in shown.edges:
        parents[number[child]].append(number[parent])
    columns, rows = level_places(parents)
    known = shown.has_strengths
    short = [cut_to(names[label], _LONGEST) for label in shown.labels]
    widths = [text_width(words) + 16 for words in short]
    lefts = _lefts(columns, widths)
    places = [(lefts[columns[k]], _EDGE + _ROW * (rows[k] + 0.5)) for k in range(len(short))]
    parts = [
        _link(places[number[parent]], widths[number[parent]], places[number[child]], strength if known else 0.5)
        for parent, child, strength in shown.edges
    ]
    for k, words in enumerate(short):
        x, y = places[k]
        ink = BLUE if parents[k] else ORANGE
        parts.append(ground(x, y - _PILL / 2, widths[k], _PILL))
        parts.append(rectangle(x, y - _PILL / 2, widths[k], _PILL, fill=ink, opacity=0.16, radius=6))
        parts.append(text(x + 8, y + 4, words, title=names[shown.labels[k]] if words != names[shown.labels[k]] else ""))
    width = max((x + w for (x, _), w in zip(places, widths, strict=True)), default=0.0) + _EDGE
    height = max((y for _, y in places), default=0.0) + _ROW / 2 + _EDGE
    return picture(width, height, parts, title)


def _lefts(columns: Sequence[int], widths: Sequence[float]) -> list[float]:
    """Return the left side of each column: as wide as its longest name."""
    lefts = [_EDGE]
    for column in range(max(columns, default=-1) + 1):
        widest = max(width for width, place in zip(widths, columns, strict=True) if place == column)
        lefts.append(lefts[-1] + widest + _GAP)
    return lefts


def _link(start: tuple[float, float], width: float, end: tuple[float, float], strength: float) -> str:
    x1, y1, x2, y2 = start[0] + width, start[1], end[0], end[1]
    bend = (x2 - x1) / 2
    head = f"M{x2 - 6:.1f} {y2 - 3.5:.1f}L{x2 - 1:.1f} {y2:.1f}L{x2 - 6:.1f} {y2 + 3.5:.1f}"
    curve = f"M{x1:.1f} {y1:.1f}C{x1 + bend:.1f} {y1:.1f} {x2 - bend:.1f} {y2:.1f} {x2 - 1:.1f} {y2:.1f}"
    return path(curve + head, ink=BLUE, width=0.8 + 1.6 * strength, opacity=0.35 + 0.5 * strength)


def _draw_arcs(shown: ShownGraph, names: Sequence[str], title: str) -> str:
    """Return a list in the order of the chain; each arc leads down from a parent to a child."""
    row = {label: place for place, label in enumerate(shown.labels)}
    short = [cut_to(names[label], _LONGEST) for label in shown.labels]
    room = min(_ARC_ROOM, 40 + 9.0 * len(short))
    left = _EDGE + room
    faint = 0.7 if len(shown.edges) < 40 else 0.45 if len(shown.edges) < 120 else 0.3
    span = max((abs(row[child] - row[parent]) for parent, child, _ in shown.edges), default=1)
    parts = []
    for parent, child, strength in shown.edges:
        top, bottom = (_EDGE + _ARC_ROW * (row[label] + 0.5) for label in (parent, child))
        depth = left - 8 - 1.25 * room * (abs(row[child] - row[parent]) / span) ** 0.8
        curve = f"M{left - 6:.1f} {top:.1f}C{depth:.1f} {top:.1f} {depth:.1f} {bottom:.1f} {left - 6:.1f} {bottom:.1f}"
        known = strength if shown.has_strengths else 0.5
        parts.append(path(curve, ink=BLUE, width=0.6 + 1.8 * known, opacity=faint * (0.3 + 0.9 * known)))
    entering = {child for _, child, _ in shown.edges}
    for place, label in enumerate(shown.labels):
        y = _EDGE + _ARC_ROW * (place + 0.5)
        parts.append(circle(left, y, 3.5, fill=BLUE if label in entering else ORANGE))
        parts.append(text(left + 9, y + 4, short[place], title=names[label] if short[place] != names[label] else ""))
    width = left + 12 + max(map(text_width, short), default=0.0) + _EDGE
    return picture(width, 2 * _EDGE + _ARC_ROW * len(short), parts, title)
