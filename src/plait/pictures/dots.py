"""One number of several things: a dot for each on one axis, best on top, with a line of its spread."""

from collections.abc import Sequence

import numpy as np

from plait.core.arrays import Bools, Floats
from plait.pictures.axes import even_ticks, tick_text
from plait.pictures.svg import BLUE, GREY, circle, cut_to, line, picture, text, text_width
from plait.pictures.tables import decimals_for, number_text

__all__ = ["draw_dots"]

_WIDTH, _ROW, _TOP, _BOTTOM = 330.0, 19.0, 26.0, 22.0


def draw_dots(
    names: Sequence[str],
    means: Floats,
    spreads: Floats,
    best: Bools,
    *,
    heading: str,
    title: str,
    higher_is_better: bool = True,
) -> str:
    """Return the picture with the best mean on top; empty where no mean is finite.

    Parameters
    ----------
    names : sequence of str
        What is compared.
    means, spreads : ndarray of shape (n_names,)
        Where the dots stand, and how far their lines reach to either side; NaN for no line.
    best : ndarray of bool, shape (n_names,)
        Which are blue and bold.
    heading : str
        Stands above the dots.
    title : str
        For readers who cannot see the picture.
    higher_is_better : bool, default=True
        Whether the largest mean stands on top.

    Returns
    -------
    str

    Examples
    --------
    >>> means, spreads = np.array([0.61, 0.58]), np.array([0.02, 0.03])
    >>> svg = draw_dots(["pcc", "br"], means, spreads, np.array([True, False]), heading="emotions", title="F1")
    >>> svg.count("<circle"), "0.61" in svg
    (2, True)
    """
    spreads = np.nan_to_num(spreads, nan=0.0)
    order = [int(m) for m in np.argsort(-means if higher_is_better else means, kind="stable") if np.isfinite(means[m])]
    if not order:
        return ""
    short = [cut_to(names[m], 0.34 * _WIDTH) for m in order]
    # The best name is bold, which is wider.
    left = 1.12 * max(map(text_width, short)) + 10
    decimals = decimals_for(means.tolist())
    right = _WIDTH - text_width(number_text(float(abs(means[order]).max()), decimals)) - 12
    low, high = _range(means[order], spreads[order])

    def x(value: float) -> float:
        return left + 6 + (value - low) / (high - low) * (right - left - 14)

    bottom = _TOP + _ROW * len(order)
    parts = [text(0, 13, heading, bold=True)]
    for tick in even_ticks(low, high, 3):
        parts.append(line(x(tick), _TOP, x(tick), bottom, opacity=0.13))
        parts.append(text(x(tick), bottom + 14, tick_text(tick), anchor="middle", opacity=0.7))
    for row, (m, name) in enumerate(zip(order, short, strict=True)):
        y, bold, mean = _TOP + _ROW * (row + 0.5), bool(best[m]), float(means[m])
        ink = BLUE if bold else GREY
        parts.append(text(left - 6, y + 4, name, anchor="end", bold=bold, title="" if name == names[m] else names[m]))
        if spreads[m] > 0:
            parts.append(line(x(mean - spreads[m]), y, x(mean + spreads[m]), y, width=2, opacity=0.55, ink=ink))
        parts.append(circle(x(mean), y, 4, fill=ink))
        parts.append(text(_WIDTH - 2, y + 4, number_text(mean, decimals), anchor="end", bold=bold))
    return picture(_WIDTH, bottom + _BOTTOM, parts, title)


def _range(means: Floats, spreads: Floats) -> tuple[float, float]:
    low, high = float((means - spreads).min()), float((means + spreads).max())
    if not high > low:
        return low - 0.05 * max(abs(low), 0.1), high + 0.05 * max(abs(high), 0.1)
    return low, high
