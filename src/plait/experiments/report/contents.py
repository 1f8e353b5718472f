"""What a report is made of: outcomes, one ranking for each metric, and every table, computed once for all forms."""

from dataclasses import dataclass
from functools import cached_property

from plait.core.sentences import ParameterError
from plait.experiments.report.outcomes import Outcomes
from plait.experiments.report.rankings import Ranking, rank_methods
from plait.experiments.report.run_tables import (
    cell_table,
    cost_table,
    dataset_table,
    failure_table,
    settings_table,
    unfinished_table,
    version_table,
    warning_table,
)
from plait.experiments.report.score_tables import calibration_table, glance_table, metric_table, pair_table
from plait.pictures.tables import Table

__all__ = ["Contents", "report_contents"]


@dataclass(frozen=True, eq=False)
class Contents:
    """Outcomes and what follows from them.

    Parameters
    ----------
    outcomes : Outcomes
        Results of the cells.
    rankings : tuple of Ranking
        One for each metric.
    """

    outcomes: Outcomes
    rankings: tuple[Ranking, ...]

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
            version_table,
            warning_table,
        )
        tables = [make(self.outcomes) for make in makers]
        return tuple(table for table in tables if table.rows)

    @property
    def tables(self) -> list[Table]:
        """Every table of the page, and one of all cells."""
        pairs = [table for table in self.pairs if table is not None]
        tables = [self.glance, *self.scores, *pairs, self.calibration, *self.runs, cell_table(self.outcomes)]
        return [table for table in tables if table.rows]


def report_contents(outcomes: Outcomes, control: str | None = None) -> Contents:
    """Return the contents of a report.

    Parameters
    ----------
    outcomes : Outcomes
        Results of the cells.
    control : str, optional
        Compare all methods with this one (Bonferroni-Dunn) instead of all pairs (Nemenyi).

    Raises
    ------
    ParameterError
        If there is no such method.
    """
    if control is not None and control not in outcomes.methods:
        there = ", ".join(outcomes.methods) or "none"
        raise ParameterError(
            f"plait report needs --control to be one of its methods, but it is {control!r}. There: {there}."
        )
    return Contents(outcomes, tuple(rank_methods(outcomes, metric, control) for metric in outcomes.metrics))
