"""ReliefF for each label by itself: its two classes are the rows with the label and those without [Kononenko1994]."""

from typing import Any, ClassVar

import numpy as np

from plait.core.checks import InstanceOf, Interval, Nothing, RandomState
from plait.features.engine.columns import as_numbers, column_bounds
from plait.features.engine.ranking import ranked_by_label
from plait.features.engine.sizes import SIZE_RULES, n_wanted
from plait.features.feature_mask import FeatureMask
from plait.features.pruned_relieff import PrunedReliefF, WholeDifferences, relieff_weights
from plait.structure import LabelGraph

__all__ = ["ReliefF"]


class ReliefF(PrunedReliefF):
    """ReliefF: every label ranks the features by how they tell its near rows with and without it apart.

    Use it when features matter only together, and labels need features of their own; `PrunedReliefF` weighs features
    for all labels at once. PACC compares it with its own selector. A label has the weights of the rows that know it.

    Parameters
    ----------
    n_features : int, float or "sqrt", default="sqrt"
        How many features every label keeps.
    n_neighbors : int, default=10
        Nearest rows with the label, and without it.
    n_samples : int or None, default=None
        How many rows to draw for the weighting; None takes all, and then nothing is random.
    nominal : sequence of bool, int or str, optional
        Columns whose values are names, so that different values differ by 1: a mask, their numbers, or their names in a
        data frame.
    random_state : int, RandomState, Generator or None, default=None
        For the drawing of rows.
    n_jobs : int, optional
        Threads; the result is the same for any number.

    Attributes
    ----------
    ranking_, scores_ : list of ndarray
        For each label its features, the best first, and their weights.
    weights_ : ndarray of shape (n_labels, n_features)
        ReliefF weights, between -1 and 1; 0 for a label that all rows or none have.

    References
    ----------
    [Kononenko1994] Kononenko: Estimating attributes: analysis and extensions of RELIEF, 1994.

    Examples
    --------
    Only both first features together tell the first label; the third is the second label.

    >>> X = np.array([[0, 0, 0], [0, 1, 1], [1, 0, 0], [1, 1, 1], [0, 0, 1], [0, 1, 0], [1, 0, 1], [1, 1, 0]] * 3)
    >>> Y = np.column_stack([X[:, 0] != X[:, 1], X[:, 2]]).astype(int)
    >>> ReliefF(n_features=2, n_neighbors=3).fit(X, Y).ranking_[0]
    array([0, 1])
    """

    label_specific = True
    parameter_rules: ClassVar = {
        "n_features": SIZE_RULES,
        "n_neighbors": (Interval(int, 1, None),),
        "n_samples": (Interval(int, 1, None), Nothing()),
        "nominal": (InstanceOf((list, tuple, np.ndarray)), Nothing()),
        "random_state": (RandomState(),),
        "n_jobs": (Interval(int, None, None), Nothing()),
    }

    def __init__(
        self,
        n_features: Any = "sqrt",
        n_neighbors: int = 10,
        n_samples: int | None = None,
        nominal: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_features = n_features
        self.n_neighbors = n_neighbors
        self.n_samples = n_samples
        self.nominal = nominal
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _select(self, X: Any, Y: Any, graph: LabelGraph) -> FeatureMask:
        numbers = as_numbers(type(self).__name__, X)
        n_rows, n_columns = numbers.shape
        nominal = self._nominal_columns(n_columns)
        every = WholeDifferences.of(numbers, nominal), self._sampled(n_rows)
        self.weights_ = np.zeros((Y.shape[1], n_columns))
        for label, weights in enumerate(self.weights_):
            column = Y[:, [label]]
            classes = np.asarray(column.toarray() if hasattr(column, "toarray") else column).ravel().astype(np.int64)
            known = np.flatnonzero(classes >= 0)
            if 0 < classes[known].sum() < known.size:
                differences, rows = every
                if known.size < n_rows:
                    differences, rows = WholeDifferences.of(numbers[known], nominal), self._sampled(known.size)
                weights[:] = relieff_weights(differences, classes[known], rows, self.n_neighbors, self.n_jobs)
        low, high = column_bounds(numbers)
        columns = np.flatnonzero(high > low)
        wanted = n_wanted(self.n_features, n_rows, n_columns)
        self._warn_if_fewer(columns.size, wanted)
        return ranked_by_label(self.weights_[:, columns].T, columns, [wanted] * Y.shape[1], n_columns)
