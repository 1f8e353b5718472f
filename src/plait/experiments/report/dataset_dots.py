"""One metric on one data set: a dot for the mean of each method, a line of one standard deviation, the best in blue."""

import numpy as np

from plait.experiments.report.drawing import (
    BLUE,
    GREY,
    circle,
    cut_to,
    even_ticks,
    line,
    picture,
    text,
    text_width,
    tick_text,
)
from plait.experiments.report.rankings import Ranking
from plait.experiments.report.score_tables import direction, metric_words
from plait.experiments.report.tables import decimals_for, number_text

__all__ = ["draw_dots"]

_WIDTH, _ROW, _TOP, _BOTTOM = 330.0, 19.0, 26.0, 22.0


def draw_dots(ranking: Ranking, dataset: int) -> str:
    """Return the picture with the best method on top; empty where no method has a finite mean."""
    means, spreads = ranking.means[dataset], np.nan_to_num(ranking.spreads[dataset], nan=0.0)
    sign = -1 if ranking.higher_is_better else 1
    order = [int(m) for m in np.argsort(sign * means, kind="stable") if np.isfinite(means[m])]
    if not order:
        return ""
    names = [cut_to(ranking.methods[m], 0.34 * _WIDTH) for m in order]
    # The best name is bold, which is wider.
    left = 1.12 * max(map(text_width, names)) + 10
    decimals = decimals_for(means.tolist())
    right = _WIDTH - text_width(number_text(float(abs(means[order]).max()), decimals)) - 12
    low, high = _range(means[order], spreads[order])

    def x(value: float) -> float:
        return left + 6 + (value - low) / (high - low) * (right - left - 14)

    bottom = _TOP + _ROW * len(order)
    parts = [text(0, 13, f"{metric_words(ranking.metric)} {direction(ranking.metric)}", bold=True)]
    for tick in even_ticks(low, high, 3):
        parts.append(line(x(tick), _TOP, x(tick), bottom, opacity=0.13))
        parts.append(text(x(tick), bottom + 14, tick_text(tick), anchor="middle", opacity=0.7))
    for row, (m, name) in enumerate(zip(order, names, strict=True)):
        y, best = _TOP + _ROW * (row + 0.5), bool(ranking.best[dataset, m])
        ink, mean = (BLUE if best else GREY), float(means[m])
        parts.append(text(left - 6, y + 4, name, anchor="end", bold=best, title=_unless(name, ranking.methods[m])))
        if spreads[m] > 0:
            parts.append(line(x(mean - spreads[m]), y, x(mean + spreads[m]), y, width=2, opacity=0.55, ink=ink))
        parts.append(circle(x(mean), y, 4, fill=ink))
        parts.append(text(_WIDTH - 2, y + 4, number_text(mean, decimals), anchor="end", bold=best))
    title = f"{metric_words(ranking.metric)} on {ranking.datasets[dataset]}"
    return picture(_WIDTH, bottom + _BOTTOM, parts, title)


def _unless(shown: str, name: str) -> str:
    """Return the whole name where it is not shown."""
    return "" if shown == name else name


def _range(means: np.ndarray, spreads: np.ndarray) -> tuple[float, float]:
    low, high = float((means - spreads).min()), float((means + spreads).max())
    if not high > low:
        return low - 0.05 * max(abs(low), 0.1), high + 0.05 * max(abs(high), 0.1)
    return low, high
