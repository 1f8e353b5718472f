"""Rankings by the one rule for ties: of all candidates within rounding of the best score, the first one wins."""

import numpy as np
import numpy.typing as npt

from plait.core.ties import TIE_TOLERANCE, first_best

__all__ = ["TIE_TOLERANCE", "first_best", "stable_ranking"]


def stable_ranking(scores: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
    """Return indices by falling score, as if `first_best` were taken again and again; -inf is left out.

    Examples
    --------
    >>> stable_ranking(np.array([0.1, 0.3 - 1e-15, 0.3, -np.inf]))
    array([1, 2, 0])
    """
    order = np.argsort(-scores, kind="stable")
    order = order[scores[order] > -np.inf]
    values = scores[order]
    nearest = values - TIE_TOLERANCE * np.maximum(1.0, np.abs(values))
    # Runs of scores that touch within the tolerance; between two runs nothing can change places, and a run of equal
    # scores stands right already.
    bounds = np.concatenate(([0], np.flatnonzero(values[1:] < nearest[:-1]) + 1, [order.size]))
    starts, ends = bounds[:-1][bounds[:-1] < order.size], bounds[1:][bounds[:-1] < order.size]
    unequal = values[ends - 1] < values[starts]
    for start, end in zip(starts[unequal], ends[unequal], strict=True):
        order[start:end] = _by_turns(order[start:end], scores)
    return order


def _by_turns(order: npt.NDArray[np.int64], scores: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
    """Return indices sorted by falling score, taking the smallest one within the tolerance of the best each time."""
    order = order.copy()
    for start in range(order.size):
        top = scores[order[start]]
        near = top - TIE_TOLERANCE * max(1.0, abs(top))
        end = start + int(np.searchsorted(-scores[order[start:]], -near, side="right"))
        pick = int(np.argmin(order[start:end]))
        order[start : start + pick + 1] = np.roll(order[start : start + pick + 1], 1)
    return order
