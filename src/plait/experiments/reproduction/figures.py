"""Plans that belong to a figure or an explanation: their means as a table, and lines by the number after " @ "."""

from collections.abc import Sequence

import numpy as np

from plait.experiments.reproduction.facts import Figure
from plait.experiments.reproduction.repeated_tables import words_table
from plait.experiments.running.cells import CellResult
from plait.pictures.heat_map import draw_number_map
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
    """Return the picture: a panel for each data set, a line for each series, or a map; empty where nothing ran.

    Parameters
    ----------
    results : sequence of CellResult
        Methods are called "series @ number", except in a map.
    figure : Figure
        What is drawn.
    n_columns : int, default=2
        Panels beside each other.
    """
    if not figure.across:
        return _drawn_map(results, figure)
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


def _drawn_map(results: Sequence[CellResult], figure: Figure) -> str:
    """Return a map of the data sets on which all methods ran; the colour goes from a row's lowest to its highest."""
    means = {
        place: float(np.mean([part.metrics[figure.metric] for part in parts]))
        for place, parts in _grouped(results).items()
    }
    methods = figure.methods or tuple(dict.fromkeys(method for _, method in means))
    names = dict.fromkeys(name for name, _ in means)
    rows = {name: [means[name, m] for m in methods] for name in names if all((name, m) in means for m in methods)}
    if not rows:
        return ""
    values = np.array(list(rows.values()))
    low, high = values.min(axis=1, keepdims=True), values.max(axis=1, keepdims=True)
    shares = (values - low) / np.where(high > low, high - low, 1.0)
    values = values / np.where(low > 0, low, 1.0) if figure.by_lowest else values
    numbers = [[f"{value:.2f}" if figure.by_lowest else f"{value:.3f}" for value in row] for row in values]
    note = f"{figure.metric}, divided by the lowest of its row" if figure.by_lowest else figure.metric
    return draw_number_map(shares, numbers, list(rows), list(methods), note=note, title=figure.words)
