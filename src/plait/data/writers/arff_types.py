"""How the columns of a data set are declared in ARFF."""

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from plait.data.dataset import Dataset
from plait.data.encoding import is_identifier

__all__ = ["declared_types"]

# Longer lists of codes are declared as numbers.
_MOST_CODES = 10_000


def declared_types(dataset: Dataset) -> list[str]:
    """Return the ARFF type of each feature: {0,1} if binary, {0,1,...} if nominal, else numeric.

    A column whose values are not those of its kind, or that would be dropped as an identifier when it is read, is
    numeric.

    Examples
    --------
    >>> kinds = ["numeric", "binary", "nominal", "binary"]
    >>> declared_types(Dataset([[1, 1, 3, 2], [2, 0, 0, 0]], [[1], [0]], feature_kinds=kinds))
    ['numeric', '{0,1}', '{0,1,2,3}', 'numeric']
    """
    kinds = np.array(dataset.feature_kinds or (), dtype=object)
    result = ["numeric"] * len(kinds)
    matrix = dataset.X
    if sparse.issparse(matrix):
        matrix = sparse.csc_matrix(matrix)
        matrix.sum_duplicates()
    for j in np.flatnonzero(kinds != "numeric").tolist():
        values, n_known = _values(matrix, j)
        if kinds[j] == "binary" and np.isin(values, (0, 1)).all():
            result[j] = "{0,1}"
        elif kinds[j] == "nominal" and _are_codes(values):
            # Three values at least, as two would be read as binary.
            n_codes = max(int(values.max(initial=0)) + 1, 3)
            if not is_identifier(n_known, len(values), n_codes):
                result[j] = "{" + ",".join(map(str, range(n_codes))) + "}"
    return result


def _values(matrix: Any, j: int) -> tuple[npt.NDArray[np.float64], int]:
    """Return the different values of a column, and in how many rows it is known."""
    is_sparse = sparse.issparse(matrix)
    column = matrix.data[matrix.indptr[j] : matrix.indptr[j + 1]] if is_sparse else matrix[:, j]
    known = column[~np.isnan(column)]
    left_out = matrix.shape[0] - len(column)
    values = np.unique(np.append(known, 0.0) if left_out else known)
    return values, len(known) + left_out


def _are_codes(values: npt.NDArray[np.float64]) -> bool:
    return bool(((values >= 0) & (values < _MOST_CODES) & (values == np.floor(values))).all())
