"""ReliefF on label sets as classes, rare sets left out [Read2008; Reyes2015]."""

from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from plait.core.checks import InstanceOf, Interval, Nothing, RandomState
from plait.core.randomness import generator
from plait.core.sentences import ParameterError, complaint
from plait.features.feature_mask import FeatureMask
from plait.features.frequent_label_sets import label_set_classes
from plait.features.number_matrix import as_numbers, column_bounds
from plait.features.relief_weights import relieff_weights
from plait.features.selector import Selector
from plait.features.sizes import SIZE_RULES, n_wanted
from plait.features.ties import stable_ranking
from plait.features.whole_differences import WholeDifferences
from plait.structure import LabelGraph

__all__ = ["PrunedReliefF"]


class PrunedReliefF(Selector):
    """PPT + ReliefF: features that tell near rows with other label sets apart.

    Every frequent label set is a class, rows with rare ones are left out, and ReliefF weighs the features. Use it when
    features matter only together (ReliefF sees interactions that one-by-one measures miss) and label sets repeat;
    with most label sets unique it sees few rows.

    Parameters
    ----------
    n_features : int, float or "sqrt", default="sqrt"
        How many features to keep.
    pruning : int, default=3
        Label sets seen at most so often are left out; lowered where none would remain.
    n_neighbors : int, default=10
        Nearest rows of each class.
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
    weights_ : ndarray of shape (n_features,)
        ReliefF weights, between -1 and 1.

    References
    ----------
    Kononenko: Estimating attributes [Kononenko1994]. Read: A pruned problem transformation method [Read2008].

    Examples
    --------
    Only both first features together tell the label.

    >>> X = np.array([[0, 0, 0.1], [0, 1, 0.2], [1, 0, 0.1], [1, 1, 0.2]] * 4)
    >>> Y = (X[:, [0]] != X[:, [1]]).astype(int)
    >>> PrunedReliefF(n_features=2, n_neighbors=3).fit(X, Y).ranking_
    array([0, 1])
    """

    parameter_rules: ClassVar = {
        "n_features": SIZE_RULES,
        "pruning": (Interval(int, 0, None),),
        "n_neighbors": (Interval(int, 1, None),),
        "n_samples": (Interval(int, 1, None), Nothing()),
        "nominal": (InstanceOf((list, tuple, np.ndarray)), Nothing()),
        "random_state": (RandomState(),),
        "n_jobs": (Interval(int, None, None), Nothing()),
    }

    def __init__(
        self,
        n_features: Any = "sqrt",
        pruning: int = 3,
        n_neighbors: int = 10,
        n_samples: int | None = None,
        nominal: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_features = n_features
        self.pruning = pruning
        self.n_neighbors = n_neighbors
        self.n_samples = n_samples
        self.nominal = nominal
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _select(self, X: Any, Y: Any, graph: LabelGraph) -> FeatureMask:
        numbers = as_numbers(type(self).__name__, X)
        nominal = self._nominal_columns(numbers.shape[1])
        classes = label_set_classes(Y, self.pruning)
        kept = np.flatnonzero(classes >= 0)
        differences = WholeDifferences.of(numbers[kept], nominal)
        rows = self._sampled(kept.size)
        self.weights_ = relieff_weights(differences, classes[kept], rows, self.n_neighbors, self.n_jobs)
        low, high = column_bounds(numbers)
        wanted = n_wanted(self.n_features, *numbers.shape)
        self._warn_if_fewer(int((high > low).sum()), wanted)
        ranking = stable_ranking(np.where(high > low, self.weights_, -np.inf))[:wanted]
        return FeatureMask.shared(ranking, self.weights_[ranking], Y.shape[1], numbers.shape[1])

    def _nominal_columns(self, n_columns: int) -> npt.NDArray[np.bool_]:
        mask = np.zeros(n_columns, dtype=np.bool_)
        known = {name: column for column, name in enumerate(getattr(self, "feature_names_in_", ()))}
        given = [] if self.nominal is None else [known.get(_plain(each), _plain(each)) for each in self.nominal]
        if len(given) == n_columns and all(isinstance(each, bool) for each in given):
            return np.array(given)
        if not all(Interval(int, 0, n_columns - 1).accepts(each) for each in given):
            must = f"a mask of {n_columns} columns, their numbers or their names"
            raise ParameterError(complaint(type(self).__name__, "nominal", must, self.nominal))
        mask[np.array(given, dtype=np.int64)] = True
        return mask

    def _sampled(self, n_rows: int) -> npt.NDArray[np.int64]:
        if self.n_samples is None or self.n_samples >= n_rows:
            return np.arange(n_rows)
        return np.sort(generator(self.random_state).choice(n_rows, self.n_samples, replace=False))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = False
        return tags


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value
