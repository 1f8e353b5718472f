"""Tables of scores: all metrics at a glance, each metric by data set, and each method against one."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from plait.core.arrays import Floats
from plait.experiments.planning.measures import JOINT_MEASURES, smaller_is_better
from plait.experiments.report.model_findings import pooled_reliability
from plait.experiments.report.outcomes import Outcomes
from plait.experiments.report.rankings import Ranking
from plait.experiments.statistics import bayesian_signed_ranks, holm_correction, wilcoxon_test
from plait.pictures.tables import Entry, Heading, Table, decimals_for

__all__ = [
    "PairTest",
    "calibration_table",
    "digits_for",
    "direction",
    "glance_table",
    "holm_rows",
    "method_seconds",
    "metric_table",
    "metric_words",
    "pair_table",
]

_ROPE, _DRAWS = 0.01, 10000
_ALL_WORDS = {
    "cll_loss": "CLL-loss",
    "log_loss": "joint log-loss",
    "macro_f1_absent_1": "macro F1 (absent labels count 1)",
}


def metric_words(metric: str) -> str:
    """Return the name of a metric as words.

    Examples
    --------
    >>> metric_words("exact_match"), metric_words("micro_f1"), metric_words("log_loss")
    ('exact match', 'micro F1', 'joint log-loss')
    """
    return _ALL_WORDS.get(metric, metric.replace("_f1", " F1").replace("_", " "))


def direction(metric: str) -> str:
    """Return an arrow: up where large values are good."""
    return "↓" if smaller_is_better(metric) else "↑"


def glance_table(rankings: Sequence[Ranking], outcomes: Outcomes) -> Table:
    """Return methods by metrics: average ranks over the complete data sets, or means where there is one data set."""
    ranked = len(outcomes.datasets) > 1
    columns = [Heading("method", is_text=True)]
    blocks: list[list[Entry]] = [[Entry(method) for method in outcomes.methods]]
    for ranking in rankings:
        blocks.append(_glance_block(ranking, outcomes.methods, ranked))
        decimals = 2 if ranked else digits_for(ranking.means[0], ranking.spreads[0])
        upward = ranked or not ranking.higher_is_better
        columns.append(
            Heading(
                f"{metric_words(ranking.metric)}\N{NO-BREAK SPACE}{direction(ranking.metric)}", decimals, False, upward
            )
        )
    seconds = method_seconds(outcomes)
    columns.append(Heading("seconds", 2 if max(seconds, default=0) < 100 else 0))
    blocks.append([Entry(value) for value in seconds])
    title = "Average ranks, 1 is best" if ranked else f"Scores on {next(iter(outcomes.datasets), 'no data')}"
    notes = ["Seconds of fit and prediction of one part, without compilation; mean over all."]
    return Table("glance", title, tuple(columns), tuple(zip(*blocks, strict=True)), tuple(notes))


def _glance_block(ranking: Ranking, methods: Sequence[str], ranked: bool) -> list[Entry]:
    entries = {}
    ranks = ranking.average_ranks
    least = ranks.min(initial=math.inf)
    for m, method in enumerate(ranking.methods):
        if ranked:
            entries[method] = Entry(float(ranks[m]), best=bool(ranks[m] == least))
        else:
            entries[method] = _score_entry(ranking, 0, m)
    return [entries.get(method, Entry(math.nan)) for method in methods]


def method_seconds(outcomes: Outcomes) -> list[float]:
    """Return the seconds of one part of each method, mean over all parts and data sets; NaN without any."""
    seconds = outcomes.seconds
    return [
        float(np.nanmean(seconds[:, m])) if np.isfinite(seconds[:, m]).any() else math.nan
        for m in range(len(outcomes.methods))
    ]


def metric_table(ranking: Ranking) -> Table:
    """Return methods by data sets: mean and standard deviation over the parts, the best of each data set marked."""
    columns = [Heading("method", is_text=True), Heading("average rank", 2)]
    for d, dataset in enumerate(ranking.datasets):
        decimals = digits_for(ranking.means[d], ranking.spreads[d])
        columns.append(Heading(dataset, decimals, smaller_first=not ranking.higher_is_better))
    ranks = ranking.average_ranks
    least = ranks.min(initial=math.inf)
    rows = [
        (
            Entry(method),
            Entry(float(ranks[m]), best=bool(ranks[m] == least)),
            *(_score_entry(ranking, d, m) for d in range(len(ranking.datasets))),
        )
        for m, method in enumerate(ranking.methods)
    ]
    what = "mean ± standard deviation over the parts" if np.isfinite(ranking.spreads).any() else "one part"
    title = f"{metric_words(ranking.metric)} {direction(ranking.metric)}: {what}"
    return Table(ranking.metric.replace("_", "-"), title, tuple(columns), tuple(rows), tuple(ranking.notes))


def _score_entry(ranking: Ranking, d: int, m: int) -> Entry:
    count, planned = int(ranking.counts[d, m]), int(ranking.planned[d, m])
    note = "not planned" if planned == 0 else "" if count == planned else f"{count}/{planned}"
    return Entry(float(ranking.means[d, m]), float(ranking.spreads[d, m]), bool(ranking.best[d, m]), note)


def digits_for(means: Floats, spreads: Floats) -> int:
    """Return how many digits after the point say something: to the first one or two of the spread.

    Without a spread (one part) the distance between methods stands for it.

    Examples
    --------
    >>> digits_for(np.array([0.0121, 0.0124]), np.array([0.0008, 0.0007]))
    4
    >>> digits_for(np.array([128.8, 131.2]), np.array([6.0, 8.0]))
    0
    >>> digits_for(np.array([0.31, 0.35]), np.array([np.nan, np.nan]))
    3
    """
    finite = means[np.isfinite(means)]
    known = spreads[np.isfinite(spreads) & (spreads > 0)]
    scale = float(np.median(known)) if known.size else float(np.ptp(finite)) / 10 if finite.size else 0.0
    if scale <= 0:
        return decimals_for(finite.tolist())
    return min(6, max(0, -math.floor(math.log10(scale / 4))))


class PairTest(NamedTuple):
    """Wilcoxon's test of a method against another: its probability, and with Holm's correction."""

    method: str
    p_value: float
    corrected: float


def holm_rows(ranking: Ranking, against: str) -> list[PairTest]:
    """Return every method against one on the complete data sets, by Wilcoxon's test with Holm's correction."""
    first, means = ranking.methods.index(against), ranking.means[ranking.complete]
    others = [m for m in range(len(ranking.methods)) if m != first]
    p_values = [_wilcoxon(means[:, m], means[:, first]) for m in others]
    return [
        PairTest(ranking.methods[m], p, float(corrected))
        for m, p, corrected in zip(others, p_values, holm_correction(p_values), strict=True)
    ]


def _wilcoxon(mine: Floats, other: Floats) -> float:
    finite = np.isfinite(mine) & np.isfinite(other)
    return float(wilcoxon_test(mine[finite], other[finite], zeros="drop").p_value) if finite.any() else math.nan


def pair_table(ranking: Ranking) -> Table | None:
    """Return each method against the control, or else against that of the best average rank, on complete data sets.

    None where there is no rank test.
    """
    if ranking.comparison is None:
        return None
    control = ranking.comparison.control
    ranks = ranking.average_ranks
    first = int(ranks.argmin()) if control is None else control
    means = ranking.means[ranking.complete]
    bounded = ranking.metric not in JOINT_MEASURES
    columns = [Heading("method", is_text=True), Heading("wins", 0), Heading("ties", 0), Heading("losses", 0)]
    columns += [Heading("Wilcoxon p", 4), Heading("Holm p", 4)]
    if bounded:
        columns += [Heading("P(better)", 3), Heading("P(equal)", 3), Heading("P(worse)", 3)]
    order = [m for m in np.argsort(ranks, kind="stable") if m != first]
    name = ranking.methods[first]
    tests = {row.method: row for row in holm_rows(ranking, name)}
    rows = [_pair_row(ranking, means, int(m), first, bounded, tests[ranking.methods[m]]) for m in order]
    why = "the control" if control is not None else "the best average rank"
    notes = [
        f"Wins, ties and losses of the method against {name}, by data set. Wilcoxon's signed-rank test, two-sided, "
        "zeros dropped; beside it the probability with Holm's correction for the number of methods."
    ]
    if bounded:
        notes.append(f"P: Bayesian signed-rank test; differences up to {_ROPE} count as equal.")
    title = f"{metric_words(ranking.metric)}: every method against {name} ({why})"
    slug = f"{ranking.metric.replace('_', '-')}-pairs"
    return Table(slug, title, tuple(columns), tuple(rows), tuple(notes))


def _pair_row(ranking: Ranking, means: Floats, m: int, first: int, bounded: bool, test: PairTest) -> tuple[Entry, ...]:
    sign = 1.0 if ranking.higher_is_better else -1.0
    mine, other = sign * means[:, m], sign * means[:, first]
    counts = [int((mine > other).sum()), int((mine == other).sum()), int((mine < other).sum())]
    entries = [Entry(ranking.methods[m]), *(Entry(float(count)) for count in counts)]
    entries += [Entry(test.p_value), Entry(test.corrected)]
    if bounded:
        found = bayesian_signed_ranks(mine, other, rope=_ROPE, n_samples=_DRAWS, random_state=0)
        entries += [Entry(found.first_larger), Entry(found.equivalent), Entry(found.second_larger)]
    return tuple(entries)


def calibration_table(outcomes: Outcomes) -> Table:
    """Return calibration errors, methods by data sets, the least of each data set marked."""
    found = [
        [pooled_reliability(outcomes.cells(dataset, method)) for dataset in outcomes.datasets]
        for method in outcomes.methods
    ]
    errors = np.array([[math.nan if bins is None else bins.calibration_error for bins in row] for row in found])
    errors = errors.reshape(len(outcomes.methods), len(outcomes.datasets))
    least = np.where(np.isnan(errors), np.inf, errors).min(axis=0, initial=np.inf)
    rows = [
        (Entry(method), *(Entry(float(errors[m, d]), best=bool(errors[m, d] == least[d])) for d in range(len(least))))
        for m, method in enumerate(outcomes.methods)
        if not np.isnan(errors[m]).all()
    ]
    digits = [digits_for(errors[:, d], np.full(len(errors), np.nan)) for d in range(len(least))]
    heads = [Heading(dataset, max(3, found)) for dataset, found in zip(outcomes.datasets, digits, strict=True)]
    columns = (Heading("method", is_text=True), *heads)
    title = "Calibration error of the marginals ↓, all parts and labels together"
    return Table("calibration", title, columns, tuple(rows))
