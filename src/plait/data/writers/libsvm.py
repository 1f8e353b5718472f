"""Write multi-label LIBSVM files."""

import os
import re

from plait.data.conversion.files import open_bytes, replacing
from plait.data.dataset import Dataset
from plait.data.errors import DataError
from plait.data.writers.row_text import pair_lines

__all__ = ["write_libsvm"]

_ID = re.compile(r"0|-?[1-9][0-9]{0,17}")


def write_libsvm(dataset: Dataset, path: str | os.PathLike[str]) -> None:
    r"""Write a data set as lines `3,7 1:0.5 4:1`, features counted from 1.

    Label names that are whole numbers are the ids; if one is not, the ids are positions from 0. Other names are lost.
    A row without anything is written as `1:0`, and the first row names the last feature, so that rows and features
    are as many when the file is read. Labels that no row has are lost unless the reader is told them.

    Parameters
    ----------
    dataset : Dataset
        What to write.
    path : path
        The file, packed by its suffix (.gz, .bz2, .xz). It is replaced whole or not at all.

    Raises
    ------
    DataError
        If a label is unknown (NaN), a row can be given no feature because there is none, or the file cannot be written.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> beach = Dataset([[0.5, 0.0], [0.0, 0.0]], [[1, 1], [0, 0]], label_names=["7", "9"])
    >>> with TemporaryDirectory() as folder:
    ...     write_libsvm(beach, Path(folder, "beach.svm"))
    ...     Path(folder, "beach.svm").read_text()
    '7,9 1:0.5 2:0\n 1:0\n'
    """
    names = list(dataset.label_names or ())
    ids = names if all(_ID.fullmatch(name) for name in names) else [str(k) for k in range(len(names))]
    n_features = dataset.n_features
    with replacing(path) as draft, open_bytes(draft, "wb") as stream:
        for row, (labels, pairs) in enumerate(pair_lines(path, dataset, ids, first=1)):
            if row == 0 and n_features and not f" {pairs}".rpartition(" ")[2].startswith(f"{n_features}:"):
                pairs = f"{pairs} {n_features}:0".strip()
            if not labels and not pairs:
                if not n_features:
                    raise DataError.at(path, None, "labels in every row of data without features", f"none in {row + 1}")
                pairs = "1:0"
            stream.write(f"{labels} {pairs}".rstrip(" ").encode() + b"\n")
