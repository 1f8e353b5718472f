"""Counted pairs of columns: counted once, kept for all labels."""

import numpy as np
import numpy.typing as npt

from plait.core.arrays import Ints
from plait.features._greedy_kernels import add_pairs, count_lines
from plait.features.arrangement import Arrangement
from plait.features.plane_arrays import Workspace
from plait.features.thread_map import Threads

__all__ = ["PairMemory"]

Counts = npt.NDArray[np.uint32]


class PairMemory:
    """A workspace whose pairs are counted when they are asked for.

    Parameters
    ----------
    arrangement : Arrangement
        The columns.
    most_bytes : int
        What counted pairs may take (one column always fits); when the room is full, it is used anew.
    """

    def __init__(self, arrangement: Arrangement, most_bytes: int):
        planes = arrangement.planes
        n_candidates, n_columns = planes.names.size, len(planes.columns)
        self._arrangement = arrangement
        self._sizes = planes.columns[:, 2] * planes.n_planes
        n_cells = int(self._sizes.sum())
        share = min(1.0, most_bytes / max(4 * n_cells + 8 * n_columns * n_candidates, 1))
        self.holds_all = share == 1.0
        self.space = _workspace(
            arrangement,
            places=np.full((n_columns, 2), -1, dtype=np.int64),
            lines=np.empty(max(int(share * n_cells), int(self._sizes.max(initial=0))), dtype=np.uint32),
            pairs=np.empty(max(int(share * n_columns), 1) * n_candidates, dtype=np.int64),
        )
        self._used = [0, 0]

    def count(self, columns: Ints) -> None:
        """Count some columns with all candidates; others are forgotten where room is needed."""
        for column in columns.tolist():
            self._give_place(column)
        self._count(columns)

    def count_all(self, threads: Threads) -> None:
        """Count all columns, which must fit."""
        columns = np.arange(len(self._sizes))
        for column in columns.tolist():
            self._give_place(column)
        parts = [(self.beside(), part) for part in np.array_split(columns, threads.n_threads)]
        threads.map(lambda task: task[0]._count(task[1]), parts)

    def beside(self) -> "PairMemory":
        """Return a memory for another thread, with the same pairs; only where nothing more is to be counted."""
        other = object.__new__(PairMemory)
        other.__dict__.update(self.__dict__)
        other.space = _workspace(self._arrangement, self.space.places, self.space.lines, self.space.pairs)
        return other

    def _count(self, columns: Ints) -> None:
        arranged = self._arrangement
        count_lines(columns, arranged.words, arranged.totals, arranged.planes, self.space)
        add_pairs(columns, arranged.totals, arranged.planes, self.space)

    def _give_place(self, column: int) -> None:
        n_cells, n_pairs = int(self._sizes[column]), self.space.contents.size
        if self._used[0] + n_cells > self.space.lines.size or self._used[1] + n_pairs > self.space.pairs.size:
            self.space.places[:] = -1
            self._used = [0, 0]
        self.space.places[column] = self._used
        self._used = [self._used[0] + n_cells, self._used[1] + n_pairs]


def _workspace(arrangement: Arrangement, places: Ints, lines: Counts, pairs: Ints) -> Workspace:
    """Return room of its own for one thread, around counted pairs."""
    n_candidates, n_rows = arrangement.planes.names.size, arrangement.planes.n_rows
    return Workspace(
        counts=np.empty((4, arrangement.totals.size), dtype=np.uint32),
        rest=np.empty(n_candidates, dtype=np.uint32),
        contents=np.empty(n_candidates, dtype=np.int64),
        groups=np.empty((4, n_rows + 1), dtype=np.int64),
        aside=np.empty(n_candidates),
        places=places,
        lines=lines,
        pairs=pairs,
    )
