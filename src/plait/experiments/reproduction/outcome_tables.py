"""The outcome of a reproduction, both columns beside the paper: lines for the terminal, Markdown, CSV and JSON."""

import csv
import io
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from plait.experiments.published import Note, PublishedScore, published_rank_tests
from plait.experiments.reproduction.compared_cells import ComparedCell, Tally, n_printed, tally
from plait.experiments.reproduction.repeated_tables import outcomes_text, pairs_text, ranks_text, words_table
from plait.experiments.reproduction.rerun import Reproduction
from plait.pictures.table_markup import as_markdown
from plait.pictures.tables import Table, as_text

__all__ = [
    "COLUMN_WORDS",
    "cells_csv",
    "cells_markdown",
    "cells_text",
    "footnotes",
    "general_notes",
    "reproduction_record",
    "reproduction_text",
    "tally_table",
]

COLUMN_WORDS = {"clean": "as the paper says", "as_run": "as its program ran"}
_WIDE = 2**16
_CSV = (
    *("paper", "column", "table", "dataset", "method", "metric", "published_mean", "published_std", "plait_mean"),
    *("plait_std", "n_parts", "deviations", "standard_errors", "verdict", "comparable", "run", "notes"),
)
Columns = Sequence[Reproduction]
_Place = tuple[str, str, str]


def reproduction_text(columns: Columns) -> str:
    """Return all tables for a terminal.

    Parameters
    ----------
    columns : sequence of Reproduction
        Of one paper: as it says, and as its program ran.

    Returns
    -------
    str

    Examples
    --------
    >>> from plait.experiments.reproduction import Reproduction
    >>> print(reproduction_text([Reproduction("pcc", "clean", [], [], [], [], [])]))
    column             within  better  worse  compared  of printed  within 2 errors of difference
    as the paper says  0       0       0      0         92 (0%)
    """
    parts = [cells_text(columns)] if any(found.cells for found in columns) else []
    parts += [as_text(tally_table(columns), _WIDE)]
    parts += [text for found in columns for text in _tests(found)]
    failures = Counter(f"{r.dataset}, {r.method}: {r.error}" for found in columns for r in found.failures)
    parts += ["\n".join(f"failed {n} times: {words}" for words, n in failures.items())] if failures else []
    return "\n\n".join(parts)


def _tests(found: Reproduction) -> list[str]:
    again = [test.metric for test in found.ranks]
    printed = [
        f"Printed by the paper for {t.metric} over {t.n_datasets} data sets: F = {t.f:g}, {t.test} CD {t.difference:g}."
        for t in published_rank_tests(found.paper)
        if t.metric in again
    ]
    parts = [ranks_text(found.ranks) + "\n".join(printed)] if found.ranks else []
    parts += [pairs_text(found.pairs)] if found.pairs else []
    parts += [outcomes_text(found.outcomes)] if found.outcomes else []
    return [f"Tests, {COLUMN_WORDS[found.column]}", *parts] if parts else []


def reproduction_record(columns: Columns) -> dict[str, Any]:
    """Return the counts of each column and every cell, with machine names.

    Parameters
    ----------
    columns : sequence of Reproduction
        Of one paper: as it says, and as its program ran.

    Returns
    -------
    dict

    Examples
    --------
    >>> from plait.experiments.reproduction import Reproduction
    >>> sorted(reproduction_record([Reproduction("pcc", "clean", [], [], [], [], [])]))
    ['cells', 'clean', 'failed', 'paper']
    """
    counts = {found.column: counted(tally(found.paper, found.cells)) for found in columns}
    rows = csv.DictReader(io.StringIO(cells_csv(columns)))
    failed = [f"{r.dataset}, {r.method}, part {r.fold}: {r.error}" for found in columns for r in found.failures]
    return {"paper": columns[0].paper, **counts, "cells": list(rows), "failed": failed}


def counted(count: Tally) -> dict[str, int]:
    """Return a tally with the number of compared cells.

    Examples
    --------
    >>> counted(Tally(3, 1, 1, 10, 4))
    {'within': 3, 'better': 1, 'worse': 1, 'printed': 10, 'within_errors': 4, 'compared': 5}
    """
    return {**asdict(count), "compared": count.compared}


def tally_table(columns: Columns, at_hand: Collection[str] = ()) -> Table:
    """Return the strict counts of each column, with how many of the printed cells are compared.

    Parameters
    ----------
    columns : sequence of Reproduction
        Of one paper.
    at_hand : collection of str, optional
        Names in print of the data sets that are there: the share of their cells is told too.
    """
    heads = ["column", "within", "better", "worse", "compared", "of printed", "within 2 errors of difference"]
    heads[6:6] = [f"of printed on the {len(at_hand)} sets at hand"] if at_hand else []
    rows = []
    for found in columns:
        t = tally(found.paper, found.cells)
        near = f"{t.within_errors} ({t.within_errors / t.compared:.1%})" if t.compared else ""
        within = f"{t.within} ({t.share:.1%})" if t.compared else "0"
        numbers = [within, str(t.better), str(t.worse), str(t.compared)]
        here = n_printed(found.paper, at_hand)
        there = [f"{here} ({t.compared / here:.0%})"] if at_hand else []
        rows.append((COLUMN_WORDS[found.column], *numbers, f"{t.printed} ({t.coverage:.0%})", *there, near))
    return words_table("counts", heads, rows)


def footnotes(cells: Iterable[ComparedCell]) -> list[str]:
    """Return the texts of the notes about data sets and methods, each once, in the order of the cells."""
    return list(dict.fromkeys(note.text for cell in cells for note in cell.notes if _is_special(note)))


def general_notes(cells: Iterable[ComparedCell]) -> list[str]:
    """Return the texts of the notes about a measure or the whole paper, with the measure they are about."""
    notes = (note for cell in cells for note in cell.notes if not _is_special(note))
    return list(dict.fromkeys(f"{note.metric}: {note.text}" if note.metric else note.text for note in notes))


def _is_special(note: Note) -> bool:
    return bool(note.dataset or note.method)


def _number(value: float, metric: str) -> str:
    return f"{value:.1f}" if metric == "cll_loss" else f"{value:.3f}"


def _pair(mean: float, std: float, metric: str) -> str:
    return _number(mean, metric) + (f" ±{_number(std, metric)}" if std == std else "")


def _blank(value: float) -> float | str:
    return "" if value != value else value


def _place(score: PublishedScore) -> _Place:
    return score.dataset, score.method, score.metric


def _by_place(columns: Columns) -> dict[_Place, dict[str, ComparedCell]]:
    """Return printed cell -> column -> plait's, in the order of the columns' cells."""
    found: dict[_Place, dict[str, ComparedCell]] = {}
    for column in columns:
        for cell in column.cells:
            found.setdefault(_place(cell.published), {})[column.column] = cell
    return found


def _cells_table(columns: Columns, mark: str, stress: str = "") -> Table:
    """Return all cells; `mark` shows where numbers of notes stand, `stress` what encloses a verdict that is worse."""
    notes = footnotes(cell for column in columns for cell in column.cells)
    heads = ["data set", "method", "measure", "published"]
    for column in columns:
        heads += [COLUMN_WORDS[column.column], "difference", "verdict"]
    names = [column.column for column in columns]
    rows = (_row(cells, names, notes, mark, stress) for cells in _by_place(columns).values())
    return words_table("cells", heads, rows)


def _row(
    cells: Mapping[str, ComparedCell], names: Sequence[str], notes: list[str], mark: str, stress: str
) -> tuple[str, ...]:
    score = next(iter(cells.values())).published
    words = [*_place(score), _pair(score.mean, score.std, score.metric)]
    for name in names:
        words += _own_words(cells[name], notes, mark, stress) if name in cells else ["", "", ""]
    return tuple(words)


def _own_words(cell: ComparedCell, notes: list[str], mark: str, stress: str) -> list[str]:
    """Return plait's number, its difference and its verdict."""
    places = [str(notes.index(note.text) + 1) for note in cell.notes if _is_special(note)]
    marks = ",".join(dict.fromkeys(places))
    verdict = (cell.verdict if cell.comparable else f"({cell.verdict})") + (mark.format(marks) if marks else "")
    stressed = stress if cell.verdict == "worse" and cell.comparable else ""
    away = f"{cell.deviations:+.1f} sd" if cell.deviations == cell.deviations else ""
    return [_pair(cell.mean, cell.std, cell.published.metric), away, f"{stressed}{verdict}{stressed}"]


def cells_text(columns: Columns) -> str:
    """Return the table and its footnotes for a terminal."""
    cells = [cell for column in columns for cell in column.cells]
    notes = [f"[{number}] {text}" for number, text in enumerate(footnotes(cells), start=1)]
    table = as_text(_cells_table(columns, " [{}]"), _WIDE)
    return "\n".join([table, "", *notes, *(f"- {text}" for text in general_notes(cells))])


def cells_markdown(columns: Columns) -> str:
    """Return the table as Markdown; marks after a verdict are numbers of the notes below."""
    cells = [cell for column in columns for cell in column.cells]
    notes = [f"{number}. {text}" for number, text in enumerate(footnotes(cells), start=1)]
    table = as_markdown(_cells_table(columns, " <sup>{}</sup>", "**"))
    return "\n".join([table, "", *notes, "", *(f"- {text}" for text in general_notes(cells)), ""])


def cells_csv(columns: Columns) -> str:
    """Return the table as CSV with full digits, one row for each cell of each column."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(_CSV)
    for column in columns:
        for cell in column.cells:
            s = cell.published
            printed = [s.paper, column.column, s.table, s.dataset, s.method, s.metric, s.mean, _blank(s.std)]
            away = [_blank(cell.deviations), _blank(cell.errors), cell.verdict, "yes" if cell.comparable else "no"]
            ours = [
                cell.mean,
                _blank(cell.std),
                cell.n_parts,
                *away,
                cell.run,
                " ".join(note.text for note in cell.notes),
            ]
            writer.writerow([*printed, *ours])
    return out.getvalue()
