"""Read Parquet files through pandas or polars."""

import io
import os
import re
from collections.abc import Mapping
from typing import Any

from plait.core.extras import installed, optional
from plait.core.sentences import shown
from plait.data.conversion.files import plain_stem, read_all
from plait.data.conversion.label_columns import LabelChoice
from plait.data.dataset import Dataset
from plait.data.errors import DataError
from plait.data.frames import LabelPlan, dataset_of_frame, frame_library

__all__ = ["read_parquet"]

_NO_BOUND = 1 << 62  # what a packed file may grow to is bounded already
# Parquet can say in a few bytes that a value stands a billion times. So many cells a file may have, or so many a byte.
_CELLS_FLOOR = 1 << 28
_CELLS_PER_BYTE = 1000

_INDEX = re.compile(r"__index_level_\d+__")


def read_parquet(
    path: str | os.PathLike[str],
    labels: LabelChoice = None,
    *,
    tags: str | None = None,
    sep: str | None = None,
    positive: str | Mapping[str, str] | None = None,
    kinds: Mapping[str, str] | None = None,
    library: str | None = None,
    name: str | None = None,
) -> Dataset:
    """Read a Parquet file.

    Columns mean what they mean in `from_frame`: numbers, truth values, words, dates. Unnamed row numbers, as pandas
    stores them, are left out.

    Parameters
    ----------
    path : path
        The file.
    labels : list of str, str, re.Pattern or int
        The label columns: names; or a pattern such as "tag_*"; or a number, n for the first n and -n for the last n.
    tags, sep, positive : optional
        As `from_frame` takes them.
    kinds : dict of str to str, optional
        What columns are, as `TableEncoder.kinds_` has it; then `X` is a data frame in any case.
    library : {"pandas", "polars"}, optional
        Which library to use; by default pandas where it is installed with pyarrow, else polars. Both give the same.
    name : str, optional
        Name of the data set; by default that of the file.

    Returns
    -------
    Dataset
        Dense, labels in the order of the columns.

    Raises
    ------
    DataError
        If the file is not Parquet, a label is missing, or no labels were chosen.

    Examples
    --------
    >>> from plait.data import Dataset, write_parquet
    >>> write_parquet(Dataset([[0.5], [2.0]], [[1, 0], [1, 1]], label_names=["sea", "sun"]), "beach.parquet")
    >>> read_parquet("beach.parquet", labels=["sea", "sun"])
    Dataset 'beach': 2 rows, 1 feature (dense), 2 labels (dense), cardinality 1.500
    """
    if library is None and installed("polars") and not (installed("pandas") and installed("pyarrow")):
        library = "polars"
    chosen, frames = frame_library("read_parquet", library, "Parquet files", extra="parquet")
    file = os.fspath(path)
    content = read_all(path, _NO_BOUND)
    read = _by_polars if chosen == "polars" else _by_pandas
    frame = read(frames, content, file)
    # How pandas stores the numbers of rows.
    kept = [j for j, column in enumerate(frame.columns) if not _INDEX.fullmatch(str(column))]
    frame = frame[:, kept] if chosen == "polars" else frame.iloc[:, kept]
    title = plain_stem(path) if name is None else name
    return dataset_of_frame(frame, LabelPlan(labels, tags, sep, positive), title, file, keep=kinds is not None)


def _by_pandas(pandas: Any, content: bytes, file: str) -> Any:
    arrow = optional("pyarrow.parquet", extra="parquet", purpose="Parquet files")
    try:
        data = arrow.ParquetFile(io.BytesIO(content))
        _check_size(data.metadata.num_rows * data.metadata.num_columns, len(content), file)
        table = data.read()
        for j, field in enumerate(table.schema):
            # Categories are plain words here, as polars reads them.
            if str(field.type).startswith("dictionary"):
                table = table.set_column(j, field.name, table.column(j).cast(field.type.value_type))
        return table.to_pandas(ignore_metadata=True, date_as_object=False)
    except (DataError, MemoryError):
        raise
    except Exception as problem:
        raise _fault(file, problem) from None


def _by_polars(polars: Any, content: bytes, file: str) -> Any:
    try:
        n_rows = polars.scan_parquet(io.BytesIO(content)).select(polars.len()).collect().item()
        _check_size(n_rows * len(polars.read_parquet_schema(io.BytesIO(content))), len(content), file)
        frame = polars.read_parquet(io.BytesIO(content))
        words = [name for name, kind in frame.schema.items() if str(kind).startswith(("Categorical", "Enum"))]
        return frame.with_columns(polars.col(words).cast(polars.String)) if words else frame
    except (DataError, MemoryError):
        raise
    # Where polars is surprised it panics, which is no `Exception`.
    except (Exception, polars.exceptions.PanicException) as problem:
        raise _fault(file, problem) from None


def _check_size(cells: int, n_bytes: int, file: str) -> None:
    most = max(_CELLS_FLOOR, _CELLS_PER_BYTE * n_bytes)
    if cells > most:
        raise DataError.at(file, None, f"at most {most} values in a file of {n_bytes} bytes", shown(cells))


def _fault(file: str, problem: BaseException) -> DataError:
    return DataError.at(file, None, "a whole Parquet file", f"one that cannot be read ({str(problem)[:200]})")
