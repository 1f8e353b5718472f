"""One stream of random numbers for each row, so that rows in blocks draw what they draw together."""

from typing import Any

import numpy as np
import numpy.typing as npt

from plait.core.randomness import generator
from plait.core.sentences import ParameterError

__all__ = ["row_seeds"]


def row_seeds(random_state: Any, n_rows: int) -> npt.NDArray[np.uint64]:
    """Return one seed for each row; the seed of a row does not depend on how many rows follow it.

    Parameters
    ----------
    random_state : int, Generator, None or ndarray of uint64, shape (n_rows,)
        Where seeds come from; an array is taken as the seeds themselves. Whoever cuts rows into blocks makes the seeds
        of all rows once and hands on those of each block.
    n_rows : int
        How many rows.

    Examples
    --------
    >>> bool((row_seeds(0, 5)[:3] == row_seeds(0, 3)).all())
    True
    >>> row_seeds(row_seeds(0, 5)[3:], 2).shape
    (2,)
    """
    if isinstance(random_state, np.ndarray):
        if random_state.shape != (n_rows,) or random_state.dtype != np.uint64:
            raise ParameterError(
                f"random_state needs to hold one seed of type uint64 for each of {n_rows} rows, but it has shape "
                f"{random_state.shape} and type {random_state.dtype}. Pass row_seeds(random_state, n_rows), or part."
            )
        return random_state
    return generator(random_state).integers(0, 2**64, n_rows, dtype=np.uint64)
