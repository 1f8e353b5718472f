"""Answers for the rows of a data set as a table: with names of rows, as text and as files."""

import csv
import io
import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from plait.core.extras import optional
from plait.core.label_numbering import label_number
from plait.core.sentences import ParameterError, shown
from plait.data import Dataset
from plait.data.conversion.column_kinds import as_words
from plait.data.conversion.files import open_bytes, plain_suffix, replacing
from plait.data.conversion.frame_columns import columns_of_frame, frame_part

__all__ = [
    "OUTPUTS",
    "REASON_COLUMNS",
    "Predictions",
    "answers_text",
    "json_lines",
    "parsed_evidence",
    "reason_lines",
    "with_ids",
    "write_answers",
]

REASON_COLUMNS = ("row", "label", "rank", "reason", "kind", "value", "contribution", "effect")
OUTPUTS = (".csv", ".tsv", ".jsonl", ".parquet")


@dataclass(frozen=True, eq=False)
class Predictions:
    """A table: one line for each row of the data (several for `top`), with its column names.

    `note` says how the answers were found, `rows` which row of the data each line is of.

    Attributes
    ----------
    columns : tuple of str
        Names of the columns.
    lines : list of list
        The cells.
    note : str
        How the answers were found.
    rows : list of int, or None
        Which row of the data each line is of; None where they are the rows in turn.

    Examples
    --------
    >>> from plait import recipes
    >>> from plait.commands import answer_rows
    >>> from plait.data import Dataset
    >>> from plait.estimators import ModelFile
    >>> model = recipes.br().fit([[0.0], [1.0]] * 9, [["sea"], ["sun"]] * 9)
    >>> file = ModelFile(model, ("bright",), ("sea", "sun"), "br")
    >>> answer_rows(file, Dataset([[0.9]], [[0, 0]], ["bright"], ["sea", "sun"]))
    Predictions(columns=('sea', 'sun'), lines=[[0, 1]], note='1 rows', rows=None)
    """

    columns: tuple[str, ...]
    lines: list[list[Any]]
    note: str
    rows: list[int] | None = None


def with_ids(answers: Predictions, data: Dataset, name: str) -> Predictions:
    """Return the table with the column that names rows before all others."""
    if not name or name not in (data.feature_names or ()) or not data.is_table:
        return answers
    place = list(data.feature_names or ()).index(name)
    (column,) = columns_of_frame(frame_part(data.X, np.array([place])), data.name)
    ids = ["" if word is None else word for word in as_words(column)]
    rows = range(len(ids)) if answers.rows is None else answers.rows
    lines = [[ids[row], *line] for row, line in zip(rows, answers.lines, strict=True)]
    return Predictions((name, *answers.columns), lines, answers.note, answers.rows)


def answers_text(answers: Predictions, separator: str = ",") -> str:
    """Return the table as CSV text."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n", delimiter=separator)
    writer.writerow(answers.columns)
    writer.writerows(answers.lines)
    return out.getvalue()


def json_lines(answers: Predictions) -> str:
    """Return the table as one JSON object a line."""
    return "".join(
        json.dumps(dict(zip(answers.columns, line, strict=True)), ensure_ascii=False) + "\n" for line in answers.lines
    )


def _parquet(answers: Predictions) -> bytes:
    pandas = optional("pandas", extra="parquet", purpose="Parquet files")
    optional("pyarrow", extra="parquet", purpose="Parquet files")
    buffer = io.BytesIO()
    pandas.DataFrame(answers.lines, columns=list(answers.columns)).to_parquet(buffer, index=False)
    return buffer.getvalue()


def write_answers(answers: Predictions, path: str | os.PathLike[str]) -> None:
    """Write the table as CSV, TSV, JSON lines or Parquet, by the suffix; whole or not at all."""
    writers: dict[str, Callable[[], str | bytes]] = {
        ".csv": lambda: answers_text(answers),
        ".tsv": lambda: answers_text(answers, "\t"),
        ".jsonl": lambda: json_lines(answers),
        ".parquet": lambda: _parquet(answers),
    }
    content = writers[plain_suffix(path)]()
    with replacing(path) as draft, open_bytes(draft, "wb") as stream:
        stream.write(content.encode() if isinstance(content, str) else content)


def reason_lines(answer: Any, names: Sequence[str], wanted: Sequence[str], loss: Any, k: int) -> list[list[Any]]:
    """Return the k strongest reasons of each row and label: of labels that are named, else of those predicted."""
    chosen = [label_number("plait predict", "--why-of", name, len(names), names) for name in wanted]
    known = np.zeros((len(answer), len(names)), dtype=bool) if answer.evidence is None else answer.evidence >= 0
    if clash := [names[label] for label in chosen if known[:, label].any()]:
        raise ParameterError(
            f"plait predict needs --why-of to be a label that is not known, but {clash[0]!r} is given. Leave one out."
        )
    asked = np.zeros(known.shape, dtype=bool)
    asked[:, chosen] = True
    if not chosen:
        asked = (np.asarray(answer.decide(loss)) == 1) & ~known
    lines: list[list[Any]] = []
    for label in np.flatnonzero(asked.any(axis=0)).tolist():
        rows = np.flatnonzero(asked[:, label])
        found = answer[rows].why(label, k)
        ranks = np.arange(len(found)) - np.searchsorted(found.row, found.row) + 1
        columns = (found.name, found.kind, found.value, found.contribution, found.effect)
        lines += [
            [int(rows[row]), str(names[label]), int(rank), name, kind, *(_rounded(number) for number in numbers)]
            for row, rank, name, kind, *numbers in zip(found.row, ranks, *columns, strict=True)
        ]
    return sorted(lines, key=lambda line: line[0])  # stable: labels in their order within a row


def _rounded(number: float) -> float | None:
    return None if np.isnan(number) else round(float(number), 6)


def parsed_evidence(words: Sequence[str]) -> dict[str, int]:
    """Return LABEL=0 or LABEL=1 words as a dict.

    Examples
    --------
    >>> parsed_evidence(["sea=1", "sun=0"])
    {'sea': 1, 'sun': 0}
    """
    known: dict[str, int] = {}
    for word in words:
        name, _, value = word.rpartition("=")
        if not name or value not in ("0", "1"):
            raise ParameterError(
                f"plait predict needs --given to be LABEL=0 or LABEL=1, but it is {shown(word)}. "
                "Pass for example sea=1."
            )
        known[name] = int(value)
    return known
