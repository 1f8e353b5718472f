"""`plait reproduce occ --store results.sqlite`: run the experiments of a paper again and compare cell by cell."""

import argparse
import sys
from typing import Any

from plait.core.sentences import ParameterError
from plait.experiments.published import PAPERS
from plait.experiments.reproduction.rerun import (
    read_reproduction,
    reproduction_text,
    run_paper,
    write_reproduction,
)
from plait.experiments.running.cells import CellResult

__all__ = ["add_to"]

_DESCRIPTION = """
Run the experiments of a paper as its plan has them, and show plait's numbers beside the published ones, the difference
in published standard deviations, and the paper's rank test done again on both. What the store holds is not run again:
stop the command at any moment and give it again. Data sets are looked for in the folder PLAIT_DATA.
"""


def add_to(commands: Any) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "reproduce", help="run a paper's experiments and compare cell by cell", description=_DESCRIPTION
    )
    parser.add_argument("paper", choices=PAPERS, metavar="PAPER", help=f"one of {', '.join(PAPERS)}")
    parser.add_argument("--store", required=True, metavar="FILE", help="where results go, such as results.sqlite")
    parser.add_argument("--datasets", default="", metavar="NAMES", help="some of the paper's, joined by commas")
    parser.add_argument("--methods", default="", metavar="NAMES", help="some of the paper's, joined by commas")
    parser.add_argument("--quick", action="store_true", help="a few small data sets: done within five minutes")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="processes (1); -1 for one on every core")
    parser.add_argument("--retry-failed", action="store_true", help="run cells again that failed before")
    parser.add_argument("--show", action="store_true", help="run nothing, only compare what the store holds")
    parser.add_argument("--out", metavar="FOLDER", help="write the tables there too, as Markdown and CSV")
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    if options.jobs == 0 or options.jobs < -1:
        raise ParameterError(
            f"plait reproduce needs --jobs to be at least 1, or -1, but it is {options.jobs}. Pass 1 or more."
        )
    failed = 0
    if not options.show:
        summary = run_paper(
            options.paper,
            options.store,
            datasets=_words(options.datasets),
            methods=_words(options.methods),
            quick=options.quick,
            jobs=options.jobs,
            retry_failed=options.retry_failed,
            on_missing=_say_missing,
            on_result=_say_failure,
        )
        failed = summary.failed + summary.failed_before
    found = read_reproduction(options.paper, options.store)
    print(reproduction_text(found))
    for path in write_reproduction(found, options.out) if options.out else ():
        print(f"written: {path}")
    return 1 if failed else 0


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]


def _say_missing(name: str) -> None:
    print(f"plait: note: data set {name} is not in the folder PLAIT_DATA; going on without it.", file=sys.stderr)


def _say_failure(result: CellResult) -> None:
    if result.error is not None:
        place = f"{result.dataset}, {result.method}, fold {result.fold}"
        print(f"plait: failed: {place}: {result.error}", file=sys.stderr)
