"""Plans that belong to a figure or an explanation: their means as a table, and lines by the number after " @ "."""

from collections.abc import Sequence

import numpy as np

from plait.experiments.reproduction.facts import Figure
from plait.experiments.reproduction.repeated_tables import words_table
from plait.experiments.running.cells import CellResult
from plait.pictures.lines import draw_lines
from plait.pictures.svg import panels
from plait.pictures.tables import Table

__all__ = ["draw_figure", "means_table"]

_AT = " @ "


def means_table(results: Sequence[CellResult], metrics: Sequence[str]) -> Table:
    """Return the mean of every measure for each method on each data set.

    Parameters
    ----------
    results : sequence of CellResult
        From `read_results`.
    metrics : sequence of str
        The measures, in the order in which they are shown.
    """
    rows = []
    for (dataset, method), parts in _grouped(results).items():
        values = [[part.metrics.get(metric, float("nan")) for part in parts] for metric in metrics]
        rows.append((dataset, method, *map(_mean_words, values)))
    return words_table("means", ("data set", "method", *metrics), rows)


def _mean_words(values: Sequence[float]) -> str:
    """Return the mean, with the deviation over the parts where there are several."""
    return f"{np.mean(values):.3f}" + (f" ±{np.std(values, ddof=1):.3f}" if len(values) > 1 else "")


def _grouped(results: Sequence[CellResult]) -> dict[tuple[str, str], list[CellResult]]:
    found: dict[tuple[str, str], list[CellResult]] = {}
    for result in results:
        if result.error is None:
            found.setdefault((result.dataset, result.method), []).append(result)
    return found


def draw_figure(results: Sequence[CellResult], figure: Figure, n_columns: int = 2) -> str:
    """Return the picture: a panel for each data set, a line for each series; empty where nothing ran.

    Parameters
    ----------
    results : sequence of CellResult
        Methods are called "series @ number".
    figure : Figure
        What is drawn.
    n_columns : int, default=2
        Panels beside each other.
    """
    by_dataset: dict[str, dict[str, list[tuple[float, float]]]] = {}
    for (dataset, method), parts in _grouped(results).items():
        name, _, number = method.rpartition(_AT)
        value = float(np.mean([part.metrics[figure.metric] for part in parts]))
        by_dataset.setdefault(dataset, {}).setdefault(name, []).append((float(number), value))
    words = {"across": figure.across, "upward": figure.metric}
    drawn = [
        draw_lines(lines, heading=dataset, title=f"{figure.words}: {dataset}", **words)
        for dataset, lines in by_dataset.items()
    ]
    rows = [drawn[start : start + n_columns] for start in range(0, len(drawn), n_columns)]
    return panels(rows, figure.words) if rows else ""
