"""A table as plain values for JSON: one dictionary for each row."""

import math
from typing import Any

from plait.experiments.report.tables import Table

__all__ = ["as_records"]


def as_records(table: Table) -> list[dict[str, Any]]:
    """Return the rows by the names of the columns; `None` stands for a number that is missing or not finite.

    Examples
    --------
    >>> from plait.experiments.report.tables import Column, Entry
    >>> head = (Column("method", is_text=True), Column("sea", 2))
    >>> as_records(Table("t", "Scores", head, ((Entry("br"), Entry(0.5, 0.125, True)),)))
    [{'method': 'br', 'sea': 0.5, 'sea std': 0.125}]
    """
    spreads = table.has_spreads
    records = []
    for row in table.rows:
        record: dict[str, Any] = {}
        for entry, column, spread in zip(row, table.columns, spreads, strict=True):
            record[column.name] = _plain(entry.value)
            if spread:
                record[f"{column.name} std"] = _plain(entry.spread)
            if entry.note:
                record[f"{column.name} note"] = entry.note
        records.append(record)
    return records


def _plain(value: float | str) -> float | str | None:
    return value if isinstance(value, str) or math.isfinite(value) else None
