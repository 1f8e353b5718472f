"""What belongs to a figure, an explanation or a claim: means as a table, pictures, gains and times of methods."""

from collections.abc import Mapping, Sequence

import numpy as np

from plait.experiments.published import published_results
from plait.experiments.reproduction.facts import Figure
from plait.experiments.reproduction.repeated_tables import words_table
from plait.experiments.reproduction.run_ledger import Means, Measured
from plait.pictures.arrangements import panels
from plait.pictures.heat_map import draw_number_map
from plait.pictures.lines import draw_lines
from plait.pictures.tables import Table

__all__ = ["draw_figure", "gains_table", "means_table", "times_table"]

_AT = " @ "
Pairs = Sequence[tuple[str, str]]
_TIMES = ("fit_seconds", "predict_seconds")


def means_table(means: Means, metrics: Sequence[str]) -> Table:
    """Return the mean of every measure for each method on each data set, and when it ran.

    Parameters
    ----------
    means : Means
        What ran by a plan.
    metrics : sequence of str
        The measures, in the order in which they are shown.
    """
    rows = []
    for (dataset, method), found in means.items():
        run = next(iter(found.values())).run
        rows.append((dataset, method, *(_mean_words(found.get(metric)) for metric in metrics), run))
    return words_table("means", ("data set", "method", *metrics, "run"), rows)


def _mean_words(found: Measured | None) -> str:
    """Return the mean, with the deviation over the parts where there are several."""
    if found is None:
        return ""
    return f"{found.mean:.3f}" + (f" ±{found.std:.3f}" if found.std == found.std else "")


def _of_metric(means: Means, metric: str) -> dict[tuple[str, str], float]:
    return {place: found[metric].mean for place, found in means.items() if metric in found}


def draw_figure(means: Means, figure: Figure, n_columns: int = 2) -> str:
    """Return the picture: a panel for each data set, a line for each series, or a map; empty where nothing ran.

    Parameters
    ----------
    means : Means
        What ran; methods are called "series @ number", except in a map.
    figure : Figure
        What is drawn.
    n_columns : int, default=2
        Panels beside each other.
    """
    if not figure.across:
        return _drawn_map(_of_metric(means, figure.metric), figure)
    by_dataset: dict[str, dict[str, list[tuple[float, float]]]] = {}
    for (dataset, method), value in _of_metric(means, figure.metric).items():
        name, _, number = method.rpartition(_AT)
        by_dataset.setdefault(dataset, {}).setdefault(name, []).append((float(number), value))
    words = {"across": figure.across, "upward": figure.metric}
    drawn = [
        draw_lines(lines, heading=dataset, title=f"{figure.words}: {dataset}", **words)
        for dataset, lines in by_dataset.items()
    ]
    rows = [drawn[start : start + n_columns] for start in range(0, len(drawn), n_columns)]
    return panels(rows, figure.words) if rows else ""


def _drawn_map(means: Mapping[tuple[str, str], float], figure: Figure) -> str:
    """Return a map of the data sets on which all methods ran; the colour goes from a row's lowest to its highest."""
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


def gains_table(paper: str, columns: Mapping[str, Means], pairs: Pairs, metric: str) -> Table:
    """Return by how many percent the first of two methods is better than the second, printed and by each column.

    Parameters
    ----------
    paper : {"occ", "scls", "mc", "pcc", "pacc"}
        The paper.
    columns : dict of str to Means
        What a column is called -> what ran.
    pairs : sequence of two names
        The methods.
    metric : str
        The measure, of which more is better.

    Returns
    -------
    table : Table
        A row for each data set, then their mean; empty where a side did not run or is not printed.
    """
    printed = {(s.dataset, s.method): s.mean for s in published_results(paper) if s.metric == metric}
    sides = {"published": printed, **{words: _of_metric(means, metric) for words, means in columns.items()}}
    kept = [(pair, words, means) for pair in pairs for words, means in sides.items() if _gains(means, pair)]
    names = list(dict.fromkeys(name for name, _ in printed if any(name in _gains(m, p) for p, _, m in kept)))
    found = [_gains(means, pair) for pair, _, means in kept]
    rows = [(name, *(_percent(gains.get(name)) for gains in found)) for name in names]
    rows.append(("mean", *(_percent(float(np.mean(list(gains.values())))) for gains in found)))
    heads = ("data set", *(f"{first} over {second}, {words}" for (first, second), words, _ in kept))
    return words_table("gains", heads, rows)


def _gains(means: Mapping[tuple[str, str], float], pair: tuple[str, str]) -> dict[str, float]:
    """Return data set -> gain, where both methods have a mean and that of the second is not 0."""
    first, second = pair
    both = [name for name, method in means if method == first and means.get((name, second), 0.0) > 0]
    return {name: means[name, first] / means[name, second] - 1.0 for name in both}


def _percent(gain: float | None) -> str:
    return "" if gain is None else f"{100 * gain:+.1f}%"


def times_table(paper: str, means: Means, pairs: Pairs) -> Table:
    """Return how often longer the first of two methods takes than the second, to learn and to predict.

    Parameters
    ----------
    paper : {"occ", "scls", "mc", "pcc", "pacc"}
        The paper, which prints times.
    means : Means
        What ran; the median over the parts of a data set counts.
    pairs : sequence of two names
        The methods.
    """
    printed = {(s.dataset, s.method, s.metric): s.mean for s in published_results(paper) if s.metric in _TIMES}
    ours = {
        (*place, metric): float(np.median(found[metric].parts))
        for place, found in means.items()
        for metric in _TIMES
        if metric in found and found[metric].parts
    }
    names = list(dict.fromkeys(name for name, _, _ in printed))
    rows = []
    for first, second in pairs:
        for name in names:
            ratios = [_ratio(side, name, first, second, metric) for metric in _TIMES for side in (printed, ours)]
            if ratios[1]:
                rows.append((f"{first} / {second}", name, *ratios))
    heads = ("methods", "data set", "learning, published", "plait", "prediction, published", "plait")
    return words_table("times", heads, rows)


def _ratio(side: Mapping[tuple[str, str, str], float], name: str, first: str, second: str, metric: str) -> str:
    above, below = side.get((name, first, metric)), side.get((name, second, metric), 0.0)
    return f"{above / below:.2f}" if above is not None and below > 0 else ""
