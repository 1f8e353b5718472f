"""The picture of the demonstration: label dependence, folds and scores side by side."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from plait.core.extras import optional
from plait.data import Dataset

__all__ = ["Panels", "draw_panels"]

# Dark blue and orange are told apart by colour-blind readers and in grey print.
_BLUE, _ORANGE, _GREY = "#1f4e8c", "#e08214", "#9aa5b1"


@dataclass(frozen=True)
class Panels:
    """What the picture shows: the data, every label's share in every fold and overall, and scores by method."""

    dataset: Dataset
    fold_shares: dict[str, npt.NDArray[np.float64]]
    overall: npt.NDArray[np.float64]
    scores: dict[str, dict[str, float]]


def draw_panels(shown: Panels, path: Path) -> None:
    """Draw the three panels and write them as one PNG file."""
    figures = optional("matplotlib.figure", extra="plots", purpose="pictures")
    figure = figures.Figure(figsize=(13, 4.2), layout="constrained")
    left, middle, right = figure.subplots(1, 3, width_ratios=[1.05, 1.2, 1.0])
    _draw_dependence(figure, left, shown)
    _draw_folds(middle, shown)
    _draw_scores(right, shown)
    figure.savefig(path, dpi=110, metadata={"Software": None})


def _draw_dependence(figure: Any, axes: Any, shown: Panels) -> None:
    correlation = np.corrcoef(np.asarray(shown.dataset.Y, dtype=float), rowvar=False)
    np.fill_diagonal(correlation, np.nan)
    picture = axes.imshow(correlation, cmap="PuOr_r", vmin=-1, vmax=1)
    names = list(shown.dataset.label_names or ())
    axes.set_xticks(range(len(names)), names, rotation=40, ha="right")
    axes.set_yticks(range(len(names)), names)
    for (row, column), value in np.ndenumerate(correlation):
        if np.isfinite(value):
            colour = "white" if abs(value) > 0.6 else "black"
            axes.text(column, row, f"{value:.2f}", ha="center", va="center", fontsize=8, color=colour)
    figure.colorbar(picture, ax=axes, shrink=0.8, label="correlation")
    axes.set_title("Labels depend on each other")


def _draw_folds(axes: Any, shown: Panels) -> None:
    for offset, (colour, (name, shares)) in zip(
        (-0.15, 0.15), zip((_GREY, _BLUE), shown.fold_shares.items(), strict=True), strict=True
    ):
        gaps = 100 * (shares - shown.overall)
        places = np.broadcast_to(np.arange(gaps.shape[1]) + offset, gaps.shape)
        axes.plot(places.ravel(), gaps.ravel(), "o", color=colour, alpha=0.6, markersize=5, label=name)
    axes.axhline(0.0, color="black", linewidth=0.8)
    axes.set_xticks(range(len(shown.overall)), list(shown.dataset.label_names or ()), rotation=40, ha="right")
    axes.set_ylabel("share in a fold minus share in all (points)")
    axes.legend(frameon=False, loc="upper left", fontsize=9)
    low, high = axes.get_ylim()
    axes.set_ylim(low, high + 0.25 * (high - low))
    axes.set_title("Every fold looks like the whole")


def _draw_scores(axes: Any, shown: Panels) -> None:
    names = list(shown.scores)
    values = [shown.scores[name]["exact_match"] for name in names]
    bars = axes.barh(range(len(names)), values, color=[_GREY, _GREY, _ORANGE])
    axes.bar_label(bars, fmt="%.3f", padding=4)
    axes.set_yticks(range(len(names)), [name.replace(", ", ",\n") for name in names])
    axes.invert_yaxis()
    axes.set_xlim(0, max(values) * 1.2)
    axes.set_xlabel("rows with every label right (exact match)")
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_title("What is there to win")
