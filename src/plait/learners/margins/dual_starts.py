"""`DualStarts`: where dual coordinate descent leads labels that share their rows, 8 of them at a time.

From there Newton steps on the active rows are few. A label's start does not depend on the labels beside it.
"""

from collections.abc import Callable, Sequence

import numpy as np

from plait.core.arrays import Floats, Ints
from plait.core.randomness import generator
from plait.learners.logistic._lanes import NARROW, WIDTHS
from plait.learners.logistic.panel_memory import zero_panel
from plait.learners.margins._dual_lanes import BLOCK, descend_rows
from plait.learners.margins.margin_rows import SparseRows

__all__ = ["DualStarts"]

Start = tuple[Floats, Ints]

# Passes over the rows before Newton steps begin.
PASSES = 30
# How far the projected derivatives of a label may lie apart at the end.
TOLERANCE = 1e-2


class DualStarts:
    """Starts of some labels, found when asked for.

    Parameters
    ----------
    rows : SparseRows
        The rows that all labels share.
    labels : sequence of int
        Which labels will be asked for; those next to each other are worked on together.
    problem_of : callable
        Gives sign and cost of every row for a label.
    """

    def __init__(
        self, rows: SparseRows, labels: Sequence[int], problem_of: Callable[[int], tuple[Floats, Floats]]
    ) -> None:
        self._rows, self._problem_of = rows, problem_of
        self._groups = [tuple(labels[a : a + NARROW]) for a in range(0, len(labels), NARROW)]
        self._found: dict[int, Start] = {}

    def start(self, label: int) -> Start:
        """Return a vector near the minimiser of a label, and the rows that are active there."""
        if label not in self._found:
            group = next(labels for labels in self._groups if label in labels)
            self._found.update(zip(group, _descended(self._rows, [self._problem_of(k) for k in group]), strict=True))
        return self._found.pop(label)


def _descended(rows: SparseRows, problems: list[tuple[Floats, Floats]]) -> list[Start]:
    shape = (rows.shape[0], NARROW)
    signs, halves, alpha = zero_panel(shape, np.float32), zero_panel(shape, np.float64), zero_panel(shape, np.float64)
    alpha[:] = -1.0
    for lane, (sign, cost) in enumerate(problems):
        used = cost > 0
        signs[:, lane] = sign
        np.divide(0.5, cost, out=halves[:, lane], where=used)
        alpha[used, lane] = 0.0
    W, state = zero_panel((rows.shape[1], NARROW), np.float64), np.zeros((4, NARROW))
    state[0, : len(problems)], state[1] = 1.0, np.inf
    alive, rng = np.ones(shape[0], dtype=np.bool_), generator(0)
    for _ in range(PASSES):
        blocks, stride = rng.permutation(-(-shape[0] // BLOCK)), 2 * int(rng.integers(BLOCK)) + 1
        entries = (rows.indptr, rows.indices, rows.data, rows.norms, signs, halves)
        descend_rows(*entries, blocks, stride, alive, alpha, W, state, WIDTHS[NARROW])
        state[1] = np.where(state[2] > 0, state[2], np.inf)
        state[0, state[2] - state[3] <= TOLERANCE] = 0.0
        if not state[0].any():
            break
    return [(W[:, lane].copy(), np.flatnonzero(alpha[:, lane] > 0)) for lane in range(len(problems))]
