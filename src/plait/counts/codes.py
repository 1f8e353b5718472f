"""A matrix of symbols as indicator planes: by rows for sparse data, as bits for dense data.

Plane p of column j with value v says in which rows column j holds v; the value 0 has no plane, since its rows are
those in which no other plane of the column holds.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from plait.core.arrays import Bits, Bools, Ints
from plait.core.lazy_modules import lazy_module
from plait.counts.vocabulary import Vocabulary

__all__ = ["Codes", "PackedCodes", "SparseCodes"]

_kernels = lazy_module("plait.counts._kernels")


@dataclass(frozen=True, eq=False)
class SparseCodes:
    """Symbols by row: for each row the planes that hold in it, as CSR without data.

    Parameters
    ----------
    vocabulary : Vocabulary
        Which plane is which column and value.
    indptr : ndarray of int64, shape (n_rows + 1,)
    indices : ndarray of uint32, shape (nnz,)
        Planes of row i: `indices[indptr[i] : indptr[i + 1]]`, at most one for each column.
    """

    vocabulary: Vocabulary
    indptr: Ints
    indices: npt.NDArray[np.uint32]

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.indptr.size - 1

    @property
    def nnz(self) -> int:
        """Number of non-zero entries."""
        return self.indices.size

    @cached_property
    def totals(self) -> Ints:
        """Number of rows of each plane, shape (n_planes,)."""
        if "by_plane" in self.__dict__:
            return np.diff(self.by_plane[0])
        totals = np.zeros(self.vocabulary.n_planes, dtype=np.int64)
        _kernels.add_plane_totals(self.indices, totals)
        return totals

    @cached_property
    def by_plane(self) -> tuple[Ints, npt.NDArray[np.uint32]]:
        """The rows of each plane: `(starts, rows)`, kept once made."""
        starts = np.zeros(self.vocabulary.n_planes + 1, dtype=np.int64)
        rows = np.empty(self.nnz, dtype=np.uint32)
        _kernels.rows_by_plane(self.indptr, self.indices, starts, rows)
        return starts, rows

    def within(self, mask: Bools) -> "SparseCodes":
        """Return the symbols with all rows outside the mask set to 0; rows keep their places."""
        lengths = np.diff(self.indptr)
        indptr = np.zeros_like(self.indptr)
        np.cumsum(np.where(mask, lengths, 0), out=indptr[1:])
        return SparseCodes(self.vocabulary, indptr, self.indices[np.repeat(mask, lengths)])

    def columns(self, first: int, last: int) -> "SparseCodes":
        """Return the columns first .. last - 1."""
        low, high = self.vocabulary.offsets[[first, last]]
        if (low, high) == (0, self.vocabulary.n_planes):
            return self
        inside = (self.indices >= low) & (self.indices < high)
        indptr = np.concatenate(([0], np.cumsum(inside)))[self.indptr]
        return SparseCodes(self.vocabulary.part(first, last), indptr, self.indices[inside] - np.uint32(low))

    def packed(self) -> "PackedCodes":
        """Return the same symbols as bits."""
        words = np.zeros((self.vocabulary.n_planes, (self.n_rows + 63) // 64), dtype=np.uint64)
        _kernels.pack_rows(self.indptr, self.indices, words)
        return PackedCodes(self.vocabulary, self.n_rows, words)

    def sparse(self) -> "SparseCodes":
        """Return itself."""
        return self


@dataclass(frozen=True, eq=False)
class PackedCodes:
    """Symbols as bit planes.

    Parameters
    ----------
    vocabulary : Vocabulary
        Which plane is which column and value.
    n_rows : int
        Number of rows.
    words : ndarray of uint64, shape (n_planes, ceil(n_rows / 64))
        Row i is bit `i % 64` of word `i // 64`; the bits beyond the last row are 0.
    """

    vocabulary: Vocabulary
    n_rows: int
    words: Bits

    @property
    def nnz(self) -> int:
        """Number of non-zero entries."""
        return int(self.totals.sum())

    @cached_property
    def totals(self) -> Ints:
        """Number of rows of each plane, shape (n_planes,)."""
        totals = np.zeros(self.vocabulary.n_planes, dtype=np.int64)
        _kernels.popcounts(self.words, totals)
        return totals

    def within(self, mask: Bools) -> "PackedCodes":
        """Return the symbols with all rows outside the mask set to 0; rows keep their places."""
        kept = np.empty_like(self.words)
        _kernels.and_words(self.words, packed_mask(mask), kept)
        return PackedCodes(self.vocabulary, self.n_rows, kept)

    def columns(self, first: int, last: int) -> "PackedCodes":
        """Return the columns first .. last - 1."""
        low, high = self.vocabulary.offsets[[first, last]]
        return PackedCodes(self.vocabulary.part(first, last), self.n_rows, self.words[low:high])

    def packed(self) -> "PackedCodes":
        """Return itself."""
        return self

    def sparse(self) -> SparseCodes:
        """Return the same symbols by row."""
        indptr = np.zeros(self.n_rows + 1, dtype=np.int64)
        _kernels.words_per_row(self.words, indptr)
        indices = np.empty(indptr[-1], dtype=np.uint32)
        _kernels.unpack_rows(self.words, indptr, indices)
        return SparseCodes(self.vocabulary, indptr, indices)


Codes: TypeAlias = SparseCodes | PackedCodes


def packed_mask(mask: Bools) -> Bits:
    """Return truth values as bits, shape (ceil(n / 64),)."""
    padded = np.zeros((mask.size + 63) // 64 * 64, dtype=np.bool_)
    padded[: mask.size] = mask
    return np.packbits(padded, bitorder="little").view("<u8").astype(np.uint64, copy=False)
