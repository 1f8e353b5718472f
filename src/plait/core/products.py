"""Products of float32 matrices and vectors, without a warning that is not true."""

from typing import Any

import numpy as np

from plait.core.arrays import Array

__all__ = ["product"]


def product(left: Any, right: Any) -> Array:
    """Return `left @ right`; an invalid value is no warning here, and NaN is looked for where answers are made.

    With short rows of float32, OpenBLAS on processors with AVX-512 now and then raises the flag of an invalid value
    though all numbers are finite, and NumPy then warns: where warnings are errors, a sound fit would fail.

    Parameters
    ----------
    left, right : ndarray
        Two tables, or stacks of them.

    Returns
    -------
    ndarray

    Examples
    --------
    >>> product(np.eye(2), np.array([3.0, 4.0]))
    array([3., 4.])
    """
    with np.errstate(invalid="ignore"):
        return np.asarray(left @ right)
