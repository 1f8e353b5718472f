"""`plait report STORE -o report.html`: tables, rank tests and pictures of stored results, on one page."""

import json
import shutil
from collections.abc import Sequence
from pathlib import Path

from plait.experiments import open_store
from plait.experiments.report import (
    collect_outcomes,
    report_contents,
    report_dict,
    report_text,
    write_figures,
    write_report,
    write_tables,
)

__all__ = ["report_results"]


def report_results(
    store: str,
    *,
    out: Path | None = None,
    control: str | None = None,
    plan: str | None = None,
    latex: Path | None = None,
    csv: Path | None = None,
    figures: Path | None = None,
    metrics: Sequence[str] = (),
    as_json: bool = False,
) -> None:
    r"""Print the main tables of a store, and write what is asked for.

    Parameters
    ----------
    store : str
        A file that `plait bench` wrote.
    out : Path, optional
        Where the page goes.
    control : str, optional
        The method that all others are compared with, instead of all pairs.
    plan : str, optional
        Which plan of the store; the one that was run last by default.
    latex, csv : Path, optional
        Folders for every table as LaTeX and as CSV.
    figures : Path, optional
        Folder for every picture as SVG, and critical differences as TikZ too.
    metrics : sequence of str, optional
        What to show, or "all"; by default what the plan names, and five where it names nothing.
    as_json : bool, default=False
        Print JSON instead of tables.

    Examples
    --------
    >>> from pathlib import Path
    >>> from plait.commands import run_benchmark
    >>> from plait.data import Dataset, save_dataset
    >>> save_dataset(Dataset([[0.0], [1.0]] * 9, [[0], [1]] * 9, ["blue"], ["sea"]), "photos.csv")
    >>> _ = Path("plan.toml").write_text('datasets = [{source = "photos.csv", labels = ["sea"]}]\n[methods.br]\n')
    >>> failed = run_benchmark("plan.toml", "results.sqlite")
    results.sqlite: 5 of 5 cells done in ... s
    >>> report_results("results.sqlite", out=Path("report.html"))
    Scores on photos
    method  exact match ↑  hamming loss ↓  ...
    br       1.000±0.000*    0.000±0.000*  ...
    ...
    report.html: the page
    """
    with open_store(store) as opened:
        outcomes = collect_outcomes(opened, plan, metrics)
    contents = report_contents(outcomes, control)
    lines = []
    if out is not None:
        write_report(contents, out)
        lines.append(f"{out}: the page")
    for folder, suffix in ((latex, ".tex"), (csv, ".csv")):
        if folder is not None:
            lines.append(f"{folder}: {len(write_tables(contents, folder, suffix))} tables")
    if figures is not None:
        lines.append(f"{figures}: {len(write_figures(contents, figures))} pictures")
    if as_json:
        print(json.dumps(report_dict(contents), indent=2))
    else:
        print("\n".join([report_text(contents, shutil.get_terminal_size((100, 24)).columns), *lines]))
