"""The L2-regularised squared hinge of one label, minimised by Newton steps on its active rows.

Notation
--------
P(w)   : 1/2 ||w||^2 + sum_i cost_i slack_i^2, slack_i = max(0, 1 - sign_i w.x_i); the intercept is one of w
active : rows with slack_i > 0. P is quadratic between changes of the active rows, so that Newton steps with an exact
         line search end after finitely many [Keerthi2005].
gap    : P(w) - min P is at most 1/2 ||grad P(w)||^2: with alpha_i = 2 cost_i slack_i as dual variables this is
         exactly the difference between P(w) and the dual objective.
"""

from dataclasses import dataclass

import numpy as np

from plait.core.arrays import Floats, Ints
from plait.learners.margins._svm_kernels import dual_descent, exact_step
from plait.learners.margins.margin_rows import MarginRows, SparseRows
from plait.learners.margins.newton_systems import NewtonSystems, factor_cost

__all__ = ["HingeFit", "dual_start", "minimize_squared_hinge", "objective_and_gradient"]


# Passes over the dual variables before Newton steps begin, and how far their derivatives may lie apart at the end.
EPOCHS = (8, 12, 20, 20, 20, 20, 20)
DUAL_TOLERANCE = 1e-3
# Of one entry of a row in a pass, in multiplications of a Cholesky factorisation.
PASS_COST = 60.0
# A predicted decrease below this share of the objective is rounding.
ROUNDING = 1e-15


@dataclass(frozen=True, eq=False)
class HingeFit:
    """What the solver found for one label.

    Parameters
    ----------
    w : ndarray of float64, shape (n_columns,)
        The minimiser.
    value : float
        The objective there.
    gap : float
        Bound on how far the value lies above the minimum, relative to the value.
    n_iter : int
        Newton steps taken.
    converged : bool
        Whether the tolerance was reached.
    """

    w: Floats
    value: float
    gap: float
    n_iter: int
    converged: bool


def objective_and_gradient(rows: MarginRows, sign: Floats, cost: Floats, w: Floats) -> tuple[float, Floats]:
    """Return the objective at w and its gradient."""
    slack = np.maximum(0.0, 1.0 - sign * rows.scores(w))
    value = 0.5 * w @ w + cost @ slack**2
    return float(value), w - rows.combined(np.arange(slack.size), 2.0 * cost * slack * sign)


def dual_start(rows: SparseRows, sign: Floats, cost: Floats) -> tuple[Floats, Ints]:
    """Return where some passes of dual coordinate descent lead, and the rows it holds active.

    With as many active rows as columns, Newton steps converge quickly from anywhere and a few passes suffice. Otherwise
    there are more, and after them others as long as they cost less than two Newton steps on the rows active by then.
    """
    order = np.flatnonzero(cost > 0)
    alpha, w, state = np.zeros(sign.size), np.zeros(rows.shape[1]), np.array([order.size, np.inf])
    entries = (rows.indptr, rows.indices, rows.data, sign, cost, rows.norms, order, rows.draws)
    spent = 0.0
    for n_epochs in EPOCHS:
        ended = dual_descent(*entries, alpha, w, state, n_epochs, DUAL_TOLERANCE) < n_epochs
        active = np.flatnonzero(alpha > 0)
        if ended or active.size >= rows.shape[1] or spent > 2.0 * factor_cost(active.size):
            break
        left = order[: int(state[0])]
        spent += EPOCHS[-1] * PASS_COST * (rows.n_entries(left) + 4.0 * left.size)
    return w, active


def minimize_squared_hinge(
    systems: NewtonSystems,
    sign: Floats,
    cost: Floats,
    w: Floats,
    first: Ints | None = None,
    *,
    tol: float = 1e-6,
    max_iter: int = 100,
) -> HingeFit:
    """Minimise the objective from w on.

    Parameters
    ----------
    systems : NewtonSystems
        Of the rows of the label.
    sign, cost : ndarray of float64, shape (n_samples,)
        Class of each row, +1 or -1, and C times its weight.
    w : ndarray of float64, shape (n_columns,)
        Where to start.
    first : ndarray of int, optional
        Rows to take for active in the first step; those active at w by default.
    tol : float, default=1e-6
        Ends when the relative gap is below.
    max_iter : int, default=100
        Newton steps at most.
    """
    rows = systems.rows
    systems.begin(cost)
    scores = rows.scores(w)
    for n_iter in range(max_iter + 1):
        slack = 1.0 - sign * scores
        active = np.flatnonzero((slack > 0) & (cost > 0))
        pull = 2.0 * cost[active] * slack[active] * sign[active]
        value = float(0.5 * w @ w + 0.5 * pull @ (sign[active] * slack[active]))
        gradient = w - rows.combined(active, pull)
        gap = 0.5 * float(gradient @ gradient)
        if gap <= tol * value or n_iter == max_iter:
            break
        accuracy = min(0.1, np.sqrt(gap / value))
        chosen = active if first is None or n_iter > 0 else first
        direction = systems.minimiser(chosen, sign, cost, w, accuracy) - w
        if gradient @ direction >= 0:  # `first` misled, or a system was too badly conditioned for its factor
            direction = systems.downhill(active, sign, cost, w, accuracy) - w
        if -(gradient @ direction) <= ROUNDING * value:
            return HingeFit(w, value, gap / value, n_iter, True)
        change = rows.scores(direction)
        step = exact_step(scores, change, sign, cost, float(w @ direction), float(direction @ direction))
        w = w + step * direction
        scores = scores + step * change
    return HingeFit(w, value, gap / value if value else 0.0, n_iter, gap <= tol * value)
