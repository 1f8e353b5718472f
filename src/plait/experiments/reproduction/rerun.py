"""Run the plan of a paper, or a part of it, and put what the store holds beside the paper."""

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from plait.core.checks import OneOf, check_value
from plait.data import DataError
from plait.experiments.planning.plan import Plan
from plait.experiments.reproduction.compared_cells import ComparedCell, compare_means
from plait.experiments.reproduction.facts import COLUMNS, paper_facts
from plait.experiments.reproduction.paper_plans import available_datasets, paper_plan, part_of_plan
from plait.experiments.reproduction.repeated_tests import (
    FoldOutcome,
    RepeatedPair,
    RepeatedRanks,
    repeated_outcomes,
    repeated_pairs,
    repeated_ranks,
)
from plait.experiments.reproduction.run_ledger import Means, completed, measured_means, read_ledger
from plait.experiments.running.cells import CellResult
from plait.experiments.running.runner import RunSummary, run_plan
from plait.experiments.running.store import open_store

__all__ = [
    "WHERE_DATA_ARE",
    "Reproduction",
    "ledger_file",
    "read_means",
    "read_reproduction",
    "read_results",
    "run_paper",
]

WHERE_DATA_ARE = (
    "Get them from the collections of Mulan (mulan.sourceforge.net/datasets-mlc.html) or MEKA "
    "(waikato.github.io/meka/datasets), put each as NAME.arff with NAME.xml into one folder, and set PLAIT_DATA to it."
)


@dataclass(frozen=True, eq=False)
class Reproduction:
    """A paper's results beside plait's.

    Parameters
    ----------
    paper : {"occ", "scls", "mc", "pcc", "pacc"}
        The paper.
    column : {"clean", "as_run"}
        By which plan: as the paper says, or as its program ran.
    cells : list of ComparedCell
        Every printed number that plait has too.
    ranks : list of RepeatedRanks
        The rank tests of the paper, on both.
    pairs : list of RepeatedPair
        The Wilcoxon tests of the paper, on both.
    outcomes : list of FoldOutcome
        The paired t-tests of the paper, on both.
    failures : list of CellResult
        What ended in an error.
    means : Means
        All that ran, methods too of which the paper prints no numbers.

    Examples
    --------
    >>> found = Reproduction("pcc", "clean", [], [], [], [], [])
    >>> found.paper, len(found.cells)
    ('pcc', 0)
    """

    paper: str
    column: str
    cells: list[ComparedCell]
    ranks: list[RepeatedRanks]
    pairs: list[RepeatedPair]
    outcomes: list[FoldOutcome]
    failures: list[CellResult]
    means: Means = field(default_factory=dict)


def run_paper(
    paper: str,
    store: str | os.PathLike[str],
    *,
    plan: str = "clean",
    datasets: Sequence[str] = (),
    methods: Sequence[str] = (),
    quick: bool = False,
    jobs: int = 1,
    retry_failed: bool = False,
    on_missing: Callable[[str], None] | None = None,
    on_result: Callable[[CellResult], None] | None = None,
) -> RunSummary:
    """Run the plan of a paper, or a part of it; what the store has is not run again.

    Parameters
    ----------
    paper : {"occ", "scls", "mc", "pcc", "pacc"}
        The paper.
    store : path
        The SQLite file; made where there is none.
    plan : str, default="clean"
        "clean" as the paper says, "as_run" as its program ran, or another of `plan_names`.
    datasets, methods : sequence of str
        Names of the paper; none means all.
    quick : bool, default=False
        Where nothing is named, run what is done within minutes.
    jobs : int, default=1
        How many processes.
    retry_failed : bool, default=False
        Run cells again that failed before.
    on_missing : callable, optional
        Called with the name of every data set that is not on this machine.
    on_result : callable, optional
        Called with every result.

    Returns
    -------
    RunSummary

    Examples
    --------
    >>> found = run_paper("pcc", "pcc.sqlite", quick=True)  # doctest: +SKIP
    >>> found.done  # doctest: +SKIP
    44
    """
    whole = paper_plan(paper, plan)
    part, missing = available_datasets(part_of_plan(whole, datasets, methods, quick=quick))
    if not part.datasets:
        raise DataError(
            f"plait reproduce needs data sets of the paper in the folder PLAIT_DATA, but none of {', '.join(missing)} "
            f"is there. {WHERE_DATA_ARE}"
        )
    if on_missing is not None:
        for name in missing:
            on_missing(name)
    # A part has a name of its own: another part in the same store does not take its place.
    words = [",".join(data.name for data in part.datasets), ",".join(method.name for method in part.methods)]
    is_whole = (part.datasets, part.methods) == (whole.datasets, whole.methods)
    named = part if is_whole else replace(part, name=" ".join([whole.name, *words]))
    return run_plan(named, store, jobs=jobs, retry_failed=retry_failed, on_result=on_result)


def read_reproduction(
    paper: str,
    store: str | os.PathLike[str],
    column: str = "clean",
    *,
    kept: str | os.PathLike[str] | None = None,
    state: str = "",
) -> Reproduction:
    """Compare all that a store holds of a paper's plan with the paper; results of other settings do not count.

    Parameters
    ----------
    paper : {"occ", "scls", "mc", "pcc", "pacc"}
        The paper.
    store : path
        From `run_paper`.
    column : {"clean", "as_run"}, default="clean"
        By which plan: as the paper says, or as its program ran.
    kept : path, optional
        Folder in which `write_paper` has left what earlier stores held: it completes what this one holds.
    state : str, default=""
        What the state of the code is called that ran, such as a commit.

    Returns
    -------
    Reproduction

    Examples
    --------
    >>> open_store("pcc.sqlite", create=True).close()  # nothing has run yet
    >>> found = read_reproduction("pcc", "pcc.sqlite")
    >>> found.column, found.cells
    ('clean', [])
    """
    check_value("read_reproduction", "column", column, [OneOf(COLUMNS)])
    means, failures = read_means(paper, store, column, kept=kept, state=state)
    cells = compare_means(paper, means, column)
    control = paper_facts(paper).control
    outcomes = repeated_outcomes(cells, control) if control else []
    tests = repeated_ranks(paper, cells), repeated_pairs(paper, cells, means)
    return Reproduction(paper, column, cells, *tests, outcomes, failures, means)


def ledger_file(paper: str, folder: str | os.PathLike[str]) -> Path:
    """Return the file in a folder of pages that holds all that ran for a paper."""
    return Path(folder, f"{paper}-runs.csv")


def read_means(
    paper: str,
    store: str | os.PathLike[str],
    plan: str = "clean",
    *,
    kept: str | os.PathLike[str] | None = None,
    state: str = "",
) -> tuple[Means, list[CellResult]]:
    """Return the means of what a store holds of a plan, completed by those kept in a folder, and what failed.

    Parameters
    ----------
    paper : {"occ", "scls", "mc", "pcc", "pacc"}
        The paper.
    store : path
        From `run_paper`.
    plan : str, default="clean"
        One of `plan_names`.
    kept : path, optional
        Folder in which `write_paper` has left what earlier stores held.
    state : str, default=""
        What the state of the code is called that ran.
    """
    results, failures = read_results(paper, store, plan)
    earlier = read_ledger(paper, ledger_file(paper, kept)).get(plan, {}) if kept is not None else {}
    return completed(paper_plan(paper, plan), measured_means(results, state), earlier), failures


def read_results(
    paper: str, store: str | os.PathLike[str], plan: str = "clean"
) -> tuple[list[CellResult], list[CellResult]]:
    """Return what a store holds of a plan of a paper, where every part of a data set is there, and what failed.

    Parameters
    ----------
    paper : {"occ", "scls", "mc", "pcc", "pacc"}
        The paper.
    store : path
        From `run_paper`.
    plan : str, default="clean"
        One of `plan_names`.

    Returns
    -------
    (list of CellResult, list of CellResult)

    Examples
    --------
    >>> open_store("pcc.sqlite", create=True).close()  # nothing has run yet
    >>> read_results("pcc", "pcc.sqlite")
    ([], [])
    """
    wanted = paper_plan(paper, plan)
    with open_store(store) as opened:
        found = [r for r in opened.results() if r.plan.split(" ")[0] == wanted.name]
    return _whole_results(wanted, found)


def _whole_results(plan: Plan, results: Sequence[CellResult]) -> tuple[list[CellResult], list[CellResult]]:
    """Return the results of methods that ran on every part of a data set as the plan has it, and the failures."""
    latest = {(r.dataset, r.method, r.fold, r.seed): r for r in sorted(results, key=lambda r: r.finished)}
    kept: list[CellResult] = []
    for data in plan.datasets:
        n_parts = plan.protocol_on(data).n_parts * len(plan.seeds)
        for method in plan.methods:
            wanted = json.dumps(method.setup_on(data.name).as_dict(), sort_keys=True, default=str)
            rows = [r for r in latest.values() if (r.dataset, r.method) == (data.name, method.name)]
            rows = [r for r in rows if json.dumps(r.parameters, sort_keys=True, default=str) == wanted]
            kept += rows if len(rows) == n_parts else []
    return kept, [r for r in latest.values() if r.error is not None]
