"""Inverse second derivatives shared by all pairs of one target: one matrix, bordered by each parent's column."""

import numpy as np
import numpy.typing as npt
from scipy.linalg import lapack

from plait.core.arrays import Array
from plait.learners.pairs.pair_designs import PairDesign

__all__ = ["BorderedInverse", "DiagonalInverse", "cholesky_factor", "solve_factored"]


class BorderedInverse:
    """Exact inverse of [[H, c_j], [c_j', a_j]] for every parent j, from one Cholesky factor of H.

    H = design' S design + penalty is the same for all parents; c_j = design' S y_j and a_j = y_j' S y_j + penalty.
    S is p (1 - p) of the target without parents, so a pair that barely changes p is solved in one step.
    """

    def __init__(self, design: PairDesign, gram: Array, spread: Array, penalty: Array, parents: Array) -> None:
        self._factor = cholesky_factor(gram, penalty[:-1])
        weighted = parents * spread
        self._border = design.gradients(weighted)
        self._solved = solve_factored(self._factor, self._border)
        corner = weighted.sum(axis=1) + penalty[-1]  # labels are 0/1, so y^2 = y
        rest = corner - np.einsum("ij,ij->i", self._border, self._solved)
        self._rest = np.maximum(rest, 1e-6 * corner)

    def apply(self, values: Array, rows: npt.NDArray[np.intp]) -> Array:
        """Return the inverse of pair `rows[r]` times row r of `values`, in which the parent stands last."""
        out = np.empty_like(values)
        inner = solve_factored(self._factor, values[:, :-1])
        last = (values[:, -1] - np.einsum("ij,ij->i", self._border[rows], inner)) / self._rest[rows]
        out[:, :-1] = inner - last[:, None] * self._solved[rows]
        out[:, -1] = last
        return out


class DiagonalInverse:
    """Inverse of the diagonal alone, where the whole matrix is too large."""

    def __init__(self, design: PairDesign, spread: Array, penalty: Array, parents: Array) -> None:
        self._shared = design.diagonal(spread) + penalty[:-1]
        self._last = (parents * spread).sum(axis=1) + penalty[-1]

    def apply(self, values: Array, rows: npt.NDArray[np.intp]) -> Array:
        """Return the inverse of pair `rows[r]` times row r of `values`, in which the parent stands last."""
        out = np.empty_like(values)
        out[:, :-1] = values[:, :-1] / self._shared
        out[:, -1] = values[:, -1] / self._last[rows]
        return out


def cholesky_factor(gram: Array, penalty: Array) -> Array:
    """Return the upper factor (Fortran order) of a lower triangle plus a diagonal, lifted until it is definite."""
    size = gram.shape[0]
    diagonal = np.arange(size)
    lift = np.finfo(gram.dtype).eps * max(float(gram[diagonal, diagonal].mean()), 1e-30)
    routine = lapack.spotrf if gram.dtype == np.float32 else lapack.dpotrf
    for _ in range(30):
        raised = gram.copy()
        raised[diagonal, diagonal] += penalty + lift
        factor, failed = routine(raised.T, lower=0, overwrite_a=1, clean=0)
        if not failed:
            break
        lift *= 10.0
    return np.asarray(factor)


def solve_factored(factor: Array, rows: Array) -> Array:
    """Return the inverse of the factored matrix times each row."""
    routine = lapack.spotrs if factor.dtype == np.float32 else lapack.dpotrs
    return np.asarray(routine(factor, rows.T, lower=0)[0]).T
