"""The squared hinge loss of one label with an L2 penalty, minimised by Newton steps on its active rows.

P(w) is quadratic between changes of the active rows, so that Newton steps with an exact line search end after finitely
many [Keerthi2005]. P(w) - min P is at most 1/2 ||grad P(w)||^2, the gap: with alpha_i = 2 cost_i slack_i as dual
variables this is exactly the difference between P(w) and the dual objective.

A step goes to the minimiser of 1/2 ||w||^2 + sum over i in B of cost_i (1 - sign_i w.x_i)^2 over some rows B. There are
two ways to it [Chapelle2007, section 4]: the d x d system of the Hessian, (1 + 2 X' cost X) w = 2 X' cost sign, or,
with w = sum alpha_i x_i, the |B| x |B| system of the Gram matrix, (X X' + 1 / (2 cost)) alpha = sign. The smaller one
is solved by a Cholesky factor; where both are too large, or where it costs less, the first one by conjugate
gradients.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.linalg import lapack

from plait.core.arrays import Array, Floats, Ints
from plait.learners.svm.rows import Rows, SparseRows

__all__ = ["HingeFit", "NewtonSteps", "minimize_squared_hinge", "objective_and_gradient"]

# A predicted decrease below this share of the objective is rounding.
ROUNDING = 1e-15
LARGEST_SYSTEM = 3000  # of a Cholesky factor
LARGEST_GRAM = 5000  # rows whose products are kept: 200 MB
LARGEST_SHARED, LABELS_THAT_SHARE = 2500, 8  # all products of so few rows are worked out once for so many labels
SMALLEST_SINGLE = 512  # systems from this size on are factored in float32, and their solutions corrected
CORRECTIONS, ACCURATE = 6, 1e-7  # at most so many times, until what is left is this share of the right-hand side
MOST_PRODUCTS = 500  # of conjugate gradients in one step
PRODUCT_COST = 60.0  # of one entry of a row, in multiplications of a factorisation
LOOK_AHEAD, FORESEEN = 5, 1e-3  # products after which it is asked whether they pay, up to this accuracy


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


class NewtonSteps:
    """Steps over sets of rows that differ little from one call to the next.

    Products of rows are kept for later sets, and the Hessian is changed by the rows that came and went. What labels
    share (the Gram matrix of few rows, the Hessian of all rows) is worked out once and is the same whatever labels came
    before, so that no label leaves a trace in another.

    Parameters
    ----------
    rows : Rows
        The rows of one label, or of several that may use the same columns.
    n_labels : int, default=1
        How many labels will be solved on them.
    """

    def __init__(self, rows: Rows, n_labels: int = 1) -> None:
        self.rows = rows
        n_samples = rows.shape[0]
        self._shares_gram = n_labels >= LABELS_THAT_SHARE and n_samples <= LARGEST_SHARED
        self._slot = np.full(n_samples, -1, dtype=np.intp)
        self._kept = np.empty(0, dtype=np.intp)
        self._gram = np.empty((0, 0))
        self._hessian: Floats | None = None
        self._inside = np.zeros(n_samples, dtype=np.bool_)
        self._whole: tuple[Floats, Floats] | None = None
        self._iterates = False

    def begin(self, cost: Floats) -> None:
        """Get ready for a label whose rows cost so much."""
        if not self._shares_gram:
            self._forget()
        self._hessian, self._iterates = None, isinstance(self.rows, SparseRows)
        if self._whole is not None and np.array_equal(cost, self._whole[0]):
            self._hessian, self._inside = self._whole[1].copy(), cost > 0

    def minimiser(self, chosen: Ints, sign: Floats, cost: Floats, w: Floats, accuracy: float) -> Floats:
        """Return the minimiser over the chosen rows; conjugate gradients start from w and end at `accuracy`."""
        n_columns = self.rows.shape[1]
        size = min(chosen.size, n_columns)
        if self._iterates and chosen.size >= n_columns:
            # With more rows than columns the system is often well conditioned.
            worth = size**3 / 3.0 / (PRODUCT_COST * (1.0 + self.rows.n_entries(chosen)))
            near, self._iterates = self._by_conjugate_gradients(chosen, sign, cost, w, accuracy, worth)
            if self._iterates:
                return near
        found = None
        if 0 < size <= LARGEST_SYSTEM:
            found = (self._by_gram if chosen.size < n_columns else self._by_hessian)(chosen, sign, cost)
        return self.downhill(chosen, sign, cost, w, accuracy) if found is None else found

    def downhill(self, chosen: Ints, sign: Floats, cost: Floats, w: Floats, accuracy: float) -> Floats:
        """Return a point near the minimiser that lies downhill from w if the chosen rows are those active there."""
        return self._by_conjugate_gradients(chosen, sign, cost, w, accuracy)[0]

    def _by_gram(self, chosen: Ints, sign: Floats, cost: Floats) -> Floats | None:
        """Return the minimiser from the Gram matrix; None where that is too badly conditioned."""
        self._keep(chosen)
        # In the order in which they were kept, so that the lower triangle is read, which alone is there.
        chosen = chosen[np.argsort(self._slot[chosen])]
        diagonal, right = 0.5 / cost[chosen], sign[chosen]
        system = self.rows.part_of_gram(self._gram, self._slot[chosen])
        system.ravel()[:: chosen.size + 1] += diagonal
        alpha = None
        if chosen.size >= SMALLEST_SINGLE:

            def product(a: Floats) -> Floats:
                return diagonal * a + self.rows.scores_of(chosen, self.rows.combined(chosen, a))

            alpha = _refined(system.astype(np.float32), right, product, ACCURATE)
        if alpha is None:
            alpha = _solved(system, right)
        return None if alpha is None else self.rows.combined(chosen, alpha)

    def _keep(self, chosen: Ints) -> None:
        """See to it that the products of the chosen rows are there."""
        new = chosen[self._slot[chosen] < 0]
        if not new.size:
            return
        most = min(self.rows.shape[0], LARGEST_GRAM)
        if self._shares_gram:
            new = np.arange(most)
        elif self._kept.size + new.size > most:
            self._forget()
            new = chosen
        n_old = self._kept.size
        self._kept = np.concatenate([self._kept, new])
        if self._kept.size > len(self._gram):
            size = min(most, max(self._kept.size, 2 * len(self._gram)))
            larger = np.empty((size, size))
            larger[:n_old, :n_old] = self._gram[:n_old, :n_old]
            self._gram = larger
        self._slot[new] = np.arange(n_old, self._kept.size)
        self.rows.extend_gram(self._kept, n_old, self._gram)

    def _forget(self) -> None:
        self._slot[self._kept] = -1
        self._kept = np.empty(0, dtype=np.intp)

    def _by_hessian(self, chosen: Ints, sign: Floats, cost: Floats) -> Floats | None:
        """Return the minimiser from the Hessian; None where that is too badly conditioned."""
        right = self.rows.combined(chosen, 2.0 * cost[chosen] * sign[chosen])
        return _solved(self._updated_hessian(chosen, cost).copy(), right)

    def _updated_hessian(self, chosen: Ints, cost: Floats) -> Floats:
        """Return 1 + 2 X' cost X over the chosen rows, from the one before."""
        inside = np.zeros(cost.size, dtype=np.bool_)
        inside[chosen] = True
        came, went = np.flatnonzero(inside & ~self._inside), np.flatnonzero(self._inside & ~inside)
        if self._hessian is None or came.size + went.size > chosen.size:
            self._hessian = np.eye(self.rows.shape[1])
            came, went = chosen, went[:0]
        self.rows.add_outer(came, 2.0 * cost[came], self._hessian)
        self.rows.add_outer(went, -2.0 * cost[went], self._hessian)
        self._inside = inside
        if chosen.size == np.count_nonzero(cost) and self._whole is None:
            self._whole = cost.copy(), self._hessian.copy()
        return self._hessian

    def _by_conjugate_gradients(
        self, chosen: Ints, sign: Floats, cost: Floats, w: Floats, accuracy: float, worth: float | None = None
    ) -> tuple[Floats, bool]:
        """Return where conjugate gradients end, and whether they will do with `worth` products, as far as one sees."""
        factors = 2.0 * cost[chosen]
        scale = 1.0 / (1.0 + self.rows.squared_entries(chosen, factors))
        w = w.copy()
        slack = sign[chosen] - self.rows.scores_of(chosen, w)
        residual = self.rows.combined(chosen, factors * slack) - w
        direction = scale * residual
        first = size = float(residual @ direction)
        wanted = accuracy**2 * size
        for n_products in range(MOST_PRODUCTS):
            if size <= wanted:
                break
            if worth is not None and n_products and n_products % LOOK_AHEAD == 0:
                foreseen = np.log(min(wanted / first, FORESEEN**2))
                if n_products * foreseen < worth * np.log(size / first):
                    return w, False
            product = direction + self.rows.combined(chosen, factors * self.rows.scores_of(chosen, direction))
            step = size / float(direction @ product)
            w += step * direction
            residual -= step * product
            before, size = size, float(residual @ (scale * residual))
            direction = scale * residual + size / before * direction
        return w, True


def objective_and_gradient(rows: Rows, sign: Floats, cost: Floats, w: Floats) -> tuple[float, Floats]:
    """Return the objective at w and its gradient."""
    slack = np.maximum(0.0, 1.0 - sign * rows.scores(w))
    value = 0.5 * w @ w + cost @ slack**2
    return float(value), w - rows.combined(np.arange(slack.size), 2.0 * cost * slack * sign)


def minimize_squared_hinge(
    steps: NewtonSteps,
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
    steps : NewtonSteps
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
    rows = steps.rows
    steps.begin(cost)
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
        direction = steps.minimiser(chosen, sign, cost, w, accuracy) - w
        if gradient @ direction >= 0:  # `first` misled, or a system was too badly conditioned for its factor
            direction = steps.downhill(active, sign, cost, w, accuracy) - w
        if -(gradient @ direction) <= ROUNDING * value:
            return HingeFit(w, value, gap / value, n_iter, True)
        change = rows.scores(direction)
        step = line_search(slack, sign * change, cost, float(w @ direction), float(direction @ direction))
        w = w + step * direction
        scores = scores + step * change
    return HingeFit(w, value, gap / value if value else 0.0, n_iter, gap <= tol * value)


def line_search(slack: Floats, fall: Floats, cost: Floats, slope: float, curvature: float) -> float:
    """Return the a > 0 that minimises the objective at w + a d, exactly: it is piecewise quadratic in a.

    slack_i = 1 - sign_i w.x_i, also below 0, and fall_i = sign_i d.x_i; slope = w.d, curvature = d.d. Newton steps on
    the derivative, kept between two points where it has different signs, end on the piece of the minimiser.
    """
    pull = 2.0 * cost * fall
    bend = pull * fall
    low, high, step = 0.0, np.inf, 1.0
    piece = None  # the rows on whose quadratic the step is exact
    for _ in range(100):
        left = slack - step * fall
        active = left > 0.0
        if piece is not None and np.array_equal(active, piece):
            break
        first = slope + step * curvature - float(pull @ (left * active))
        if first < 0.0:
            low = step
        else:
            high = step
        proposed, piece = step - first / (curvature + float(bend @ active)), active
        if abs(proposed - step) <= 1e-13 * step:
            break
        if not low < proposed < high:
            proposed, piece = 0.5 * (low + high) if high < np.inf else 2.0 * step, None
        step = proposed
    return step


def _solved(system: Floats, right: Floats) -> Floats | None:
    """Return the solution of a system whose lower triangle is given, overwriting it; None where rounding made it
    lose its definiteness.
    """
    factor, info = lapack.dpotrf(system.T, lower=0, clean=0, overwrite_a=1)
    return None if info else np.asarray(lapack.dpotrs(factor, right, lower=0)[0])


def _refined(system: Array, right: Floats, product: Callable[[Floats], Floats], accuracy: float) -> Floats | None:
    """Return the solution of a system by a factor in single precision, corrected in double.

    The lower triangle of the system is given in float32 and overwritten; `product` multiplies by it exactly. None where
    the system is too badly conditioned for that.
    """
    factor, info = lapack.spotrf(system.T, lower=0, clean=0, overwrite_a=1)
    if info:
        return None
    found, left = np.zeros(right.size), right
    for _ in range(CORRECTIONS):
        scale = np.abs(left).max()
        found += scale * lapack.spotrs(factor, (left / scale).astype(np.float32), lower=0)[0]
        left = right - product(found)
        if np.abs(left).max() <= accuracy:
            return found
    return None
