"""Answers with names: label sets as tuples, the most probable labels of a row, and frames like the one that came in."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from plait.core.arrays import Array, Floats, Ints
from plait.core.extras import optional
from plait.core.sentences import ParameterError, shown

__all__ = ["RowFrame", "TopLabels", "highest", "label_sets", "row_frame", "top_labels"]

_MOST_ROWS = 8  # that a printed answer shows
_MANY_COLUMNS = 64  # from which on the highest are found before they are sorted


@dataclass(frozen=True, eq=False)
class RowFrame:
    """The rows of a question as a frame knows them: answers become frames of the same library, with the same index.

    Parameters
    ----------
    library : str, default="pandas"
        "pandas" or "polars".
    index : pandas Index, optional
        Names of the rows; their numbers by default.

    Examples
    --------
    >>> import pandas
    >>> rows = RowFrame(index=pandas.Index(["photo 1", "photo 2"]))
    >>> rows.frame({"sea": [0.9, 0.2]})
             sea
    photo 1  0.9
    photo 2  0.2
    """

    library: str = "pandas"
    index: Any = None

    def take(self, rows: Any) -> "RowFrame":
        """Return some of the rows.

        Parameters
        ----------
        rows : array of int or slice
            Which.
        """
        return self if self.index is None else RowFrame(self.library, self.index[rows])

    def names(self, n_rows: int) -> Array:
        """Return what each row is called: the index of the frame, or numbers.

        Parameters
        ----------
        n_rows : int
            How many rows there are.
        """
        return np.arange(n_rows) if self.index is None else np.asarray(self.index)

    def frame(self, columns: Mapping[str, Any], *, library: str | None = None, indexed: bool = True) -> Any:
        """Return a frame of columns; `indexed` where each of its rows is one of these rows.

        Parameters
        ----------
        columns : mapping of str to array
            Name -> values.
        library : {"pandas", "polars"}, optional
            By default that of the rows.
        indexed : bool, default=True
            Whether each row of the frame is one of these rows.
        """
        library = self.library if library is None else library
        if library not in ("pandas", "polars"):
            raise ParameterError(
                f"to_frame needs library to be 'pandas' or 'polars', but it is {shown(library)}. Pass one of them."
            )
        module = optional(library, extra="frames" if library == "pandas" else "polars", purpose="data frames")
        if library == "polars":
            return module.DataFrame({name: np.asarray(values).tolist() for name, values in columns.items()})
        return module.DataFrame(dict(columns), index=self.index if indexed else None)


def row_frame(X: Any) -> RowFrame:
    """Return how answers for the rows of X become a frame: as X is, and with pandas where X is no frame.

    Parameters
    ----------
    X : array, sparse matrix or frame
        Rows.

    Returns
    -------
    RowFrame

    Examples
    --------
    >>> import pandas
    >>> row_frame(pandas.DataFrame({"wind": [3.0, 4.0]}, index=["monday", "tuesday"])).names(2).tolist()
    ['monday', 'tuesday']
    """
    library = type(X).__module__.partition(".")[0]
    return RowFrame("polars") if library == "polars" else RowFrame(index=X.index if library == "pandas" else None)


def label_sets(labels: Any, names: Sequence[str]) -> list[tuple[str, ...]]:
    """Return every row of 0/1 labels (n_rows, n_labels) as a tuple of names, in the order of the labels.

    Parameters
    ----------
    labels : array-like of shape (n_rows, n_labels)
        0/1.
    names : sequence of str
        Of the labels.

    Returns
    -------
    list of tuples of str

    Examples
    --------
    >>> label_sets(np.array([[1, 0, 1], [0, 0, 0]]), ["sea", "sand", "sun"])
    [('sea', 'sun'), ()]
    """
    rows, columns = labels.nonzero()
    bounds = np.searchsorted(rows, np.arange(labels.shape[0] + 1)).tolist()
    words = [names[column] for column in columns.tolist()]
    return [tuple(words[start:end]) for start, end in pairwise(bounds)]


class _NamesAndProbabilities(NamedTuple):
    names: npt.NDArray[np.object_]
    probabilities: Floats


class TopLabels(_NamesAndProbabilities):
    """The most probable labels of every row, the most probable first.

    Unpacks into `names` and `probabilities`, both of shape (n_rows, k).

    Parameters
    ----------
    names : ndarray of str, shape (n_rows, k)
        The labels.
    probabilities : ndarray of float64, shape (n_rows, k)
        Of each of them.
    rows : RowFrame, optional
        How the rows are called; by their numbers by default.

    Examples
    --------
    >>> top = top_labels(np.array([[0.2, 0.9, 0.4]]), ["sea", "sand", "sun"], 2, RowFrame())
    >>> top
    row 0: sand 0.90, sun 0.40
    >>> names, probabilities = top
    >>> names.tolist(), probabilities.tolist()
    ([['sand', 'sun']], [[0.9, 0.4]])
    """

    rows: RowFrame

    def __new__(cls, names: npt.NDArray[np.object_], probabilities: Floats, rows: RowFrame | None = None) -> Self:
        """Return the pair, which knows the rows it answers for."""
        self = super().__new__(cls, names, probabilities)
        self.rows = RowFrame() if rows is None else rows
        return self

    def to_frame(self, library: str | None = None) -> Any:
        """Return a row for each label: row, rank, label, probability.

        Parameters
        ----------
        library : {"pandas", "polars"}, optional
            By default that of the frame that was asked about, else pandas.
        """
        n_rows, k = self.names.shape
        columns = {
            "row": np.repeat(self.rows.names(n_rows), k),
            "rank": np.tile(np.arange(1, k + 1), n_rows),
            "label": self.names.ravel(),
            "probability": self.probabilities.ravel(),
        }
        return self.rows.frame(columns, library=library, indexed=False)

    def __repr__(self) -> str:
        lines = [
            f"row {row}: " + ", ".join(f"{name} {chance:.2f}" for name, chance in zip(words, chances, strict=True))
            for row, words, chances in zip(
                self.rows.names(len(self.names))[:_MOST_ROWS], self.names, self.probabilities, strict=False
            )
        ]
        left = len(self.names) - len(lines)
        return "\n".join([*lines, f"... {left} more rows"] if left else lines)


def top_labels(probabilities: Floats, names: Sequence[str], k: int, rows: RowFrame) -> TopLabels:
    """Return the k most probable labels of every row (all of them where there are fewer); ties go by number.

    Parameters
    ----------
    probabilities : ndarray of float64, shape (n_rows, n_labels)
        P(label) of every row.
    names : sequence of str
        Names of the labels.
    k : int
        How many.
    rows : RowFrame
        How the rows are called.

    Returns
    -------
    TopLabels

    Examples
    --------
    >>> top_labels(np.array([[0.2, 0.9, 0.4]]), ["sea", "sand", "sun"], 2, RowFrame())
    row 0: sand 0.90, sun 0.40
    """
    best = highest(probabilities, k)
    words = np.array(names, dtype=object)
    return TopLabels(words[best], np.take_along_axis(probabilities, best, axis=1), rows)


def highest(values: Floats, k: int) -> Ints:
    """Return the columns of the k highest values of every row (all of them where there are fewer); ties go by number.

    Examples
    --------
    >>> highest(np.array([[0.2, 0.9, 0.4, 0.9]]), 3)
    array([[1, 3, 2]])
    """
    n_rows, n_columns = values.shape
    if k >= n_columns or n_columns < _MANY_COLUMNS:
        return np.argsort(-values, axis=1, kind="stable")[:, :k]
    # Only what is not below the k-th highest is sorted: of a thousand labels that is a handful.
    least = np.partition(values, n_columns - k, axis=1)[:, n_columns - k]
    rows, columns = np.nonzero(values >= least[:, None])
    order = np.lexsort((columns, -values[rows, columns], rows))
    firsts = np.searchsorted(rows, np.arange(n_rows))
    return np.asarray(columns[order[firsts[:, None] + np.arange(k)]])
