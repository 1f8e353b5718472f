"""Evidence as users write it, by name, number or array, as the `int8` matrix that distributions take."""

import difflib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from plait.core.sentences import ParameterError, shown

__all__ = ["as_evidence", "label_number"]


def label_number(owner: str, label: Any, names: Sequence[str]) -> int:
    """Return the number of a label given by name or number; a wrong name lists near ones.

    Examples
    --------
    >>> label_number("given", "sun", ["sea", "sun"]), label_number("given", -1, ["sea", "sun"])
    (1, 1)
    """
    if isinstance(label, str):
        if label in names:
            return list(names).index(label)
        near = difflib.get_close_matches(label, names, 3) or list(names)[:3]
        raise ParameterError(
            f"{owner} needs names of labels, but there is no label {shown(label)}. "
            f"Pass one of {len(names)} names, such as {', '.join(map(repr, near))}."
        )
    if isinstance(label, bool) or not isinstance(label, int | np.integer) or not -len(names) <= label < len(names):
        raise ParameterError(
            f"{owner} needs labels as names or numbers from 0 to {len(names) - 1}, but one is {shown(label)}. "
            "Pass a name or a number."
        )
    return int(label) % len(names)


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
            known[:, label_number("given", label, names)] = _column(label, value, n_rows)
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
