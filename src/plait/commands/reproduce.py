"""`plait reproduce occ`: run the experiments of a paper again and compare cell by cell."""

import json
import sys
from collections.abc import Sequence

from plait.commands.bench import checked_jobs, failure_line
from plait.experiments import CellResult
from plait.experiments.reproduction import (
    COLUMNS,
    plan_names,
    read_reproduction,
    reproduction_record,
    reproduction_text,
    run_paper,
    write_index,
    write_paper,
)

__all__ = ["reproduce_paper"]


def reproduce_paper(
    paper: str,
    store: str | None = None,
    *,
    as_run: bool = False,
    plan: str | None = None,
    datasets: Sequence[str] = (),
    methods: Sequence[str] = (),
    quick: bool = False,
    jobs: int = 1,
    retry_failed: bool = False,
    show: bool = False,
    out: str | None = None,
    state: str = "",
    as_json: bool = False,
) -> int:
    """Run the plans of a paper, print plait's numbers beside the printed ones; return 1 if a cell failed, else 0.

    Parameters
    ----------
    paper : {"occ", "scls", "mc", "pcc", "pacc"}
        The paper.
    store : str, optional
        Where results go, `PAPER.sqlite` if nothing is said; what it holds is not run again.
    as_run : bool, default=False
        Run only the plan by which the paper's program ran; both columns are shown.
    plan : str, optional
        Run only this plan, one of `plan_names`, or "all".
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
        Folder for the parts of the paper's page: counts, cells, tests and figures. What it holds of earlier runs stays
        where the store has nothing, and is counted too.
    state : str, default=""
        What the state of the code is called that ran, such as a commit: it stands beside every cell in `out`.
    as_json : bool, default=False
        Print counts and cells as JSON.

    Returns
    -------
    int

    Examples
    --------
    >>> reproduce_paper("pcc", "pcc.sqlite", quick=True, jobs=2)  # doctest: +SKIP
    0
    """
    checked_jobs("plait reproduce", jobs)
    place = store or f"{paper}.sqlite"
    asked = plan_names(paper) if plan == "all" else [plan] if plan else ["as_run"] if as_run else COLUMNS
    missing: list[str] = []
    failed = 0
    for name in () if show else asked:
        summary = run_paper(
            paper,
            place,
            plan=name,
            datasets=datasets,
            methods=methods,
            quick=quick,
            jobs=jobs,
            retry_failed=retry_failed,
            on_missing=missing.append,
            on_result=_say_failure,
        )
        failed += summary.failed + summary.failed_before
    for word in dict.fromkeys(missing):
        _say_missing(word)
    columns = [read_reproduction(paper, place, column, kept=out, state=state) for column in COLUMNS]
    print(json.dumps(reproduction_record(columns), indent=2) if as_json else reproduction_text(columns))
    for path in [*write_paper(paper, place, out, state=state), write_index(out)] if out else ():
        print(f"written: {path}", file=sys.stderr)
    return 1 if failed else 0


def _say_missing(name: str) -> None:
    print(f"plait: note: data set {name} is not in the folder PLAIT_DATA; going on without it.", file=sys.stderr)


def _say_failure(result: CellResult) -> None:
    if result.error is not None:
        print(failure_line(result), file=sys.stderr)
