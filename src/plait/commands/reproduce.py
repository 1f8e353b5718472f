"""`plait reproduce occ --store results.sqlite`: run the experiments of a paper again and compare cell by cell."""

import sys
from collections.abc import Sequence

from plait.commands.bench import checked_jobs, failure_line
from plait.experiments import CellResult
from plait.experiments.reproduction import read_reproduction, reproduction_text, run_paper, write_reproduction

__all__ = ["reproduce_paper"]


def reproduce_paper(
    paper: str,
    store: str,
    *,
    datasets: Sequence[str] = (),
    methods: Sequence[str] = (),
    quick: bool = False,
    jobs: int = 1,
    retry_failed: bool = False,
    show: bool = False,
    out: str | None = None,
) -> int:
    """Run the plan of a paper, print plait's numbers beside the printed ones; return 1 if a cell failed, else 0.

    Parameters
    ----------
    paper : {"occ", "scls", "mc", "pcc", "pacc"}
        The paper.
    store : str
        Where results go; what it holds is not run again.
    datasets, methods : sequence of str
        Some of the paper's; none means all.
    quick : bool, default=False
        A few small data sets.
    jobs : int, default=1
        How many processes; -1 for one on every core.
    retry_failed : bool, default=False
        Run cells again that failed before.
    show : bool, default=False
        Run nothing, only compare.
    out : str, optional
        Folder for the tables as Markdown and CSV.
    """
    checked_jobs("plait reproduce", jobs)
    failed = 0
    if not show:
        summary = run_paper(
            paper,
            store,
            datasets=datasets,
            methods=methods,
            quick=quick,
            jobs=jobs,
            retry_failed=retry_failed,
            on_missing=_say_missing,
            on_result=_say_failure,
        )
        failed = summary.failed + summary.failed_before
    found = read_reproduction(paper, store)
    print(reproduction_text(found))
    for path in write_reproduction(found, out) if out else ():
        print(f"written: {path}")
    return 1 if failed else 0


def _say_missing(name: str) -> None:
    print(f"plait: note: data set {name} is not in the folder PLAIT_DATA; going on without it.", file=sys.stderr)


def _say_failure(result: CellResult) -> None:
    if result.error is not None:
        print(failure_line(result), file=sys.stderr)
