"""`Dataset`: what every reader hands on and every other room of plait starts from."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from plait.core.extras import installed, optional
from plait.core.label_forms import LabelTable, read_labels
from plait.core.labels import label_matrix
from plait.core.sentences import counted, shown
from plait.core.unknown_labels import given_again, has_unknown
from plait.data.conversion.frame_columns import columns_of_frame, frame_rows, is_frame
from plait.data.errors import DataError

__all__ = ["Dataset", "FEATURE_KINDS"]

_MOST_LABELS = 10
_FRAME_KINDS = {"numeric": "numeric", "boolean": "binary", "text": "words", "date": "dates"}

# Colours come from the notebook, so that the table fits light and dark themes.
_STYLE = (
    ".plait-dataset td,.plait-dataset th{text-align:left;padding:2px 10px}"
    ".plait-dataset caption{caption-side:bottom;text-align:left;padding:2px 10px}"
    ".plait-dataset .bar{background:#5b8def;height:.7em;display:inline-block;border-radius:2px}"
)


# numeric: any number; binary: 0 or 1 (a two-valued attribute or an indicator of one value);
# nominal: an integer code of an attribute with more values; words and dates: columns of a data frame.
FEATURE_KINDS = ("numeric", "binary", "nominal", "words", "dates")


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """Rows with features and a set of labels each.

    Parameters
    ----------
    X : ndarray, CSR matrix or data frame of shape (n_samples, n_features)
        Features as floats; NaN where a value is missing (dense and stored entries). A data frame where a table holds
        more than numbers: its columns as they are, for `TableEncoder` before a model.
    Y : array, sparse matrix or frame of shape (n_samples, n_labels), or rows of names
        Labels: 0/1, booleans, yes/no, or a set of label names for each row; kept as `int64`, dense or CSR.
    feature_names, label_names : sequence of str, optional
        Unique names; when left out `x0, x1, ...`, and for labels the names in `Y`, else `y0, y1, ...`.
    name : str, default="data"
        What the data set is called.
    feature_kinds : sequence of {"numeric", "binary", "nominal", "words", "dates"}, optional
        What each column of `X` holds; found out for a frame, all numeric for others when left out.
    lines : ndarray of int, optional
        The line of its file that each row begins in.
    tags_sep : str, default=""
        What joined the labels of a row in the column of tags that they were read from.

    Examples
    --------
    >>> Dataset([[0.5, 1.0], [2.0, 0.0]], [[1, 0], [1, 1]], label_names=["sea", "sun"], name="beach")
    Dataset 'beach': 2 rows, 2 features (dense), 2 labels (dense), cardinality 1.500
    """

    X: Any
    Y: Any
    feature_names: Sequence[str] | None = None
    label_names: Sequence[str] | None = None
    name: str = "data"
    feature_kinds: Sequence[str] | None = None
    lines: npt.NDArray[np.int64] | None = None
    tags_sep: str = ""

    def __post_init__(self) -> None:
        X, (Y, own_names) = _features(self.X), _labels(self.Y)
        label_names = own_names if self.label_names is None else self.label_names
        names, kinds = self.feature_names, self.feature_kinds
        if self.is_table:
            names = [str(name) for name in X.columns] if names is None else names
            if kinds is None:
                kinds = [_FRAME_KINDS[column.kind] for column in columns_of_frame(X, "Dataset")]
        if X.shape[0] != Y.shape[0]:
            raise DataError(
                f"Dataset needs X and Y to have the same number of rows, but X has {X.shape[0]} "
                f"and Y has {Y.shape[0]}. Pass rows of the same objects."
            )
        for field, value in (
            ("X", X),
            ("Y", Y),
            ("feature_names", _names("feature_names", names, "x", X.shape[1])),
            ("label_names", _names("label_names", label_names, "y", Y.shape[1])),
            ("feature_kinds", _kinds(kinds, X.shape[1])),
        ):
            object.__setattr__(self, field, value)

    @property
    def is_table(self) -> bool:
        """Whether `X` is a data frame."""
        return is_frame(self.X)

    @property
    def n_samples(self) -> int:
        """Number of rows."""
        return int(self.X.shape[0])

    @property
    def n_features(self) -> int:
        """Number of feature columns."""
        return int(self.X.shape[1])

    @property
    def n_labels(self) -> int:
        """Number of labels."""
        return int(self.Y.shape[1])

    def rows(self, index: npt.ArrayLike) -> "Dataset":
        """Return the data set of some rows, by positions or by a mask; names and kinds stay.

        Parameters
        ----------
        index : array of int or of bool
            Positions, or a mask.
        """
        chosen = np.asarray(index)
        if self.is_table and chosen.dtype == bool:
            chosen = np.flatnonzero(chosen)
        X = frame_rows(self.X, chosen) if self.is_table else self.X[chosen]
        lines = None if self.lines is None else self.lines[chosen]
        return replace(self, X=X, Y=self.Y[chosen], lines=lines)

    def to_frame(self, library: str | None = None) -> Any:
        """Return features and labels as one pandas (or polars) DataFrame, labels last.

        Parameters
        ----------
        library : {"pandas", "polars"}, optional
            Which kind; by default pandas where it is installed, else polars.

        Notes
        -----
        Sparse features become sparse columns in pandas and dense ones in polars, which has none.
        """
        chosen = library or ("pandas" if installed("pandas") or not installed("polars") else "polars")
        if chosen not in ("pandas", "polars"):
            raise ValueError(
                f"Dataset.to_frame needs library to be 'pandas' or 'polars', but it is {shown(library)}. "
                "Pass one of them, or None."
            )
        frames = optional(chosen, extra="frames", purpose="data frames")
        shared = set(self.feature_names or ()) & set(self.label_names or ())
        if shared:
            raise DataError(
                f"Dataset.to_frame needs features and labels to have different names, but both have "
                f"{shown(sorted(shared)[0])}. Rename one of them."
            )
        if self.is_table:
            columns = columns_of_frame(self.X, "Dataset")
            values = {column.name: column.values for column in columns}
            return frames.DataFrame(
                values | {name: _column(self.Y, j) for j, name in enumerate(self.label_names or ())}
            )
        if chosen == "polars":
            return frames.DataFrame(
                {name: _column(self.X, j) for j, name in enumerate(self.feature_names or ())}
                | {name: _column(self.Y, j) for j, name in enumerate(self.label_names or ())}
            )
        parts = [
            _pandas(frames, self.X, self.feature_names),
            _pandas(frames, self.Y, self.label_names),
        ]
        return frames.concat(parts, axis=1)

    def __eq__(self, other: object) -> bool:
        """Compare everything, entry by entry; NaN equals NaN."""
        if not isinstance(other, Dataset):
            return NotImplemented
        same_words = all(
            getattr(self, field) == getattr(other, field)
            for field in ("feature_names", "label_names", "name", "feature_kinds")
        )
        return same_words and _same(self.X, other.X) and _same(self.Y, other.Y)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        forms = ["sparse" if sparse.issparse(part) else "dense" for part in (self.X, self.Y)]
        forms[0] = "table" if self.is_table else forms[0]
        cardinality = np.asarray((self.Y == 1).sum(axis=0)).sum() / max(self.n_samples, 1)
        return (
            f"Dataset {self.name!r}: {counted(self.n_samples, 'row')}, "
            f"{counted(self.n_features, 'feature')} ({forms[0]}), "
            f"{counted(self.n_labels, 'label')} ({forms[1]}), cardinality {cardinality:.3f}"
        )

    def _repr_html_(self) -> str:
        return dataset_html(self)


def _features(X: Any) -> Any:
    if is_frame(X):
        return X
    if sparse.issparse(X):
        matrix = sparse.csr_matrix(X)
        return matrix if matrix.dtype.kind == "f" else matrix.astype(np.float64)
    array = np.asarray(X)
    if array.dtype.kind not in "biuf":
        raise DataError(
            f"Dataset needs X to be an array of numbers, but its dtype is {array.dtype}. Encode words as numbers first."
        )
    if array.ndim != 2:
        raise DataError(
            f"Dataset needs X to have two dimensions, but it has {array.ndim}. Reshape it to (n_samples, n_features)."
        )
    return array if array.dtype.kind == "f" else array.astype(np.float64)


def _labels(Y: Any) -> LabelTable:
    given = read_labels("Dataset", "Y", Y, DataError)
    table = label_matrix("Dataset", "Y", given.table, DataError, one_column=False, unknown=True)
    if has_unknown(table):
        return LabelTable(given_again(table), given.names)
    # scikit-learn 1.9's LabelBinarizer numbers labels in the type of Y: with 8 bits, 256 of them are scrambled.
    return LabelTable(table.astype(np.int64, copy=False), given.names)


def _names(field: str, names: Sequence[str] | None, prefix: str, n: int) -> tuple[str, ...]:
    if names is None:
        return tuple(f"{prefix}{j}" for j in range(n))
    result = tuple(str(name) for name in names)
    if len(result) != n:
        raise DataError(
            f"Dataset needs {field} to have one name a column ({n}), but it has {len(result)}. Name every column."
        )
    if len(set(result)) != n:
        twice = next(name for i, name in enumerate(result) if name in result[:i])
        raise DataError(f"Dataset needs {field} to be unique, but {shown(twice)} stands twice. Rename one of them.")
    return result


def _kinds(kinds: Sequence[str] | None, n: int) -> tuple[str, ...]:
    result = ("numeric",) * n if kinds is None else tuple(kinds)
    wrong = [kind for kind in result if kind not in FEATURE_KINDS]
    if wrong or len(result) != n:
        raise DataError(
            f"Dataset needs feature_kinds to have one of {', '.join(FEATURE_KINDS)} for each of {n} columns, but has "
            + (shown(wrong[0]) if wrong else f"{len(result)} entries")
            + ". Say what every column holds, or pass None."
        )
    return result


def _column(matrix: Any, j: int) -> Any:
    return matrix[:, [j]].toarray().ravel() if sparse.issparse(matrix) else matrix[:, j]


def _pandas(frames: Any, matrix: Any, names: Sequence[str] | None) -> Any:
    if sparse.issparse(matrix):
        return frames.DataFrame.sparse.from_spmatrix(matrix, columns=list(names or ()))
    return frames.DataFrame(matrix, columns=list(names or ()))


def _same(a: Any, b: Any) -> bool:
    if is_frame(a) and is_frame(b):
        pairs = zip(columns_of_frame(a, "Dataset"), columns_of_frame(b, "Dataset"), strict=False)
        return a.shape == b.shape and all(first.equals(second) for first, second in pairs)
    if a.shape != b.shape or sparse.issparse(a) != sparse.issparse(b):
        return False
    if not sparse.issparse(a):
        return bool(np.array_equal(a, b, equal_nan=True))
    a, b = a.sorted_indices(), b.sorted_indices()
    return (
        np.array_equal(a.indptr, b.indptr)
        and np.array_equal(a.indices, b.indices)
        and bool(np.array_equal(a.data, b.data, equal_nan=True))
    )


def dataset_html(dataset: Any) -> str:
    """Return a heading, the sizes and the most frequent labels with their shares as bars."""
    form = "table" if dataset.is_table else "sparse" if sparse.issparse(dataset.X) else "dense"
    positives = np.asarray((dataset.Y == 1).sum(axis=0), dtype=np.int64).ravel()
    top = np.argsort(-positives, kind="stable")[:_MOST_LABELS]
    share = positives / max(dataset.n_samples, 1)
    rows = "".join(
        f"<tr><td>{escape(dataset.label_names[j])}</td><td>{positives[j]}</td><td>{share[j]:.1%}</td>"
        f'<td><span class="bar" style="width:{120 * share[j]:.1f}px"></span></td></tr>'
        for j in top
    )
    more = dataset.n_labels - len(top)
    note = f"<caption>and {more} more labels</caption>" if more > 0 else ""
    return (
        f'<div class="plait-dataset"><style>{_STYLE}</style><p><b>{escape(dataset.name)}</b>: '
        f"{dataset.n_samples} rows, "
        f"{dataset.n_features} features ({form}), {dataset.n_labels} labels, "
        f"{positives.sum() / max(dataset.n_samples, 1):.2f} labels a row</p>"
        f"<table>{note}<thead><tr><th>label</th><th>rows</th><th>share</th><th></th></tr></thead>"
        f"<tbody>{rows}</tbody></table></div>"
    )
