"""Labels as people have them: tables of 0/1 or yes/no, with names or without, and rows of names.

`read_labels` brings all forms into one: a table, and the names of its columns where it has any. Rows of names are
lists, tuples, sets or arrays of words or integers, in a list, an array or a Series; `plait.data.split_tags` makes them
of a column of joined tags. A table of words says yes and no, in any language.
"""

import numbers
from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
from scipy import sparse

from plait.core.arrays import Array
from plait.core.no_yes import meaning, no_yes_codes
from plait.core.sentences import ParameterError, shown
from plait.core.unknown_labels import is_gap

__all__ = ["WAY_OUT", "LabelTable", "LabelledRows", "as_table", "label_rows_of", "read_labels"]

# What to do with labels that cannot be understood.
WAY_OUT = (
    "Pass one 0/1 column for each label, or a set of label names for each row (a column of classes: "
    "pandas.get_dummies; joined tags: plait.data.split_tags; scores: cut them at a threshold)."
)


@runtime_checkable
class LabelledRows(Protocol):
    """Rows with their labels in one object, such as `plait.data.Dataset`: `fit` takes it in place of X and y."""

    X: Any
    Y: Any
    feature_names: Any
    label_names: Any


class LabelTable(NamedTuple):
    """A table of labels, an array or a sparse matrix of any shape and type, and the names of its columns.

    Attributes
    ----------
    table : array or sparse matrix
        One column for each label.
    names : tuple of str, or None
        Names of the columns, where they have some.

    Examples
    --------
    >>> found = read_labels("fit", "y", [{"sun"}, {"sea", "sun"}])
    >>> found.names, found.table.tolist()
    (('sea', 'sun'), [[0, 1], [1, 1]])
    """

    table: Any
    names: tuple[str, ...] | None = None


def read_labels(
    owner: str,
    name: str,
    Y: Any,
    error: type[ValueError] = ParameterError,
    known: Sequence[str] | None = None,
    *,
    more: bool = False,
) -> LabelTable:
    """Return labels, however they are written, as a table with names.

    Parameters
    ----------
    owner, name : str
        Whose labels, and the argument that a complaint names.
    Y : array, sparse matrix, frame, nested list, or rows of names
        Labels. Rows of names become 0/1 columns, sorted by name unless `known`; blanks around names do not count.
    error : class of ValueError, default=ParameterError
        What is raised.
    known : sequence of str, optional
        The names that labels may have: columns come in their order, those of a frame with the same names too.
    more : bool, default=False
        Whether rows may hold other names than those known; their columns come last.

    Returns
    -------
    LabelTable

    Examples
    --------
    >>> read_labels("fit", "y", [{"sun"}, {"sea", "sun"}])
    LabelTable(table=array([[0, 1],
           [1, 1]], dtype=uint8), names=('sea', 'sun'))
    """
    rows = label_rows_of(owner, name, Y, error)
    if rows is not None:
        spelt = frozenset(known or ())
        return _table_of_rows(owner, name, [_names_of(row, spelt) for row in rows], error, known, more)
    table = as_table(owner, name, Y, error)
    columns = getattr(Y, "columns", None)
    names = None if columns is None else tuple(str(column) for column in columns)
    if table.ndim == 2 and not sparse.issparse(table) and table.dtype.kind in "OUT":
        table = _said_yes(table)
    if known is not None and names is not None and names != tuple(known) and sorted(names) == sorted(known):
        order = [names.index(each) for each in known]
        return LabelTable((sparse.csr_matrix(table) if sparse.issparse(table) else table)[:, order], tuple(known))
    return LabelTable(table, names)


def as_table(owner: str, name: str, table: Any, error: type[ValueError] = ParameterError) -> Any:
    """Return whatever was given as an array or a sparse matrix, of any shape and type.

    Parameters
    ----------
    owner, name : str
        Whose table, and the argument that a complaint names.
    table : array, sparse matrix, frame or nested list
        What was given; masked cells become NaN.
    error : class of ValueError, default=ParameterError
        What is raised.

    Returns
    -------
    ndarray or sparse matrix

    Examples
    --------
    >>> as_table("fit", "X", [[1, 2], [3]])
    Traceback (most recent call last):
    plait.core.sentences.ParameterError: fit needs X to be a table, but its rows differ in length. ...
    """
    # A pandas frame has this accessor only when all its columns are sparse.
    if hasattr(table, "columns") and hasattr(table, "sparse"):
        return table.sparse.to_coo()
    if sparse.issparse(table):
        return table
    if isinstance(table, np.ma.MaskedArray) and np.ma.is_masked(table):
        return np.where(np.ma.getmaskarray(table), np.nan, np.asarray(table.data, dtype=np.float64))
    try:
        return np.asarray(table)
    except ValueError:
        raise error(f"{owner} needs {name} to be a table, but its rows differ in length. {WAY_OUT}") from None


def label_rows_of(
    owner: str, name: str, Y: Any, error: type[ValueError] = ParameterError
) -> list[Sequence[Any]] | None:
    """Return the names of every row where Y holds rows of names; None where it is a table or a column.

    Sets always are. Lists, tuples and arrays are where they hold words, or integers in rows of different lengths;
    else they are rows of a matrix.
    """
    if sparse.issparse(Y) or (isinstance(Y, np.ndarray) and (Y.dtype != object or Y.size == 0)):
        return None
    rows = list(Y) if isinstance(Y, list | tuple) else _objects(Y)
    if not rows or not any(isinstance(row, set | frozenset | list | tuple | np.ndarray) for row in rows):
        return None
    strange = next((j for j, row in enumerate(rows) if not _is_collection(row)), None)
    if strange is not None:
        raise error(
            f"{owner} needs {name} to hold a set or list of labels in every row, but row {strange} holds "
            f"{shown(rows[strange])}. Pass an empty list where a row has no label."
        )
    if _are_rows_of_a_matrix(rows):
        return None
    entries = [entry for row in rows for entry in row]
    words = sum(isinstance(entry, str) for entry in entries)
    if words not in (0, len(entries)) or not (words or all(_is_integer(entry) for entry in entries)):
        odd = next(entry for entry in entries if not (_is_integer(entry) or isinstance(entry, str)) or words)
        other = next((entry for entry in entries if isinstance(entry, str) != isinstance(odd, str)), odd)
        raise error(
            f"{owner} needs {name} to name labels by words or by integers, but it holds {shown(odd)}"
            + ("" if other is odd else f" and {shown(other)}")
            + ". Use one kind of names in all rows."
        )
    return rows


def _objects(Y: Any) -> list[Any]:
    """Return the entries of an array or Series of objects, or of a frame with a single column; else none."""
    # A frame of several columns is a table, which may be too large to be made dense.
    if not hasattr(Y, "__array__") or len(getattr(Y, "columns", ())) > 1:
        return []
    array = np.asarray(Y)
    one_column = array.ndim == 1 or (array.ndim == 2 and array.shape[1] == 1)
    return list(array.ravel()) if array.dtype == object and one_column else []


def _is_collection(row: Any) -> bool:
    return isinstance(row, set | frozenset | list | tuple) or (isinstance(row, np.ndarray) and row.ndim == 1)


def _are_rows_of_a_matrix(rows: list[Any]) -> bool:
    """Say whether rows are of one length and hold no words: then they are 0/1, or a matrix that is to be refused."""
    if any(isinstance(row, set | frozenset) for row in rows) or len({len(row) for row in rows}) > 1:
        return False
    return not any(isinstance(entry, str) for row in rows for entry in row)


def _is_integer(entry: Any) -> bool:
    return isinstance(entry, numbers.Integral) and not isinstance(entry, bool | np.bool_)


def _names_of(row: Any, spelt: frozenset[str]) -> list[Any]:
    """Return the labels of a row; blanks around a name, and names of nothing else, come from splitting joined tags."""
    names = [entry.strip() if isinstance(entry, str) and entry not in spelt else entry for entry in row]
    return [entry for entry in names if entry != "" or entry in spelt]


def _table_of_rows(
    owner: str, name: str, rows: list[Any], error: type[ValueError], known: Sequence[str] | None, more: bool
) -> LabelTable:
    """Return one 0/1 column for each name."""
    found = {entry for row in rows for entry in row}
    ranked = [str(entry) for entry in sorted(found)]
    names = ranked if known is None else [str(each) for each in known]
    if known is not None and (strange := [each for each in ranked if each not in set(names)]):
        if not more:
            raise error(
                f"{owner} needs {name} to hold labels that are known, but {shown(strange[0])} is none of the "
                f"{len(names)} labels. Leave it out, or fit on rows that have it."
            )
        names = [*names, *strange]
    number = {each: column for column, each in enumerate(names)}
    column_of = {entry: number[str(entry)] for entry in found}
    table = np.zeros((len(rows), len(names)), dtype=np.uint8)
    for place, row in enumerate(rows):
        table[place, [column_of[entry] for entry in row]] = 1
    return LabelTable(table, tuple(names))


def _said_yes(table: Array) -> Array:
    """Return a table of words in which every column says yes or no as 0/1, gaps as NaN; any other as it is."""
    columns, gaps = [], False
    for column in table.T:
        words = [value for value in column if not is_gap(value)]
        if not all(isinstance(value, str) for value in words):
            return table
        codes = no_yes_codes(words) if words else {}
        if codes is None:
            return table
        gaps |= len(words) < len(column)
        columns.append([np.nan if is_gap(value) else codes[meaning(value)] for value in column])
    return np.array(columns, dtype=np.float64 if gaps else np.uint8).T.reshape(table.shape)
