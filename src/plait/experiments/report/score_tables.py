"""Tables of scores: all metrics at a glance, each metric by data set, and each method against one."""

import math
from collections.abc import Sequence

import numpy as np

from plait.core.arrays import Floats
from plait.experiments.planning.measures import JOINT_MEASURES, smaller_is_better
from plait.experiments.report.model_findings import pooled_reliability
from plait.experiments.report.outcomes import Outcomes
from plait.experiments.report.rankings import Ranking
from plait.experiments.statistics import bayesian_signed_ranks, wilcoxon_test
from plait.pictures.tables import Entry, Heading, Table, decimals_for

__all__ = ["calibration_table", "direction", "glance_table", "metric_table", "metric_words", "pair_table"]

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
        decimals = 2 if ranked else decimals_for([float(entry.value) for entry in blocks[-1]])
        upward = ranked or not ranking.higher_is_better
        columns.append(
            Heading(
                f"{metric_words(ranking.metric)}\N{NO-BREAK SPACE}{direction(ranking.metric)}", decimals, False, upward
            )
        )
    seconds = _method_seconds(outcomes)
    columns.append(Heading("seconds", 2 if max(seconds, default=0) < 100 else 0))
    blocks.append([Entry(value) for value in seconds])
    title = "Average ranks, 1 is best" if ranked else f"Scores on {next(iter(outcomes.datasets), 'no data')}"
    notes = ["Seconds: fit and prediction of one part, mean over all parts and data sets."]
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


def _method_seconds(outcomes: Outcomes) -> list[float]:
    seconds = outcomes.seconds
    return [
        float(np.nanmean(seconds[:, m])) if np.isfinite(seconds[:, m]).any() else math.nan
        for m in range(len(outcomes.methods))
    ]


def metric_table(ranking: Ranking) -> Table:
    """Return methods by data sets: mean and standard deviation over the parts, the best of each data set marked."""
    columns = [Heading("method", is_text=True), Heading("average rank", 2)]
    for d, dataset in enumerate(ranking.datasets):
        decimals = decimals_for(ranking.means[d].tolist())
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
    title = f"{metric_words(ranking.metric)} {direction(ranking.metric)}: mean ± standard deviation over the parts"
    return Table(ranking.metric.replace("_", "-"), title, tuple(columns), tuple(rows), tuple(ranking.notes))


def _score_entry(ranking: Ranking, d: int, m: int) -> Entry:
    count, planned = int(ranking.counts[d, m]), int(ranking.planned[d, m])
    note = "not planned" if planned == 0 else "" if count == planned else f"{count}/{planned}"
    return Entry(float(ranking.means[d, m]), float(ranking.spreads[d, m]), bool(ranking.best[d, m]), note)


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
    columns.append(Heading("Wilcoxon p", 4))
    if bounded:
        columns += [Heading("P(better)", 3), Heading("P(equal)", 3), Heading("P(worse)", 3)]
    order = [m for m in np.argsort(ranks, kind="stable") if m != first]
    rows = [_pair_row(ranking, means, int(m), first, bounded) for m in order]
    name = ranking.methods[first]
    why = "the control" if control is not None else "the best average rank"
    notes = [
        f"Wins, ties and losses of the method against {name}, by data set. Wilcoxon's signed-rank test, two-sided, "
        "zeros dropped, not corrected for the number of methods."
    ]
    if bounded:
        notes.append(f"P: Bayesian signed-rank test; differences up to {_ROPE} count as equal.")
    title = f"{metric_words(ranking.metric)}: every method against {name} ({why})"
    slug = f"{ranking.metric.replace('_', '-')}-pairs"
    return Table(slug, title, tuple(columns), tuple(rows), tuple(notes))


def _pair_row(ranking: Ranking, means: Floats, m: int, first: int, bounded: bool) -> tuple[Entry, ...]:
    sign = 1.0 if ranking.higher_is_better else -1.0
    mine, other = sign * means[:, m], sign * means[:, first]
    counts = [int((mine > other).sum()), int((mine == other).sum()), int((mine < other).sum())]
    finite = np.isfinite(mine) & np.isfinite(other)
    p = wilcoxon_test(mine[finite], other[finite], zeros="drop").p_value if finite.any() else math.nan
    entries = [Entry(ranking.methods[m]), *(Entry(float(count)) for count in counts), Entry(float(p))]
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
    columns = (Heading("method", is_text=True), *(Heading(dataset) for dataset in outcomes.datasets))
    title = "Calibration error of the marginals ↓, all parts and labels together"
    return Table("calibration", title, columns, tuple(rows))
