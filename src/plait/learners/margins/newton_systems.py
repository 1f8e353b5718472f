"""Minimisers of the quadratic that the squared hinge is on a set of rows: one Newton step of the linear SVM.

On rows B the step goes to the minimiser of 1/2 ||w||^2 + sum over i in B of cost_i (1 - sign_i w.x_i)^2. There are
two ways to it [Chapelle2007, section 4]: the d x d system (1 + 2 X' cost X) w = 2 X' cost sign, or, with
w = sum alpha_i x_i, the |B| x |B| system (X X' + 1 / (2 cost)) alpha = sign. The smaller one is solved by Cholesky, the
first one also with the factor of an earlier set of rows as preconditioner of conjugate gradients; where both are too
large, the first one by conjugate gradients with its diagonal.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.linalg import lapack

from plait.core.arrays import Floats, Ints
from plait.learners.margins._svm_kernels import conjugate_step, gather_gram
from plait.learners.margins.margin_rows import MarginRows, SparseRows

__all__ = ["NewtonSystems", "factor_cost"]


LARGEST_SYSTEM = 3000  # of a Cholesky factor
LARGEST_GRAM = 5000  # rows whose products are kept: 200 MB
LARGEST_SHARED, LABELS_THAT_SHARE = 2500, 8  # all products of so few rows are worked out once for so many labels
SMALLEST_SINGLE = 512  # systems from this size on are factored in float32, and their solutions corrected
CORRECTIONS, ACCURATE = 6, 1e-7  # at most so many times, until what is left is this share of the right-hand side
SOON, CLOSER = 10, 1e-2  # products with a factor; they end at a size smaller by this than without one
MOST_PRODUCTS = 500  # of conjugate gradients in one step
PRODUCT_COST = 60.0  # of one entry of a row, in multiplications of a factorisation
LOOK_AHEAD, FORESEEN = 5, 1e-3  # products after which it is asked whether they pay, up to this accuracy


class NewtonSystems:
    """Solves Newton systems over sets of rows that differ little from one call to the next.

    Products of rows are kept for later sets, and the sum of outer products is changed by the rows that came and went.
    What labels share (products of few rows, the sum over all rows) is worked out once and is the same whatever labels
    came before, so that no label leaves a trace in another.

    Parameters
    ----------
    rows : MarginRows
        The rows of one label, or of several that may use the same columns.
    n_labels : int, default=1
        How many labels will be solved on them.
    """

    def __init__(self, rows: MarginRows, n_labels: int = 1) -> None:
        self.rows = rows
        n_samples = rows.shape[0]
        self._shares_gram = n_labels >= LABELS_THAT_SHARE and n_samples <= LARGEST_SHARED
        self._slot = np.full(n_samples, -1, dtype=np.intp)
        self._kept = np.empty(0, dtype=np.intp)
        self._gram = np.empty((0, 0))
        self._hessian: Floats | None = None
        self._inside = np.zeros(n_samples, dtype=np.bool_)
        self._whole: tuple[Floats, Floats] | None = None
        self._iterates, self._factor = False, None

    def begin(self, cost: Floats) -> None:
        """Get ready for a label whose rows cost so much."""
        if not self._shares_gram:
            self._forget()
        self._hessian, self._iterates, self._factor = None, isinstance(self.rows, SparseRows), None
        if self._whole is not None and np.array_equal(cost, self._whole[0]):
            self._hessian, self._inside = self._whole[1].copy(), cost > 0

    def minimiser(self, chosen: Ints, sign: Floats, cost: Floats, w: Floats, accuracy: float) -> Floats:
        """Return the minimiser over the chosen rows; conjugate gradients start from w and end at `accuracy`."""
        n_columns = self.rows.shape[1]
        size = min(chosen.size, n_columns)
        if self._iterates and chosen.size >= n_columns:
            # With more rows than columns the system is often well conditioned.
            worth = factor_cost(size) / (PRODUCT_COST * (1.0 + self.rows.n_entries(chosen)))
            near, self._iterates = self._by_conjugate_gradients(chosen, sign, cost, w, accuracy, worth)
            if self._iterates:
                return near
        found = self._factored(chosen, sign, cost, w, accuracy) if size <= LARGEST_SYSTEM else None
        return self.downhill(chosen, sign, cost, w, accuracy) if found is None else found

    def _factored(self, chosen: Ints, sign: Floats, cost: Floats, w: Floats, accuracy: float) -> Floats | None:
        """Return the minimiser from the smaller of both systems; None where it is too badly conditioned."""
        if chosen.size < self.rows.shape[1]:
            return self._by_gram(chosen, sign, cost)
        near = None
        if self.rows.shape[1] >= SMALLEST_SINGLE and isinstance(self.rows, SparseRows):
            near = self._by_old_factor(chosen, sign, cost, w, accuracy)
        return self._by_hessian(chosen, sign, cost) if near is None else near

    def downhill(self, chosen: Ints, sign: Floats, cost: Floats, w: Floats, accuracy: float) -> Floats:
        """Return a point near the minimiser that lies downhill from w if the chosen rows are those active there."""
        return self._by_conjugate_gradients(chosen, sign, cost, w, accuracy)[0]

    def _by_gram(self, chosen: Ints, sign: Floats, cost: Floats) -> Floats | None:
        self._keep(chosen)
        slots, diagonal, right = self._slot[chosen], 0.5 / cost[chosen], sign[chosen]
        alpha = None
        if chosen.size >= SMALLEST_SINGLE:
            system = np.empty((chosen.size, chosen.size), dtype=np.float32)
            gather_gram(self._gram, slots, diagonal, system)
            alpha = _refined(system, right, lambda a: diagonal * a + self._products(chosen, a), ACCURATE)
        if alpha is None:
            exact = np.empty((chosen.size, chosen.size))
            gather_gram(self._gram, slots, diagonal, exact)
            alpha = _solved(exact, right)
        return None if alpha is None else self.rows.combined(chosen, alpha)

    def _products(self, chosen: Ints, alpha: Floats) -> Floats:
        """Return X X' alpha."""
        return self.rows.scores_of(chosen, self.rows.combined(chosen, alpha))

    def _keep(self, chosen: Ints) -> None:
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
        self._grow(n_old, most)
        self._slot[new] = np.arange(n_old, self._kept.size)
        self.rows.extend_gram(self._kept, n_old, self._gram)

    def _grow(self, n_old: int, most: int) -> None:
        """Make room for the products of the rows kept: twice as much as before, and no more than is ever needed."""
        if self._kept.size > len(self._gram):
            size = min(most, max(self._kept.size, 2 * len(self._gram)))
            larger = np.empty((size, size))
            larger[:n_old, :n_old] = self._gram[:n_old, :n_old]
            self._gram = larger

    def _forget(self) -> None:
        self._slot[self._kept] = -1
        self._kept = np.empty(0, dtype=np.intp)

    def _by_old_factor(self, chosen: Ints, sign: Floats, cost: Floats, w: Floats, accuracy: float) -> Floats | None:
        """Return the minimiser by conjugate gradients, preconditioned by a factor in single precision.

        The factor is that of an earlier set of rows, or of these where that one leads nowhere soon. None where neither
        does.
        """
        for _ in range(2):
            if self._factor is not None:
                near = _preconditioned(self.rows, self._factor, chosen, sign, 2.0 * cost[chosen], w, accuracy)
                if near is not None:
                    return near
            system = self._updated_hessian(chosen, cost).astype(np.float32)
            factor, info = lapack.spotrf(system.T, lower=0, clean=0, overwrite_a=1)
            self._factor = None if info else factor
        return None

    def _by_hessian(self, chosen: Ints, sign: Floats, cost: Floats) -> Floats | None:
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
            product = direction.copy()
            self.rows.add_curvature(chosen, factors, direction, product)
            size = conjugate_step(product, scale, size, w, residual, direction)
        return w, True


def factor_cost(size: int) -> float:
    """Return the multiplications of a Cholesky factorisation."""
    return size**3 / 3.0


def _solved(system: Floats, right: Floats) -> Floats | None:
    """Return the solution of a system whose lower triangle is given, overwriting it; None where rounding made it
    lose its definiteness.
    """
    factor, info = lapack.dpotrf(system.T, lower=0, clean=0, overwrite_a=1)
    return None if info else np.asarray(lapack.dpotrs(factor, right, lower=0)[0])


def _preconditioned(
    rows: MarginRows, factor: Any, chosen: Ints, sign: Floats, factors: Floats, w: Floats, accuracy: float
) -> Floats | None:
    """Return where conjugate gradients with a factor of a similar system end; None where they take long."""
    w = w.copy()
    residual = rows.combined(chosen, factors * (sign[chosen] - rows.scores_of(chosen, w))) - w
    direction, size, wanted = np.zeros_like(w), 0.0, 0.0
    for _ in range(SOON + 1):
        scale = float(np.abs(residual).max(initial=1e-300))
        solved = scale * lapack.spotrs(factor, (residual / scale).astype(np.float32), lower=0)[0].astype(np.float64)
        before, size = size, float(residual @ solved)
        wanted = wanted or CLOSER * accuracy**2 * size
        if size <= wanted:
            return w
        direction = solved + (size / before if before else 0.0) * direction
        product = direction.copy()
        rows.add_curvature(chosen, factors, direction, product)
        step = size / float(direction @ product)
        w += step * direction
        residual -= step * product
    return None


def _refined(system: Any, right: Floats, product: Callable[[Floats], Floats], accuracy: float) -> Floats | None:
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
