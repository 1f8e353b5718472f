"""The picture of the demonstration: the true and the learned graph, scores, inferences and losses."""

from pathlib import Path
from typing import Any

from plait.core.extras import optional

__all__ = ["draw_panels"]

# Dark blue and orange are told apart by colour-blind readers and in grey print.
_BLUE, _ORANGE, _GREY = "#1f4e8c", "#e08214", "#9aa5b1"
_LOSSES = ("subset", "hamming", "f1", "jaccard")


def draw_panels(found: Any, path: Path) -> None:
    """Draw what a `Demonstration` found and write it as one PNG file."""
    figures = optional("matplotlib.figure", extra="plots", purpose="pictures")
    figure = figures.Figure(figsize=(13, 8.2), layout="constrained")
    (true, learned), (scores, losses) = figure.subplots(2, 2, height_ratios=[1.1, 1.0])
    names = list(found.data.label_names)
    found.truth.plot(label_names=names, ax=true)
    true.set_title("The true graph of the labels")
    found.learned.plot(label_names=names, ax=learned)
    learned.set_title("The graph that was learned (ctbn)")
    _draw_scores(scores, found)
    _draw_losses(figure, losses, found)
    figure.savefig(path, dpi=110, metadata={"Software": None})


def _draw_scores(axes: Any, found: Any) -> None:
    rows = [(name, values["exact_match"]) for name, values in found.scores.items()]
    rows[3:3] = [(f"pcc, {name}", values["exact_match"]) for name, values in found.inferences.items()]
    names, values = zip(*rows, strict=True)
    colours = [_ORANGE if name.startswith("the true") else _BLUE if "pcc" in name else _GREY for name in names]
    bars = axes.barh(range(len(names)), values, color=colours)
    axes.bar_label(bars, fmt="%.3f", padding=4)
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()
    axes.set_xlim(0, max(values) * 1.15)
    axes.set_xlabel("rows with every label right (exact match)")
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_title("One model, several ways to ask it")


def _draw_losses(figure: Any, axes: Any, found: Any) -> None:
    best = found.losses.min(axis=0)
    picture = axes.imshow(100 * (found.losses / best - 1), cmap="Oranges", vmin=0)
    axes.set_xticks(range(4), _LOSSES)
    axes.set_yticks(range(4), _LOSSES)
    axes.set_xlabel("scored by")
    axes.set_ylabel("decided for")
    worst = float((found.losses / best - 1).max())
    for i in range(4):
        for j in range(4):
            dark = found.losses[i, j] / best[j] - 1 > 0.6 * worst > 0
            axes.text(j, i, f"{found.losses[i, j]:.3f}", ha="center", va="center", color="white" if dark else "black")
    figure.colorbar(picture, ax=axes, shrink=0.8, label="above the best of the column (%)")
    axes.set_title("The best answer depends on the loss")
