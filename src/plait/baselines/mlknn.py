"""ML-kNN: for each label, how likely the number of neighbours that have it [Zhang2007]."""

from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from plait.baselines.foundations.neighbourhoods import (
    METRIC_RULES,
    NEIGHBORS_RULES,
    Neighbourhoods,
    neighbour_label_counts,
)
from plait.core.arrays import Floats, Ints, Labels
from plait.core.checks import Boolean, Interval
from plait.core.multilabel_classifier import MultilabelClassifier
from plait.core.parallel import JOBS_RULES

__all__ = ["MLkNN"]


class MLkNN(MultilabelClassifier):
    """Multi-label k nearest neighbours [Zhang2007].

    For each label by itself: C is how many of a row's k nearest training rows have the label, and

        P(label | C = r) ~ P(label) P(C = r | label),    P(label) = (s + n_1) / (2 s + N),
        P(C = r | label) = (s + kappa[r]) / (s (k + 1) + sum of kappa),

    where kappa[r] counts the training rows that have the label and r neighbours with it among the other rows; the
    same for rows without the label. A label is given if it is more likely than not.

    It assumes that near rows have like labels, that only the number of neighbours with the label itself matters, and
    that labels are independent given that. A good choice for features on one scale in which distance means something
    (images, embeddings, expression levels), for labels that are not linear in the features, and as a first baseline:
    there is nothing to tune but k. Rare labels are seldom given.

    Parameters
    ----------
    n_neighbors : int, default=10
        k, the number of neighbours; with N <= k training rows, N - 1.
    s : float, default=1.0
        How much is added to every count.
    metric : {"auto", "euclidean", "manhattan", "cosine"}, default="auto"
        The distance. "auto" is cosine where more than half of all training values are 0 (text), stored sparse or not,
        and Euclidean otherwise.
    scale : bool, default=True
        Whether columns are divided by their range among the training rows, so that all count alike; not for the cosine,
        and not where more than half of all values are 0.
    n_jobs : int, optional
        Threads that look for neighbours, -1 for all processors; the result is the same for any number.

    Attributes
    ----------
    neighbourhoods_ : Neighbourhoods
        Finds neighbours among the training rows.
    prior_ : ndarray of shape (n_labels,)
        P(label).
    likelihood_ : ndarray of shape (n_labels, 2, k + 1)
        P(C = r | no label) and P(C = r | label).
    posterior_ : ndarray of shape (n_labels, k + 1)
        P(label | C = r), what `predict_proba` looks up.
    label_names_, n_labels_, n_features_in_, classes_
        As for all classifiers.

    Notes
    -----
    A training row is never its own neighbour, but copies of it are. Of rows at the same distance the first are taken;
    see `Neighbourhoods` for what counts as the same. Sparse rows are never made dense. Labels with one value only need
    no rule of their own: s sees to their probability.

    References
    ----------
    Zhang and Zhou: ML-KNN: A lazy learning approach to multi-label learning [Zhang2007].

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 2))
    >>> Y = np.column_stack([X[:, 0] > 0, (X**2).sum(axis=1) < 1]).astype(int)  # a half plane and a disc
    >>> model = MLkNN().fit(X, Y)
    >>> model.predict([[2.0, 2.0], [-0.1, 0.2]])
    array([[1, 0],
           [0, 1]])
    >>> model.predict_proba([[2.0, 2.0]]).round(2)
    array([[0.99, 0.01]])
    """

    parameter_rules: ClassVar[dict[str, Any]] = {
        "n_neighbors": NEIGHBORS_RULES,
        "s": (Interval(float, 0, None, closed="neither"),),
        "metric": METRIC_RULES,
        "scale": (Boolean(),),
        "n_jobs": JOBS_RULES,
    }

    def __init__(
        self,
        n_neighbors: int = 10,
        s: float = 1.0,
        metric: str = "auto",
        scale: bool = True,
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.s = s
        self.metric = metric
        self.scale = scale
        self.n_jobs = n_jobs

    def _fit(self, X: Any, Y: Labels, sample_weight: Any) -> None:
        self.neighbourhoods_ = Neighbourhoods(X, self.n_neighbors, self.metric, self.scale)
        counts = neighbour_label_counts(self.neighbourhoods_.of_training_rows(self.n_jobs), Y)
        self._labels = Y
        self._set_probabilities(tally(counts, Y, self.neighbourhoods_.k))

    def _set_probabilities(self, table: npt.NDArray[np.int64]) -> None:
        s, size = float(self.s), table.shape[2]
        rows = table.sum(axis=2)
        prior = (s + rows) / (2 * s + rows.sum(axis=1, keepdims=True))
        self.prior_ = prior[:, 1]
        self.likelihood_ = (s + table) / (s * size + rows)[:, :, None]
        # Multiplied by all denominators, so that with a whole s the comparison is one of whole numbers: ties are exact.
        without, with_label = np.moveaxis(
            (s + rows)[:, :, None] * (s + table) * (s * size + rows[:, ::-1])[:, :, None], 1, 0
        )
        self.posterior_ = with_label / (with_label + without)
        self._given = with_label > without

    def _counts(self, X: Any) -> npt.NDArray[np.int32]:
        return neighbour_label_counts(self.neighbourhoods_.of(X, self.n_jobs), self._labels)

    def _decide(self, X: Any) -> npt.NDArray[Any]:
        counts = self._counts(X)
        return self._given[np.arange(counts.shape[1]), counts]

    def _marginals(self, X: Any) -> Floats:
        counts = self._counts(X)
        return self.posterior_[np.arange(counts.shape[1]), counts]


def tally(counts: npt.NDArray[np.int32], Y: Labels, k: int) -> Ints:
    """Return in [l, y, r] the number of rows whose label l is y and occurs r times among their k neighbours.

    Examples
    --------
    >>> tally(np.array([[0], [2], [2]], dtype=np.int32), np.array([[0], [1], [0]], dtype=np.uint8), k=2)
    array([[[1, 0, 1],
            [0, 0, 1]]])
    """
    codes = counts + (k + 1) * Y.astype(np.int64)
    return np.stack([np.bincount(column, minlength=2 * (k + 1)) for column in codes.T]).reshape(-1, 2, k + 1)
