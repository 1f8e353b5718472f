"""What a store holds of one plan, as arrays over data sets, methods and parts."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from plait.core.arrays import Floats
from plait.core.sentences import ParameterError
from plait.experiments.planning.measures import MEASURES, SHOWN_MEASURES, USUAL_MEASURES
from plait.experiments.running.cells import CellResult
from plait.experiments.running.store import Store

__all__ = ["Outcomes", "collect_outcomes", "outcomes_of"]


# 1 minus each other: both say the same.
_MIRRORED = {"subset_loss": "exact_match", "hamming_score": "hamming_loss"}


@dataclass(frozen=True, eq=False)
class Outcomes:
    """Results of the cells of a plan.

    Parameters
    ----------
    plan : str
        Name of the plan.
    datasets, methods, metrics : tuple of str
        In the order of the plan; metrics that no cell has are left out, and subset loss and Hamming score where
        exact match and Hamming loss are there.
    results : list of CellResult
        All finished cells, failed ones among them.
    missing : list of CellResult
        Cells that are planned and not finished, with their names only.
    text : str
        The plan's file.
    others : tuple of str
        Names of other plans in the store.

    Examples
    --------
    >>> found = outcomes_of([CellResult("sea", "br", 0, 0, metrics={"exact_match": 0.5})])
    >>> found.datasets, found.methods, found.n_planned
    (('sea',), ('br',), 1)
    """

    plan: str
    datasets: tuple[str, ...]
    methods: tuple[str, ...]
    metrics: tuple[str, ...]
    results: Sequence[CellResult]
    missing: Sequence[CellResult] = ()
    text: str = ""
    others: tuple[str, ...] = ()
    _pairs: dict[tuple[str, str], list[CellResult]] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        pairs: dict[tuple[str, str], list[CellResult]] = {}
        for cell in self.results:
            pairs.setdefault((cell.dataset, cell.method), []).append(cell)
        object.__setattr__(self, "_pairs", pairs)

    @property
    def failures(self) -> list[CellResult]:
        """Cells that ended in an error."""
        return [cell for cell in self.results if cell.error is not None]

    @property
    def n_planned(self) -> int:
        """Number of cells of the plan."""
        return len(self.results) + len(self.missing)

    @property
    def planned(self) -> npt.NDArray[np.int64]:
        """Number of cells of each data set and method, shape (n_datasets, n_methods)."""
        counts = np.zeros((len(self.datasets), len(self.methods)), dtype=np.int64)
        for cell in (*self.results, *self.missing):
            counts[self._at(cell)] += 1
        return counts

    def values(self, metric: str) -> Floats:
        """Return a metric for every part, shape (n_datasets, n_methods, n_parts); NaN where there is none.

        Parameters
        ----------
        metric : str
            Name of a measure.
        """
        return self._table([cell.metrics.get(metric, np.nan) for cell in self.results])

    @property
    def seconds(self) -> Floats:
        """Seconds of fit and prediction for every part; NaN for cells that failed or loaded compiled code first."""
        timed = {id(cell) for pair in self._pairs for cell in self.timed_cells(*pair)}
        return self._table([c.fit_seconds + c.predict_seconds if id(c) in timed else np.nan for c in self.results])

    def cells(self, dataset: str, method: str) -> list[CellResult]:
        """Return the cells of a data set and a method that came to a good end.

        Parameters
        ----------
        dataset, method : str
            Names in the plan.
        """
        return [cell for cell in self._pairs.get((dataset, method), ()) if cell.error is None]

    def timed_cells(self, dataset: str, method: str) -> list[CellResult]:
        """Return the cells whose seconds are a measure: without those that loaded compiled code, if others are left.

        Parameters
        ----------
        dataset, method : str
            Names in the plan.
        """
        cells = self.cells(dataset, method)
        return [cell for cell in cells if cell.extras.get("warm", True)] or cells

    def _table(self, numbers: Sequence[float]) -> Floats:
        parts = sorted({(cell.seed, cell.fold) for cell in self.results})
        place = {part: number for number, part in enumerate(parts)}
        table = np.full((len(self.datasets), len(self.methods), len(parts)), np.nan)
        for cell, number in zip(self.results, numbers, strict=True):
            table[(*self._at(cell), place[cell.seed, cell.fold])] = number
        return table

    def _at(self, cell: CellResult) -> tuple[int, int]:
        return self.datasets.index(cell.dataset), self.methods.index(cell.method)


def collect_outcomes(store: Store, plan: str | None = None, metrics: Sequence[str] = ()) -> Outcomes:
    r"""Read one plan of a store.

    Parameters
    ----------
    store : Store
        What `plait bench` wrote.
    plan : str, optional
        Name of the plan; by default the one that was run last.
    metrics : sequence of str, optional
        What to show: names, or "all"; by default what the plan names, and five where it names nothing.

    Returns
    -------
    Outcomes

    Raises
    ------
    ParameterError
        If the store has no plan of that name, or no cell has one of the metrics.

    Examples
    --------
    >>> from plait.data import Dataset, save_dataset
    >>> from plait.experiments import open_store, plan_from_text, run_plan
    >>> save_dataset(Dataset([[0.0], [1.0]] * 9, [[0], [1]] * 9, ["blue"], ["sea"]), "photos.csv")
    >>> plan = plan_from_text('datasets = [{source = "photos.csv", labels = ["sea"]}]\nmethods = ["br"]')
    >>> _ = run_plan(plan, "results.sqlite")
    >>> with open_store("results.sqlite") as store:
    ...     found = collect_outcomes(store, metrics=["exact_match"])
    >>> found.datasets, found.methods, float(found.values("exact_match").mean())
    (('photos',), ('br',), 1.0)
    """
    plans = store.plans
    if plan is not None and plan not in plans:
        there = ", ".join(plans) or "none"
        raise ParameterError(
            f"plait report needs --plan to be a plan of the store, but it is {plan!r}. There: {there}."
        )
    name = plan if plan is not None else next(iter(plans), "")
    results = store.results(name)
    return outcomes_of(
        results,
        store.missing(name),
        metrics=_wanted(metrics, store.metrics(name), results),
        plan=name,
        text=plans.get(name, ""),
        others=tuple(other for other in plans if other != name),
        names=store.names(name),
    )


def _wanted(asked: Sequence[str], planned: Sequence[str], results: Sequence[CellResult]) -> Sequence[str]:
    """Return the metrics to show: those asked for, else those that the plan names, else one of each kind."""
    if not asked:
        return SHOWN_MEASURES if tuple(planned) == tuple(USUAL_MEASURES) else planned
    there = _distinct(metric for cell in results for metric in cell.metrics)
    chosen = there if tuple(asked) == ("all",) else tuple(asked)
    if unknown := [word for word in chosen if word not in there]:
        raise ParameterError(
            f"plait report needs --metrics to be measured in the store, but {', '.join(unknown)} is not. "
            f"There: {', '.join(there) or 'none'}."
        )
    return chosen


def outcomes_of(
    results: Sequence[CellResult],
    missing: Sequence[CellResult] = (),
    *,
    metrics: Sequence[str] = (),
    plan: str = "",
    text: str = "",
    others: tuple[str, ...] = (),
    names: tuple[tuple[str, ...], tuple[str, ...]] = ((), ()),
) -> Outcomes:
    """Return outcomes from cells; without `metrics`, all that the cells have.

    `names` are data sets and methods in the order of the plan; without them, they stand as the cells come.

    Parameters
    ----------
    results, missing : sequence of CellResult
        Finished cells, and those that are planned and not finished.
    metrics : sequence of str, optional
        What to show.
    plan, text : str, default=""
        Name and file of the plan.
    others : tuple of str, default=()
        Other plans of the store.
    names : pair of tuples of str
        Data sets and methods in the order of the plan.

    Returns
    -------
    Outcomes

    Examples
    --------
    >>> cells = [CellResult("sea", "br", fold, 0, metrics={"exact_match": 0.5 + fold}) for fold in (0, 1)]
    >>> outcomes_of(cells).values("exact_match")
    array([[[0.5, 1.5]]])
    """
    cells = [*results, *missing]
    found = _distinct(metric for cell in results for metric in cell.metrics)
    wanted = metrics or [metric for metric in MEASURES if metric in found]
    wanted = [metric for metric in wanted if _MIRRORED.get(metric) not in wanted]
    return Outcomes(
        plan,
        names[0] or _distinct(cell.dataset for cell in cells),
        names[1] or _distinct(cell.method for cell in cells),
        tuple(metric for metric in wanted if metric in found),
        results,
        missing,
        text,
        others,
    )


def _distinct(words: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(words))
