"""Counts in the rows of one plane: by walking these rows where data are sparse, by AND of bits where packed."""

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from plait.counts import Codes, PackedCodes, SparseCodes
from plait.counts._kernels import joint_packed
from plait.features._scalable_kernels import count_within, pairs_within

__all__ = ["Plane", "cells_within", "counts_within", "plane_of", "same_form"]

# Row numbers (uint32) or bits (uint64) of one plane.
Plane: TypeAlias = npt.NDArray[Any]
Counts: TypeAlias = npt.NDArray[np.uint32]

# Nanoseconds of counting one entry, and one word of bits; only their proportion matters.
_PER_ENTRY, _PER_WORD = 1.2, 0.12
# Bytes that bits made from sparse rows may take.
_MOST_BYTES = 1 << 28


def plane_of(codes: Codes, plane: int) -> Plane:
    """Return where one plane holds."""
    if isinstance(codes, PackedCodes):
        return codes.words[plane]
    starts, rows = codes.by_plane
    return rows[starts[plane] : starts[plane + 1]]


def counts_within(plane: Plane, codes: Codes) -> Counts:
    """Return in how many rows of one plane each plane of `codes` holds; both are in the same form."""
    counts = np.zeros(codes.vocabulary.n_planes, dtype=np.uint32)
    if isinstance(codes, PackedCodes):
        joint_packed(plane.reshape(1, -1), codes.words, False, counts.reshape(1, -1))
    else:
        count_within(plane, codes.indptr, codes.indices, counts)
    return counts


def cells_within(plane: Plane, x: Codes, y: Codes) -> Counts:
    """Return in how many rows of one plane each pair of a plane of `x` and one of `y` holds; all in the same form."""
    cells = np.zeros((x.vocabulary.n_planes, y.vocabulary.n_planes), dtype=np.uint32)
    if isinstance(x, PackedCodes) and isinstance(y, PackedCodes):
        joint_packed(x.words, y.words & plane, False, cells)
    elif isinstance(x, SparseCodes) and isinstance(y, SparseCodes):
        pairs_within(plane, x.indptr, x.indices, y.indptr, y.indices, cells)
    return cells


def same_form(x: Codes, y: Codes | None = None) -> Any:
    """Return x, or x and y, both by rows or both as bits: bits for bits, and where counting by rows would be slower.

    The cost of walking the rows of a plane that was chosen in proportion to its size is compared with that of AND
    with all others.
    """
    n_words = (x.n_rows + 63) // 64
    n_planes = x.vocabulary.n_planes
    others = 1.0 if y is None else y.nnz / max(x.n_rows, 1)
    by_rows = _PER_ENTRY * float((x.totals.astype(np.float64) ** 2).sum()) / max(x.n_rows, 1) * others
    by_bits = _PER_WORD * n_planes * n_words * (1 if y is None else y.vocabulary.n_planes)
    packs = isinstance(x, PackedCodes) or (by_bits < by_rows and 8 * n_planes * n_words <= _MOST_BYTES)
    if y is None:
        return x.packed() if packs else x
    return (x.packed(), y.packed()) if packs else (x, y.sparse())
