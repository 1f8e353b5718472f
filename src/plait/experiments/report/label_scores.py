"""The labels of each data set: how often they occur, with which others, and how well each method finds them."""

from collections.abc import Sequence
from html import escape

import numpy as np

from plait.core.arrays import Floats
from plait.experiments.report.figures import filtered, zoom_html
from plait.experiments.report.outcomes import Outcomes
from plait.experiments.running.cells import CellResult
from plait.pictures.heat_map import draw_heat_map
from plait.pictures.table_markup import as_html
from plait.pictures.tables import Entry, Heading, Table

__all__ = ["label_section", "label_tables"]

_LONG = 25


def label_tables(outcomes: Outcomes) -> dict[str, Table]:
    """Return, for each data set whose cells counted labels, F1 of every label by every method.

    Examples
    --------
    >>> from plait.experiments.report.outcomes import outcomes_of
    >>> counts = {"labels": {"true": [4, 2], "predicted": [4, 0], "both": [3, 0]}, "n_test": 8}
    >>> found = outcomes_of([CellResult("sea", "br", fold, 0, extras=counts) for fold in (0, 1)])
    >>> [entry.value for entry in label_tables(found)["sea"].rows[0]]
    ['label 0', 0.5, 0.75]
    """
    tables = {dataset: _label_table(outcomes, dataset) for dataset in outcomes.datasets}
    return {dataset: table for dataset, table in tables.items() if table is not None}


def _label_table(outcomes: Outcomes, dataset: str) -> Table | None:
    cells = {method: _counted(outcomes.cells(dataset, method)) for method in outcomes.methods}
    cells = {method: found for method, found in cells.items() if found}
    if not cells:
        return None
    first = next(iter(cells.values()))
    n_rows = sum(cell.extras.get("n_test", 0) for cell in first)
    true = _summed(first, "true")
    scores = {method: _f1(found) for method, found in cells.items()}
    best = np.max(list(scores.values()), axis=0)
    names = _names(first[0], len(true))
    order = np.argsort(-true, kind="stable").tolist()
    rows = [
        (
            Entry(names[k]),
            Entry(float(true[k] / n_rows) if n_rows else float("nan")),
            *(Entry(float(f1[k]), best=bool(f1[k] == best[k] and best[k] > 0)) for f1 in scores.values()),
        )
        for k in order
    ]
    heads = (
        Heading("label", is_text=True),
        Heading("share of rows"),
        *(Heading(m, smaller_first=False) for m in cells),
    )
    notes = ("F1 over the rows of all parts together; 0 where a label is never found.",)
    return Table(f"labels-{_slug(dataset)}", f"F1 ↑ of every label of {dataset}", heads, tuple(rows), notes)


def _counted(cells: Sequence[CellResult]) -> list[CellResult]:
    """Return the cells that counted labels, all of the same number."""
    found = [cell for cell in cells if cell.extras.get("labels")]
    return [cell for cell in found if len(cell.extras["labels"]["true"]) == len(found[0].extras["labels"]["true"])]


def _summed(cells: Sequence[CellResult], key: str) -> Floats:
    return np.sum([cell.extras["labels"][key] for cell in cells], axis=0, dtype=np.float64)


def _f1(cells: Sequence[CellResult]) -> Floats:
    true, predicted, both = (_summed(cells, key) for key in ("true", "predicted", "both"))
    scores: Floats = 2 * both / np.maximum(true + predicted, 1)
    return scores


def _names(cell: CellResult, n_labels: int) -> list[str]:
    names = [str(name) for name in cell.extras.get("label_names") or ()]
    return names if len(names) == n_labels else [f"label {k}" for k in range(n_labels)]


def _slug(name: str) -> str:
    return "".join(letter if letter.isalnum() else "-" for letter in name)


def label_section(outcomes: Outcomes, tables: dict[str, Table]) -> str:
    """Return the section as HTML: for each data set its co-occurrence map and the scores by label."""
    parts = []
    for dataset in outcomes.datasets:
        shown = _together(outcomes, dataset)
        if dataset in tables:
            table = as_html(tables[dataset])
            n_labels = len(tables[dataset].rows)
            words = f"Scores of {n_labels} labels, one by one"
            is_open = "" if n_labels > _LONG else " open"
            shown += f"<details{is_open}><summary>{words}</summary>{table}</details>"
        if shown:
            parts.append(filtered(f"<h3>{escape(dataset)}</h3>{shown}", dataset=dataset))
    return "\n".join(parts)


def _together(outcomes: Outcomes, dataset: str) -> str:
    """Return which labels come together, as shares of the rows that have the label of the line."""
    cells = [cell for method in outcomes.methods for cell in outcomes.cells(dataset, method)]
    cell = next((cell for cell in cells if cell.extras.get("together")), None)
    if cell is None or not cell.extras["together"]["labels"]:
        return ""
    found = cell.extras["together"]
    counts = np.array(found["counts"], dtype=np.float64)
    shares = counts / np.maximum(np.diag(counts), 1)[:, None]
    n_labels = len(cell.extras.get("label_names") or ()) or max(found["labels"]) + 1
    names = [_names(cell, n_labels)[k] for k in found["labels"]]
    svg = draw_heat_map(
        shares, names, names, title=f"Labels of {dataset} that come together", after=" of the line's rows"
    )
    most = f" Shown are the {len(names)} most frequent of {n_labels} labels." if len(names) < n_labels else ""
    words = f"Of the rows with the label of a line, how many have that of a column ({found['n_rows']:,} rows).{most}"
    return zoom_html(svg, f"together-{dataset}", words)
