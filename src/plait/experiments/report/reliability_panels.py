"""Reliability of marginals: how often a label is true among those that were given a probability."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from plait.core.arrays import Floats
from plait.experiments.report.drawing import BLUE, circle, cut_to, line, path, picture, rectangle, text
from plait.experiments.running.cells import CellResult

__all__ = ["Reliability", "draw_reliability", "pooled_reliability"]

_SIDE, _LEFT, _TOP, _BOTTOM, _RIGHT = 150.0, 30.0, 38.0, 34.0, 10.0


@dataclass(frozen=True, eq=False)
class Reliability:
    """Bins of given probabilities.

    Parameters
    ----------
    count : ndarray of shape (n_bins,)
        Labels of rows in each bin.
    mean, frequency : ndarray of shape (n_bins,)
        Mean given probability, and how often the label was true; 0 in empty bins.
    """

    count: Floats
    mean: Floats
    frequency: Floats

    @property
    def calibration_error(self) -> float:
        """Mean distance of frequency from probability, weighted by the size of the bins."""
        return float((self.count * abs(self.frequency - self.mean)).sum() / self.count.sum())


def pooled_reliability(cells: Sequence[CellResult]) -> Reliability | None:
    """Return the bins of all parts together; None where no part has any.

    Examples
    --------
    >>> bins = {"edges": [0.0, 0.5, 1.0], "count": [2, 2], "mean": [0.2, 0.9], "frequency": [0.0, 0.5]}
    >>> cells = [CellResult("sea", "br", fold, 0, extras={"reliability": bins}) for fold in (0, 1)]
    >>> round(pooled_reliability(cells).calibration_error, 6)
    0.3
    """
    tables: list[dict[str, Any]] = [cell.extras["reliability"] for cell in cells if cell.extras.get("reliability")]
    size = max((len(table["count"]) for table in tables), default=0)
    tables = [table for table in tables if len(table["count"]) == size]
    counts = np.array([table["count"] for table in tables], dtype=np.float64)
    if not counts.size or not counts.sum() > 0:
        return None
    total = counts.sum(axis=0)
    pooled = [
        (counts * np.nan_to_num(np.array([table[key] for table in tables], dtype=np.float64))).sum(axis=0)
        / np.maximum(total, 1)
        for key in ("mean", "frequency")
    ]
    return Reliability(total, *pooled)


def draw_reliability(found: Reliability, name: str, dataset: str) -> str:
    """Return a square with the diagonal, a dot for every bin, and how many labels are in each bin below."""
    width, height = _LEFT + _SIDE + _RIGHT, _TOP + _SIDE + _BOTTOM

    def place(given: float, true: float) -> tuple[float, float]:
        return _LEFT + given * _SIDE, _TOP + (1 - true) * _SIDE

    parts = [
        text(0, 13, cut_to(name, 0.9 * width), bold=True, title=name),
        text(0, 28, f"error {found.calibration_error:.3f}", opacity=0.75),
        rectangle(_LEFT, _TOP, _SIDE, _SIDE, fill="currentColor", opacity=0.04),
        path(f"M{_LEFT:g} {_TOP + _SIDE:g}L{_LEFT + _SIDE:g} {_TOP:g}", opacity=0.35, dashes="3 3"),
    ]
    for tick in (0.0, 0.5, 1.0):
        x, y = place(tick, tick)
        parts.append(text(_LEFT - 5, y + 4, f"{tick:g}", anchor="end", opacity=0.7))
        parts.append(text(x, _TOP + _SIDE + 14, f"{tick:g}", anchor="middle", opacity=0.7))
    used = [b for b in range(len(found.count)) if found.count[b] > 0]
    places = [place(found.mean[b], found.frequency[b]) for b in used]
    parts.append(path("M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in places), ink=BLUE, width=1.6, opacity=0.8))
    largest = found.count.max()
    for b, (x, y) in zip(used, places, strict=True):
        words = f"given {found.mean[b]:.3f}, true {found.frequency[b]:.3f}, {found.count[b]:.0f} labels"
        parts.append(circle(x, y, 2 + 4 * float(np.sqrt(found.count[b] / largest)), fill=BLUE, title=words))
    parts.append(line(_LEFT, _TOP + _SIDE, _LEFT + _SIDE, _TOP + _SIDE, opacity=0.4))
    parts.append(text(_LEFT + _SIDE, height - 4, "given probability", anchor="end", opacity=0.7))
    parts.append(text(_LEFT + 5, _TOP + 13, "how often true", opacity=0.6))
    return picture(width, height, parts, f"Reliability of the marginals of {name} on {dataset}", size=11)
