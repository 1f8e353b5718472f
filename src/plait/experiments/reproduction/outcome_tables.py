"""The outcome of a reproduction as lines for the terminal, as Markdown and as CSV."""

import csv
import io
from collections.abc import Iterable, Sequence

from plait.experiments.published import Note
from plait.experiments.reproduction.compared_cells import ComparedCell, Tally, tally
from plait.experiments.reproduction.repeated_tests import FoldOutcome, RepeatedRanks
from plait.experiments.statistics import rank_statement

__all__ = [
    "cells_csv",
    "cells_markdown",
    "cells_text",
    "footnotes",
    "general_notes",
    "outcomes_text",
    "ranks_markdown",
    "ranks_text",
    "tally_line",
]

_HEAD = ("data set", "method", "measure", "plait", "published", "difference", "")


_COLUMNS = (
    *("paper", "table", "dataset", "method", "metric", "published_mean", "published_std"),
    *("plait_mean", "plait_std", "n_parts", "deviations", "verdict", "comparable", "notes"),
)


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


def _row(cell: ComparedCell, notes: list[str], opening: str, closing: str) -> tuple[str, ...]:
    score = cell.published
    verdict = cell.verdict if cell.comparable else f"({cell.verdict})"
    marks = _marks(cell, notes)
    return (
        score.dataset,
        score.method,
        score.metric,
        _pair(cell.mean, cell.std, score.metric),
        _pair(score.mean, score.std, score.metric),
        f"{cell.deviations:+.1f} sd" if cell.deviations == cell.deviations else "",
        verdict + (f"{opening}{marks}{closing}" if marks else ""),
    )


def cells_text(cells: Sequence[ComparedCell]) -> str:
    """Return the table and its footnotes for a terminal."""
    notes = footnotes(cells)
    rows = [_HEAD, *(_row(cell, notes, " [", "]") for cell in cells)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_HEAD))]
    lines = ["  ".join(word.ljust(width) for word, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    lines.insert(1, "-" * max(map(len, lines)))
    lines += ["", *(f"[{number}] {text}" for number, text in enumerate(notes, start=1))]
    return "\n".join([*lines, *(f"- {text}" for text in general_notes(cells))])


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


def cells_markdown(cells: Sequence[ComparedCell]) -> str:
    """Return the table as Markdown; marks after a verdict are numbers of the notes below."""
    notes = footnotes(cells)
    lines = ["| " + " | ".join(_HEAD) + " |", "|" + " --- |" * len(_HEAD)]
    for cell in cells:
        row = _row(cell, notes, " <sup>", "</sup>")
        worse = cell.verdict == "worse" and cell.comparable
        lines.append("| " + " | ".join(f"**{word}**" if worse and word == row[-1] else word for word in row) + " |")
    lines += ["", *(f"{number}. {text}" for number, text in enumerate(notes, start=1)), ""]
    return "\n".join([*lines, *(f"- {text}" for text in general_notes(cells)), ""])


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


def ranks_text(tests: Sequence[RepeatedRanks]) -> str:
    """Return average ranks of both sides and what the tests say, for a terminal."""
    lines = []
    for test in tests:
        names = test.plait.methods
        width = max(9, *map(len, names))
        lines.append(f"{test.metric}, average ranks over {', '.join(test.datasets)}")
        lines.append(" " * 11 + "".join(name.rjust(width + 1) for name in names))
        for side, comparison in (("published", test.published), ("plait", test.plait)):
            ranks = "".join(f"{rank:{width + 1}.2f}" for rank in comparison.average_ranks)
            lines.append(f"{side:<11}{ranks}")
            lines.append(f"{'':<11} {rank_statement(comparison)}")
        lines.append("")
    return "\n".join(lines)


def ranks_markdown(tests: Sequence[RepeatedRanks]) -> str:
    """Return average ranks of both sides and what the tests say, as Markdown."""
    lines = []
    for test in tests:
        names = test.plait.methods
        lines += [f"### {test.metric}", "", f"Over {', '.join(test.datasets)}.", ""]
        lines += ["| average rank | " + " | ".join(names) + " |", "|" + " --- |" * (len(names) + 1)]
        for side, comparison in (("published", test.published), ("plait", test.plait)):
            lines.append(f"| {side} | " + " | ".join(f"{rank:.2f}" for rank in comparison.average_ranks) + " |")
        lines += ["", f"- published: {rank_statement(test.published)}", f"- plait: {rank_statement(test.plait)}", ""]
    return "\n".join(lines)


def outcomes_text(outcomes: Sequence[FoldOutcome]) -> str:
    """Return wins, ties and losses of MC against each method: what the paper marked and what plait's folds say."""
    lines = (
        ["MC against      measure       published  plait  (win/tie/loss over the data sets that ran)"]
        if outcomes
        else []
    )
    for method, metric in dict.fromkeys((o.method, o.metric) for o in outcomes):
        here = [o for o in outcomes if (o.method, o.metric) == (method, metric)]
        printed, ours = [o.published for o in here], [o.plait.outcome for o in here]
        counts = ["/".join(str(marks.count(word)) for word in ("win", "tie", "loss")) for marks in (printed, ours)]
        lines.append(f"{method:<16}{metric:<14}{counts[0]:<11}{counts[1]}")
    return "\n".join(lines)
