"""Evidence as users write it, by name, number or array, as the `int8` matrix that distributions take."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from plait.core.labels import label_number
from plait.core.sentences import ParameterError, shown

__all__ = ["as_evidence"]


def as_evidence(evidence: Any, names: Sequence[str], n_rows: int) -> npt.NDArray[np.int8]:
    """Return evidence as `int8` (n_rows, n_labels), -1 where unknown.

    Parameters
    ----------
    evidence : mapping or array of shape (n_rows, n_labels)
        Label name or number -> 0, 1, or an array with a value for each row; or a matrix with NaN (or -1) where
        a label is unknown.
    names : sequence of str
        Names of the labels.
    n_rows : int
        Number of rows.
    """
    if isinstance(evidence, Mapping):
        known = np.full((n_rows, len(names)), np.nan)
        for label, value in evidence.items():
            known[:, label_number("given", "evidence", label, len(names), names)] = _column(label, value, n_rows)
    else:
        known = np.array(evidence, dtype=np.float64)
        if known.shape != (n_rows, len(names)):
            raise ParameterError(
                f"given needs evidence to be a mapping or an array of shape ({n_rows}, {len(names)}), but its shape is "
                f"{known.shape}. Pass one row for each row of X, with NaN where a label is unknown."
            )
    known[known == -1] = np.nan
    wrong = known[~np.isnan(known) & (known != 0) & (known != 1)]
    if wrong.size:
        raise ParameterError(
            f"given needs evidence to hold 0, 1 or NaN (unknown), but it holds {wrong[0]:g}. Pass 0 or 1 where a label "
            "is known."
        )
    return np.where(np.isnan(known), -1, known).astype(np.int8)


def _column(label: Any, value: Any, n_rows: int) -> Any:
    values = np.asarray(value, dtype=np.float64)
    if values.ndim > 1 or (values.ndim == 1 and values.shape[0] != n_rows):
        raise ParameterError(
            f"given needs the value of {shown(label)} to be one number or {n_rows} numbers, but its shape is "
            f"{values.shape}. Pass one value for all rows or one for each."
        )
    return values
