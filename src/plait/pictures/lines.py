"""Lines: one number by another, a line for each of several things, with its name beside its end."""

from collections.abc import Mapping, Sequence

from plait.pictures.axes import even_ticks, tick_text
from plait.pictures.svg import BLUE, GREEN, GREY, ORANGE, circle, line, path, picture, text, text_width

__all__ = ["draw_lines"]

_WIDTH, _HEIGHT, _LEFT, _BOTTOM, _TOP = 360.0, 240.0, 46.0, 40.0, 34.0
_INKS = (BLUE, ORANGE, GREEN, GREY, "#8e44ad", "#c0392b", "#16a085", "#7f6000")

Points = Sequence[tuple[float, float]]


def draw_lines(series: Mapping[str, Points], *, heading: str, across: str, upward: str, title: str) -> str:
    """Return the picture.

    Parameters
    ----------
    series : dict of str to sequence of (x, y)
        Name of a line -> its points, all finite; at least one point in all.
    heading : str
        Stands above the lines.
    across, upward : str
        What the axes show.
    title : str
        For readers who cannot see the picture.

    Returns
    -------
    str

    Examples
    --------
    >>> svg = draw_lines({"a": [(1, 0.2), (2, 0.4)]}, heading="yeast", across="k", upward="score", title="score by k")
    >>> svg.startswith("<svg"), svg.count("<circle")
    (True, 2)
    """
    points = [point for group in series.values() for point in group]
    low_x, high_x = _ends([x for x, _ in points], 0.0)
    low_y, high_y = _ends([y for _, y in points], 0.06)
    right = _WIDTH - max(text_width(name) for name in series) - 12

    def place(x: float, y: float) -> tuple[float, float]:
        upward_share = (y - low_y) / (high_y - low_y)
        return (
            _LEFT + (x - low_x) / (high_x - low_x) * (right - _LEFT),
            _HEIGHT - _BOTTOM - upward_share * (_HEIGHT - _BOTTOM - _TOP),
        )

    parts = [text(0, 13, heading, bold=True), text(0, 28, upward, opacity=0.75)]
    for tick in even_ticks(low_y, high_y):
        y = place(low_x, tick)[1]
        parts += [line(_LEFT, y, right, y, opacity=0.13)]
        parts += [text(_LEFT - 6, y + 4, tick_text(tick), anchor="end", opacity=0.75)]
    for tick in even_ticks(low_x, high_x):
        x = place(tick, low_y)[0]
        parts += [line(x, _HEIGHT - _BOTTOM, x, _HEIGHT - _BOTTOM + 4, opacity=0.5)]
        parts += [text(x, _HEIGHT - _BOTTOM + 16, tick_text(tick), anchor="middle", opacity=0.75)]
    parts += [line(_LEFT, _HEIGHT - _BOTTOM, right, _HEIGHT - _BOTTOM, opacity=0.5)]
    parts += [text(right, _HEIGHT - 6, across, anchor="end", opacity=0.75)]
    ends = []
    for number, (name, group) in enumerate(series.items()):
        ink = _INKS[number % len(_INKS)]
        ordered = [(place(x, y), f"{name}: {x:g}, {y:.4g}") for x, y in sorted(group)]
        parts += [path("M" + "L".join(f"{x:.1f} {y:.1f}" for (x, y), _ in ordered), ink=ink, width=1.6)]
        parts += [circle(*where, 2.6, fill=ink, title=words) for where, words in ordered]
        ends.append((*ordered[-1][0], ink, name))
    return picture(_WIDTH, _HEIGHT, [*parts, *_names(ends)], title)


def _ends(values: Sequence[float], margin: float) -> tuple[float, float]:
    low, high = min(values), max(values)
    more = margin * (high - low) if high > low else 0.05 * max(abs(low), 0.1)
    return low - more, high + more


def _names(ends: Sequence[tuple[float, float, str, str]]) -> list[str]:
    """Return the names beside the ends, pushed down where two would cover each other."""
    parts, last = [], -1e9
    for x, y, ink, name in sorted(ends, key=lambda end: end[1]):
        last = max(y + 4, last + 13)
        parts.append(text(x + 6, last, name, fill=ink))
    return parts
