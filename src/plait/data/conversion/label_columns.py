"""Which columns of a table are labels, by names, a pattern or their number, and what their words mean."""

import re
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from fnmatch import fnmatchcase
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from plait.core.no_yes import meaning, no_yes_codes
from plait.core.sentences import ParameterError, complaint, shown
from plait.data.conversion.table_columns import TableColumn
from plait.data.errors import DataError

__all__ = ["LabelChoice", "label_column", "label_positions"]

LabelChoice: TypeAlias = Sequence[str] | str | re.Pattern[str] | int | None

_WAYS = (
    "labels= (--labels) takes column names, a pattern such as 'tag_*', or a number of columns: n for the first n, "
    "-n for the last n; tags= (--tags) takes one column of joined labels"
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


def label_column(
    column: TableColumn, source: str = "data", positive: str | Mapping[str, str] | None = None
) -> tuple[npt.NDArray[Any], str]:
    """Return a label column as 0 and 1, and which word was taken for 1 where that is worth a note.

    A missing value is a label that is not known: NaN.

    Understood are 0 and 1, true and false, yes and no in many languages, and an x beside empty cells; other words only
    if `positive` says which means 1.

    Parameters
    ----------
    column : TableColumn
        Its values.
    source : str, default="data"
        Where it comes from, for errors.
    positive : str or mapping, optional
        The word that means 1, for all labels or by label; all others mean 0.

    Raises
    ------
    DataError
        If the values are not two that can be told apart as no and yes.

    Examples
    --------
    >>> label_column(TableColumn("sea", "text", np.array(["ja", "nein"], dtype=object)))
    (array([1, 0], dtype=uint8), "'ja'")
    """
    chosen = positive.get(column.name) if isinstance(positive, Mapping) else positive
    if column.kind in ("numeric", "boolean") and chosen is None:
        known = column.values == column.values
        if (known.any() or not known.size) and np.isin(column.values[known], (0.0, 1.0)).all():
            return column.values.astype(np.uint8 if known.all() else np.float64), ""
        words = [None if value != value else f"{value:g}" for value in column.values.tolist()]
    else:
        words = [None if gap else str(value) for gap, value in zip(column.missing, column.values, strict=True)]
    distinct = sorted({word for word in words if word is not None})
    if chosen is None and {word.lower() for word in distinct} == {"x"}:
        return np.array([word is not None for word in words], dtype=np.uint8), shown(distinct[0])
    if chosen is not None and chosen in distinct:
        return _codes(words, {word: float(word == chosen) for word in distinct}), ""
    if not distinct and words:
        raise DataError.at(source, None, f"values of label {shown(column.name)}", "none in any row", "Leave it out.")
    codes = no_yes_codes(distinct) if distinct else {}
    if column.kind in ("numeric", "boolean"):
        codes = None  # 0 and 1 are no words
    if codes is None or chosen is not None:
        raise _not_a_label(column.name, distinct, chosen, source)
    meanings = {word: codes[meaning(word)] for word in distinct}
    ones = [word for word, code in meanings.items() if code and meaning(word) not in ("1", "true")]
    return _codes(words, meanings), shown(ones[0]) if ones else ""


def _codes(words: Sequence[str | None], known: Mapping[str, float]) -> npt.NDArray[Any]:
    """Return what words mean, NaN for those that are missing."""
    values = np.array([np.nan if word is None else known[word] for word in words], dtype=np.float64)
    return values if np.isnan(values).any() else values.astype(np.uint8)


def _not_a_label(name: str, distinct: list[str], chosen: str | None, source: str) -> DataError:
    found = ", ".join(shown(word) for word in distinct[:4]) + (", ..." if len(distinct) > 4 else "")
    if chosen is not None:
        return DataError.at(source, None, f"label {shown(name)} to hold {shown(chosen)}, which means 1", found)
    hint = "Encode it as 0 and 1, or say by positive= (--positive) which word means 1."
    if len(distinct) > 2:
        hint += f" If it holds all labels of a row, pass tags={name!r} (--tags {name}) instead of labels."
    return DataError.at(source, None, f"label {shown(name)} to hold 0 and 1, or yes and no", found, hint)
