"""`ChainScores`: the numbers of a linear distribution along its order, as the kernels take them."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from plait.core.arrays import Floats, Labels
from plait.core.kernel_policy import kernels_pay
from plait.joint import LinearDistribution
from plait.joint.graph_distribution import SCORE_LIMIT

__all__ = ["ChainScores", "compiled_search", "scores_along"]

# From this many labels on kernels walk along chains; with fewer a table of all label vectors or NumPy along the labels
# takes a few milliseconds for hundreds of rows.
KERNELS_FROM = 11


@dataclass(frozen=True, eq=False)
class ChainScores:
    """Scores, effects and known labels, all in the order of the chain.

    Parameters
    ----------
    base : ndarray of float64, shape (n_rows, n_labels)
        Scores where no parent is 1.
    effects : ndarray of float64, shape (n_labels, n_labels)
        What a label adds to the scores of later ones.
    reach : ndarray of int64, shape (n_labels,)
        Each label touches labels below this place only.
    known : ndarray of int8, shape (n_rows, n_labels) or (1, n_labels)
        Known labels, -1 where unknown; one row where nothing is known.
    limit : float
        Bound on scores, 0 where they are margins.
    order : ndarray of int64, or None
        The label at each place; None where that is the labels' own order.
    """

    base: Floats
    effects: Floats
    reach: npt.NDArray[np.int64]
    known: npt.NDArray[np.int8]
    limit: float
    order: npt.NDArray[np.int64] | None

    def by_label(self, vectors: Labels) -> Labels:
        """Return vectors (..., n_labels) with labels in their own order."""
        if self.order is None:
            return vectors
        placed = np.empty_like(vectors)
        placed[..., self.order] = vectors
        return placed


def compiled_search(distribution: LinearDistribution) -> bool:
    """Say whether kernels walk along a chain: where it has many labels."""
    return kernels_pay(distribution.n_labels, KERNELS_FROM)


def scores_along(distribution: LinearDistribution, bounded: bool = False) -> ChainScores:
    """Return the numbers of a linear distribution along its order; copies them only where the order is another one.

    `bounded` moves scores, which may be infinite, to where they are clipped whatever the parents add: their
    exponentials, times those of the effects, are numbers.
    """
    layout = distribution.along_the_order()
    base = np.ascontiguousarray(distribution.base, dtype=np.float64)
    known = distribution.evidence
    known = np.full((1, base.shape[1]), -1, dtype=np.int8) if known is None else known
    if layout.order is not None:
        base, known = np.ascontiguousarray(base[:, layout.order]), known[:, layout.order]
    if bounded:
        base = layout.bounded(base)
    limit = SCORE_LIMIT if distribution.probabilistic else 0.0
    return ChainScores(base, layout.matrix, layout.reach, np.ascontiguousarray(known), limit, layout.order)
