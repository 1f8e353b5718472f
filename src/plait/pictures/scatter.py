"""Score against time: where each method stands, which of them no other beats in both, names beside the dots."""

from collections.abc import Sequence

import numpy as np

from plait.core.arrays import Floats
from plait.pictures.axes import even_ticks, log_ticks, place_names, tick_text
from plait.pictures.svg import BLUE, GREY, circle, line, path, picture, text

__all__ = ["draw_scatter", "unbeaten"]

_HEIGHT, _LEFT, _BOTTOM, _EDGE = 330.0, 52.0, 46.0, 14.0
_CROWD = 15


def draw_scatter(
    seconds: Floats,
    scores: Floats,
    names: Sequence[str],
    *,
    score_words: str,
    time_words: str,
    title: str,
    higher_is_better: bool = True,
) -> str:
    """Return the picture: seconds on a logarithmic axis to the right, scores upward, a stair along the unbeaten ones.

    Parameters
    ----------
    seconds, scores : ndarray of shape (n_names,)
        Where the dots stand; all finite, at least one.
    names : sequence of str
        Of the dots.
    score_words, time_words : str
        What the axes show.
    title : str
        For readers who cannot see the picture.
    higher_is_better : bool, default=True
        Whether large scores are good.

    Returns
    -------
    str

    Examples
    --------
    >>> seconds, scores = np.array([0.1, 3.0]), np.array([0.28, 0.36])
    >>> svg = draw_scatter(seconds, scores, ["br", "mc"], score_words="exact match", time_words="s", title="")
    >>> svg.count("<circle"), "exact match" in svg
    (2, True)
    """
    drawing = _Scatter(seconds, scores, names, higher_is_better)
    inside = [*drawing.axes(score_words, time_words), *drawing.front(), *drawing.dots(), *drawing.names()]
    return picture(drawing.width, _HEIGHT, inside, title, least=340)


def unbeaten(seconds: Floats, scores: Floats, higher_is_better: bool) -> list[int]:
    """Return the methods that no other beats in both time and score, from the fastest.

    Parameters
    ----------
    seconds, scores : ndarray of shape (n_methods,)
        Of every method.
    higher_is_better : bool
        Whether large scores are good.

    Returns
    -------
    list of int

    Examples
    --------
    >>> unbeaten(np.array([1.0, 2.0, 3.0]), np.array([0.5, 0.4, 0.6]), True)
    [0, 2]
    """
    goodness = scores if higher_is_better else -scores
    order = np.lexsort((-goodness, seconds))
    front: list[int] = []
    for m in order:
        if not front or goodness[m] > goodness[front[-1]]:
            front.append(int(m))
    return front


class _Scatter:
    """Places on a logarithmic axis of seconds and an even axis of scores."""

    def __init__(self, seconds: Floats, scores: Floats, names: Sequence[str], higher_is_better: bool) -> None:
        self.seconds, self.scores, self.method_names = seconds, scores, names
        self.width = 480.0 if len(names) <= _CROWD else 720.0
        # A little room on both ends, and some more where all values are equal.
        self.low_x, self.high_x = float(seconds.min() / 1.3), float(seconds.max() * 1.3)
        margin = 0.07 * float(np.ptp(scores)) or 0.05 * max(abs(float(scores[0])), 0.1)
        self.low_y, self.high_y = float(scores.min() - margin), float(scores.max() + margin)
        self.best = unbeaten(seconds, scores, higher_is_better)

    def x(self, seconds: float) -> float:
        """Return where a time lies."""
        share = np.log(seconds / self.low_x) / np.log(self.high_x / self.low_x)
        return _LEFT + float(share) * (self.width - _LEFT - _EDGE)

    def y(self, score: float) -> float:
        """Return where a score lies."""
        share = (score - self.low_y) / (self.high_y - self.low_y)
        return _HEIGHT - _BOTTOM - share * (_HEIGHT - _BOTTOM - 2 * _EDGE)

    def axes(self, score_words: str, time_words: str) -> list[str]:
        """Return faint lines at round numbers, and what the axes show."""
        parts = []
        for tick in even_ticks(self.low_y, self.high_y):
            parts.append(line(_LEFT, self.y(tick), self.width - _EDGE, self.y(tick), opacity=0.13))
            parts.append(text(_LEFT - 7, self.y(tick) + 4, tick_text(tick), anchor="end", opacity=0.75))
        for tick in log_ticks(self.low_x, self.high_x):
            parts.append(line(self.x(tick), _HEIGHT - _BOTTOM, self.x(tick), _HEIGHT - _BOTTOM + 5, opacity=0.5))
            parts.append(text(self.x(tick), _HEIGHT - _BOTTOM + 18, tick_text(tick), anchor="middle", opacity=0.75))
        parts.append(line(_LEFT, _HEIGHT - _BOTTOM, self.width - _EDGE, _HEIGHT - _BOTTOM, opacity=0.5))
        parts.append(text(self.width - _EDGE, _HEIGHT - 8, time_words, anchor="end", opacity=0.75))
        parts.append(text(4, 13, score_words, opacity=0.75))
        return parts

    def front(self) -> list[str]:
        """Return a stair through the methods that no other beats."""
        places = [(self.x(self.seconds[m]), self.y(self.scores[m])) for m in self.best]
        steps = f"M{places[0][0]:.1f} {places[0][1]:.1f}" + "".join(f"H{x:.1f}V{y:.1f}" for x, y in places[1:])
        return [path(steps, ink=BLUE, width=1.2, opacity=0.6, dashes="4 3")] if len(places) > 1 else []

    def dots(self) -> list[str]:
        """Return a dot for each method, blue for the unbeaten ones."""
        parts = []
        for m, name in enumerate(self.method_names):
            words = f"{name}: {self.scores[m]:.4g}, {self.seconds[m]:.3g} s"
            fill = BLUE if m in self.best else GREY
            parts.append(circle(self.x(self.seconds[m]), self.y(self.scores[m]), 4.5, fill=fill, title=words))
        return parts

    def names(self) -> list[str]:
        """Return the names beside their dots, the unbeaten ones first; those without room only show on touch."""
        dots = [(self.x(s), self.y(v)) for s, v in zip(self.seconds, self.scores, strict=True)]
        order = [*self.best, *(m for m in range(len(dots)) if m not in self.best)]
        placed = place_names(dots, self.method_names, order, box=(_LEFT, 20.0, self.width - 2.0, _HEIGHT - _BOTTOM - 2))
        return [text(x, y, words, anchor=anchor, bold=m in self.best) for m, x, y, words, anchor in placed]
