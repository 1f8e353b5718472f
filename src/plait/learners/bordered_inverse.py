"""Inverse second derivatives shared by all pairs of one target: one matrix, bordered by each parent's column."""

from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
from scipy.linalg import get_lapack_funcs

from plait.learners.pair_design import PairDesign

__all__ = ["BorderedInverse", "DiagonalInverse", "PairInverse"]

Matrix = npt.NDArray[Any]


class PairInverse(Protocol):
    """An approximate inverse of the second derivatives, for the coefficients of all pairs of one target."""

    def apply(self, rows: Matrix, pairs: npt.NDArray[np.intp]) -> Matrix:
        """Return the inverse times each row of `rows`; row r belongs to pair `pairs[r]`, its parent stands last."""


class BorderedInverse:
    """Exact inverse of [[H, c_j], [c_j', a_j]] for every parent j, from one Cholesky factor of H.

    H = design' S design + penalty is the same for all parents; c_j = design' S y_j and a_j = y_j' S y_j + penalty.
    S is p (1 - p) of the target without parents, so a pair that barely changes p is solved in one step.
    """

    def __init__(self, design: PairDesign, gram: Matrix, spread: Matrix, penalty: Matrix, parents: Matrix) -> None:
        self._factor = _cholesky(gram, penalty[:-1])
        weighted = parents * spread
        self._border = design.gradients(weighted)
        self._solved = self._solve(self._border)
        corner = weighted.sum(axis=1) + penalty[-1]  # labels are 0/1, so y^2 = y
        rest = corner - np.einsum("ij,ij->i", self._border, self._solved)
        self._rest = np.maximum(rest, 1e-6 * corner)

    def _solve(self, rows: Matrix) -> Matrix:
        routine: Any = get_lapack_funcs("potrs", (self._factor,))
        return np.asarray(routine(self._factor, rows.T, lower=0)[0]).T

    def apply(self, rows: Matrix, pairs: npt.NDArray[np.intp]) -> Matrix:
        """Return the inverse times each row."""
        out = np.empty_like(rows)
        inner = self._solve(rows[:, :-1])
        last = (rows[:, -1] - np.einsum("ij,ij->i", self._border[pairs], inner)) / self._rest[pairs]
        out[:, :-1] = inner - last[:, None] * self._solved[pairs]
        out[:, -1] = last
        return out


class DiagonalInverse:
    """Inverse of the diagonal alone, where the whole matrix is too large."""

    def __init__(self, design: PairDesign, spread: Matrix, penalty: Matrix, parents: Matrix) -> None:
        self._shared = design.diagonal(spread) + penalty[:-1]
        self._last = (parents * spread).sum(axis=1) + penalty[-1]

    def apply(self, rows: Matrix, pairs: npt.NDArray[np.intp]) -> Matrix:
        """Return the inverse times each row."""
        out = np.empty_like(rows)
        out[:, :-1] = rows[:, :-1] / self._shared
        out[:, -1] = rows[:, -1] / self._last[pairs]
        return out


def _cholesky(gram: Matrix, penalty: Matrix) -> Matrix:
    """Return the upper factor (Fortran order) of a lower triangle plus a diagonal, lifted until it is definite."""
    size = gram.shape[0]
    diagonal = np.arange(size)
    lift = np.finfo(gram.dtype).eps * max(float(gram[diagonal, diagonal].mean()), 1e-30)
    routine: Any = get_lapack_funcs("potrf", (gram,))
    for _ in range(30):
        raised = gram.copy()
        raised[diagonal, diagonal] += penalty + lift
        factor, failed = routine(raised.T, lower=0, overwrite_a=1, clean=0)
        if not failed:
            break
        lift *= 10.0
    return np.asarray(factor)
