"""Targets of any form scikit-learn takes as a matrix of 0/1 labels."""

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.preprocessing import LabelBinarizer
from sklearn.utils.multiclass import type_of_target

from plait.core.sentences import ParameterError, shown

__all__ = ["as_label_matrix"]


def as_label_matrix(owner: str, Y: Any) -> Any:
    """Return Y as `uint8`, dense (n_samples, n_labels) or CSR.

    Parameters
    ----------
    owner : str
        Whose Y it is, for the error.
    Y : array or sparse matrix
        0/1 columns, one for each label. A single column of classes becomes one label for each class (one label in
        all when there are two classes), so that selectors also serve single-label problems.
    """
    if sparse.issparse(Y):
        return _zero_one(owner, Y.tocsr())
    values = np.asarray(Y)
    if values.ndim == 2 and values.shape[1] != 1:
        return _zero_one(owner, values)
    column = values.reshape(values.shape[0], -1)[:, 0]
    if column.dtype.kind in "biuf" and np.isin(column, (0, 1)).all():
        return column.reshape(-1, 1).astype(np.uint8)
    if not type_of_target(column).startswith(("binary", "multiclass")):
        raise ParameterError(
            f"{owner} needs y to be 0/1 labels or classes. Unknown label type: {type_of_target(column)}, "
            f"with values such as {shown(column[:1].tolist()[0] if column.size else None)}. "
            "Pass one 0/1 column for each label."
        )
    return LabelBinarizer().fit_transform(column).astype(np.uint8)


def _zero_one(owner: str, matrix: Any) -> Any:
    values: npt.NDArray[Any] = matrix.data if sparse.issparse(matrix) else matrix
    numbers = values.dtype.kind in "biuf"
    wrong = values[(values != 0) & (values != 1)] if numbers else values.ravel()
    if wrong.size:
        raise ParameterError(
            f"{owner} needs y to hold only 0 and 1, but it holds {shown(wrong.tolist()[0])}. "
            "Pass one 0/1 column for each label."
        )
    result = matrix.astype(np.uint8)
    if sparse.issparse(result):
        result.eliminate_zeros()
    return result
