"""The best features of every label by a score of each feature for each label."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from plait.features.feature_mask import FeatureMask
from plait.features.ties import stable_ranking

__all__ = ["ranked_by_label"]


def ranked_by_label(
    scores: npt.NDArray[np.float64], columns: npt.NDArray[np.int64], sizes: Sequence[int], n_features: int
) -> FeatureMask:
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
