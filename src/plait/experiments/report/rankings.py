"""One metric over all data sets and methods: means, spreads, and the rank test where the results allow one."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from plait.core.arrays import Floats
from plait.experiments.planning.measures import smaller_is_better
from plait.experiments.report.outcomes import Outcomes
from plait.experiments.statistics import RankComparison, compare_methods, method_ranks

__all__ = ["Ranking", "rank_methods"]


@dataclass(frozen=True, eq=False)
class Ranking:
    """A metric of every method on every data set.

    Parameters
    ----------
    metric : str
        The metric.
    datasets, methods : tuple of str
        Rows and columns; methods that never give the metric are left out.
    means, spreads : ndarray of shape (n_datasets, n_methods)
        Mean and standard deviation (over n - 1) of the parts that have a value; NaN where none has, or only one.
    counts, planned : ndarray of int, shape (n_datasets, n_methods)
        How many parts have a value, and how many there are to be.
    without : tuple of str
        Methods that never give the metric.
    control : str, optional
        The method that all others are compared with.
    """

    metric: str
    datasets: tuple[str, ...]
    methods: tuple[str, ...]
    means: Floats
    spreads: Floats
    counts: npt.NDArray[np.int64]
    planned: npt.NDArray[np.int64]
    without: tuple[str, ...] = ()
    control: str | None = None

    @property
    def higher_is_better(self) -> bool:
        """Whether large values are good."""
        return not smaller_is_better(self.metric)

    @cached_property
    def complete(self) -> npt.NDArray[np.bool_]:
        """Which data sets have every part of every method."""
        whole: npt.NDArray[np.bool_] = ((self.counts == self.planned) & (self.planned > 0)).all(axis=1)
        return whole if self.methods else np.zeros(len(self.datasets), dtype=bool)

    @cached_property
    def best(self) -> npt.NDArray[np.bool_]:
        """Which methods have the best mean of a data set, ties included; those with missing parts take no prize."""
        whole = np.where((self.counts == self.planned) & ~np.isnan(self.means), self.means, np.nan)
        worst = -np.inf if self.higher_is_better else np.inf
        filled = np.where(np.isnan(whole), worst, whole)
        extreme = filled.max(axis=1, initial=-np.inf) if self.higher_is_better else filled.min(axis=1, initial=np.inf)
        found: npt.NDArray[np.bool_] = ~np.isnan(whole) & (whole == extreme[:, None])
        return found

    @cached_property
    def ranks(self) -> Floats:
        """Ranks on the complete data sets, shape (n_complete, n_methods)."""
        if not self.complete.any():
            return np.zeros((0, len(self.methods)))
        return method_ranks(self.means[self.complete], higher_is_better=self.higher_is_better)

    @property
    def average_ranks(self) -> Floats:
        """Mean ranks over the complete data sets; NaN without any."""
        n_complete = len(self.ranks)
        return self.ranks.mean(axis=0) if n_complete else np.full(len(self.methods), np.nan)

    @cached_property
    def comparison(self) -> RankComparison | None:
        """The Friedman test with its critical difference; None where `no_test` says why not."""
        if self.no_test:
            return None
        control = self.control if self.control in self.methods else None
        means = self.means[self.complete]
        return compare_methods(means, self.methods, higher_is_better=self.higher_is_better, control=control)

    @property
    def no_test(self) -> str:
        """Why there is no rank test, as a sentence; empty where there is one."""
        n_complete = int(self.complete.sum())
        if len(self.methods) < 2:
            return "No rank test: it takes at least two methods."
        if len(self.datasets) < 2:
            return "No rank test: it takes at least two data sets, and there is one."
        if n_complete < 2:
            return f"No rank test: it takes at least two complete data sets, and {_count(n_complete)} complete."
        return ""

    @property
    def notes(self) -> list[str]:
        """What a reader must know: what was left out, and why."""
        notes = []
        unfinished = [name for name, whole in zip(self.datasets, self.complete, strict=True) if not whole]
        if unfinished and len(self.methods) > 0:
            kept = f"{len(self.datasets) - len(unfinished)} of {len(self.datasets)} data sets"
            notes.append(f"Ranks are over {kept}, those that every method has finished; not {_listed(unfinished)}.")
        if self.without:
            notes.append(f"{_listed(self.without)} {'gives' if len(self.without) == 1 else 'give'} no such value.")
        if self.control is not None and self.control not in self.methods:
            notes.append(f"The control {self.control} is not among them: all pairs are compared.")
        return notes


def rank_methods(outcomes: Outcomes, metric: str, control: str | None = None) -> Ranking:
    """Return the means of a metric and what they say about the methods.

    Examples
    --------
    >>> from plait.experiments.running.cells import CellResult
    >>> from plait.experiments.report.outcomes import outcomes_of
    >>> scores = {("sea", "br"): 0.4, ("sea", "cc"): 0.5, ("sun", "br"): 0.6, ("sun", "cc"): 0.7}
    >>> cells = [CellResult(*pair, 0, 0, metrics={"exact_match": value}) for pair, value in scores.items()]
    >>> rank_methods(outcomes_of(cells), "exact_match").average_ranks
    array([2., 1.])
    """
    values = outcomes.values(metric)
    counts: npt.NDArray[np.int64] = (~np.isnan(values)).sum(axis=2)
    kept = counts.any(axis=0)
    means, spreads = _means(values[:, kept], counts[:, kept])
    names = np.array(outcomes.methods, dtype=object)
    return Ranking(
        metric,
        outcomes.datasets,
        tuple(names[kept]),
        means,
        spreads,
        counts[:, kept],
        outcomes.planned[:, kept],
        tuple(names[~kept]),
        control,
    )


def _means(values: Floats, counts: npt.NDArray[np.int64]) -> tuple[Floats, Floats]:
    """Return mean and standard deviation of what is there; an infinite loss makes the mean infinite, the spread NaN."""
    there = ~np.isnan(values)
    with np.errstate(invalid="ignore", divide="ignore"):
        means = np.where(there, values, 0.0).sum(axis=2) / counts
        squares = np.where(there, (values - means[:, :, None]) ** 2, 0.0).sum(axis=2)
        spreads = np.where(counts > 1, np.sqrt(squares / (counts - 1)), np.nan)
    return means, np.where(np.isfinite(means), spreads, np.nan)


def _count(n: int) -> str:
    return "none is" if n == 0 else "one is" if n == 1 else f"{n} are"


def _listed(names: Sequence[str], most: int = 6) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
