"""Preconditioned conjugate gradients for 16 Newton systems at once, each stopped by its own rule."""

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from plait.learners._lanes import LANES
from plait.learners._logistic_kernels import advance, inner, next_direction
from plait.learners.logistic_design import Design

__all__ = ["Newton", "Preconditioner", "newton_directions"]

Panel = npt.NDArray[Any]
Floats = npt.NDArray[np.float64]


class Preconditioner(Protocol):
    """An approximate inverse of the Hessians of a panel; zero off the support of each lane."""

    def apply(self, residual: Panel, out: Panel) -> None:
        """Write M^-1 residual to `out`."""


@dataclass(frozen=True, eq=False)
class Newton:
    """The systems (A' S A + I - h h' / bend) x = rhs: the intercepts are eliminated.

    Parameters
    ----------
    curvature : ndarray of shape (n_rows, 16)
        S: second derivatives of the losses.
    means : ndarray of shape (n_columns, 16)
        h = A' S 1.
    inverse_bend : ndarray of shape (16,)
        1 / sum of S, or 0 without intercept.
    rhs : ndarray of shape (n_columns, 16)
        Right-hand sides; overwritten by the residuals.
    """

    curvature: Panel
    means: Panel
    inverse_bend: Floats
    rhs: Panel


def newton_directions(
    design: Design, system: Newton, preconditioner: Preconditioner, relative: Floats, floor: Floats, most: int
) -> tuple[Panel, Floats, npt.NDArray[np.int64]]:
    """Return solutions, the decrease of the quadratic models they promise, and the steps taken, for each lane.

    A lane stops when r' M^-1 r, about twice what is left to gain, is at most `floor`, or `relative`^2 times what it
    was at first (`floor` is infinite for lanes that hold nothing).
    """
    residual = system.rhs
    x, product, conditioned, P = (np.zeros_like(residual) for _ in range(4))
    sums = {name: np.zeros((1, LANES)) for name in ("energy", "norm", "linear", "square")}
    steps, shares, ratios = (np.zeros((1, LANES)) for _ in range(3))
    preconditioner.apply(residual, conditioned)
    inner(residual, conditioned, sums["energy"])
    energy = sums["energy"][0].copy()
    goal = np.maximum(relative**2 * energy, floor)
    running = energy > goal
    gain, taken = np.zeros(LANES), np.zeros(LANES, dtype=np.int64)
    for _ in range(most):
        if not running.any():
            break
        next_direction(conditioned, ratios, P, sums["norm"])
        design.curvature(system.curvature, P, product, sums["linear"], sums["square"])
        linear = sums["linear"][0]
        bend = sums["square"][0] + sums["norm"][0] - linear**2 * system.inverse_bend
        steps[0] = np.divide(energy, bend, out=np.zeros(LANES), where=running & (bend > 0))
        shares[0] = linear * system.inverse_bend
        advance(steps, shares, P, product, system.means, x, residual)
        gain += 0.5 * steps[0] * energy
        taken += running
        preconditioner.apply(residual, conditioned)
        inner(residual, conditioned, sums["energy"])
        fresh = sums["energy"][0]
        ratios[0] = np.divide(fresh, energy, out=np.zeros(LANES), where=running & (energy > 0))
        energy = np.where(running, fresh, energy)
        running &= (energy > goal) & (steps[0] > 0)
    return x, gain, taken
