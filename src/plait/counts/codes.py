"""A matrix of symbols as indicator planes: by rows for sparse data, as bits for dense data.

Plane p of column j with value v says in which rows column j holds v; the value 0 has no plane, since its rows are
those in which no other plane of the column holds.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from scipy import sparse

from plait.core.arrays import Array, Bits, Bools, Ints, Labels
from plait.core.kernel_policy import kernels_pay
from plait.core.lazy_modules import lazy_module
from plait.counts.vocabulary import Vocabulary

__all__ = ["MANY_CELLS", "MANY_ENTRIES", "Codes", "PackedCodes", "SparseCodes", "common_ones", "n_ones", "packed_bits"]

_kernels = lazy_module("plait.counts._kernels")

# Cells of a matrix from which on kernels pay: NumPy takes 3 to 10 ns for each of them, 5 ms in all; kernels take 1 ns,
# but half a second to be loaded and some seconds to be compiled.
MANY_CELLS = 1 << 19
# Entries of a sparse matrix, which is mostly much larger.
MANY_ENTRIES = 1 << 17
# Words that are worked on at a time, so that they stay in the fast cache.
_BLOCK_WORDS = 1 << 14


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

    Examples
    --------
    >>> from plait.counts import encode
    >>> codes = encode([[1, 0], [1, 2], [0, 2]]).sparse()
    >>> codes.indptr.tolist(), codes.indices.tolist()  # row 1 has both planes
    ([0, 1, 3, 4], [0, 0, 1, 1])
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
        if not kernels_pay(self.nnz, MANY_ENTRIES):
            return np.bincount(self.indices, minlength=self.vocabulary.n_planes)
        totals = np.zeros(self.vocabulary.n_planes, dtype=np.int64)
        _kernels.add_plane_totals(self.indices, totals)
        return totals

    @cached_property
    def by_plane(self) -> tuple[Ints, npt.NDArray[np.uint32]]:
        """The rows of each plane: `(starts, rows)`, kept once made."""
        if not kernels_pay(self.nnz, MANY_ENTRIES):
            shape = (self.n_rows, self.vocabulary.n_planes)
            held = sparse.csr_array((np.ones(self.nnz, dtype=np.bool_), self.indices, self.indptr), shape=shape).tocsc()
            return held.indptr.astype(np.int64), held.indices.astype(np.uint32)
        starts = np.zeros(self.vocabulary.n_planes + 1, dtype=np.int64)
        rows = np.empty(self.nnz, dtype=np.uint32)
        _kernels.rows_by_plane(self.indptr, self.indices, starts, rows)
        return starts, rows

    @property
    def _entry_rows(self) -> npt.NDArray[np.uint32]:
        return np.repeat(np.arange(self.n_rows, dtype=np.uint32), np.diff(self.indptr))

    def indicators(self) -> Labels:
        """Return 1 where a plane holds and 0 elsewhere, shape (n_planes, n_rows); for small data."""
        filled = np.zeros((self.vocabulary.n_planes, self.n_rows), dtype=np.uint8)
        filled[self.indices, self._entry_rows] = 1
        return filled

    def within(self, mask: Bools) -> "SparseCodes":
        """Return the symbols with all rows outside the mask set to 0; rows keep their places.

        Parameters
        ----------
        mask : ndarray of bool, shape (n_rows,)
            Which rows stay.
        """
        lengths = np.diff(self.indptr)
        indptr = np.zeros_like(self.indptr)
        np.cumsum(np.where(mask, lengths, 0), out=indptr[1:])
        return SparseCodes(self.vocabulary, indptr, self.indices[np.repeat(mask, lengths)])

    def columns(self, first: int, last: int) -> "SparseCodes":
        """Return the columns first .. last - 1.

        Parameters
        ----------
        first, last : int
            From which on, and before which.
        """
        low, high = self.vocabulary.offsets[[first, last]]
        if (low, high) == (0, self.vocabulary.n_planes):
            return self
        inside = (self.indices >= low) & (self.indices < high)
        indptr = np.concatenate(([0], np.cumsum(inside)))[self.indptr]
        return SparseCodes(self.vocabulary.part(first, last), indptr, self.indices[inside] - np.uint32(low))

    def packed(self) -> "PackedCodes":
        """Return the same symbols as bits."""
        if not kernels_pay(self.vocabulary.n_planes * self.n_rows, 2 * MANY_CELLS):
            return PackedCodes(self.vocabulary, self.n_rows, packed_bits(self.indicators()))
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

    Examples
    --------
    >>> from plait.counts import encode
    >>> packed = encode([[1, 0], [1, 2], [0, 2]]).packed()
    >>> packed.words.ravel().tolist(), packed.totals.tolist()  # bits 0 and 1; bits 1 and 2
    ([3, 6], [2, 2])
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
        return n_ones(self.words)

    def within(self, mask: Bools) -> "PackedCodes":
        """Return the symbols with all rows outside the mask set to 0; rows keep their places.

        Parameters
        ----------
        mask : ndarray of bool, shape (n_rows,)
            Which rows stay.
        """
        return PackedCodes(self.vocabulary, self.n_rows, self.words & packed_bits(mask[None])[0])

    def columns(self, first: int, last: int) -> "PackedCodes":
        """Return the columns first .. last - 1.

        Parameters
        ----------
        first, last : int
            From which on, and before which.
        """
        low, high = self.vocabulary.offsets[[first, last]]
        return PackedCodes(self.vocabulary.part(first, last), self.n_rows, self.words[low:high])

    def packed(self) -> "PackedCodes":
        """Return itself."""
        return self

    def sparse(self) -> SparseCodes:
        """Return the same symbols by row."""
        if not kernels_pay(self.vocabulary.n_planes * self.n_rows, 2 * MANY_CELLS):
            n_planes = max(self.vocabulary.n_planes, 1)
            held = np.flatnonzero(np.ascontiguousarray(self.indicators().T).view(np.bool_))
            ends = np.searchsorted(held, np.arange(self.n_rows + 1) * n_planes)
            return SparseCodes(self.vocabulary, ends, (held % n_planes).astype(np.uint32))
        indptr = np.zeros(self.n_rows + 1, dtype=np.int64)
        _kernels.words_per_row(self.words, indptr)
        indices = np.empty(indptr[-1], dtype=np.uint32)
        _kernels.unpack_rows(self.words, indptr, indices)
        return SparseCodes(self.vocabulary, indptr, indices)

    def indicators(self) -> Labels:
        """Return 1 where a plane holds and 0 elsewhere, shape (n_planes, n_rows); for small data."""
        return np.unpackbits(_as_bytes(self.words), axis=1, count=self.n_rows, bitorder="little")


Codes: TypeAlias = SparseCodes | PackedCodes


def packed_bits(flags: Array) -> Bits:
    """Return rows of truth values as bits: (n_planes, n_rows) becomes (n_planes, ceil(n_rows / 64)).

    Examples
    --------
    >>> packed_bits(np.array([[True, True, False, True]]))
    array([[11]], dtype=uint64)
    """
    n_words = (flags.shape[1] + 63) // 64
    padded = np.zeros((flags.shape[0], 8 * n_words), dtype=np.uint8)
    some = np.packbits(flags, axis=1, bitorder="little")
    padded[:, : some.shape[1]] = some
    return padded.view("<u8").astype(np.uint64, copy=False)


def common_ones(a: Bits, b: Bits) -> Ints:
    """Return how many rows planes a and b have in common, shape (planes of a, planes of b); for small data.

    Examples
    --------
    >>> common_ones(np.array([[0b111], [0b100]], dtype=np.uint64), np.array([[0b110]], dtype=np.uint64))
    array([[2],
           [1]])
    """
    step = max(1, _BLOCK_WORDS // max(b.size, 1))
    parts = [n_ones(a[first : first + step, None] & b) for first in range(0, a.shape[0], step)]
    return np.concatenate([np.zeros((0, b.shape[0]), dtype=np.int64), *parts])


def n_ones(words: Bits) -> Ints:
    """Return the number of one bits of each plane."""
    return _ones_by_word(words).sum(axis=-1, dtype=np.int64)


def _as_bytes(words: Bits) -> Labels:
    return np.ascontiguousarray(words, dtype="<u8").view(np.uint8)


def _ones_by_word(words: Bits) -> Array:
    if hasattr(np, "bitwise_count"):  # since NumPy 2.0
        return np.bitwise_count(words)
    ones = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1).sum(axis=1)
    return ones[_as_bytes(words)].reshape(*words.shape, 8).sum(axis=-1)
