"""What the selectors by the general criterion share: their parameters, and which search they start."""

from abc import abstractmethod
from typing import Any, ClassVar

import numpy as np

from plait.core.checks import OneOf
from plait.core.progress_bar import progress
from plait.core.sentences import ParameterError
from plait.counts import Codes, MeanStdDiscretizer, encode
from plait.features.criterion_terms import CriterionTerms
from plait.features.feature_mask import FeatureMask
from plait.features.general_criterion import GeneralCriterion
from plait.features.joint_search import search_together
from plait.features.label_search import search_by_label
from plait.features.selector import DISCRETIZER_RULES, InformationSelector
from plait.features.sizes import SIZE_RULES, n_wanted
from plait.features.thread_map import JOBS_RULES, Threads
from plait.features.varying_columns import varying
from plait.structure import LabelGraph

__all__ = ["CriterionSelector"]

# Bytes of the pair counts of the feature with most symbols, beyond which symbols are surely numbers.
_MOST_BYTES = 1 << 30


class CriterionSelector(InformationSelector):
    """Base of selectors by the general criterion [OCC 42-43]: a subclass writes `_criterion`."""

    parameter_rules: ClassVar[dict[str, Any]] = {
        "n_features": SIZE_RULES,
        "scope": (OneOf(("global", "label")),),
        "discretizer": DISCRETIZER_RULES,
        "n_jobs": JOBS_RULES,
    }

    def __init__(
        self, n_features: Any = "sqrt", scope: str = "global", discretizer: Any = None, n_jobs: int | None = None
    ):
        self.n_features = n_features
        self.scope = scope
        self.discretizer = discretizer
        self.n_jobs = n_jobs

    @abstractmethod
    def _criterion(self) -> GeneralCriterion:
        """Return the weights."""

    def _default_discretizer(self) -> Any:
        return MeanStdDiscretizer()

    def _select(self, X: Any, Y: Any, graph: LabelGraph) -> FeatureMask:
        codes = self._codes(X, Y)
        n_columns = codes.vocabulary.n_columns
        wanted = n_wanted(self.n_features, codes.n_rows, n_columns)
        x, columns = varying(codes)
        self._warn_if_fewer(columns.size, wanted)
        self._refuse_numbers(x)
        wanted = min(wanted, columns.size)
        terms = CriterionTerms(self._criterion(), x, encode(Y), graph.parents)
        with Threads(self.n_jobs) as threads:
            if self.scope == "global":
                ranking, scores = search_together(terms, wanted, threads)
                return FeatureMask.shared(columns[ranking], scores, graph.n_labels, n_columns)
            found = progress(search_by_label(terms, wanted, threads), "Choosing features", graph.n_labels)
            chosen = list(found)
        return FeatureMask.by_label(
            [columns[ranking] for ranking, _ in chosen], [scores for _, scores in chosen], n_columns
        )

    def _refuse_numbers(self, x: Codes) -> None:
        n_symbols = np.diff(x.vocabulary.offsets)
        if 4 * int(n_symbols.max(initial=0)) * x.vocabulary.n_planes > _MOST_BYTES:
            raise ParameterError(
                f"{type(self).__name__} needs features with few symbols, but one has {n_symbols.max()} of them and all "
                f"together have {x.vocabulary.n_planes}. Pass a discretizer."
            )
