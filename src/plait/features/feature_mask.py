"""`FeatureMask`: which features each label keeps, in which order they were chosen, and why."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from plait.core.arrays import Bools, Floats, Ints
from plait.core.sentences import ParameterError

__all__ = ["FeatureMask"]


@dataclass(frozen=True, eq=False)
class FeatureMask:
    """The features of every label.

    Parameters
    ----------
    support : ndarray of bool, shape (n_labels, n_features)
        Whether a label keeps a feature.
    rankings : tuple of ndarray of int
        Features in the order chosen: one array for all labels together, or one for each label.
    scores : tuple of ndarray of float
        The criterion's value of each feature when it was chosen, shaped like `rankings`.
    label_specific : bool, default=False
        Whether there is a ranking for each label.

    See Also
    --------
    FeatureMask.shared : one ranking for all labels.
    FeatureMask.by_label : a ranking for each label.

    Examples
    --------
    >>> from plait.features import MIM
    >>> X = Y = [[0, 1], [1, 1], [0, 0], [1, 0]]
    >>> MIM(n_features=1, scope="label").fit(X, Y).mask_.support
    array([[ True, False],
           [False,  True]])
    """

    support: Bools
    rankings: tuple[Ints, ...]
    scores: tuple[Floats, ...]
    label_specific: bool = False

    @classmethod
    def shared(cls, ranking: Sequence[int] | Ints, scores: Any, n_labels: int, n_features: int) -> "FeatureMask":
        """Return the mask in which every label keeps the same features.

        Parameters
        ----------
        ranking : sequence of int
            The features that are kept, the best first.
        scores : sequence of float
            How good they are, in the same order.
        n_labels, n_features : int
            How many labels and features there are.

        Examples
        --------
        >>> FeatureMask.shared([2, 0], [0.5, 0.1], n_labels=2, n_features=3).support.astype(int)
        array([[1, 0, 1],
               [1, 0, 1]])
        """
        order, values = _checked(ranking, scores, n_features)
        support = np.zeros((n_labels, n_features), dtype=np.bool_)
        support[:, order] = True
        return cls(support, (order,), (values,))

    @classmethod
    def by_label(cls, rankings: Iterable[Any], scores: Iterable[Any], n_features: int) -> "FeatureMask":
        """Return the mask in which label j keeps the features of `rankings[j]`.

        Parameters
        ----------
        rankings : iterable of sequences of int
            The features of each label, the best first.
        scores : iterable of sequences of float
            How good they are, in the same order.
        n_features : int
            How many features there are.

        Examples
        --------
        >>> FeatureMask.by_label([[2], [0, 1]], [[0.5], [0.3, 0.1]], n_features=3).support.astype(int)
        array([[0, 0, 1],
               [1, 1, 0]])
        """
        pairs = [_checked(ranking, values, n_features) for ranking, values in zip(rankings, scores, strict=True)]
        support = np.zeros((len(pairs), n_features), dtype=np.bool_)
        for label, (order, _) in enumerate(pairs):
            support[label, order] = True
        return cls(
            support, tuple(order for order, _ in pairs), tuple(values for _, values in pairs), label_specific=True
        )

    @property
    def n_labels(self) -> int:
        """Number of labels."""
        return int(self.support.shape[0])

    @property
    def n_features(self) -> int:
        """Number of features there were to choose from."""
        return int(self.support.shape[1])

    def ranking_of(self, label: int) -> Ints:
        """Return the features of one label in the order chosen.

        Parameters
        ----------
        label : int
            Which.
        """
        return self.rankings[label if self.label_specific else 0]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, FeatureMask):
            return NotImplemented
        same_parts = all(
            len(mine) == len(theirs) and all(map(np.array_equal, mine, theirs))
            for mine, theirs in ((self.rankings, other.rankings), (self.scores, other.scores))
        )
        return (
            same_parts and self.label_specific == other.label_specific and np.array_equal(self.support, other.support)
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        kept = self.support.sum(axis=1)
        each = f"{kept.min()} to {kept.max()}" if kept.size and kept.min() < kept.max() else f"{kept.max(initial=0)}"
        return f"FeatureMask({self.n_labels} labels, {each} of {self.n_features} features each)"


def _checked(ranking: Any, scores: Any, n_features: int) -> tuple[Ints, Floats]:
    order = np.asarray(ranking, dtype=np.int64)
    values = np.asarray(scores, dtype=np.float64)
    if order.ndim != 1 or order.shape != values.shape:
        raise ParameterError(
            f"FeatureMask needs one score for each chosen feature, but shapes are {order.shape} and {values.shape}. "
            "Pass two sequences of the same length."
        )
    if order.size and (order.min() < 0 or order.max() >= n_features or np.unique(order).size < order.size):
        raise ParameterError(
            f"FeatureMask needs different features from 0 to {n_features - 1}, but they are {order.tolist()[:10]}. "
            "Pass each chosen column once."
        )
    return order, values
