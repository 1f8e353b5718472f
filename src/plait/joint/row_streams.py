"""One stream of random numbers for each row, so that rows in blocks draw what they draw together."""

from typing import Any

import numpy as np
import numpy.typing as npt

from plait.core.randomness import generator
from plait.core.sentences import ParameterError
from plait.joint._sampling_kernels import fill_uniforms, mix_seeds

__all__ = ["other_stream", "row_seeds", "row_uniforms"]


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


def other_stream(seeds: npt.NDArray[np.uint64], stream: int) -> npt.NDArray[np.uint64]:
    """Return seeds of other streams for the same rows; those of different numbers have nothing to do with each other.

    Examples
    --------
    >>> bool((other_stream(row_seeds(0, 3), 1) == other_stream(row_seeds(0, 3), 2)).any())
    False
    """
    others = np.empty_like(seeds)
    mix_seeds(seeds, np.uint64(stream + 1), others)
    return others


def row_uniforms(seeds: npt.NDArray[np.uint64], n: int, stream: int = 0) -> npt.NDArray[np.float64]:
    """Return `n` numbers between 0 and 1, both left out, for every row, from a numbered stream of the row.

    Examples
    --------
    >>> whole = row_uniforms(row_seeds(0, 5), 4)
    >>> bool((whole[3:] == row_uniforms(row_seeds(0, 5)[3:], 4)).all())
    True
    """
    numbers = np.empty((seeds.size, n))
    fill_uniforms(other_stream(seeds, stream), numbers)
    return numbers
