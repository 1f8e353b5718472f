"""Pairs of true vectors and answers: checked for one shape, and walked along in blocks of bounded size."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from plait.core.arrays import Floats
from plait.core.sentences import ParameterError

__all__ = ["checked_pair", "pair_blocks", "set_sizes"]


def checked_pair(owner: str, Y: Any, Y_pred: Any) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Return both as arrays; two tables of one shape, else an error."""
    true, answers = np.asarray(Y), np.asarray(Y_pred)
    if true.ndim != 2 or true.shape != answers.shape:
        raise ParameterError(
            f"{owner} needs Y and Y_pred to be tables of one shape, but the shapes are {true.shape} and "
            f"{answers.shape}. Pass the same rows and labels in both."
        )
    return true, answers


def pair_blocks(shape: tuple[int, int], n_pairs: int) -> Iterator[tuple[slice, slice]]:
    """Yield blocks (rows, places) that cover a table, each of about so many entries at most.

    Examples
    --------
    >>> [(rows.start, places.start) for rows, places in pair_blocks((2, 3), 2)]
    [(0, 0), (0, 2), (1, 0), (1, 2)]
    """
    n_rows, n_places = shape
    row_step = max(1, n_pairs // max(1, n_places))
    place_step = max(1, min(n_places, n_pairs))
    for row in range(0, n_rows, row_step):
        for place in range(0, n_places, place_step):
            yield slice(row, row + row_step), slice(place, place + place_step)


def set_sizes(vectors: npt.NDArray[Any]) -> Floats:
    """Return how many labels each vector (..., n_labels) has, as floats."""
    return np.asarray(vectors.sum(axis=-1, dtype=np.float64))
