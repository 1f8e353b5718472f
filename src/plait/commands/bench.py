"""`plait bench PLAN.toml --store results.sqlite`: run the experiments of a plan; stopped, it goes on where it was."""

import json
import os
import sys
from collections.abc import Mapping
from dataclasses import asdict

from plait.core.checks import check_value
from plait.core.parallel import JOBS_RULES
from plait.experiments import CellResult, Plan, RunSummary, open_store, run_plan
from plait.experiments.planning.plan_file import parse_file
from plait.experiments.running.cells import plan_cells
from plait.experiments.running.runner import data_fingerprints

__all__ = ["checked_jobs", "failure_line", "ready_plan", "run_benchmark"]


def run_benchmark(
    plan: str,
    store: str,
    *,
    jobs: int = 1,
    dask: str | None = None,
    retry_failed: bool = False,
    dry_run: bool = False,
    allow_imports: bool = False,
    verbose: bool = False,
    as_json: bool = False,
) -> int:
    r"""Run every method of a plan on every fold of every data set; return 1 if a cell failed, else 0.

    Parameters
    ----------
    plan : str
        A TOML file.
    store : str
        Where results go; cells that it holds are not run again.
    jobs : int, default=1
        How many processes; -1 for one on every core.
    dask : str, optional
        Address of a Dask scheduler to use instead.
    retry_failed : bool, default=False
        Run cells again that failed before.
    dry_run : bool, default=False
        Check the plan and list its cells, but run nothing.
    allow_imports : bool, default=False
        Let the plan import and run code from outside plait and scikit-learn.
    verbose : bool, default=False
        Print a line for every finished cell.
    as_json : bool, default=False
        Print the summary, or the list of cells, as JSON.

    Returns
    -------
    int

    Examples
    --------
    >>> from pathlib import Path
    >>> from plait.data import Dataset, save_dataset
    >>> save_dataset(Dataset([[0.0], [1.0]] * 9, [[0], [1]] * 9, ["blue"], ["sea"]), "photos.csv")
    >>> _ = Path("plan.toml").write_text('datasets = [{source = "photos.csv", labels = ["sea"]}]\n[methods.br]\n')
    >>> run_benchmark("plan.toml", "results.sqlite", dry_run=True)
    to do  photos, br, fold 0, seed 0
    ...
    0
    """
    checked_jobs("plait bench", jobs)
    ready, fingerprints = ready_plan(plan, allow_imports=allow_imports)
    if dry_run:
        _list_cells(ready, fingerprints, store, as_json=as_json)
        return 0
    summary = run_plan(
        ready,
        store,
        jobs=jobs,
        dask=dask,
        retry_failed=retry_failed,
        fingerprints=fingerprints,
        on_result=_say if verbose and not as_json else _say_failure,
    )
    print(json.dumps(asdict(summary), indent=2) if as_json else _summary_text(summary, store))
    return 1 if summary.failed or summary.failed_before else 0


def checked_jobs(owner: str, jobs: int) -> None:
    """Refuse a number of processes that `n_jobs` would not take either."""
    check_value(owner, "--jobs", jobs, JOBS_RULES)


def ready_plan(path: str | os.PathLike[str], *, allow_imports: bool = False) -> tuple[Plan, dict[str, str]]:
    r"""Read a plan and load its data once; return it with the digests of the data.

    Parameters
    ----------
    path : path
        The TOML file.
    allow_imports : bool, default=False
        As `read_plan` takes it.

    Returns
    -------
    plan : Plan
        Ready to run.
    fingerprints : dict of str to str
        Name of a data set -> digest of its content, for `run_plan`.

    Raises
    ------
    PlanError
        If anything is wrong, data sets included: its `lines` name all of it, with line numbers.

    Examples
    --------
    >>> from pathlib import Path
    >>> from plait.data import Dataset, save_dataset
    >>> save_dataset(Dataset([[0.0], [1.0]] * 9, [[0], [1]] * 9, ["blue"], ["sea"]), "photos.csv")
    >>> _ = Path("plan.toml").write_text('datasets = [{source = "photos.csv", labels = ["sea"]}]\n[methods.br]\n')
    >>> plan, digests = ready_plan("plan.toml")
    >>> [method.name for method in plan.methods], list(digests)
    (['br'], ['photos'])
    """
    plan, problems = parse_file(path, allow_imports=allow_imports)
    fingerprints, missing = data_fingerprints(plan)
    for name, reason in missing.items():
        problems.add(problems.homes[name], f"data set {name} cannot be used: {reason}")
    problems.stop_if_any()
    return plan, fingerprints


def _list_cells(plan: Plan, fingerprints: Mapping[str, str], file: str, *, as_json: bool) -> None:
    finished = {}
    if os.path.exists(file):
        with open_store(file) as store:
            finished = store.finished()
    words = {None: "to do", False: "done", True: "failed"}
    cells = [(words[finished.get(cell.digest)], cell) for cell in plan_cells(plan, fingerprints)]
    if as_json:
        keys = ("dataset", "method", "fold", "seed", "digest")
        rows = [{"state": state, **{key: getattr(cell, key) for key in keys}} for state, cell in cells]
        print(json.dumps(rows, indent=2))
        return
    for state, cell in cells:
        print(f"{state:<7}{cell}")


def _say(result: CellResult) -> None:
    if result.error is not None:
        _say_failure(result)
        return
    print(f"{_place(result)}: {result.fit_seconds:.2f} s fit, {result.predict_seconds:.2f} s predict", flush=True)


def _say_failure(result: CellResult) -> None:
    if result.error is not None:
        print(failure_line(result), file=sys.stderr)


def failure_line(result: CellResult) -> str:
    """Return the line about a cell that failed."""
    return f"plait: failed: {_place(result)}: {result.error}"


def _place(result: CellResult) -> str:
    return f"{result.dataset}, {result.method}, fold {result.fold}, seed {result.seed}"


def _summary_text(summary: RunSummary, store: str) -> str:
    parts = [f"{summary.done} of {summary.total} cells done in {summary.seconds:.1f} s"]
    if summary.before:
        parts.append(f"{summary.before} skipped, done before")
    if summary.elsewhere:
        parts.append(f"{summary.elsewhere} done by other processes")
    if summary.failed:
        parts.append(f"{summary.failed} failed")
    if summary.failed_before:
        parts.append(f"{summary.failed_before} failed before (--retry-failed runs them again)")
    return f"{store}: {'; '.join(parts)}"
