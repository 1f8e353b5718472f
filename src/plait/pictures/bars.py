"""Horizontal bars with names to their left and numbers behind them."""

from collections.abc import Sequence

from plait.pictures.axes import even_ticks, tick_text
from plait.pictures.svg import BLUE, cut_to, line, picture, rectangle, text, text_width

__all__ = ["draw_bars"]

_ROW, _THICK, _BOTTOM, _LONGEST = 24.0, 16.0, 24.0, 190.0


def draw_bars(
    names: Sequence[str],
    values: Sequence[float],
    *,
    title: str,
    inks: Sequence[str] | None = None,
    decimals: int = 3,
    width: float = 480.0,
) -> str:
    """Return one bar for each value, from 0 on one axis.

    Parameters
    ----------
    names : sequence of str
        Of the bars, from top to bottom.
    values : sequence of float
        How long they are; none below 0.
    title : str
        For readers who cannot see the picture.
    inks : sequence of str, optional
        Colours of the bars; blue by default.
    decimals : int, default=3
        Digits of the numbers.
    width : float, default=480.0
        Of the picture.
    """
    inks = [BLUE] * len(names) if inks is None else inks
    short = [cut_to(name, _LONGEST) for name in names]
    left = max(map(text_width, short), default=0.0) + 10
    highest = max(values, default=0.0) or 1.0
    room = width - left - text_width(f"{highest:.{decimals}f}") - 14
    bottom = _ROW * len(names)
    parts = []
    for tick in even_ticks(0.0, highest, 4):
        x = left + tick / highest * room
        parts.append(line(x, 0, x, bottom, opacity=0.13))
        parts.append(text(x, bottom + 14, tick_text(tick), anchor="middle", opacity=0.7))
    for row, (name, value, ink) in enumerate(zip(names, values, inks, strict=True)):
        y, long = _ROW * row + (_ROW - _THICK) / 2, value / highest * room
        parts.append(text(left - 6, y + 12, short[row], anchor="end", title="" if short[row] == name else name))
        parts.append(rectangle(left, y, long, _THICK, fill=ink, title=f"{name}: {value:.{decimals}f}"))
        parts.append(text(left + long + 6, y + 12, f"{value:.{decimals}f}"))
    return picture(width, bottom + _BOTTOM, parts, title)
