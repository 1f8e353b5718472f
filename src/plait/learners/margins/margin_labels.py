"""Fits of single labels over one shared design, and the calibration of their margins on held-out rows."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from plait.core.arrays import Floats
from plait.learners.linear_conditionals import LinearConditionals
from plait.learners.margins.dual_starts import DualStarts
from plait.learners.margins.margin_design import MarginDesign
from plait.learners.margins.margin_rows import SparseRows
from plait.learners.margins.newton_systems import NewtonSystems
from plait.learners.margins.platt_scaling import fit_platt
from plait.learners.margins.squared_hinge import HingeFit, dual_start, minimize_squared_hinge, objective_and_gradient
from plait.learners.training.problem import LEAST_MASS, Problem

__all__ = ["LabelMargins", "MarginLabels", "label_folds"]


N_FOLDS = 3
LEAST_SHARE = 1e-60
# With fewer entries a label alone leaves out most rows so soon that company only holds it up.
LEAST_ENTRIES = 5000


@dataclass(frozen=True, eq=False)
class LabelMargins:
    """The margin of one label is `w.x`, its score `slope * margin + shift`."""

    w: Floats
    n_iter: int
    converged: bool
    slope: float = 1.0
    shift: float = 0.0


def label_folds(y: npt.NDArray[np.uint8], weights: Floats) -> npt.NDArray[np.int64]:
    """Return the fold of every row: rows of each class are dealt out in turn, those without weight to no fold (-1).

    Examples
    --------
    >>> label_folds(np.array([0, 0, 1, 0, 1, 0]), np.array([1.0, 1.0, 1.0, 0.0, 1.0, 1.0]))
    array([ 0,  1,  0, -1,  1,  2])
    """
    folds = np.full(y.size, -1, dtype=np.int64)
    for value in (0, 1):
        rows = np.flatnonzero((y == value) & (weights > 0))
        folds[rows] = np.arange(rows.size) % N_FOLDS
    return folds


class MarginLabels:
    """Fits labels of a problem one after the other, sharing the design and what can be worked out once.

    Parameters
    ----------
    problem, weighted : Problem
        With the weights of rows, and with class weights besides.
    design : MarginDesign
        Of the problem.
    labels : sequence of int
        Which labels will be fitted.
    C, tol, max_iter
        As in `LinearSVMLearner`.
    """

    def __init__(
        self,
        problem: Problem,
        weighted: Problem,
        design: MarginDesign,
        labels: Sequence[int],
        C: float,
        *,
        tol: float,
        max_iter: int,
    ) -> None:
        self.problem, self.weighted, self.design = problem, weighted, design
        # Labels of about the same frequency take about as many passes together.
        frequency = problem.Y.sum(axis=0, dtype=np.int64)
        self._sharing = sorted(filter(design.shares_rows, labels), key=lambda label: int(frequency[label]))
        self.C, self.tol, self.max_iter = C, tol, max_iter
        self._shared: NewtonSystems | None = None
        self._starts: DualStarts | None = None

    def fitted(self, label: int, begin: LinearConditionals | None, *, calibrate: bool) -> LabelMargins:
        """Return the fit of one label, from an earlier one where given."""
        systems = self._systems(label)
        sign, cost = self._sign_and_cost(label)
        start = None if begin is None else self.design.joined(label, begin)
        fit = self._solve(systems, sign, cost, start, label)
        if not calibrate:
            return LabelMargins(fit.w, fit.n_iter, fit.converged)
        slope, shift, converged = self._calibrated(label, systems, sign, cost, fit.w)
        return LabelMargins(fit.w, fit.n_iter, fit.converged and converged, slope, shift)

    def _sign_and_cost(self, label: int) -> tuple[Floats, Floats]:
        sign = np.where(self.problem.Y[:, label] == 1, 1.0, -1.0)
        weights = self.weighted.weights_of(label)
        if weights is None:
            return sign, np.full(sign.size, float(self.C))
        # Weights that no float64 would notice beside the largest are none: 1 / cost stays finite.
        return sign, np.where(weights > LEAST_SHARE * weights.max(), self.C * weights, 0.0)

    def _dual_start(self, label: int, rows: SparseRows) -> tuple[Floats, npt.NDArray[np.intp]]:
        """Return the start of a label, found together with those of others where they share their rows."""
        if not self.design.shares_rows(label) or rows.indices.size < LEAST_ENTRIES:
            return dual_start(rows, *self._sign_and_cost(label))
        if self._starts is None:
            self._starts = DualStarts(rows, self._sharing, self._sign_and_cost)
        return self._starts.start(label)

    def _systems(self, label: int) -> NewtonSystems:
        rows = self.design.rows(label)
        if not self.design.shares_rows(label):
            return NewtonSystems(rows)
        if self._shared is None:
            self._shared = NewtonSystems(rows, len(self._sharing))
        return self._shared

    def _solve(
        self, systems: NewtonSystems, sign: Floats, cost: Floats, start: Floats | None, label: int | None = None
    ) -> HingeFit:
        """Solve from `start` where that is better than nothing, else from where the dual leads or from 0."""
        rows, first = systems.rows, None
        w = np.zeros(rows.shape[1])
        if start is not None and objective_and_gradient(rows, sign, cost, start)[0] < cost.sum():
            w = start
        elif isinstance(rows, SparseRows):
            w, first = dual_start(rows, sign, cost) if label is None else self._dual_start(label, rows)
        return minimize_squared_hinge(systems, sign, cost, w, first, tol=self.tol, max_iter=self.max_iter)

    def _calibrated(
        self, label: int, systems: NewtonSystems, sign: Floats, cost: Floats, w: Floats
    ) -> tuple[float, float, bool]:
        """Return Platt's slope and shift from margins of held-out rows, and whether all folds converged."""
        weights = self.problem.weights_of(label)
        weights = np.ones(sign.size) if weights is None else weights
        folds = label_folds(self.problem.Y[:, label], weights)
        margins, converged = np.zeros(sign.size), True
        for fold in range(N_FOLDS):
            inside = np.where(folds == fold, 0.0, cost)
            held_out = folds == fold
            mass = [weights[~held_out] @ (sign[~held_out] == value) for value in (-1.0, 1.0)]
            if min(mass) < LEAST_MASS:  # one class only: the constant rule, whose score is the same for all rows
                margins[held_out] = np.log(mass[1] + 1.0) - np.log(mass[0] + 1.0)
                continue
            fit = self._solve(systems, sign, inside, w)
            margins[held_out] = systems.rows.scores(fit.w)[held_out]
            converged = converged and fit.converged
        used = folds >= 0
        slope, shift = fit_platt(margins[used], self.problem.Y[used, label], weights[used])
        return slope, shift, converged
