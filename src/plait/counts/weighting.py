"""Row weights: checked once, and kept as integers where they are whole numbers."""

from typing import Any

import numpy as np
import numpy.typing as npt

from plait.core.sentences import ParameterError

__all__ = ["checked_weights"]

# Above this a sum of whole numbers held as floats may already have been rounded.
_MOST_EXACT = 1 << 53


def checked_weights(weights: Any, n_rows: int) -> npt.NDArray[Any]:
    """Return the weights as `int64` where all are whole numbers, else as `float64`.

    Whole weights keep every count exact: a row of weight 2 is the same as the row given twice, to the last bit.

    Examples
    --------
    >>> checked_weights([1.0, 2.0, 0.0], 3)
    array([1, 2, 0])
    """
    values = np.asarray(weights, dtype=np.float64)
    if values.shape != (n_rows,):
        raise ParameterError(
            f"plait needs weights to hold one number for each of {n_rows} rows, but its shape is {values.shape}. "
            "Pass one weight a row."
        )
    if not (np.isfinite(values).all() and (values >= 0).all()):
        wrong = values[~(np.isfinite(values) & (values >= 0))][0]
        raise ParameterError(
            f"plait needs weights to be finite and not negative, but one is {wrong}. Pass 0 for rows to leave out."
        )
    whole = bool((values == np.rint(values)).all()) and values.sum() < _MOST_EXACT
    return values.astype(np.int64) if whole else values
