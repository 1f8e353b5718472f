"""Label-dependent features: first throw away what is irrelevant, then what is redundant [PACC, algorithm 2]."""

from typing import Any, ClassVar

import numpy as np

from plait.core.checks import Interval, Nothing, OneOf, check_parameters
from plait.core.parallel import JOBS_RULES
from plait.core.unknown_labels import given_again
from plait.counts import MeanStdDiscretizer, PackedCodes, SparseCodes
from plait.features.correlation_subset import CorrelationSubset
from plait.features.engine.sizes import SIZE_RULES
from plait.features.feature_mask import FeatureMask
from plait.features.mlig import MLIG
from plait.features.selector import DISCRETIZER_RULES, InformationSelector
from plait.structure import LabelGraph

__all__ = ["LabelDependentFeatures"]


class LabelDependentFeatures(InformationSelector):
    """LDF of PACC: `MLIG` finds each label's relevant features, `CorrelationSubset` drops the redundant ones.

    Use it with models of labels that depend on others: with the graph, features that only say what a label's parents
    say are dropped too. The structure may be learnt in between: `first_stage` gives the mask to learn it on,
    `second_stage` takes the graph.

    Parameters
    ----------
    r : float, default=0.15
        Smallest share of the features a label keeps in the first stage (0.05 for large data).
    n_candidates : int, float, "sqrt" or None, default=None
        Size of the first stage, the same for all labels; None is by PACC 19.
    stages : {"both", "mlig", "cfs"}, default="both"
        Both, or only one of them: the variants -MLIG and -MLCFS of PACC.
    patience : int, default=5
        Expansions without a better set after which the second stage stops.
    discretizer : transformer, "passthrough" or None, default=None
        How numbers become symbols; None is `MeanStdDiscretizer()`.
    n_jobs : int, optional
        Threads; the result is the same for any number.

    Attributes
    ----------
    candidates_ : FeatureMask
        What the first stage left.
    ranking_, scores_ : list of ndarray
        For each label its features in the order chosen, and the scores of the last stage.

    References
    ----------
    [PACC] Sun, Kudo and Kimura: Polytree-augmented classifier chains for multi-label classification, with
    label-dependent features, 2016.

    Examples
    --------
    >>> X = np.array([[0, 0, 1], [0, 0, 0], [1, 1, 1], [1, 1, 0]])
    >>> selector = LabelDependentFeatures(n_candidates=2).fit(X, X[:, [0]])
    >>> selector.candidates_.rankings, selector.ranking_
    ((array([0, 1]),), [array([0])])
    """

    label_specific = True
    uses_graph = True
    n_stages = 2
    takes_unknown_labels: ClassVar[bool] = True
    parameter_rules: ClassVar = {
        "r": (Interval(float, 0, 1, closed="right"),),
        "n_candidates": (*SIZE_RULES, Nothing()),
        "stages": (OneOf(("both", "mlig", "cfs")),),
        "patience": (Interval(int, 1, None),),
        "discretizer": DISCRETIZER_RULES,
        "n_jobs": JOBS_RULES,
    }

    def __init__(
        self,
        r: float = 0.15,
        n_candidates: Any = None,
        stages: str = "both",
        patience: int = 5,
        discretizer: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.r = r
        self.n_candidates = n_candidates
        self.stages = stages
        self.patience = patience
        self.discretizer = discretizer
        self.n_jobs = n_jobs

    def _default_discretizer(self) -> Any:
        return MeanStdDiscretizer()

    def first_stage(self, X: Any, Y: Any) -> FeatureMask:
        """Return what each label's information gain leaves; every feature when `stages="cfs"`."""
        check_parameters(self)
        if self.stages != "cfs":
            return MLIG(self.r, self.n_candidates, self.discretizer, self.n_jobs).select(X, Y)
        every = np.arange(X.vocabulary.n_columns if isinstance(X, SparseCodes | PackedCodes) else np.shape(X)[1])
        n_labels = self._targets(Y, None)[1].n_labels
        return FeatureMask.by_label([every] * n_labels, [np.zeros(every.size)] * n_labels, every.size)

    def second_stage(self, X: Any, Y: Any, graph: LabelGraph | None, candidates: FeatureMask | None) -> FeatureMask:
        """Return the candidates without those redundant beside the label's parents; all when `stages="mlig"`."""
        check_parameters(self)
        if candidates is None:
            candidates = self.first_stage(X, Y)
        if self.stages == "mlig":
            return candidates
        subset = CorrelationSubset(candidates, self.patience, discretizer=self.discretizer, n_jobs=self.n_jobs)
        return subset.select(X, Y, graph)

    def _select(self, X: Any, Y: Any, graph: LabelGraph) -> FeatureMask:
        codes = self._codes(X, Y)
        Y = given_again(Y)
        self.candidates_ = self.first_stage(codes, Y)
        return self.second_stage(codes, Y, graph, self.candidates_)
