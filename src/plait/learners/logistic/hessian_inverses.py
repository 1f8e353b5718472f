"""Preconditioners of the descent: approximate inverses of the Hessians X' S X + penalty of logistic regressions.

S holds the IRLS weights w p (1 - p) of the rows. `LevelInverses` replaces S by its mean, so that labels share inverses;
`DensePreconditioner` factors Hessians of single problems besides; `BorderedInverses` serve the pairs of labels.
"""

import math
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.linalg import lapack

from plait.core.arrays import Array, Bools, Floats, Ints
from plait.learners.logistic.row_matrices import DenseRows, in_eights

__all__ = [
    "BorderedInverses",
    "DensePreconditioner",
    "DiagonalInverses",
    "LevelInverses",
    "cholesky_factor",
    "solve_factored",
]


# Means of S are rounded to powers of this number.
_RATIO = 4.0
_LOG_RATIO = math.log(_RATIO)
# LAPACK's routines of Cholesky's factors for float32 and float64.
_FACTOR = {"f": lapack.spotrf, "d": lapack.dpotrf}
_SOLVE = {"f": lapack.spotrs, "d": lapack.dpotrs}
_INVERT = {"f": lapack.spotri, "d": lapack.dpotri}
# What rounding leaves of A'A, as a share of its largest entry.
_ROUNDING = 1e-6
# Entries of a Gram matrix from which float32 no longer tells the penalty from rounding.
_LARGE = 1e4
# Inverses that are kept may hold so many numbers.
_MOST_KEPT = 2**25


class LevelInverses:
    """Inverses of I + s A'A for powers s of four, made when asked for and kept.

    Columns that all problems use are inverted once for each level. What a problem has besides, such as parents of its
    own, borders that matrix: its inverse follows from the Schur complement of the shared part.

    Parameters
    ----------
    gram : ndarray of shape (n_columns, n_columns)
        A'A.
    shared : ndarray of bool, shape (n_columns,)
        Columns that all problems use.
    """

    def __init__(self, gram: Array, shared: Bools) -> None:
        self._gram, self.dtype = gram, gram.dtype
        self.shared, self.others = np.flatnonzero(shared), np.flatnonzero(~shared)
        self._cores: dict[float, tuple[Array, Array]] = {}
        self._corners: dict[tuple[float, bytes], Array] = {}

    @staticmethod
    def near(curvature: Floats) -> Floats:
        """Return the levels nearest to mean second derivatives; 0 stays 0."""
        known = curvature > 1e-290
        powers = np.round(np.log(np.where(known, curvature, 1.0)) / _LOG_RATIO)
        return np.asarray(np.where(known, _RATIO**powers, 0.0))

    def core(self, level: float) -> tuple[Array, Array]:
        """Return the inverse on the shared columns, and that times what joins them with the others."""
        found = self._cores.get(level)
        if found is None:
            inverse = _inverted(self._gram[np.ix_(self.shared, self.shared)], level)
            border = inverse @ (level * self._gram[np.ix_(self.shared, self.others)])
            if len(self._cores) * self._gram.size > _MOST_KEPT:
                self._cores.clear()
            found = self._cores[level] = inverse, np.ascontiguousarray(border, dtype=self.dtype)
        return found

    def corner(self, level: float, used: Bools) -> Array:
        """Return the inverse Schur complement of a set of the other columns, zero off the set."""
        key = level, used.tobytes()
        found = self._corners.get(key)
        if found is None:
            some = np.flatnonzero(used)
            columns, border = self.others[some], self.core(level)[1][:, some]
            joined = self._gram[np.ix_(columns, self.shared)] @ border
            corner = np.zeros((len(used), len(used)), dtype=self.dtype)
            corner[np.ix_(some, some)] = _inverted(level * (self._gram[np.ix_(columns, columns)] - joined), 1.0)
            if len(self._corners) * corner.size > _MOST_KEPT:
                self._corners.clear()
            found = self._corners[key] = corner
        return found


def _inverted(gram: Array, level: float) -> Array:
    """Return (I + level gram)^-1 by Cholesky's factors; more is added to the diagonal where rounding asks it."""
    if not gram.size:
        return gram
    size = level * float(gram.diagonal().max(initial=0.0))
    scaled = gram.astype(np.float64 if size > _LARGE else gram.dtype) * level
    more = _ROUNDING * size
    while True:
        H = scaled.copy()
        H[np.diag_indices_from(H)] += 1.0 + more
        factor, failed = _FACTOR[H.dtype.char](H.T, lower=1, overwrite_a=1)
        if not failed:
            break
        more = max(10.0 * more, 1e-6)
    lower = _INVERT[H.dtype.char](factor, lower=1, overwrite_c=1)[0]
    inverse = np.asarray(lower + lower.T, dtype=gram.dtype)
    inverse[np.diag_indices_from(inverse)] *= 0.5
    return inverse


class DensePreconditioner:
    """Inverse Hessians of problems over dense rows: by levels at first, by factors of their own once `renew` is called.

    Parameters
    ----------
    rows : DenseRows
        The matrix, with the intercept's column last if there is one.
    levels : LevelInverses or None
        For all columns but the intercept's; None where there are too many, and the diagonal has to do.
    penalty : ndarray, shape (n_problems,)
        L2 penalty, the same for all coefficients but the intercept.
    support : ndarray of bool, shape (n_problems, n_columns), or None
        Which columns each problem uses; None for all.
    """

    def __init__(self, rows: DenseRows, levels: LevelInverses | None, penalty: Floats, support: Bools | None) -> None:
        self.dtype, self._rows, self._levels = rows.dtype, rows, levels
        self._penalty, self._support = penalty.astype(rows.dtype), support
        self._level, self._own = np.full(len(penalty), np.nan), dict[int, Array]()
        if levels is None:
            self._squares = rows.diagonal(np.ones(len(rows.values), rows.dtype))[: rows.n_columns]
        elif support is not None:
            self._used = support[:, levels.others].astype(rows.dtype)
            self._corners = np.zeros((len(penalty), len(levels.others), len(levels.others)), dtype=rows.dtype)

    def apply(self, values: Array, rows: Ints, curvature: Floats) -> Array:
        """Return the inverse of problem `rows[r]` times row r of `values`."""
        n_columns, mean, out = self._rows.n_columns, curvature / len(self._rows.values), np.empty_like(values)
        if self._levels is None:
            out[:, :n_columns] = values[:, :n_columns] / (mean[:, None] * self._squares + self._penalty[rows, None])
        else:
            found = self._by_levels(self._levels, values[:, :n_columns], rows, mean)
            np.divide(found, self._penalty[rows, None], out=out[:, :n_columns])
        # An intercept whose rows are all certain stays where it is.
        certain = curvature <= 0
        out[:, n_columns:] = np.where(certain, 0.0, values[:, n_columns:].T / np.where(certain, 1.0, curvature)).T
        if self._own:
            for place, row in enumerate(rows.tolist()):
                if row in self._own:
                    out[place] = solve_factored(self._own[row], values[place : place + 1])[0]
        return out

    def _by_levels(self, levels: LevelInverses, values: Array, rows: Ints, mean: Floats) -> Array:
        """Return (I + level A'A)^-1 times each row of values, on the columns that its problem uses."""
        level = levels.near(mean / self._penalty[rows])
        groups = [(each, np.flatnonzero(level == each)) for each in set(level.tolist())]
        if not levels.others.size:
            out = np.empty_like(values)
            for each, here in groups:
                out[here] = in_eights(values[here], levels.core(each)[0])
            return out
        for place in np.flatnonzero(level != self._level[rows]).tolist():
            row = rows[place]
            self._level[row] = level[place]
            self._corners[row] = levels.corner(float(level[place]), self._used[row] > 0)
        out, inner = np.empty_like(values), np.ascontiguousarray(values[:, levels.shared])
        rest, solved = values[:, levels.others], np.empty_like(inner)
        for each, here in groups:
            core, border = levels.core(each)
            solved[here] = in_eights(inner[here], core)
            rest[here] -= in_eights(inner[here], border)
        rest = ((rest * self._used[rows])[:, None] @ self._corners[rows])[:, 0]
        for each, here in groups:
            solved[here] -= in_eights(rest[here], levels.core(each)[1].T)
        out[:, levels.others], out[:, levels.shared] = rest, solved
        return out

    def renew_first(self, rows: Ints, irls_weights: Array) -> None:
        """Factor the Hessians of those of some problems that have no factor of their own."""
        new = np.array([row not in self._own for row in rows.tolist()], dtype=np.bool_)
        self.renew(rows[new], irls_weights[new])

    def renew(self, rows: Ints, irls_weights: Array) -> None:
        """Factor the Hessians of some problems at the present weights."""
        for row, weights in zip(rows.tolist(), irls_weights.astype(self.dtype, copy=False), strict=True):
            gram, penalty = self._rows.grams(weights[None])[0], np.zeros(self._rows.size, dtype=self.dtype)
            penalty[: self._rows.n_columns] = self._penalty[row]
            if self._support is not None:
                off = np.flatnonzero(~self._support[row])
                gram[off], gram[:, off], penalty[off] = 0.0, 0.0, 1.0
            self._own[row] = cholesky_factor(gram, penalty)


class BorderedInverses:
    """Exact inverses of [[H_i, c_ij], [c_ij', a_ij]] for pairs of a target i and a parent j, from factors of the H_i.

    H_i = X' S_i X + penalty is the same for all parents; c_ij = X' S_i y_j and a_ij = y_j' S_i y_j + penalty. S_i are
    the IRLS weights of the target without parents, so a pair that barely changes p is solved in one step.

    Parameters
    ----------
    grams : ndarray, shape (n_targets, size, size)
        X' S_i X, of which the lower triangles count.
    matrix : DenseRows or SparseRows
        X.
    irls_weights, penalty : ndarray, shape (n_targets, n_samples) and (n_targets, size + 1)
        S_i and the penalties, the parent's last.
    labels : ndarray, shape (n_labels, n_samples)
        Values of all labels as parents.
    target_of, parent_of : ndarray of int, shape (n_pairs,)
        The target's place and the parent's label of each pair; pairs of a target stand together.
    """

    def __init__(
        self,
        grams: Array,
        matrix: Any,
        irls_weights: Array,
        penalty: Array,
        labels: Array,
        target_of: Ints,
        parent_of: Ints,
    ) -> None:
        self.dtype, self._target_of = grams.dtype, target_of
        self._factors = [cholesky_factor(gram, row[:-1]) for gram, row in zip(grams, penalty, strict=True)]
        corner = in_eights(irls_weights, np.square(labels).T)[target_of, parent_of] + penalty[target_of, -1]
        self._border = matrix.gradients(labels[parent_of] * irls_weights[target_of])
        self._solved = self._inner(self._border, np.arange(len(target_of)))
        rest = corner - np.einsum("ij,ij->i", self._border, self._solved)
        self._rest = np.maximum(rest, 1e-6 * corner)

    def apply(self, values: Array, rows: Ints, curvature: Floats) -> Array:
        """Return the inverse of pair `rows[r]` times row r of `values`, in which the parent stands last."""
        out, inner = np.empty_like(values), self._inner(values[:, :-1], rows)
        last = (values[:, -1] - np.einsum("ij,ij->i", self._border[rows], inner)) / self._rest[rows]
        out[:, :-1] = inner - last[:, None] * self._solved[rows]
        out[:, -1] = last
        return out

    def _inner(self, values: Array, rows: Ints) -> Array:
        """Return H^-1 of the target of pair `rows[r]` times row r of `values`."""
        out, target = np.empty_like(values), self._target_of[rows]
        bounds = np.flatnonzero(np.diff(target, prepend=-1, append=-1))
        for low, high in pairwise(bounds.tolist()):
            out[low:high] = solve_factored(self._factors[target[low]], values[low:high])
        return out


class DiagonalInverses:
    """Inverses of the diagonals of the same matrices alone, where whole ones are too large."""

    def __init__(
        self, matrix: Any, irls_weights: Array, penalty: Array, labels: Array, target_of: Ints, parent_of: Ints
    ) -> None:
        self.dtype, self._target_of = labels.dtype, target_of
        self._shared = np.stack([matrix.diagonal(row) for row in irls_weights]) + penalty[:, :-1]
        self._last = in_eights(irls_weights, np.square(labels).T)[target_of, parent_of] + penalty[target_of, -1]

    def apply(self, values: Array, rows: Ints, curvature: Floats) -> Array:
        """Return the inverse of pair `rows[r]` times row r of `values`, in which the parent stands last."""
        out = np.empty_like(values)
        out[:, :-1] = values[:, :-1] / self._shared[self._target_of[rows]]
        out[:, -1] = values[:, -1] / self._last[rows]
        return out


def cholesky_factor(gram: Array, penalty: Array) -> Array:
    """Return the upper factor (Fortran order) of a lower triangle plus a diagonal, lifted until it is definite."""
    diagonal = np.arange(len(gram))
    lift = np.finfo(gram.dtype).eps * max(float(gram[diagonal, diagonal].mean()), 1e-30)
    for _ in range(30):
        raised = gram.copy()
        raised[diagonal, diagonal] += penalty + lift
        factor, failed = _FACTOR[gram.dtype.char](raised.T, lower=0, overwrite_a=1, clean=0)
        if not failed:
            break
        lift *= 10.0
    return np.asarray(factor)


def solve_factored(factor: Array, rows: Array) -> Array:
    """Return the inverse of the factored matrix times each row."""
    return np.asarray(_SOLVE[factor.dtype.char](factor, rows.T, lower=0)[0]).T
