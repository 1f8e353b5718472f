"""Numbers as the shortest words that read back the same, and rows as lines `label,label index:value ...`."""

import os
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from scipy import sparse

from plait.data.dataset import Dataset
from plait.data.errors import DataError

__all__ = ["number_text", "pair_lines"]


def number_text(value: float) -> str:
    """Return the shortest decimal word of a double, without a needless `.0`.

    Examples
    --------
    >>> [number_text(value) for value in (0.1, 3.0, -0.0, 1e22, float("nan"))]
    ['0.1', '3', '-0', '1e+22', 'nan']
    """
    return repr(value).removesuffix(".0")


def pair_lines(
    path: str | os.PathLike[str], dataset: Dataset, label_ids: Sequence[str], first: int
) -> Iterator[tuple[str, str]]:
    """Yield for each row its labels and its pairs as words; feature 0 has index `first`, zeros are left out."""
    features, labels = _tidy(dataset.X), _tidy(dataset.Y)
    if np.isnan(labels.data).any():
        todo = "Save it as .arff, .csv or .parquet, which can say that a label is unknown."
        raise DataError.at(path, None, "labels that are all known, as lines name those that are there", "NaN", todo)
    for i in range(dataset.n_samples):
        row = slice(features.indptr[i], features.indptr[i + 1])
        indices, values = features.indices[row].tolist(), features.data[row].astype(np.float64).tolist()
        pairs = " ".join(f"{j + first}:{number_text(v)}" for j, v in zip(indices, values, strict=True))
        chosen = labels.indices[labels.indptr[i] : labels.indptr[i + 1]].tolist()
        yield ",".join(label_ids[k] for k in chosen), pairs


def _tidy(matrix: Any) -> Any:
    """Return the matrix as CSR in order and without stored zeros; the caller's stays as it is."""
    tidy = sparse.csr_matrix(matrix, copy=True)
    tidy.sum_duplicates()
    tidy.eliminate_zeros()
    return tidy
