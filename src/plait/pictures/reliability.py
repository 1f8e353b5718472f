"""A reliability diagram: how often something is true among what was given a probability, bin by bin."""

import numpy as np

from plait.core.arrays import Floats
from plait.pictures.svg import BLUE, circle, cut_to, line, path, picture, rectangle, text

__all__ = ["draw_reliability"]

_SIDE, _LEFT, _TOP, _BOTTOM, _RIGHT = 150.0, 30.0, 38.0, 34.0, 10.0


def draw_reliability(count: Floats, mean: Floats, frequency: Floats, *, name: str, note: str, title: str) -> str:
    """Return a square with the diagonal and a dot for every bin, larger for more labels.

    Parameters
    ----------
    count, mean, frequency : ndarray of shape (n_bins,)
        How many labels are in each bin, their mean given probability, and how often they were true.
    name, note : str
        Stand above the square, the name bold.
    title : str
        For readers who cannot see the picture.

    Returns
    -------
    str

    Examples
    --------
    >>> count, given, true = np.array([40.0, 60.0]), np.array([0.2, 0.9]), np.array([0.25, 0.7])
    >>> svg = draw_reliability(count, given, true, name="pcc", note="100 labels", title="too sure of itself")
    >>> svg.count("<circle")
    2
    """
    width, height = _LEFT + _SIDE + _RIGHT, _TOP + _SIDE + _BOTTOM

    def place(given: float, true: float) -> tuple[float, float]:
        return _LEFT + given * _SIDE, _TOP + (1 - true) * _SIDE

    parts = [
        text(0, 13, cut_to(name, 0.9 * width), bold=True, title=name),
        text(0, 28, note, opacity=0.75),
        rectangle(_LEFT, _TOP, _SIDE, _SIDE, fill="currentColor", opacity=0.04),
        path(f"M{_LEFT:g} {_TOP + _SIDE:g}L{_LEFT + _SIDE:g} {_TOP:g}", opacity=0.35, dashes="3 3"),
    ]
    for tick in (0.0, 0.5, 1.0):
        x, y = place(tick, tick)
        parts.append(text(_LEFT - 5, y + 4, f"{tick:g}", anchor="end", opacity=0.7))
        parts.append(text(x, _TOP + _SIDE + 14, f"{tick:g}", anchor="middle", opacity=0.7))
    used = [b for b in range(len(count)) if count[b] > 0]
    places = [place(mean[b], frequency[b]) for b in used]
    parts.append(path("M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in places), ink=BLUE, width=1.6, opacity=0.8))
    largest = count.max()
    for b, (x, y) in zip(used, places, strict=True):
        words = f"given {mean[b]:.3f}, true {frequency[b]:.3f}, {count[b]:.0f} labels"
        parts.append(circle(x, y, 2 + 4 * float(np.sqrt(count[b] / largest)), fill=BLUE, title=words))
    parts.append(line(_LEFT, _TOP + _SIDE, _LEFT + _SIDE, _TOP + _SIDE, opacity=0.4))
    parts.append(text(_LEFT + _SIDE, height - 4, "given probability", anchor="end", opacity=0.7))
    parts.append(text(_LEFT + 5, _TOP + 13, "how often true", opacity=0.6))
    return picture(width, height, parts, title, size=11)
