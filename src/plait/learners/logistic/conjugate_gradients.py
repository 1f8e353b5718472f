"""`NewtonLanes`: preconditioned conjugate gradients for 8 or 16 Newton systems at once, each in a lane of its own.

Systems come from several blocks of problems: a lane whose system is solved takes the next one that waits, so that no
lane idles while another needs more steps.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from plait.core.arrays import Array, Floats, Ints
from plait.core.lazy_modules import lazy_module
from plait.learners.logistic.logistic_design import WIDTHS, SparseDesign, zero_block
from plait.learners.logistic.newton_preconditioner import DiagonalPreconditioner, HeavyRows

__all__ = ["NewtonLanes", "NewtonSystems"]

_kernels = lazy_module("plait.learners.logistic._logistic_kernels")


# Conjugate gradients that have not arrived after so many steps hand on what they have.
_MOST = 250


@dataclass(frozen=True, eq=False)
class NewtonSystems:
    """The systems (I + A' S A - h h' / bend) x = rhs of a block: the intercepts are eliminated.

    Parameters
    ----------
    curvature : ndarray of shape (n_rows, n_lanes)
        S: second derivatives of the losses.
    means, rhs, inverse, x : ndarray of shape (n_columns, n_lanes)
        h = A' S 1, right-hand sides, diagonals of the inverse preconditioner, and solutions, filled in as they come.
    inverse_bend : ndarray of shape (n_lanes,)
        1 / sum of S, or 0 without intercept.
    energy, goal, most, gain : ndarray of shape (n_lanes,)
        r' M^-1 r at x = 0; at which value of it to stop; with which gain to stop before that, since the quadratic
        model promises too much to be trusted; the decrease of the model by x.
    taken : ndarray of int, shape (n_lanes,)
        Steps of conjugate gradients.
    heavy : dict of int to HeavyRows
        Corrections of the preconditioner of some lanes.
    """

    curvature: Array
    means: Array
    rhs: Array
    inverse: Array
    x: Array
    inverse_bend: Floats
    energy: Floats
    goal: Floats
    most: Floats
    gain: Floats
    taken: npt.NDArray[np.int64]
    heavy: dict[int, HeavyRows]


class NewtonLanes:
    """Lanes of conjugate gradients.

    Parameters
    ----------
    design : SparseDesign
        The shared matrix A.
    preconditioner : DiagonalPreconditioner
        Where the inverses of the systems come from.
    dtype : dtype
        Floats of the blocks.
    n_lanes : int
        8 or 16.
    """

    def __init__(self, design: SparseDesign, preconditioner: DiagonalPreconditioner, dtype: Any, n_lanes: int) -> None:
        columns = (design.n_columns, n_lanes)
        self.n_lanes, self._width = n_lanes, WIDTHS[n_lanes]
        self._design, self._preconditioner = design, preconditioner
        self._curvature = zero_block((design.n_rows, n_lanes), dtype)
        self._means, self._residual, self._inverse, self._x = (zero_block(columns, dtype) for _ in range(4))
        self._direction, self._product = zero_block(columns, dtype), zero_block(columns, dtype)
        self._inverse_bend, self._energy, self._goal, self._most, self._gain = (np.zeros(n_lanes) for _ in range(5))
        self._ratios, self._linear, self._square, self._norms, self._fresh = (np.zeros((1, n_lanes)) for _ in range(5))
        self._taken, self._limit = np.zeros(n_lanes, dtype=np.int64), np.zeros(n_lanes, dtype=np.int64)
        self._conditioned: Array | None = None
        self._heavy: dict[int, HeavyRows] = {}
        self._ones = np.ones(columns, dtype)
        self.running = np.zeros(n_lanes, dtype=np.bool_)

    def load(self, systems: NewtonSystems, source: Ints, lanes: Ints) -> None:
        """Take over systems into free lanes."""
        pairs = ((systems.curvature, self._curvature), (systems.means, self._means), (systems.rhs, self._residual))
        for theirs, ours in (*pairs, (systems.inverse, self._inverse)):
            _kernels.copy_lanes(theirs, source, ours, lanes)
        for name in ("inverse_bend", "energy", "goal", "most"):
            getattr(self, f"_{name}")[lanes] = getattr(systems, name)[source]
        for theirs, lane in zip(source, lanes, strict=True):
            self._heavy.pop(int(lane), None)
            if int(theirs) in systems.heavy:
                self._heavy[int(lane)] = systems.heavy[int(theirs)]
        self._conditioned = None
        self._x[:, lanes] = 0
        self._direction[:, lanes] = 0
        self._ratios[0, lanes], self._gain[lanes], self._taken[lanes] = 0, 0, 0
        patience = self._preconditioner.patience or _MOST
        self._limit[lanes] = [_MOST if lane in self._heavy else patience for lane in lanes]
        self.running[lanes] = True

    def adopt(self, other: "NewtonLanes", theirs: Ints) -> None:
        """Go on with systems that other lanes have begun, in the first lanes of these; all of these must be free."""
        lanes = np.arange(len(theirs))
        for name in ("_curvature", "_means", "_residual", "_inverse", "_x", "_direction"):
            _kernels.copy_lanes(getattr(other, name), theirs, getattr(self, name), lanes)
        for name in ("_inverse_bend", "_energy", "_goal", "_most", "_gain", "_taken", "_limit", "running"):
            getattr(self, name)[lanes] = getattr(other, name)[theirs]
        self._ratios[0, lanes] = other._ratios[0, theirs]
        self._heavy = {place: other._heavy[int(lane)] for place, lane in enumerate(theirs) if int(lane) in other._heavy}
        self._conditioned = None

    def unload(self, lanes: Ints, systems: NewtonSystems, target: Ints) -> None:
        """Hand back solutions and what they gain."""
        _kernels.copy_lanes(self._x, lanes, systems.x, target)
        systems.gain[target], systems.taken[target] = self._gain[lanes], self._taken[lanes]

    def sweep(self) -> Ints:
        """Take one step in every running lane and return the lanes that are done."""
        self._turn()
        self._design.curvature(self._curvature, self._direction, self._product, self._linear, self._square)
        linear = self._linear[0]
        shares = linear * self._inverse_bend
        bend = self._square[0] + self._norms[0] - linear * shares
        steps = np.divide(self._energy, bend, out=np.zeros_like(bend), where=self.running & (bend > 0))
        self._advance(steps, shares)
        self._gain += 0.5 * steps * self._energy
        self._taken += 1
        self._ratios[0] = np.divide(
            self._fresh[0], self._energy, out=np.zeros_like(self._energy), where=self._energy > 0
        )
        self._energy[:] = self._fresh[0]
        done = (self._energy <= self._goal) | (self._gain >= self._most) | (steps == 0) | (self._taken >= self._limit)
        done &= self.running
        self.running &= ~done
        return np.flatnonzero(done)

    def _turn(self) -> None:
        """Set the directions: conditioned residuals plus a multiple of the directions before."""
        conditioned = self._condition() if self._conditioned is None else self._conditioned
        if conditioned is self._residual:
            _kernels.next_direction(conditioned, self._inverse, self._ratios, self._direction, self._norms, self._width)
        else:
            _kernels.next_direction(conditioned, self._ones, self._ratios, self._direction, self._norms, self._width)

    def _advance(self, steps: Floats, shares: Floats) -> None:
        blocks = (self._direction, self._product, self._means, self._inverse, self._x, self._residual)
        _kernels.advance(steps[None], shares[None], *blocks, self._fresh, self._width)
        self._conditioned = self._condition()
        if self._conditioned is not self._residual:
            sizes = np.zeros_like(self._fresh)
            _kernels.inner(self._residual, self._conditioned, sizes, self._width)
            # What `advance` summed is the same but for rounding; a lane keeps it whatever the others are.
            changed = list(self._heavy) if self._preconditioner.diagonal else slice(None)
            self._fresh[0, changed] = sizes[0, changed]

    def _condition(self) -> Array:
        """Return M^-1 r, or r itself where M is the diagonal that `advance` and `next_direction` know."""
        if self._preconditioner.diagonal and not self._heavy:
            return self._residual
        conditioned = self._preconditioner.conditioned(self._residual, self._inverse)
        for lane, rows in self._heavy.items():
            if self.running[lane]:
                rows.correct(conditioned, lane)
        return conditioned
