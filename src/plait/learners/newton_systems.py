"""Minimisers of the quadratic that the squared hinge is on a set of rows: one Newton step of the linear SVM.

On rows B the step goes to the minimiser of 1/2 ||w||^2 + sum over i in B of cost_i (1 - sign_i w.x_i)^2. There are
two ways to it [Chapelle2007, section 4]: the d x d system (1 + 2 X' cost X) w = 2 X' cost sign, or, with
w = sum alpha_i x_i, the |B| x |B| system (X X' + 1 / (2 cost)) alpha = sign. The smaller one is solved by Cholesky;
where both are too large, the first one by preconditioned conjugate gradients.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.linalg import lapack

from plait.learners._svm_kernels import conjugate_step, gather_gram
from plait.learners.margin_rows import MarginRows, SparseRows

__all__ = ["NewtonSystems", "factor_cost"]

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.intp]

LARGEST_SYSTEM = 3000  # of a Cholesky factor
LARGEST_GRAM = 5000  # rows whose products are kept: 200 MB
LARGEST_SHARED, LABELS_THAT_SHARE = 2500, 8  # all products of so few rows are worked out once for so many labels
SMALLEST_SINGLE = 512  # systems from this size on are factored in float32, and their solutions corrected
CORRECTIONS, ACCURATE = 6, 1e-7  # at most so many times, until margins are so accurate
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
        self._iterates = False

    def begin(self, cost: Floats) -> None:
        """Get ready for a label whose rows cost so much."""
        if not self._shares_gram:
            self._forget()
        self._hessian, self._iterates = None, isinstance(self.rows, SparseRows)
        if self._whole is not None and np.array_equal(cost, self._whole[0]):
            self._hessian, self._inside = self._whole[1].copy(), cost > 0

    def minimiser(self, chosen: Indices, sign: Floats, cost: Floats, w: Floats, accuracy: float) -> Floats:
        """Return the minimiser over the chosen rows; conjugate gradients start from w and end at `accuracy`."""
        n_columns = self.rows.shape[1]
        size = min(chosen.size, n_columns)
        if self._iterates and chosen.size >= n_columns:
            # With more rows than columns the system is often well conditioned.
            worth = factor_cost(size) / (PRODUCT_COST * (1.0 + self.rows.n_entries(chosen)))
            near, self._iterates = self._by_conjugate_gradients(chosen, sign, cost, w, accuracy, worth)
            if self._iterates:
                return near
        found = None
        if size <= LARGEST_SYSTEM:
            found = (self._by_gram if chosen.size < n_columns else self._by_hessian)(chosen, sign, cost)
        return self.downhill(chosen, sign, cost, w, accuracy) if found is None else found

    def downhill(self, chosen: Indices, sign: Floats, cost: Floats, w: Floats, accuracy: float) -> Floats:
        """Return a point near the minimiser that lies downhill from w if the chosen rows are those active there."""
        return self._by_conjugate_gradients(chosen, sign, cost, w, accuracy)[0]

    def _by_gram(self, chosen: Indices, sign: Floats, cost: Floats) -> Floats | None:
        self._keep(chosen)
        slots, diagonal, right = self._slot[chosen], 0.5 / cost[chosen], sign[chosen]
        alpha = None
        if chosen.size >= SMALLEST_SINGLE:
            system = np.empty((chosen.size, chosen.size), dtype=np.float32)
            gather_gram(self._gram, slots, diagonal, system)
            alpha = _refined(self.rows, system, chosen, diagonal, right)
        if alpha is None:
            exact = np.empty((chosen.size, chosen.size))
            gather_gram(self._gram, slots, diagonal, exact)
            alpha = _solved(exact, right)
        return None if alpha is None else self.rows.combined(chosen, alpha)

    def _keep(self, chosen: Indices) -> None:
        new = chosen[self._slot[chosen] < 0]
        if not new.size:
            return
        most = min(self.rows.shape[0], LARGEST_GRAM)
        if self._shares_gram:
            new = np.arange(most)
        elif self._kept.size + new.size > most:
            self._forget()
            new = chosen
        if not self._gram.size:  # pages of it that stay untouched cost nothing
            self._gram = np.empty((most, most))
        n_old = self._kept.size
        self._kept = np.concatenate([self._kept, new])
        self._slot[new] = np.arange(n_old, self._kept.size)
        self.rows.extend_gram(self._kept, n_old, self._gram)

    def _forget(self) -> None:
        self._slot[self._kept] = -1
        self._kept = np.empty(0, dtype=np.intp)

    def _by_hessian(self, chosen: Indices, sign: Floats, cost: Floats) -> Floats | None:
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
        return _solved(self._hessian.copy(), self.rows.combined(chosen, 2.0 * cost[chosen] * sign[chosen]))

    def _by_conjugate_gradients(
        self, chosen: Indices, sign: Floats, cost: Floats, w: Floats, accuracy: float, worth: float | None = None
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


def _refined(rows: MarginRows, system: Any, chosen: Indices, diagonal: Floats, right: Floats) -> Floats | None:
    """Return the solution of (X X' + diagonal) alpha = right by a factor in single precision, corrected in double.

    None where the system is too badly conditioned for that.
    """
    factor, info = lapack.spotrf(system.T, lower=0, clean=0, overwrite_a=1)
    if info:
        return None
    alpha, left = np.zeros(right.size), right
    for _ in range(CORRECTIONS):
        scale = np.abs(left).max()
        alpha += scale * lapack.spotrs(factor, (left / scale).astype(np.float32), lower=0)[0]
        left = right - diagonal * alpha - rows.scores_of(chosen, rows.combined(chosen, alpha))
        if np.abs(left).max() <= ACCURATE:
            return alpha
    return None
