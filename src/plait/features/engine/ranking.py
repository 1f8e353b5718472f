"""Rankings by the one rule for ties: of all candidates within rounding of the best score, the first one wins."""

from collections.abc import Sequence

import numpy as np

from plait.core.arrays import Floats, Ints
from plait.core.ties import TIE_TOLERANCE
from plait.features.feature_mask import FeatureMask

__all__ = ["ranked_by_label", "stable_ranking"]


def stable_ranking(scores: Floats) -> Ints:
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


def _by_turns(order: Ints, scores: Floats) -> Ints:
    """Return indices sorted by falling score, taking the smallest one within the tolerance of the best each time."""
    order = order.copy()
    for start in range(order.size):
        top = scores[order[start]]
        near = top - TIE_TOLERANCE * max(1.0, abs(top))
        end = start + int(np.searchsorted(-scores[order[start:]], -near, side="right"))
        pick = int(np.argmin(order[start:end]))
        order[start : start + pick + 1] = np.roll(order[start : start + pick + 1], 1)
    return order


def ranked_by_label(scores: Floats, columns: Ints, sizes: Sequence[int], n_features: int) -> FeatureMask:
    """Return the mask in which label j keeps the `sizes[j]` features with the best scores.

    Parameters
    ----------
    scores : ndarray of shape (n_columns, n_labels)
        Score of each feature that may be chosen.
    columns : ndarray of int, shape (n_columns,)
        Which features these are.
    sizes : sequence of int
        How many features each label keeps.
    n_features : int
        How many features there are in all.

    Examples
    --------
    >>> mask = ranked_by_label(np.array([[0.1, 0.9], [0.3, 0.2]]), np.array([0, 2]), [1, 2], 3)
    >>> [ranking.tolist() for ranking in mask.rankings]
    [[2], [0, 2]]
    """
    orders = [stable_ranking(column)[:size] for column, size in zip(scores.T, sizes, strict=True)]
    values = [column[order] for column, order in zip(scores.T, orders, strict=True)]
    return FeatureMask.by_label([columns[order] for order in orders], values, n_features)
