"""IBLR-ML: logistic regression of each label on the labels of the neighbours [Cheng2009]."""

from typing import Any, ClassVar

from plait import learners as learners_room
from plait.baselines.foundations.binary_learners import LabelRegressions
from plait.baselines.foundations.column_scaling import beside
from plait.baselines.foundations.neighbourhoods import (
    METRIC_RULES,
    NEIGHBORS_RULES,
    Neighbourhoods,
    neighbour_label_counts,
)
from plait.core.arrays import Ints, Labels
from plait.core.checks import Boolean, InstanceOf, Interval, Nothing
from plait.core.naming import resolve
from plait.learners import Learner, LogisticLearner

__all__ = ["IBLR"]


class IBLR(LabelRegressions):
    """Instance-based learning and logistic regression combined: IBLR-ML and, with `plus`, IBLR-ML+ [Cheng2009].

    The features of a row are the shares of its k nearest training rows that have each label,
    omega_l(x) = (1/k) sum of y_il over the neighbours i; each label has a logistic regression on the shares of all
    labels. IBLR-ML+ appends the features of x themselves.

    It assumes that near rows have like labels, and that what neighbours' labels say about another label adds up in the
    log-odds. A good choice where `MLkNN` is one and labels are related: a label may follow from other labels around a
    row. With many labels and few rows the regressions have much to estimate. Scale columns of different units first.

    Parameters
    ----------
    n_neighbors : int, default=10
        k, the number of neighbours; with N <= k training rows, N - 1.
    plus : bool, default=False
        Whether the features of x are appended (IBLR-ML+).
    learner : Learner or str, optional
        What is trained on the shares; None is `LogisticLearner()`.
    metric : {"euclidean", "manhattan", "cosine"}, default="euclidean"
        The distance.
    n_jobs : int, optional
        Threads that look for neighbours, -1 for all processors; the result is the same for any number.

    Attributes
    ----------
    neighbourhoods_ : Neighbourhoods
        Finds neighbours among the training rows.
    conditionals_ : Conditionals
        The trained regressions: with the default learner `coef_` (n_labels, n_labels) says how the share of one label
        speaks for another one; with `plus`, columns of X follow.
    label_names_, n_labels_, n_features_in_, classes_
        As for all classifiers.

    Notes
    -----
    A training row is never its own neighbour, but copies of it are. Of rows at the same distance the first are taken;
    see `Neighbourhoods` for what counts as the same. Sparse rows are never made dense.

    References
    ----------
    Cheng and Huellermeier: Combining instance-based learning and logistic regression for multilabel classification
    [Cheng2009].

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 2))
    >>> disc = (X**2).sum(axis=1) < 1
    >>> Y = np.column_stack([disc, ~disc]).astype(int)  # two labels that exclude each other
    >>> model = IBLR().fit(X, Y)
    >>> model.predict([[0.1, 0.2], [2.0, 2.0]])
    array([[1, 0],
           [0, 1]])
    >>> bool(model.conditionals_.coef_[0, 1] < 0)  # neighbours with the second label speak against the first
    True
    """

    parameter_rules: ClassVar[dict[str, Any]] = {
        "n_neighbors": NEIGHBORS_RULES,
        "plus": (Boolean(),),
        "learner": (InstanceOf((Learner, str)), Nothing()),
        "metric": METRIC_RULES,
        "n_jobs": (Interval(int, 1, None), Interval(int, None, -1), Nothing()),
    }

    def __init__(
        self,
        n_neighbors: int = 10,
        plus: bool = False,
        learner: Any = None,
        metric: str = "euclidean",
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.plus = plus
        self.learner = learner
        self.metric = metric
        self.n_jobs = n_jobs

    def _fit(self, X: Any, Y: Labels, sample_weight: Any) -> None:
        chosen = LogisticLearner() if self.learner is None else self.learner
        learner = resolve(type(self).__name__, "learner", chosen, learners_room, Learner)
        self._labels = Y
        self.neighbourhoods_ = Neighbourhoods(X, self.n_neighbors, self.metric)
        columns = self._shares(X, self.neighbourhoods_.of_training_rows(self.n_jobs))
        self.conditionals_ = learner.fit(columns, Y)

    def _shares(self, X: Any, neighbours: Ints) -> Any:
        """Return the share of neighbours that have each label, and X beside it where wanted."""
        shares = neighbour_label_counts(neighbours, self._labels) / max(neighbours.shape[1], 1)
        return beside(shares, X) if self.plus else shares

    def _columns(self, X: Any) -> Any:
        return self._shares(X, self.neighbourhoods_.of(X, self.n_jobs))
