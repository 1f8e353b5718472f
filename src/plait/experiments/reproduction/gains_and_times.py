"""What one method gains on another, and how its times compare: claims in words, data set by data set."""

from collections.abc import Mapping, Sequence

import numpy as np

from plait.experiments.published import published_results
from plait.experiments.reproduction.repeated_tables import words_table
from plait.experiments.running.cells import CellResult
from plait.pictures.tables import Table

__all__ = ["gains_table", "times_table"]

Pairs = Sequence[tuple[str, str]]
_TIMES = ("fit_seconds", "predict_seconds")


def gains_table(paper: str, columns: Mapping[str, Sequence[CellResult]], pairs: Pairs, metric: str) -> Table:
    """Return by how many percent the first of two methods is better than the second, printed and by each column.

    Parameters
    ----------
    paper : {"occ", "scls", "mc", "pcc", "pacc"}
        The paper.
    columns : dict of str to sequence of CellResult
        What a column is called -> its results.
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
    sides = {"published": printed, **{words: _means(results, metric) for words, results in columns.items()}}
    kept = [(pair, words, means) for pair in pairs for words, means in sides.items() if _gains(means, pair)]
    names = list(dict.fromkeys(name for name, _ in printed if any(name in _gains(m, p) for p, _, m in kept)))
    found = [_gains(means, pair) for pair, _, means in kept]
    rows = [(name, *(_percent(gains.get(name)) for gains in found)) for name in names]
    rows.append(("mean", *(_percent(float(np.mean(list(gains.values())))) for gains in found)))
    heads = ("data set", *(f"{first} over {second}, {words}" for (first, second), words, _ in kept))
    return words_table("gains", heads, rows)


def _means(results: Sequence[CellResult], metric: str) -> dict[tuple[str, str], float]:
    values: dict[tuple[str, str], list[float]] = {}
    for result in results:
        if result.error is None:
            values.setdefault((result.dataset, result.method), []).append(result.metrics[metric])
    return {place: float(np.mean(found)) for place, found in values.items()}


def _gains(means: Mapping[tuple[str, str], float], pair: tuple[str, str]) -> dict[str, float]:
    """Return data set -> gain, where both methods have a mean and that of the second is not 0."""
    first, second = pair
    both = [name for name, method in means if method == first and means.get((name, second), 0.0) > 0]
    return {name: means[name, first] / means[name, second] - 1.0 for name in both}


def _percent(gain: float | None) -> str:
    return "" if gain is None else f"{100 * gain:+.1f}%"


def times_table(paper: str, results: Sequence[CellResult], pairs: Pairs) -> Table:
    """Return how often longer the first of two methods takes than the second, to learn and to predict.

    Parameters
    ----------
    paper : {"occ", "scls", "mc", "pcc", "pacc"}
        The paper, which prints times.
    results : sequence of CellResult
        What ran; the median over the parts of a data set counts.
    pairs : sequence of two names
        The methods.
    """
    printed = {(s.dataset, s.method, s.metric): s.mean for s in published_results(paper) if s.metric in _TIMES}
    seconds: dict[tuple[str, str, str], list[float]] = {}
    for result in results:
        if result.error is None:
            for metric in _TIMES:
                seconds.setdefault((result.dataset, result.method, metric), []).append(getattr(result, metric))
    ours = {place: float(np.median(found)) for place, found in seconds.items()}
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
