"""Axes: round numbers for ticks, and names beside dots that cover neither each other nor any dot."""

import math
from collections.abc import Iterator, Sequence

from plait.pictures.svg import cut_to, text_width

__all__ = ["even_ticks", "log_ticks", "place_names", "tick_text"]

Box = tuple[float, float, float, float]
_GAP, _UP, _DOWN = 8.0, 9.0, 4.0


def even_ticks(low: float, high: float, most: int = 5) -> list[float]:
    """Return round numbers from low to high, at most so many and the two ends' outside left out.

    Parameters
    ----------
    low, high : float
        Ends of the axis.
    most : int, default=5
        How many at most.

    Returns
    -------
    list of float

    Examples
    --------
    >>> even_ticks(0.12, 0.58)
    [0.2, 0.3, 0.4, 0.5]
    >>> even_ticks(3, 3)
    [3.0]
    """
    if not high > low:
        return [float(low)]
    rough = (high - low) / most
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * factor for factor in (1, 2, 2.5, 5, 10) if power * factor >= rough * (1 - 1e-9))
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [float(f"{k * step:.12g}") for k in range(first, last + 1)]


def log_ticks(low: float, high: float) -> list[float]:
    """Return powers of ten from low to high, with 2 and 5 times them where there are few, or else even steps.

    Parameters
    ----------
    low, high : float
        Ends of the axis.

    Returns
    -------
    list of float

    Examples
    --------
    >>> log_ticks(0.05, 20), log_ticks(0.3, 2.2)
    ([0.1, 1.0, 10.0], [0.5, 1.0, 2.0])
    """
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    ticks = [10.0**p for p in powers if low <= 10.0**p <= high]
    if len(ticks) < 3:
        ticks = [k * 10.0**p for p in powers for k in (1, 2, 5) if low <= k * 10.0**p <= high]
    if len(ticks) < 2:
        return even_ticks(low, high, 4)
    step = -(-len(ticks) // 7)
    return [float(f"{tick:.3g}") for tick in ticks[::step]]


def tick_text(value: float) -> str:
    """Return a number as short as it can be.

    Parameters
    ----------
    value : float
        A number of an axis.

    Returns
    -------
    str

    Examples
    --------
    >>> tick_text(0.250), tick_text(1000.0), tick_text(0.00002)
    ('0.25', '1000', '2e-05')
    """
    return f"{value:.6g}"


def place_names(
    dots: Sequence[tuple[float, float]],
    names: Sequence[str],
    order: Sequence[int],
    box: Box,
    *,
    size: float = 12,
    longest: float = 170,
) -> list[tuple[int, float, float, str, str]]:
    """Return (dot, x, y, words, anchor) of the names that found room, those early in `order` first.

    Parameters
    ----------
    dots : sequence of (x, y)
        Middle of each dot.
    names : sequence of str
        Name of each dot.
    order : sequence of int
        Which dots are served first.
    box : (left, top, right, bottom)
        Where names may stand.
    size : float, default=12
        Size of the letters.
    longest : float, default=170
        Longer names are cut.

    Returns
    -------
    list of (int, float, float, str, str)

    Examples
    --------
    >>> dots = [(50.0, 50.0), (52.0, 50.0)]
    >>> [place[1:] for place in place_names(dots, ["br", "cc"], [0, 1], (0, 0, 200, 100))]
    [(58.0, 54.0, 'br', 'start'), (44.0, 54.0, 'cc', 'end')]
    """
    taken: list[Box] = [(x - 5, y - 5, x + 5, y + 5) for x, y in dots]
    placed = []
    for dot in order:
        words = cut_to(names[dot], longest, size)
        for x, y, anchor in _tries(*dots[dot]):
            area = _area(x, y, anchor, text_width(words, size))
            others = [other for number, other in enumerate(taken) if number != dot]
            if _inside(area, box) and not any(_meet(area, other) for other in others):
                taken.append(area)
                placed.append((dot, x, y, words, anchor))
                break
    return placed


def _tries(x: float, y: float) -> Iterator[tuple[float, float, str]]:
    yield x + _GAP, y + 4.0, "start"
    yield x - _GAP, y + 4.0, "end"
    yield x, y - _GAP, "middle"
    yield x, y + _GAP + 9, "middle"
    for up in (-9.0, 17.0, -17.0, 25.0, -26.0):
        yield x + 5, y + up, "start"
        yield x - 5, y + up, "end"


def _area(x: float, y: float, anchor: str, width: float) -> Box:
    left = x - {"start": 0.0, "middle": width / 2, "end": width}[anchor]
    return left, y - _UP, left + width, y + _DOWN


def _inside(area: Box, box: Box) -> bool:
    return area[0] >= box[0] and area[1] >= box[1] and area[2] <= box[2] and area[3] <= box[3]


def _meet(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
