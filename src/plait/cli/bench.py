"""`plait bench PLAN.toml --store results.sqlite`: run the experiments of a plan; stopped, it goes on where it was."""

import argparse
import json
import sys
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from plait.core.sentences import ParameterError
from plait.experiments.plan_check import ready_plan
from plait.experiments.planning.plan import Plan
from plait.experiments.running.cells import CellResult, plan_cells
from plait.experiments.running.runner import RunSummary, run_plan
from plait.experiments.running.store import open_store

__all__ = ["add_to"]

_DESCRIPTION = """
Run every method of a plan on every fold of every data set, and keep what comes out in a store. A cell (data set,
method, fold, seed) that is in the store is not run again: stop the command at any moment and give it again. Several
may work on one store. The exit code is 0, 1 if a cell failed, 2 if the plan is wrong, 130 after Ctrl-C.
"""


def add_to(commands: Any) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "bench", help="run the experiments of a plan, or go on with them", description=_DESCRIPTION
    )
    parser.add_argument("plan", metavar="PLAN", help="a TOML file; docs/experiments.md says what is in it")
    parser.add_argument("--store", required=True, metavar="FILE", help="where results go, such as results.sqlite")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="processes (1); -1 for one on every core")
    parser.add_argument("--dask", metavar="ADDRESS", help="run on the Dask cluster of this scheduler instead")
    parser.add_argument("--retry-failed", action="store_true", help="run cells again that failed before")
    parser.add_argument("--dry-run", action="store_true", help="check the plan and list its cells, but run nothing")
    parser.add_argument("--verbose", action="store_true", help="print a line for every finished cell")
    parser.add_argument("--json", action="store_true", help="print the summary, or the list of cells, as JSON")
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    if options.jobs == 0 or options.jobs < -1:
        raise ParameterError(
            f"plait bench needs --jobs to be at least 1, or -1, but it is {options.jobs}. Pass 1 or more."
        )
    plan, fingerprints = ready_plan(options.plan)
    if options.dry_run:
        _list_cells(plan, fingerprints, options.store, as_json=options.json)
        return 0
    summary = run_plan(
        plan,
        options.store,
        jobs=options.jobs,
        dask=options.dask,
        retry_failed=options.retry_failed,
        fingerprints=fingerprints,
        on_result=_say if options.verbose and not options.json else _say_failure,
    )
    print(json.dumps(asdict(summary), indent=2) if options.json else _summary_text(summary, options.store))
    return 1 if summary.failed or summary.failed_before else 0


def _list_cells(plan: Plan, fingerprints: Mapping[str, str], file: str, *, as_json: bool) -> None:
    finished = {}
    if Path(file).exists():
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
        print(f"plait: failed: {_place(result)}: {result.error}", file=sys.stderr)


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
