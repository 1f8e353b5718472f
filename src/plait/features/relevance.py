"""Relevance: what a feature says about every label by itself, summed over labels."""

from collections.abc import Iterator
from functools import partial

import numpy as np

from plait.core.arrays import Floats
from plait.counts import Codes, Vocabulary, joint_counts
from plait.features.label_sums import LabelSums
from plait.features.thread_map import Threads

__all__ = ["column_blocks", "summed_relevance"]


# Cells of joint counts held at one time (256 MiB).
_MOST_CELLS = 1 << 26


def summed_relevance(x: Codes, y: Codes, threads: Threads | None = None) -> Floats:
    """Return Rel(f) = sum_l I(f;l) in bits for every feature [SCLS 9].

    The all-pairs matrix is not made, only the counts; the sum runs over labels in their order, on every path.

    Examples
    --------
    >>> from plait.counts import encode
    >>> summed_relevance(encode([[0, 0], [0, 1], [1, 0], [1, 1]]), encode([[0, 1], [0, 1], [1, 0], [1, 0]]))
    array([2., 0.])
    """
    threads = threads or Threads()
    blocks = [x.columns(*ends) for ends in column_blocks(x.vocabulary, y.vocabulary.n_planes, threads.n_threads)]
    return np.concatenate([np.zeros(0), *threads.map(partial(_sums, y), blocks)])


def column_blocks(
    x: Vocabulary, n_labels: int, n_parts: int, most_cells: int = _MOST_CELLS
) -> Iterator[tuple[int, int]]:
    """Cut columns into at least so many parts (if they can be) with at most so many cells with the labels each."""
    most = max(min(most_cells // max(n_labels, 1), -(-x.n_planes // n_parts)), 1)
    first = 0
    while first < x.n_columns:
        last = max(int(np.searchsorted(x.offsets, x.offsets[first] + most, side="right")) - 1, first + 1)
        yield first, last
        first = last


def _sums(y: Codes, x: Codes) -> Floats:
    sums = LabelSums(x.vocabulary, y.vocabulary.n_planes, x.n_rows)
    sums.add(joint_counts(x, y).astype(np.uint32), x.totals, y.totals, x.n_rows)
    return sums.bits()
