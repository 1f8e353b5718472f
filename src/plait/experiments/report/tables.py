"""What a report is made of: outcomes, a ranking for each metric, and every table, computed once for all forms."""

import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from plait.core.sentences import ParameterError
from plait.experiments.report.label_scores import label_tables
from plait.experiments.report.outcomes import Outcomes
from plait.experiments.report.printed_numbers import printed_table
from plait.experiments.report.rankings import Ranking, rank_methods
from plait.experiments.report.score_tables import calibration_table, glance_table, metric_table, pair_table
from plait.experiments.report.verdicts import verdict
from plait.experiments.running.cells import CellResult
from plait.pictures.tables import Entry, Heading, Table, decimals_for

__all__ = ["Contents", "report_contents"]

_MEGABYTE = 2**20
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_PLACE_COLUMNS = (
    Heading("data set", is_text=True),
    Heading("method", is_text=True),
    Heading("fold", 0),
    Heading("seed", 0),
)


@dataclass(frozen=True, eq=False)
class Contents:
    """Outcomes and what follows from them.

    Parameters
    ----------
    outcomes : Outcomes
        Results of the cells.
    rankings : tuple of Ranking
        One for each metric.

    Examples
    --------
    >>> from plait.experiments.report import outcomes_of
    >>> report_contents(outcomes_of([CellResult("sea", "br", 0, 0, metrics={"exact_match": 0.5})])).verdict
    []
    """

    outcomes: Outcomes
    rankings: tuple[Ranking, ...]

    @cached_property
    def verdict(self) -> list[str]:
        """Who is best, by what test, and what it costs, as sentences."""
        return verdict(self.rankings, self.outcomes)

    @cached_property
    def printed(self) -> Table:
        """What a paper printed beside what came out; without rows where the plan is not that of a paper."""
        return printed_table(self.outcomes)

    @cached_property
    def labels(self) -> dict[str, Table]:
        """For each data set, scores of its labels, labels by methods."""
        return label_tables(self.outcomes)

    @cached_property
    def glance(self) -> Table:
        """Methods by metrics."""
        return glance_table(self.rankings, self.outcomes)

    @cached_property
    def scores(self) -> tuple[Table, ...]:
        """For each metric, methods by data sets."""
        return tuple(metric_table(ranking) for ranking in self.rankings)

    @cached_property
    def pairs(self) -> tuple[Table | None, ...]:
        """For each metric, every method against one; None where there is no test."""
        return tuple(pair_table(ranking) for ranking in self.rankings)

    @cached_property
    def calibration(self) -> Table:
        """Calibration errors of the marginals, methods by data sets; without rows where no method has any."""
        return calibration_table(self.outcomes)

    @cached_property
    def runs(self) -> tuple[Table, ...]:
        """What ran, without empty tables."""
        makers = (
            failure_table,
            unfinished_table,
            dataset_table,
            cost_table,
            settings_table,
            force_table,
            version_table,
            warning_table,
        )
        tables = [make(self.outcomes) for make in makers]
        return tuple(table for table in tables if table.rows)

    @property
    def tables(self) -> list[Table]:
        """Every table of the page, and one of all cells."""
        pairs = [table for table in self.pairs if table is not None]
        scores = [self.glance, self.printed, *self.scores, *pairs, *self.labels.values(), self.calibration]
        tables = [*scores, *self.runs, cell_table(self.outcomes)]
        return [table for table in tables if table.rows]


def report_contents(outcomes: Outcomes, control: str | None = None) -> Contents:
    """Return the contents of a report.

    Parameters
    ----------
    outcomes : Outcomes
        Results of the cells.
    control : str, optional
        Compare all methods with this one (Bonferroni-Dunn) instead of all pairs (Nemenyi).

    Returns
    -------
    Contents

    Raises
    ------
    ParameterError
        If there is no such method.

    Examples
    --------
    >>> from plait.experiments.report import outcomes_of
    >>> cells = [CellResult("sea", "br", 0, 0, metrics={"exact_match": 0.5})]
    >>> [table.name for table in report_contents(outcomes_of(cells)).tables][:2]
    ['glance', 'exact-match']
    """
    if control is not None and control not in outcomes.methods:
        there = ", ".join(outcomes.methods) or "none"
        raise ParameterError(
            f"plait report needs --control to be one of its methods, but it is {control!r}. There: {there}."
        )
    return Contents(outcomes, tuple(rank_methods(outcomes, metric, control) for metric in outcomes.metrics))


def cost_table(outcomes: Outcomes) -> Table:
    """Return seconds of fit and prediction, means over the parts, and the peak of memory, by data set and method."""
    columns = [Heading("data set", is_text=True), Heading("method", is_text=True)]
    rows = [
        (Entry(dataset), Entry(method), *_costs(outcomes.timed_cells(dataset, method)))
        for dataset in outcomes.datasets
        for method in outcomes.methods
        if outcomes.cells(dataset, method)
    ]
    names = ("fit, seconds", "prediction, seconds", "peak memory, MB")
    for place, name in enumerate(names, start=2):
        decimals = 0 if place == 4 else decimals_for([float(row[place].value) for row in rows])
        columns.append(Heading(name, decimals))
    notes = (
        "Without the time of compilation; the first part of a process, which loads programs too, is left out where "
        "there are others. Memory is that of the whole process, with the interpreter and the data.",
    )
    return Table("costs", "Time and memory of one part", tuple(columns), tuple(rows), notes)


def _costs(cells: Sequence[CellResult]) -> list[Entry]:
    fit, predict = [cell.fit_seconds for cell in cells], [cell.predict_seconds for cell in cells]
    memory = [cell.peak_memory / _MEGABYTE for cell in cells if cell.peak_memory]
    peak = Entry(max(memory, default=math.nan))
    return [_mean(fit), _mean(predict), peak]


def _mean(numbers: Sequence[float]) -> Entry:
    spread = float(np.std(numbers, ddof=1)) if len(numbers) > 1 else math.nan
    return Entry(float(np.mean(numbers)), spread)


def dataset_table(outcomes: Outcomes) -> Table:
    """Return the size of each data set, as the cells saw it."""
    columns = (
        Heading("data set", is_text=True),
        Heading("training rows", 0, smaller_first=False),
        Heading("test rows", 0, smaller_first=False),
        Heading("features", 0, smaller_first=False),
        Heading("labels", 0, smaller_first=False),
        Heading("finished", is_text=True),
    )
    rows = []
    for dataset in outcomes.datasets:
        cells = [cell for method in outcomes.methods for cell in outcomes.cells(dataset, method)]
        extras = next((cell.extras for cell in cells if cell.extras), {})
        sizes = [float(extras.get(key, math.nan)) for key in ("n_train", "n_test", "n_features")]
        sizes.append(float(len(extras.get("label_names") or ())) or math.nan)
        planned = sum(cell.dataset == dataset for cell in (*outcomes.results, *outcomes.missing))
        rows.append((Entry(dataset), *map(Entry, sizes), Entry(f"{len(cells)} of {planned}")))
    return Table("datasets", "Data sets, rows of one part", columns, tuple(rows))


def settings_table(outcomes: Outcomes) -> Table:
    """Return the parameters of each method; more than one line where they differ between data sets."""
    seen: dict[tuple[str, str], list[str]] = {}
    for cell in outcomes.results:
        words = json.dumps(dict(cell.parameters), ensure_ascii=False, default=str)
        where = seen.setdefault((cell.method, words), [])
        if cell.dataset not in where:
            where.append(cell.dataset)
    kinds = Counter(method for method, _ in seen)
    rows = [
        (Entry(method), Entry(", ".join(where) if kinds[method] > 1 else "all"), Entry(words))
        for (method, words), where in seen.items()
    ]
    columns = (Heading("method", is_text=True), Heading("on", is_text=True), Heading("settings", is_text=True))
    return Table("settings", "Settings as the plan has them", columns, tuple(rows))


def force_table(outcomes: Outcomes) -> Table:
    """Return every parameter of every method as it was when the cells ran, defaults of that version too."""
    seen: dict[tuple[str, str, str], list[str]] = {}
    for cell in outcomes.results:
        for name, words in cell.extras.get("settings", {}).items():
            if not name.endswith("random_state"):  # a seed for each part
                where = seen.setdefault((cell.method, name, words), [])
                if cell.dataset not in where:
                    where.append(cell.dataset)
    kinds = Counter((method, name) for method, name, _ in seen)
    rows = [
        (Entry(method), Entry(name), Entry(words), Entry(", ".join(where) if kinds[method, name] > 1 else "all"))
        for (method, name, words), where in seen.items()
    ]
    heads = ("method", "parameter", "value", "on")
    title = "Settings in force, defaults too"
    return Table("settings-in-force", title, tuple(Heading(head, is_text=True) for head in heads), tuple(rows))


def version_table(outcomes: Outcomes) -> Table:
    """Return the versions of programs; several, with the number of cells, where results come from more than one."""
    counts: dict[str, Counter[str]] = {}
    for cell in outcomes.results:
        for program, version in cell.versions.items():
            counts.setdefault(program, Counter())[version] += 1
    rows = [(Entry(program), Entry(_versions(found))) for program, found in counts.items()]
    mixed = [program for program, found in counts.items() if len(found) > 1]
    notes = (f"Results come from more than one version of {', '.join(mixed)}.",) if mixed else ()
    columns = (Heading("program", is_text=True), Heading("version", is_text=True))
    return Table("versions", "Versions", columns, tuple(rows), notes)


def _versions(found: Counter[str]) -> str:
    if len(found) == 1:
        return next(iter(found))
    return ", ".join(f"{version} ({n} cells)" for version, n in found.most_common())


def failure_table(outcomes: Outcomes) -> Table:
    """Return every cell that failed, with its error."""
    rows = [(*_place(cell), Entry(cell.error or "")) for cell in outcomes.failures]
    return Table("failures", "Failures", (*_PLACE_COLUMNS, Heading("error", is_text=True)), tuple(rows))


def unfinished_table(outcomes: Outcomes) -> Table:
    """Return how many parts of each data set and method are not finished."""
    counts = Counter((cell.dataset, cell.method) for cell in outcomes.missing)
    rows = [(Entry(dataset), Entry(method), Entry(float(n))) for (dataset, method), n in counts.items()]
    columns = (Heading("data set", is_text=True), Heading("method", is_text=True), Heading("parts to do", 0))
    return Table("unfinished", "Not finished", columns, tuple(rows))


def warning_table(outcomes: Outcomes) -> Table:
    """Return the warnings of each method, with the number of cells that had them.

    Warnings that differ in their numbers alone are one; the first of them is shown.
    """
    counts: Counter[tuple[str, str]] = Counter()
    first: dict[tuple[str, str], str] = {}
    for cell in outcomes.results:
        found = {(cell.method, _NUMBER.sub("0", words)): words for words in reversed(cell.extras.get("warnings", ()))}
        counts.update(found.keys())
        first = {**found, **first}
    rows = [(Entry(key[0]), Entry(float(n)), Entry(first[key])) for key, n in counts.most_common()]
    columns = (Heading("method", is_text=True), Heading("cells", 0), Heading("warning", is_text=True))
    return Table("warnings", "Warnings", columns, tuple(rows))


def cell_table(outcomes: Outcomes) -> Table:
    """Return every cell with every metric it has, for CSV."""
    metrics = list(dict.fromkeys(metric for cell in outcomes.results for metric in cell.metrics))
    rows = [
        (
            *_place(cell),
            *(Entry(float(cell.metrics.get(metric, math.nan))) for metric in metrics),
            Entry(cell.fit_seconds),
            Entry(cell.predict_seconds),
            Entry(float(cell.peak_memory)),
            Entry(cell.error or ""),
        )
        for cell in outcomes.results
    ]
    names = _numbers([*metrics, "fit_seconds", "predict_seconds", "peak_memory"])
    columns = (*_PLACE_COLUMNS, *names, Heading("error", is_text=True))
    return Table("cells", "Every cell", columns, tuple(rows))


def _place(cell: CellResult) -> tuple[Entry, ...]:
    return Entry(cell.dataset), Entry(cell.method), Entry(float(cell.fold)), Entry(float(cell.seed))


def _numbers(names: Iterable[str]) -> list[Heading]:
    return [Heading(name) for name in names]
