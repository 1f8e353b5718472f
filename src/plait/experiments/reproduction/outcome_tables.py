"""The outcome of a reproduction as lines for the terminal, as Markdown and as CSV."""

import csv
import io
import os
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from plait.experiments.published import Note, published_rank_tests
from plait.experiments.reproduction.compared_cells import ComparedCell, Tally, tally
from plait.experiments.reproduction.repeated_tests import FoldOutcome, RepeatedPair, RepeatedRanks
from plait.experiments.reproduction.rerun import Reproduction
from plait.experiments.statistics import SignedRanks, rank_statement
from plait.pictures.table_markup import as_markdown
from plait.pictures.tables import Entry, Heading, Table, as_text

__all__ = [
    "cells_csv",
    "cells_markdown",
    "cells_text",
    "footnotes",
    "general_notes",
    "outcomes_text",
    "pairs_markdown",
    "pairs_text",
    "ranks_markdown",
    "ranks_text",
    "reproduction_text",
    "tally_line",
    "write_reproduction",
]

_WIDE = 2**16
_COLUMNS = (
    *("paper", "table", "dataset", "method", "metric", "published_mean", "published_std"),
    *("plait_mean", "plait_std", "n_parts", "deviations", "verdict", "comparable", "notes"),
)


def reproduction_text(found: Reproduction) -> str:
    """Return all tables for a terminal."""
    parts = [cells_text(found.cells), tally_line(found.cells)] if found.cells else [tally_line(found.cells)]
    again = [test.metric for test in found.ranks]
    printed = [
        f"Printed by the paper for {t.metric} over {t.n_datasets} data sets: F = {t.f:g}, {t.test} CD {t.difference:g}."
        for t in published_rank_tests(found.paper)
        if t.metric in again
    ]
    parts += [ranks_text(found.ranks) + "\n".join(printed)] if found.ranks else []
    parts += [pairs_text(found.pairs)] if found.pairs else []
    parts += [outcomes_text(found.outcomes)] if found.outcomes else []
    failures = Counter(f"{r.dataset}, {r.method}: {r.error}" for r in found.failures)
    parts += ["\n".join(f"failed {n} times: {words}" for words, n in failures.items())] if failures else []
    return "\n\n".join(parts)


def write_reproduction(found: Reproduction, folder: str | os.PathLike[str]) -> list[Path]:
    """Write the tables as `<paper>.md` and `<paper>.csv` and return their paths."""
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    title = f"# Reproduction of {found.paper.upper()}"
    parts = [title, tally_line(found.cells), cells_markdown(found.cells)]
    parts += ["## Rank tests, on the printed means and on plait's", ranks_markdown(found.ranks)] if found.ranks else []
    if found.pairs:
        parts += ["## Wilcoxon tests, on the printed means and on plait's", pairs_markdown(found.pairs)]
    if found.outcomes:
        parts += ["## Paired t-tests over folds", f"```text\n{outcomes_text(found.outcomes)}\n```"]
    texts = {f"{found.paper}.md": "\n\n".join(parts).rstrip() + "\n", f"{found.paper}.csv": cells_csv(found.cells)}
    for name, text in texts.items():
        (place / name).write_text(text, encoding="utf8", newline="\n")
    return [place / name for name in texts]


def footnotes(cells: Iterable[ComparedCell]) -> list[str]:
    """Return the texts of the notes about data sets and methods, each once, in the order of the cells."""
    return list(dict.fromkeys(note.text for cell in cells for note in cell.notes if _is_special(note)))


def general_notes(cells: Iterable[ComparedCell]) -> list[str]:
    """Return the texts of the notes about a measure or the whole paper, with the measure they are about."""
    notes = dict.fromkeys(note for cell in cells for note in cell.notes if not _is_special(note))
    return [f"{note.metric}: {note.text}" if note.metric else note.text for note in notes]


def _is_special(note: Note) -> bool:
    return bool(note.dataset or note.method)


def _number(value: float, metric: str) -> str:
    return f"{value:.1f}" if metric == "cll_loss" else f"{value:.3f}"


def _pair(mean: float, std: float, metric: str) -> str:
    return _number(mean, metric) + (f" ±{_number(std, metric)}" if std == std else "")


def _blank(value: float) -> float | str:
    return "" if value != value else value


def _marks(cell: ComparedCell, notes: list[str]) -> str:
    places = [str(notes.index(note.text) + 1) for note in cell.notes if _is_special(note)]
    return ",".join(dict.fromkeys(places))


def _words_table(name: str, heads: Sequence[str], rows: Iterable[Sequence[str]]) -> Table:
    columns = tuple(Heading(head, is_text=True, longest=80) for head in heads)
    return Table(name, "", columns, tuple(tuple(map(Entry, row)) for row in rows))


def _cells_table(cells: Sequence[ComparedCell], mark: str, stress: str = "") -> Table:
    """Return all cells; `mark` shows where numbers of notes stand, `stress` what encloses a verdict that is worse."""
    notes = footnotes(cells)
    heads = ("data set", "method", "measure", "plait", "published", "difference", "verdict")
    return _words_table("cells", heads, (_row(cell, notes, mark, stress) for cell in cells))


def _row(cell: ComparedCell, notes: list[str], mark: str, stress: str) -> tuple[str, ...]:
    score, marks = cell.published, _marks(cell, notes)
    verdict = (cell.verdict if cell.comparable else f"({cell.verdict})") + (mark.format(marks) if marks else "")
    worse = cell.verdict == "worse" and cell.comparable
    return (
        score.dataset,
        score.method,
        score.metric,
        _pair(cell.mean, cell.std, score.metric),
        _pair(score.mean, score.std, score.metric),
        f"{cell.deviations:+.1f} sd" if cell.deviations == cell.deviations else "",
        f"{stress}{verdict}{stress}" if worse else verdict,
    )


def cells_text(cells: Sequence[ComparedCell]) -> str:
    """Return the table and its footnotes for a terminal."""
    notes = [f"[{number}] {text}" for number, text in enumerate(footnotes(cells), start=1)]
    table = as_text(_cells_table(cells, " [{}]"), _WIDE)
    return "\n".join([table, "", *notes, *(f"- {text}" for text in general_notes(cells))])


def cells_markdown(cells: Sequence[ComparedCell]) -> str:
    """Return the table as Markdown; marks after a verdict are numbers of the notes below."""
    notes = [f"{number}. {text}" for number, text in enumerate(footnotes(cells), start=1)]
    table = as_markdown(_cells_table(cells, " <sup>{}</sup>", "**"))
    return "\n".join([table, "", *notes, "", *(f"- {text}" for text in general_notes(cells)), ""])


def cells_csv(cells: Sequence[ComparedCell]) -> str:
    """Return the table as CSV with full digits."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(_COLUMNS)
    for cell in cells:
        s = cell.published
        printed = [s.paper, s.table, s.dataset, s.method, s.metric, s.mean, _blank(s.std)]
        ours = [cell.mean, _blank(cell.std), cell.n_parts, _blank(cell.deviations), cell.verdict]
        writer.writerow([*printed, *ours, "yes" if cell.comparable else "no", " ".join(n.text for n in cell.notes)])
    return out.getvalue()


def tally_line(cells: Sequence[ComparedCell]) -> str:
    """Return one sentence on how many comparable cells agree.

    Examples
    --------
    >>> tally_line([])
    'No comparable cells yet.'
    """
    count: Tally = tally(cells)
    if not count.n_cells:
        return "No comparable cells yet."
    left = len(cells) - count.n_cells
    more = f" {left} cells that cannot be compared stand in brackets." if left else ""
    return (
        f"{count.share:.1%} of {count.n_cells} comparable cells are within two published standard deviations or "
        f"better: {count.within} within, {count.better} better, {count.worse} worse.{more}"
    )


def _ranks_table(test: RepeatedRanks) -> Table:
    names = test.plait.methods
    columns = (Heading("average rank", is_text=True), *(Heading(name, 2) for name in names))
    sides = (("published", test.published), ("plait", test.plait))
    rows = tuple((Entry(side), *(Entry(float(rank)) for rank in found.average_ranks)) for side, found in sides)
    notes = tuple(f"{side}: {rank_statement(found)}" for side, found in sides)
    return Table(test.metric, f"{test.metric}, average ranks over {', '.join(test.datasets)}", columns, rows, notes)


def ranks_text(tests: Sequence[RepeatedRanks]) -> str:
    """Return average ranks of both sides and what the tests say, for a terminal."""
    return "".join(f"{as_text(_ranks_table(test), _WIDE)}\n\n" for test in tests)


def ranks_markdown(tests: Sequence[RepeatedRanks]) -> str:
    """Return average ranks of both sides and what the tests say, as Markdown."""
    lines = []
    for test in tests:
        table = _ranks_table(test)
        lines += [f"### {test.metric}", "", f"Over {', '.join(test.datasets)}.", "", as_markdown(table), ""]
        lines += [*(f"- {note}" for note in table.notes), ""]
    return "\n".join(lines)


def _outcome(test: SignedRanks) -> str:
    return f"R+ {test.r_plus:g}, R- {test.r_minus:g}, p = {test.p_value:.2g}"


def pairs_text(tests: Sequence[RepeatedPair]) -> str:
    """Return the Wilcoxon tests for a terminal."""
    return as_text(_pairs_table(tests), _WIDE)


def pairs_markdown(tests: Sequence[RepeatedPair]) -> str:
    """Return the Wilcoxon tests as a Markdown table."""
    return as_markdown(_pairs_table(tests))


def _pairs_table(tests: Sequence[RepeatedPair]) -> Table:
    rows = (
        (f"{t.first} - {t.second}", t.metric, str(len(t.datasets)), _outcome(t.published), _outcome(t.plait))
        for t in tests
    )
    return _words_table("pairs", ("Wilcoxon", "measure", "data sets", "published", "plait"), rows)


def outcomes_text(outcomes: Sequence[FoldOutcome]) -> str:
    """Return wins, ties and losses of MC against each method: what the paper marked and what plait's folds say."""
    if not outcomes:
        return ""
    rows = []
    for method, metric in dict.fromkeys((o.method, o.metric) for o in outcomes):
        here = [o for o in outcomes if (o.method, o.metric) == (method, metric)]
        printed, ours = [o.published for o in here], [o.plait.outcome for o in here]
        counts = ["/".join(str(marks.count(word)) for word in ("win", "tie", "loss")) for marks in (printed, ours)]
        rows.append((method, metric, *counts))
    heads = ("MC against", "measure", "published", "plait")
    note = "(win/tie/loss over the data sets that ran)"
    return f"{as_text(_words_table('outcomes', heads, rows), _WIDE)}\n{note}"
