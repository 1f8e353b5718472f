"""Answers for the rows of a data set as a table: with names of rows, as text and as files."""

import csv
import io
import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from plait.core.extras import optional
from plait.data import Dataset
from plait.data.conversion.column_kinds import as_words
from plait.data.conversion.files import open_bytes, plain_suffix, replacing
from plait.data.conversion.frame_columns import columns_of_frame, frame_part

__all__ = ["OUTPUTS", "Predictions", "answers_text", "json_lines", "with_ids", "write_answers"]

OUTPUTS = (".csv", ".tsv", ".jsonl", ".parquet")


@dataclass(frozen=True, eq=False)
class Predictions:
    """A table: one line for each row of the data (several for `top`), with its column names.

    `note` says how the answers were found, `rows` which row of the data each line is of.
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
