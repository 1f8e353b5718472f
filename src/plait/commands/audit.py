"""`plait audit DATA -o audit.html`: which recorded labels look wrong, as a page, a table or text."""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from plait.commands.answer_tables import Predictions, with_ids, write_answers
from plait.commands.methods import make_method, parsed_settings
from plait.commands.sources import Source
from plait.core.named_answers import label_sets
from plait.core.sentences import ParameterError, shown
from plait.data import Dataset
from plait.data.conversion.files import plain_suffix, replacing
from plait.data.joined_tags import SEPARATOR
from plait.pictures.tables import Entry, Heading, Table, as_text
from plait.trust import Audit, audit

__all__ = ["audit_labels"]

_OUTPUTS = (".html", ".csv")
_SHOWN = 20


def audit_labels(
    data: str,
    *,
    method: str = "auto",
    settings: Sequence[str] = (),
    folds: int = 5,
    most: int = 500,
    listed: str = "records",
    seed: int = 0,
    out: str | None = None,
    as_json: bool = False,
    **columns: Any,
) -> None:
    """Print or write the records that are most likely wrong.

    Parameters
    ----------
    data : str
        A file, the name of a data set, or "-" for CSV from standard input.
    method : str, default="auto"
        A recipe with probabilities.
    settings : sequence of str
        Words NAME=VALUE.
    folds : int, default=5
        Every row is judged by a model that was trained on the other folds.
    most : int, default=500
        How many records a page or a table lists.
    listed : {"records", "rows", "labels"}, default="records"
        What a table lists: single records; rows whose whole label set is improbable; or label by label how many
        records may be wrong at most. A page has all three.
    seed : int, default=0
        Of all random choices.
    out : str, optional
        The page (.html) or table (.csv) to write.
    as_json : bool, default=False
        Print JSON instead of a table.
    **columns
        What is said of labels and columns, as `Source` takes it.

    Examples
    --------
    >>> from plait.data import Dataset, save_dataset
    >>> X, Y = [[float(k % 7)] for k in range(70)], [[int(k % 7 > 3)] for k in range(70)]
    >>> Y[6] = [0]  # forgotten
    >>> save_dataset(Dataset(X, Y, ["blue"], ["sea"]), "photos.csv")
    >>> audit_labels("photos.csv", method="br", folds=2, most=1, labels=["sea"], out="doubts.csv")
    doubts.csv: ...
    """
    if out is not None and plain_suffix(out) not in _OUTPUTS:
        raise ParameterError(
            f"plait audit needs -o to end in one of {', '.join(_OUTPUTS)}, but it is {shown(out)}. Pass one of them."
        )
    source = Source(data, **columns)
    model = make_method(method, parsed_settings(settings), random_state=seed)
    if not hasattr(model, "joint"):
        raise ParameterError(
            f"plait audit needs a method that learns P(Y | X), but {method} has no joint distribution. Use auto or pcc."
        )
    dataset = source.load()
    source.tell_gaps(dataset, model)
    found = audit(source.with_encoder(model, dataset), dataset.X, dataset.Y, folds, random_state=seed)
    found = replace(found, label_names=_names(dataset))
    table = _TABLES[listed](found, most, dataset.tags_sep or SEPARATOR)
    table = table if listed == "labels" else with_ids(table, dataset, source.id_column or "")
    if out is not None and plain_suffix(out) == ".html":
        numbers = Predictions((), [[row] for row in range(dataset.n_samples)], "")
        ids = with_ids(numbers, dataset, source.id_column or "").lines
        _write(out, found.to_html(most, [line[0] for line in ids]))
    elif out is not None:
        write_answers(table, out)
    if as_json:
        print(json.dumps([dict(zip(table.columns, line, strict=True)) for line in table.lines], indent=2))
    elif out is None:
        print(_text(found, table, listed))
    else:
        print(f"{out}: {found!r}")


def _names(dataset: Dataset) -> tuple[str, ...]:
    return tuple(dataset.label_names or (f"y{k}" for k in range(dataset.n_labels)))


def _records(found: Audit, most: int, sep: str) -> Predictions:
    """Return the records to look at as a table; rows are numbered from 0, as in answers of `plait predict`."""
    rows, labels = found.cells(most)
    sets = label_sets(found.likeliest[rows], found.label_names)
    lines = [
        [
            int(row),
            found.label_names[k],
            int(found.recorded[row, k]),
            round(float(found.wrong[row, k]), 4),
            sep.join(names),
        ]
        for row, k, names in zip(rows, labels, sets, strict=True)
        if not np.isnan(found.wrong[row, k])
    ]
    heads = ("row", "label", "recorded", "probability", "suggestion")
    return Predictions(heads, lines, "", [line[0] for line in lines])


def _whole_rows(found: Audit, most: int, sep: str) -> Predictions:
    """Return the rows whose whole label set is improbable, the most surprising first."""
    rows = np.argsort(found.surprise, kind="stable")[:most].tolist()
    recorded, likeliest = (label_sets(sets[rows] == 1, found.label_names) for sets in (found.recorded, found.likeliest))
    lines = [
        [row, round(float(found.surprise[row]), 4), sep.join(now), sep.join(likely)]
        for row, now, likely in zip(rows, recorded, likeliest, strict=True)
    ]
    return Predictions(("row", "surprise", "recorded", "suggestion"), lines, "", rows)


def _labels(found: Audit, most: int, _: str) -> Predictions:
    """Return label by label how many records may be wrong at most; None where there are too few to say."""
    columns = found.bounds()
    numbers = [
        [None if np.isnan(number) else int(number) for number in column]
        for name, column in columns.items()
        if name != "label"
    ]
    lines = [list(line) for line in zip(columns["label"], *numbers, strict=True)]
    return Predictions(tuple(columns), lines[:most], "")


_TABLES = {"records": _records, "rows": _whole_rows, "labels": _labels}
_TITLES = {
    "records": "the likeliest errors first",
    "rows": "rows whose whole label set is improbable",
    "labels": "how many records of each label may be wrong at most",
}
_NUMBERS = ("probability", "surprise")


def _text(found: Audit, table: Predictions, listed: str) -> str:
    """Return the first lines as a table for the terminal, and how many records may be wrong at most."""
    heads = tuple(Heading(name, 2, is_text=name not in _NUMBERS, longest=24) for name in table.columns)
    rows = tuple(
        tuple(Entry(value if isinstance(value, float) else str(value)) for value in line)
        for line in table.lines[:_SHOWN]
    )
    notes = ["The first of the list; -o audit.html writes a page to work through, -o audit.csv a table."]
    if (bounds := found.at_most()) is not None:
        notes.append(
            f"At most about {bounds[0]} labels are missing, {bounds[1]} there by mistake (bounds, not counts)."
        )
    return as_text(Table("audit", f"{found!r}, {_TITLES[listed]}:", heads, rows, tuple(notes)), width=80)


def _write(out: str, page: str) -> None:
    with replacing(out) as draft:
        draft.write_text(page, encoding="utf-8")
