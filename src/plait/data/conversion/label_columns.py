"""Choose which columns of a table are labels: by their names, by a pattern, or by how many there are."""

import re
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from fnmatch import fnmatchcase
from typing import TypeAlias

import numpy as np

from plait.core.sentences import ParameterError, complaint, shown
from plait.data.errors import DataError

__all__ = ["LabelChoice", "label_positions"]

LabelChoice: TypeAlias = Sequence[str] | str | re.Pattern[str] | int | None

_WAYS = (
    "labels= takes a list of column names, a pattern such as 'tag_*', "
    "or a number of columns: n for the first n, -n for the last n"
)
_MOST_NAMES = 12


def label_positions(columns: Sequence[str], labels: LabelChoice, source: str = "data") -> list[int]:
    """Return the positions of the label columns, in the order of the table.

    Parameters
    ----------
    columns : sequence of str
        The names of all columns.
    labels : list of str, str, re.Pattern or int
        Names; or a name or a pattern with `*`, `?` or `[...]`, which must fit the whole name; or a compiled regular
        expression, which must be found in the name; or a number, n for the first n columns and -n for the last n.
        An empty list or 0 says that there are no labels.
    source : str, default="data"
        Where the table comes from, for errors.

    Raises
    ------
    DataError
        If the table has no such columns, or nothing was chosen.

    Examples
    --------
    >>> columns = ["size", "tag_sea", "tag_sun"]
    >>> label_positions(columns, ["tag_sun"]), label_positions(columns, "tag_*"), label_positions(columns, -2)
    ([2], [1, 2], [1, 2])
    """
    if labels is None:
        raise DataError.at(
            source, None, "to be told which columns are labels", f"columns {_listed(columns)}", f"{_WAYS}."
        )
    if isinstance(labels, int | np.integer) and not isinstance(labels, bool):
        return _by_count(len(columns), int(labels), source)
    if isinstance(labels, re.Pattern):
        return _by_pattern(columns, [bool(labels.search(name)) for name in columns], labels.pattern, source)
    if isinstance(labels, str) and labels not in columns:
        return _by_pattern(columns, [fnmatchcase(name, labels) for name in columns], labels, source)
    return _by_name(columns, [labels] if isinstance(labels, str) else _names(labels), source)


def _names(labels: object) -> list[str]:
    names = list(labels) if isinstance(labels, Iterable) else [None]
    if not all(isinstance(name, str) for name in names):
        must = "a list of column names, a pattern or a number of columns"
        raise ParameterError(complaint("load_dataset", "labels", must, labels))
    return [str(name) for name in names]


def _by_count(n_columns: int, n: int, source: str) -> list[int]:
    if abs(n) > n_columns:
        raise DataError.at(source, None, f"{abs(n)} label columns", f"{n_columns} columns in all")
    return list(range(n)) if n >= 0 else list(range(n_columns + n, n_columns))


def _by_pattern(columns: Sequence[str], fits: list[bool], pattern: str, source: str) -> list[int]:
    if not any(fits):
        raise DataError.at(source, None, f"label columns like {shown(pattern)}", f"columns {_listed(columns)}")
    return [j for j, fit in enumerate(fits) if fit]


def _by_name(columns: Sequence[str], names: list[str], source: str) -> list[int]:
    known = set(columns)
    strange = next((name for name in names if name not in known), None)
    if strange is not None:
        close = get_close_matches(strange, columns, n=1)
        hint = f"Did you mean {shown(close[0])}?" if close else ""
        raise DataError.at(source, None, f"a label column {shown(strange)}", f"columns {_listed(columns)}", hint)
    wanted = set(names)
    return [j for j, name in enumerate(columns) if name in wanted]


def _listed(columns: Sequence[str]) -> str:
    more = f" and {len(columns) - _MOST_NAMES} more" if len(columns) > _MOST_NAMES else ""
    return ", ".join(shown(name) for name in columns[:_MOST_NAMES]) + more if columns else "none"
