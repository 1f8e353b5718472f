"""Where dual coordinate descent leads the labels of a sparse design, eight of them at a time in SIMD lanes.

From there Newton steps on the active rows are few. A label's start does not depend on the labels beside it.
"""

from collections.abc import Callable, Sequence

import numpy as np

from plait.core.arrays import Array, Bools, Floats, Ints
from plait.core.lazy_modules import lazy_module
from plait.core.randomness import generator
from plait.learners.svm.rows import SparseRows

__all__ = ["DualStarts"]

_kernels = lazy_module("plait.learners.svm._kernels")

Start = tuple[Floats, Ints]

_LANES = 8
# Passes over the rows before Newton steps begin.
PASSES = 30
# How far the projected derivatives of a label may lie apart at the end.
TOLERANCE = 1e-2


class DualStarts:
    """Starts of some labels, found when asked for.

    Parameters
    ----------
    rows : SparseRows
        Of all columns of the design.
    allowed : ndarray of bool, shape (n_labels, n_columns)
        Which columns each label may use.
    labels : sequence of int
        Which labels will be asked for; those next to each other are worked on together.
    problem_of : callable
        Gives sign and cost of every row for a label.
    """

    def __init__(
        self,
        rows: SparseRows,
        allowed: Bools,
        labels: Sequence[int],
        problem_of: Callable[[int], tuple[Floats, Floats]],
    ) -> None:
        self._rows, self._allowed, self._problem_of = rows, allowed, problem_of
        self._batches = [tuple(labels[a : a + _LANES]) for a in range(0, len(labels), _LANES)]
        self._found: dict[int, Start] = {}

    def start(self, label: int) -> Start:
        """Return a vector near the minimiser of a label, over its columns, and the rows that are active there."""
        if label not in self._found:
            batch = next(labels for labels in self._batches if label in labels)
            W, alpha = self._descended(batch)
            for lane, each in enumerate(batch):
                self._found[each] = W[self._allowed[each], lane], np.flatnonzero(alpha[:, lane] > 0)
        return self._found.pop(label)

    def _descended(self, labels: tuple[int, ...]) -> tuple[Floats, Floats]:
        """Return W and alpha of some labels in lanes."""
        rows = self._rows
        n_samples, n_columns = rows.shape
        sign, halves, alpha = _panel(n_samples), _panel(n_samples), _panel(n_samples)
        W, allowed, norms, state = _panel(n_columns), _panel(n_columns), _panel(n_samples), _panel(4)
        alpha[:] = -1.0
        for lane, label in enumerate(labels):
            sign[:, lane], cost = self._problem_of(label)
            np.divide(0.5, cost, out=halves[:, lane], where=cost > 0)
            alpha[cost > 0, lane] = 0.0
            allowed[:, lane] = self._allowed[label]
        norms[:] = rows.squares @ allowed
        state[0, : len(labels)], state[1] = 1.0, np.inf
        alive, rng = np.ones(n_samples, dtype=np.bool_), generator(0)
        for _ in range(PASSES):
            order, stride = rng.permutation(-(-n_samples // _kernels.BLOCK)), 2 * int(rng.integers(_kernels.BLOCK)) + 1
            _kernels.descend_rows(*rows.entries, norms, sign, halves, allowed, order, stride, alive, alpha, W, state)
            state[1] = np.where(state[2] > 0, state[2], np.inf)
            state[0, state[2] - state[3] <= TOLERANCE] = 0.0
            if not state[0].any():
                break
        return W, alpha


def _panel(n: int) -> Array:
    """Return zeros (n, 8) that start with a line of the cache: a row across two lines would cost twice as much."""
    memory = np.zeros(8 * (n + 1))
    first = (-memory.ctypes.data % 64) // 8
    return memory[first : first + n * _LANES].reshape(n, _LANES)
