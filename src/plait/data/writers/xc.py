"""Write the text format of the extreme classification repository."""

import os

from plait.data.conversion.files import open_bytes, replacing
from plait.data.dataset import Dataset
from plait.data.writers.row_text import pair_lines

__all__ = ["write_xc"]


def write_xc(dataset: Dataset, path: str | os.PathLike[str]) -> None:
    r"""Write a data set as a head `N D L` and lines `0,2 1:0.5 3:1`, all counted from 0; names are lost.

    Parameters
    ----------
    dataset : Dataset
        What to write.
    path : path
        The file, packed by its suffix (.gz, .bz2, .xz). It is replaced whole or not at all.

    Raises
    ------
    DataError
        If a label is unknown (NaN), or the file cannot be written.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> beach = Dataset([[0.5, 0.0], [0.0, 2.0]], [[1, 1], [0, 0]])
    >>> with TemporaryDirectory() as folder:
    ...     write_xc(beach, Path(folder, "beach.txt"))
    ...     Path(folder, "beach.txt").read_text()
    '2 2 2\n0,1 0:0.5\n 1:2\n'
    """
    ids = [str(k) for k in range(dataset.n_labels)]
    with replacing(path) as draft, open_bytes(draft, "wb") as stream:
        stream.write(f"{dataset.n_samples} {dataset.n_features} {dataset.n_labels}\n".encode())
        for labels, pairs in pair_lines(path, dataset, ids, first=0):
            stream.write(f"{labels} {pairs}\n".encode())
