"""Greedy selectors: take the best feature, see what the others are worth beside it, and again."""

from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np

from plait.core.arrays import Floats, Ints
from plait.core.parallel import JOBS_RULES, Threads
from plait.core.ties import first_best
from plait.counts import Codes, LAIMDiscretizer
from plait.features.engine.columns import varying
from plait.features.engine.known_labels import LabelCodes, coded_labels
from plait.features.engine.sizes import SIZE_RULES, n_wanted
from plait.features.feature_mask import FeatureMask
from plait.features.selector import DISCRETIZER_RULES, InformationSelector
from plait.structure import LabelGraph

__all__ = ["Criterion", "GreedySelector"]


class Criterion(ABC):
    """A score J(f|S) of every feature f beside the chosen ones S, kept up to date as S grows."""

    @abstractmethod
    def scores(self) -> Floats:
        """Return J(f|S) for every feature, in a new array; what stands at features in S does not matter."""

    @abstractmethod
    def add(self, feature: int) -> None:
        """Put one more feature into S."""

    def best(self, scores: Floats) -> int:
        """Return the feature to choose; -inf marks those in S."""
        return first_best(scores)


def forward_search(criterion: Criterion, n_wanted: int) -> tuple[Ints, Floats]:
    """Return so many features in the order chosen, and the score of each when it was chosen."""
    ranking = np.empty(n_wanted, dtype=np.int64)
    chosen_scores = np.empty(n_wanted)
    for step in range(n_wanted):
        scores = criterion.scores()
        scores[ranking[:step]] = -np.inf
        best = criterion.best(scores)
        ranking[step], chosen_scores[step] = best, scores[best]
        if step + 1 < n_wanted:
            criterion.add(best)
    return ranking, chosen_scores


class GreedySelector(InformationSelector):
    """Base of selectors that choose the same features for all labels, greedily: a subclass writes `_criterion`."""

    parameter_rules: ClassVar[dict[str, Any]] = {
        "n_features": SIZE_RULES,
        "discretizer": DISCRETIZER_RULES,
        "n_jobs": JOBS_RULES,
    }

    def __init__(self, n_features: Any = "sqrt", discretizer: Any = None, n_jobs: int | None = None):
        self.n_features = n_features
        self.discretizer = discretizer
        self.n_jobs = n_jobs

    takes_unknown_labels: ClassVar[bool] = True

    @abstractmethod
    def _criterion(self, x: Codes, y: LabelCodes, threads: Threads) -> Criterion:
        """Return the score of features x for labels y."""

    def _default_discretizer(self) -> Any:
        return LAIMDiscretizer()

    def _select(self, X: Any, Y: Any, graph: LabelGraph) -> FeatureMask:
        codes = self._codes(X, Y)
        n_columns = codes.vocabulary.n_columns
        wanted = n_wanted(self.n_features, codes.n_rows, n_columns)
        x, columns = varying(codes)
        self._warn_if_fewer(columns.size, wanted)
        with Threads(self.n_jobs) as threads:
            ranking, scores = forward_search(self._criterion(x, coded_labels(Y), threads), min(wanted, columns.size))
        return FeatureMask.shared(columns[ranking], scores, Y.shape[1], n_columns)
