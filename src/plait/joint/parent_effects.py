"""`ParentEffects`: the matrix of the parents, laid out for walks along the order of a chain."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from plait.joint._layout_kernels import fill_effects, fill_factors
from plait.structure import LabelGraph

__all__ = ["ParentEffects", "effects_along"]


@dataclass(frozen=True, eq=False)
class ParentEffects:
    """What each label adds to the scores of later labels when it is 1; places are places in the graph's order.

    Parameters
    ----------
    order : ndarray of int64, shape (n_labels,), or None
        The label at each place; None where that is the labels' own order.
    matrix : ndarray of float64, shape (n_labels, n_labels)
        `matrix[a, b]` is what the label at place a adds to the score of the label at place b; zero unless a < b.
    reach : ndarray of int64, shape (n_labels,)
        The label at place a touches places below `reach[a]` only; `a + 1` where it touches none.
    """

    order: npt.NDArray[np.int64] | None
    matrix: npt.NDArray[np.float64]
    reach: npt.NDArray[np.int64]

    @cached_property
    def factors(self) -> npt.NDArray[np.float64]:
        """What each label multiplies the odds of later labels by: the exponentials of `matrix`."""
        factors = np.empty_like(self.matrix)
        fill_factors(self.matrix.ravel(), factors.ravel())
        return factors

    @cached_property
    def spread(self) -> float:
        """The most that the parents of one label can move its score."""
        return float(np.abs(self.matrix).sum(axis=0).max(initial=0.0))


def effects_along(graph: LabelGraph, parent_coef: npt.NDArray[np.float64]) -> ParentEffects:
    """Return the effects for `parent_coef` (n_labels, n_labels), whose row k holds what each parent adds to label k.

    Examples
    --------
    >>> effects_along(LabelGraph([[1], []]), np.array([[0.0, 2.0], [0.0, 0.0]]))
    ParentEffects(order=array([1, 0]), matrix=array([[0., 2.],
           [0., 0.]]), reach=array([2, 2]))
    """
    order = np.array(graph.order, dtype=np.int64)
    matrix = np.empty((order.size, order.size))
    reach = np.empty(order.size, dtype=np.int64)
    fill_effects(np.ascontiguousarray(parent_coef, dtype=np.float64), order, matrix, reach)
    own = np.array_equal(order, np.arange(order.size))
    return ParentEffects(None if own else order, matrix, reach)
