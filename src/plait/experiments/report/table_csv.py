"""A table as CSV: numbers with all their digits, standard deviations and remarks in columns of their own."""

import csv
import io
import math

from plait.experiments.report.tables import Table

__all__ = ["as_csv"]


def as_csv(table: Table) -> str:
    r"""Return the table as CSV text; a number that is missing is an empty field.

    Examples
    --------
    >>> from plait.experiments.report.tables import Column, Entry
    >>> head = (Column("method", is_text=True), Column("sea", 2))
    >>> as_csv(Table("t", "Scores", head, ((Entry("br"), Entry(0.5, 0.125, True)),)))
    'method,sea,sea std\nbr,0.5,0.125\n'
    """
    spreads = table.has_spreads
    remarks = [any(row[c].note for row in table.rows) for c in range(len(table.columns))]
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    head: list[str] = []
    for column, spread, remark in zip(table.columns, spreads, remarks, strict=True):
        head += [column.name, *([f"{column.name} std"] if spread else []), *([f"{column.name} note"] if remark else [])]
    writer.writerow(head)
    for row in table.rows:
        fields: list[str] = []
        for entry, spread, remark in zip(row, spreads, remarks, strict=True):
            fields += [
                _plain(entry.value),
                *([_plain(entry.spread)] if spread else []),
                *([entry.note] if remark else []),
            ]
        writer.writerow(fields)
    return stream.getvalue()


def _plain(value: float | str) -> str:
    if isinstance(value, str):
        return value
    if math.isnan(value):
        return ""
    return repr(int(value)) if math.isfinite(value) and value == int(value) and abs(value) < 2**53 else repr(value)
