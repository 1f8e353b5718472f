"""What the greedy selectors share: discretise, leave out what does not vary, choose one feature after another."""

from abc import abstractmethod
from typing import Any, ClassVar

from plait.counts import Codes, LAIMDiscretizer, encode
from plait.features.feature_mask import FeatureMask
from plait.features.forward_steps import Criterion, forward_search
from plait.features.selector import DISCRETIZER_RULES, InformationSelector
from plait.features.sizes import SIZE_RULES, n_wanted
from plait.features.thread_map import JOBS_RULES, Threads
from plait.features.varying_columns import varying
from plait.structure import LabelGraph

__all__ = ["GreedySelector"]


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

    @abstractmethod
    def _criterion(self, x: Codes, y: Codes, threads: Threads) -> Criterion:
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
            ranking, scores = forward_search(self._criterion(x, encode(Y), threads), min(wanted, columns.size))
        return FeatureMask.shared(columns[ranking], scores, Y.shape[1], n_columns)
