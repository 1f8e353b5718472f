"""IBLR-ML: logistic regression of each label on the labels of the neighbours [Cheng2009]."""

from typing import Any, ClassVar

import numpy as np

from plait import learners as learners_room
from plait.baselines.foundations.binary_learners import LabelRegressions
from plait.baselines.foundations.column_scaling import beside, divided_columns, unscaled_learner
from plait.baselines.foundations.neighbourhoods import (
    METRIC_RULES,
    NEIGHBORS_RULES,
    Neighbourhoods,
    neighbour_label_counts,
)
from plait.core.arrays import Floats, Ints, Labels
from plait.core.checks import Boolean, InstanceOf, Nothing
from plait.core.naming import resolve
from plait.core.parallel import JOBS_RULES
from plait.learners import Learner, LogisticLearner
from plait.learners.training.column_scaling import column_scales

__all__ = ["IBLR"]


class IBLR(LabelRegressions):
    """Instance-based learning and logistic regression combined: IBLR-ML and, with `plus`, IBLR-ML+ [Cheng2009].

    The features of a row are the shares of its k nearest training rows that have each label,
    omega_l(x) = (1/k) sum of y_il over the neighbours i; each label has a logistic regression on the shares of all
    labels. IBLR-ML+ appends the features of x themselves.

    It assumes that near rows have like labels, and that what neighbours' labels say about another label adds up in the
    log-odds. A good choice where `MLkNN` is one and labels are related: a label may follow from other labels around a
    row. With many labels and few rows the regressions have much to estimate.

    Parameters
    ----------
    n_neighbors : int, default=10
        k, the number of neighbours; with N <= k training rows, N - 1.
    plus : bool, default=False
        Whether the features of x are appended (IBLR-ML+).
    learner : Learner or str, optional
        What is trained on the shares; None is `LogisticLearner()`. Where it scales columns, shares are divided by their
        standard deviation, also those that are mostly 0.
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
        "scale": (Boolean(),),
        "n_jobs": JOBS_RULES,
    }

    def __init__(
        self,
        n_neighbors: int = 10,
        plus: bool = False,
        learner: Any = None,
        metric: str = "auto",
        scale: bool = True,
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.plus = plus
        self.learner = learner
        self.metric = metric
        self.scale = scale
        self.n_jobs = n_jobs

    def _fit(self, X: Any, Y: Labels, sample_weight: Any) -> None:
        chosen = LogisticLearner() if self.learner is None else self.learner
        learner = resolve(type(self).__name__, "learner", chosen, learners_room, Learner)
        self._labels = Y
        self.neighbourhoods_ = Neighbourhoods(X, self.n_neighbors, self.metric, self.scale)
        shares = self._shares(self.neighbourhoods_.of_training_rows(self.n_jobs))
        # The shares of rare labels are mostly 0, which learners take for counts and scale as such.
        scales = column_scales(shares, learner.get_params(deep=False).get("standardize", False) is not False)
        unscaled, own = unscaled_learner(learner, X, None)
        scales = np.append(scales, own if self.plus else [])
        columns = divided_columns(self._with_features(shares, X), scales)
        self.conditionals_ = unscaled.fit(columns, Y).divided_by(scales)

    def _shares(self, neighbours: Ints) -> Floats:
        """Return the share of neighbours that have each label, (n_samples, n_labels)."""
        return neighbour_label_counts(neighbours, self._labels) / max(neighbours.shape[1], 1)

    def _with_features(self, shares: Floats, X: Any) -> Any:
        return beside(shares, X) if self.plus else shares

    def _columns(self, X: Any) -> Any:
        return self._with_features(self._shares(self.neighbourhoods_.of(X, self.n_jobs)), X)
