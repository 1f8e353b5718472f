"""What features say about labels once a column is known: three-way tables, one symbol of that column at a time."""

from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt

from plait.core.arrays import Floats
from plait.counts import Codes, joint_counts
from plait.features.label_sums import LabelSums
from plait.features.plane_counts import Plane, cells_within, counts_within, plane_of, same_form
from plait.features.relevance import column_blocks
from plait.features.thread_map import Threads

__all__ = ["LabelTriples"]

Counts = npt.NDArray[np.uint32]

# Cells (plane of a feature, label) that one thread works on at a time.
_BLOCK_CELLS = 1 << 20


class LabelTriples:
    """Sums over labels of I(f;l|s), for all features f and one column s.

    A symbol b of s is a set of rows. Counting the planes of f with the labels in the rows of every b but 0 (the rows
    of 0 are what is left of the table of all rows) gives all three-way tables.

    Parameters
    ----------
    x, y : SparseCodes or PackedCodes
        Features with any number of symbols, and labels 0/1.
    threads : Threads, optional
        What works on blocks of features; by default the caller's thread.

    Examples
    --------
    >>> from plait.counts import encode
    >>> triples = LabelTriples(encode([[0, 0], [0, 1], [1, 0], [1, 1]]), encode([[0], [1], [1], [0]]))
    >>> triples.given_feature(1).tolist()  # the label is the exclusive or of the features
    [1.0, 0.0]
    """

    def __init__(self, x: Codes, y: Codes, threads: Threads | None = None):
        self._x, self._y = same_form(x, y)
        self._threads = threads or Threads()
        blocks = column_blocks(x.vocabulary, y.vocabulary.n_planes, self._threads.n_threads, _BLOCK_CELLS)
        self._blocks = [_Block.of(self._x.columns(*ends), self._y) for ends in blocks]

    def given_feature(self, column: int) -> Floats:
        """Return the sum of I(f;l|s) over all labels l, in bits, for the feature s and every feature f."""
        first, last = self._x.vocabulary.offsets[column : column + 2].tolist()
        return self._given(self._x, first, last, first_label=0)

    def given_label(self, label: int) -> Floats:
        """Return the sum of I(f;l|s) over the labels l behind the label s, in bits, for every feature f."""
        return self._given(self._y, label, label + 1, first_label=label + 1)

    def _given(self, codes: Codes, first: int, last: int, first_label: int) -> Floats:
        symbols = [_Symbol.of(codes, p, self._y) for p in range(first, last)]
        sums = self._threads.map(partial(_Block.sums, symbols=symbols, first_label=first_label), self._blocks)
        return np.concatenate([np.zeros(0), *sums])


@dataclass(frozen=True, eq=False)
class _Symbol:
    """One symbol of the known column: where it holds, in how many rows, and the labels there."""

    plane: Plane
    size: int
    labels: Counts

    @classmethod
    def of(cls, codes: Codes, p: int, y: Codes) -> "_Symbol":
        plane = plane_of(codes, p)
        return cls(plane, int(codes.totals[p]), counts_within(plane, y))


@dataclass(frozen=True, eq=False)
class _Block:
    """Some features, with their tables with all labels."""

    x: Codes
    y: Codes
    joint: Counts

    @classmethod
    def of(cls, x: Codes, y: Codes) -> "_Block":
        return cls(x, y, np.ascontiguousarray(joint_counts(x, y), dtype=np.uint32))

    def sums(self, symbols: list[_Symbol], first_label: int) -> Floats:
        """Return the sums of I(f;l|s), in bits, over the labels from the first on."""
        sums = LabelSums(self.x.vocabulary, self.y.vocabulary.n_planes, self.x.n_rows, first_label)
        cells, counts, labels, size = self.joint.copy(), self.x.totals.copy(), self.y.totals.copy(), self.x.n_rows
        for symbol in symbols:
            inner, inner_counts = cells_within(symbol.plane, self.x, self.y), counts_within(symbol.plane, self.x)
            sums.add(inner, inner_counts, symbol.labels, symbol.size)
            cells -= inner
            counts -= inner_counts
            labels -= symbol.labels
            size -= symbol.size
        sums.add(cells, counts, labels, size)
        return sums.bits()
