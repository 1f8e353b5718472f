"""Horizontal bars with names to their left and numbers behind them, or to both sides of zero."""

from collections.abc import Sequence

from plait.pictures.axes import even_ticks, tick_text
from plait.pictures.svg import BLUE, ORANGE, cut_to, line, picture, rectangle, text, text_width

__all__ = ["draw_bars", "draw_signed_bars"]

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

    Returns
    -------
    str

    Examples
    --------
    >>> draw_bars(["br", "pcc"], [0.25, 0.5], title="Scores")[:4]
    '<svg'
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


def draw_signed_bars(
    names: Sequence[str], values: Sequence[float], *, title: str, decimals: int = 2, width: float = 480.0
) -> str:
    """Return one bar for each value, to the right of zero where it is above it, else to the left.

    Parameters
    ----------
    names : sequence of str
        Of the bars, from top to bottom.
    values : sequence of float
        How long they are, to which side.
    title : str
        For readers who cannot see the picture.
    decimals : int, default=2
        Digits of the numbers.
    width : float, default=480.0
        Of the picture.

    Returns
    -------
    str

    Examples
    --------
    >>> svg = draw_signed_bars(["wind", "salt"], [1.5, -0.5], title="why sea")
    >>> svg.count("<rect"), "-0.50" in svg
    (2, True)
    """
    short = [cut_to(name, _LONGEST) for name in names]
    numbers = [f"{value:+.{decimals}f}" for value in values]
    left = max(map(text_width, short), default=0.0) + 10
    beside = max(map(text_width, numbers), default=0.0) + 14
    low, high = min([0.0, *values]), max([0.0, *values])
    room = width - left - 2 * beside
    bottom = _ROW * len(names)

    def place(value: float) -> float:
        return left + beside + (value - low) / ((high - low) or 1.0) * room

    zero = place(0.0)
    parts = [line(zero, 0, zero, bottom, opacity=0.4), text(zero, bottom + 14, "0", anchor="middle", opacity=0.7)]
    for row, (name, value) in enumerate(zip(names, values, strict=True)):
        y, ink = _ROW * row + (_ROW - _THICK) / 2, BLUE if value >= 0 else ORANGE
        start, end = sorted((zero, place(value)))
        parts.append(text(left - 6, y + 12, short[row], anchor="end", title="" if short[row] == name else name))
        parts.append(rectangle(start, y, end - start, _THICK, fill=ink, title=f"{name}: {numbers[row]}"))
        there, anchor = (end + 6, "start") if value >= 0 else (start - 6, "end")
        parts.append(text(there, y + 12, numbers[row], anchor=anchor))
    return picture(width, bottom + _BOTTOM, parts, title)
