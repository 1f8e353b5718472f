"""Label vectors as numbers: all of them in lexicographic order, and which of some are equal."""

from typing import Any

import numpy as np
import numpy.typing as npt

from plait.core.arrays import Labels

__all__ = ["all_label_vectors", "distinct_vectors", "vector_numbers", "vectors_of"]


def all_label_vectors(n_labels: int) -> Labels:
    """Return all 2 ** n_labels label vectors, the smallest first: label 0 is the highest bit of the place.

    Examples
    --------
    >>> all_label_vectors(2)
    array([[0, 0],
           [0, 1],
           [1, 0],
           [1, 1]], dtype=uint8)
    """
    return vectors_of(np.arange(1 << n_labels), n_labels)


def vectors_of(numbers: npt.NDArray[np.int64], n_labels: int) -> Labels:
    """Return the vectors (..., n_labels) at these places of `all_label_vectors`; at most 31 labels.

    Examples
    --------
    >>> vectors_of(np.array([6, 1]), 3)
    array([[1, 1, 0],
           [0, 0, 1]], dtype=uint8)
    """
    lowest_bytes = np.asarray(numbers, dtype=">u4")[..., None].view(np.uint8)
    return np.ascontiguousarray(np.unpackbits(lowest_bytes, axis=-1)[..., 32 - n_labels :])


def vector_numbers(vectors: Labels) -> npt.NDArray[np.int64]:
    """Return the places of vectors (..., n_labels) in `all_label_vectors`; at most 62 labels.

    Examples
    --------
    >>> vector_numbers(all_label_vectors(3))
    array([0, 1, 2, 3, 4, 5, 6, 7])
    """
    numbers = np.zeros(vectors.shape[:-1], dtype=np.int64)
    for label in range(vectors.shape[-1]):
        numbers = (numbers << 1) | vectors[..., label]
    return numbers


def distinct_vectors(vectors: Labels) -> tuple[Labels, npt.NDArray[np.intp]]:
    """Return the vectors (m, n_labels) that differ, the smallest first, and for each one its place among them.

    Examples
    --------
    >>> distinct_vectors(np.array([[1, 0], [0, 1], [1, 0]], dtype=np.uint8))
    (array([[0, 1],
           [1, 0]], dtype=uint8), array([1, 0, 1]))
    """
    _, first, place = np.unique(_sortable(vectors), return_index=True, return_inverse=True)
    return vectors[first], place.ravel()


def _sortable(vectors: Labels) -> npt.NDArray[Any]:
    """Return one key for each vector, in the order of the vectors: a number where 64 bits suffice, else bytes."""
    packed = np.packbits(vectors, axis=1)
    n_bytes = packed.shape[1]
    if n_bytes > 8:
        return packed.view(np.dtype((np.void, n_bytes))).ravel()
    padded = np.zeros((len(packed), 8), dtype=np.uint8)
    padded[:, :n_bytes] = packed
    return padded.view(">u8").ravel().astype(np.uint64)
