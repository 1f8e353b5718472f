"""Write Parquet files through pandas or polars."""

import io
import os
from typing import Any

import numpy as np
import numpy.typing as npt

from plait.core.extras import installed, optional
from plait.data.conversion.files import open_bytes, replacing
from plait.data.dataset import Dataset
from plait.data.frames import frame_library

__all__ = ["write_parquet"]


def write_parquet(dataset: Dataset, path: str | os.PathLike[str], *, library: str | None = None) -> None:
    """Write a data set as a Parquet file, labels last, binary features and labels as truth values.

    `read_parquet` with the label names gives the data set back, but for its name and for codes of words, which are
    plain numbers then; sparse matrices come back dense.

    Parameters
    ----------
    dataset : Dataset
        What to write.
    path : path
        The file. It is replaced whole or not at all.
    library : {"pandas", "polars"}, optional
        Which library to use; by default pandas where it is installed with pyarrow, else polars.

    Raises
    ------
    DataError
        If a feature and a label have the same name, or the file cannot be written.

    Examples
    --------
    >>> from plait.data import Dataset, read_parquet
    >>> write_parquet(Dataset([[0.5], [2.0]], [[1, 0], [1, 1]], label_names=["sea", "sun"]), "beach.parquet")
    >>> read_parquet("beach.parquet", labels=["sea", "sun"]).label_names
    ('sea', 'sun')
    """
    if library is None and installed("polars") and not (installed("pandas") and installed("pyarrow")):
        library = "polars"
    chosen, frames = frame_library("write_parquet", library, "Parquet files", extra="parquet")
    frame = dataset.to_frame(chosen)
    kinds = zip(dataset.feature_names or (), dataset.feature_kinds or (), strict=True)
    binary = [name for name, kind in kinds if kind == "binary" and _holds_truths(frame[name].to_numpy())]
    truths = [*binary, *(dataset.label_names or ())]
    content = _by_polars(frames, frame, truths) if chosen == "polars" else _by_pandas(frame, truths)
    with replacing(path) as draft, open_bytes(draft, "wb") as stream:
        stream.write(content)


def _holds_truths(values: npt.NDArray[Any]) -> bool:
    return bool(np.isin(values[values == values], (0, 1)).all())


def _by_pandas(frame: Any, truths: list[str]) -> bytes:
    optional("pyarrow", extra="parquet", purpose="Parquet files")
    sparse = [name for name, dtype in frame.dtypes.items() if type(dtype).__name__ == "SparseDtype"]
    frame = frame.astype({name: frame.dtypes[name].subtype for name in sparse})
    buffer = io.BytesIO()
    frame.astype(dict.fromkeys(truths, "boolean")).to_parquet(buffer, engine="pyarrow", index=False)
    return buffer.getvalue()


def _by_polars(polars: Any, frame: Any, truths: list[str]) -> bytes:
    buffer = io.BytesIO()
    columns = [polars.col(name).fill_nan(None).cast(polars.Boolean) for name in truths]
    frame.with_columns(columns).write_parquet(buffer)
    return buffer.getvalue()
