"""`plait report STORE -o report.html`: tables, rank tests and pictures of stored results, on one page."""

import argparse
import json
import shutil
from pathlib import Path
from typing import Any

from plait.experiments.report import (
    Contents,
    collect_outcomes,
    report_contents,
    report_dict,
    report_text,
    write_report,
    write_tables,
)
from plait.experiments.running.store import open_store

__all__ = ["add_to"]


def add_to(commands: Any) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser("report", help="tables, rank tests and pictures of stored results, on one page")
    parser.add_argument("store", metavar="STORE", help="a file that 'plait bench' wrote")
    parser.add_argument("-o", dest="out", type=Path, metavar="PAGE.html", help="write the page here")
    parser.add_argument("--control", metavar="METHOD", help="compare all methods with this one, not all pairs")
    parser.add_argument("--plan", metavar="NAME", help="which plan of the store (the one that was run last)")
    parser.add_argument("--latex", type=Path, metavar="DIR", help="write every table as LaTeX (booktabs) here")
    parser.add_argument("--csv", type=Path, metavar="DIR", help="write every table as CSV here")
    parser.add_argument("--json", action="store_true", help="print JSON instead of tables")
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> None:
    with open_store(options.store) as store:
        outcomes = collect_outcomes(store, options.plan)
    contents = report_contents(outcomes, options.control)
    written = _written(contents, options)
    if options.json:
        print(json.dumps(report_dict(contents), indent=2))
    else:
        print(report_text(contents, shutil.get_terminal_size((100, 24)).columns))
        for line in written:
            print(line)


def _written(contents: Contents, options: argparse.Namespace) -> list[str]:
    """Write what is asked for, and return a line about each."""
    lines = []
    if options.out is not None:
        write_report(contents, options.out)
        lines.append(f"{options.out}: the page")
    for folder, suffix in ((options.latex, ".tex"), (options.csv, ".csv")):
        if folder is not None:
            lines.append(f"{folder}: {len(write_tables(contents, folder, suffix))} tables")
    return lines
