"""Read multi-label LIBSVM files: lines `3,7 1:0.5 4:1 # comment`."""

import os
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from plait.core.checks import Boolean, Interval, Nothing, OneOf, check_value
from plait.core.sentences import ParameterError, complaint
from plait.data.conversion.files import blocks_of_lines, plain_stem
from plait.data.dataset import Dataset
from plait.data.errors import DataError
from plait.data.readers.pair_rows import PairRows, check_width, read_pair_rows

__all__ = ["read_libsvm"]

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def read_libsvm(
    path: str | os.PathLike[str],
    *,
    n_features: int | None = None,
    labels: Sequence[int | str] | None = None,
    zero_based: bool | str = "auto",
    name: str | None = None,
) -> Dataset:
    r"""Read a multi-label LIBSVM (svmlight) file.

    A line holds the ids of its labels with commas between them, then pairs `index:value`. It may have no labels: then
    it starts with a blank or with the first pair. A comment runs from `#` to the line's end; lines without words are
    passed over. Pairs may stand in any order, but no index twice; zeros are not stored.

    Parameters
    ----------
    path : path
        The file, packed (.gz, .bz2, .xz) or not.
    n_features : int, optional
        Number of features; by default the largest index found says it.
    labels : sequence of label ids, optional
        The label columns, in order, so that parts of one data set get the same columns; by default the ids that
        occur, in numerical order.
    zero_based : bool or "auto", default="auto"
        Whether the first feature has index 0; "auto" says so where an index 0 occurs.
    name : str, optional
        Name of the data set; by default that of the file.

    Returns
    -------
    Dataset
        `X` and `Y` as CSR matrices. Label names are the ids as words.

    Raises
    ------
    DataError
        If the content is not of this form; it names file and line.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "songs.svm")
    ...     size = file.write_text("3,7 1:0.5 4:1 # both\n 2:1.5\n")
    ...     songs = read_libsvm(file)
    >>> songs
    Dataset 'songs': 2 rows, 4 features (sparse), 2 labels (sparse), cardinality 1.000
    >>> songs.label_names
    ('3', '7')
    """
    check_value("read_libsvm", "n_features", n_features, (Interval(int, 0, None), Nothing()))
    check_value("read_libsvm", "zero_based", zero_based, (Boolean(), OneOf(("auto",))))
    wanted = None if labels is None else _ids(labels)
    file = os.fspath(path)
    rows = read_pair_rows(file, _content(path), comments=True)
    if not len(rows.lines):
        raise DataError.at(file, None, "rows of labels and features", "none")
    first = _first_index(file, rows, zero_based)
    width = _width(file, rows, n_features, first)
    columns, ids = _label_columns(file, rows, wanted)
    return Dataset(
        rows.features(file, width, first),
        rows.label_sets(file, columns, len(ids)),
        label_names=[str(label) for label in ids],
        name=plain_stem(path) if name is None else name,
    )


def _ids(labels: Sequence[int | str]) -> list[int]:
    try:
        ids = [] if isinstance(labels, str) else [int(label) for label in labels]
    except (TypeError, ValueError):
        ids = []
    if not ids or len(ids) != len(set(ids)):
        raise ParameterError(complaint("read_libsvm", "labels", "a sequence of different label ids", labels))
    return ids


def _content(path: str | os.PathLike[str]) -> Iterator[bytes]:
    blocks = blocks_of_lines(path)
    yield next(blocks, b"").removeprefix(_BYTE_ORDER_MARK)
    yield from blocks


def _first_index(file: str, rows: PairRows, zero_based: bool | str) -> int:
    if zero_based == "auto":
        return 0 if (rows.indices == 0).any() else 1
    if not zero_based and (rows.indices == 0).any():
        line = rows.line_of(int(np.argmin(rows.indices)), rows.pair_ends)
        raise DataError.at(file, line, "feature indices from 1", "0", "Pass zero_based=True or 'auto'.")
    return 0 if zero_based else 1


def _width(file: str, rows: PairRows, n_features: int | None, first: int) -> int:
    largest = int(rows.indices.max()) if len(rows.indices) else first - 1
    needed = largest + 1 - first
    if n_features is None:
        at = int(np.argmax(rows.indices)) if needed else 0
        check_width(file, rows.line_of(at, rows.pair_ends) if needed else None, "features", needed, rows.n_bytes)
        return needed
    if needed > n_features:
        line = rows.line_of(int(np.argmax(rows.indices)), rows.pair_ends)
        raise DataError.at(file, line, f"at most {n_features} features", f"index {largest}", "Raise n_features.")
    return int(n_features)


def _label_columns(file: str, rows: PairRows, wanted: list[int] | None) -> tuple[npt.NDArray[np.int64], list[int]]:
    """Return the column of each label in the file, and the id of each column."""
    occurring, columns = np.unique(rows.labels, return_inverse=True)
    if wanted is None:
        return columns.astype(np.int64), occurring.tolist()
    place = {label: column for column, label in enumerate(wanted)}
    strange = next((label for label in occurring.tolist() if label not in place), None)
    if strange is not None:
        line = rows.line_of(int(np.argmax(rows.labels == strange)), rows.label_ends)
        raise DataError.at(file, line, "only the labels asked for", f"label {strange}", "Add it to labels.")
    places = np.array([place[label] for label in occurring.tolist()], dtype=np.int64)
    return places[columns], wanted
