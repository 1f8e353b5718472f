"""MLFS: the general criterion, with label correlation [OCC 42-43]."""

from typing import Any, ClassVar

from plait.core.checks import Constraint, Interval, Nothing, OneOf
from plait.features.criterion_selector import CriterionSelector
from plait.features.general_criterion import GeneralCriterion

__all__ = ["MLFS"]

_WEIGHT: tuple[Constraint, ...] = (Interval(float, 0, float("inf"), closed="left"), Nothing())


class MLFS(CriterionSelector):
    """Multi-label feature selection by conditional likelihood maximisation [OCC, section 6].

    Chooses, one after another, the feature with the largest

        I(X_m;Y_j) + beta_j sum_{k in Pa_j} I(Y_j;Y_k|X_m) + gamma sum_{n in S} I(Y_j;X_n|X_m)

    summed over all labels [OCC 42], or for each label by itself [OCC 43]: relevance, label correlation (the parents
    Pa_j come from the graph given to `fit`), and what chosen features still say once X_m is known.

    Parameters
    ----------
    n_features : int, float or "sqrt", default="sqrt"
        How many features to choose: a number, a share of the features, or the square root of the number of rows.
    scope : {"global", "label"}, default="global"
        Whether all labels share the features, or each label has its own.
    beta : float, optional
        Weight of the term of each parent; None is 1 / (number of parents).
    gamma : float, optional
        Weight of the term of each chosen feature; None is 1 / (number of chosen features).
    redundancy : {"difference", "marginal"}, default="difference"
        I(Y_j;X_n|X_m) is, up to what is the same for every X_m, the difference I(X_m;X_n|Y_j) - I(X_m;X_n) of
        conditional and marginal redundancy. "marginal" drops the conditional one, as mRMR does.
    first : {"criterion", "relevance"}, default="criterion"
        How the first feature is chosen; "relevance", without label correlation, is what the program released with
        OCC does.
    max_candidates : int, optional
        Only so many features of highest relevance (for all labels, or for each) are candidates, and with
        `n_features` not below it features are ranked by relevance alone. The program released with OCC has 100.
    discretizer : transformer, "passthrough" or None, default=None
        How numbers become symbols; None is `MeanStdDiscretizer()`; "passthrough" takes each distinct value as a symbol.
    n_jobs : int, optional
        Threads, -1 for all; the result is the same for any number.

    Attributes
    ----------
    ranking_, scores_ : ndarray, or list of ndarray with one for each label
        Features in the order chosen, and the criterion's value of each when it was chosen, in bits.
    mask_ : FeatureMask
        What each label keeps.

    See Also
    --------
    MIM : beta = gamma = 0.
    JMI : beta = 0.
    MRMR : beta = 0, redundancy="marginal".

    Notes
    -----
    Features that hold one symbol only are never chosen; where features tie, the one that stands first is. Every
    chosen feature costs one three-way table for each candidate and label, counted in the rows of the label only.
    Memory beyond the codes of the data: at most 256 MiB for bits of all rows; 128 MiB for counted pairs of features,
    or 64 MiB for each thread; for bits of the rows of labels 64 MiB for each thread, 256 MiB with the global scope;
    and 8 bytes for each label that is worked on (all of them with the global scope) and symbol of a feature.

    Examples
    --------
    >>> import numpy as np
    >>> from plait.structure import LabelGraph
    >>> rng = np.random.default_rng(0)
    >>> X = rng.integers(0, 2, size=(200, 5))
    >>> Y = np.column_stack([X[:, 3], X[:, 3] ^ X[:, 1]])
    >>> selector = MLFS(n_features=2, scope="label").fit(X, Y, graph=LabelGraph([[], [0]]))
    >>> [ranking.tolist() for ranking in selector.ranking_]
    [[3, 0], [1, 3]]
    """

    parameter_rules: ClassVar[dict[str, Any]] = {
        **CriterionSelector.parameter_rules,
        "beta": _WEIGHT,
        "gamma": _WEIGHT,
        "redundancy": (OneOf(("difference", "marginal")),),
        "first": (OneOf(("criterion", "relevance")),),
        "max_candidates": (Interval(int, 1, None), Nothing()),
    }

    def __init__(
        self,
        n_features: Any = "sqrt",
        scope: str = "global",
        beta: float | None = None,
        gamma: float | None = None,
        redundancy: str = "difference",
        first: str = "criterion",
        max_candidates: int | None = None,
        discretizer: Any = None,
        n_jobs: int | None = None,
    ):
        super().__init__(n_features, scope, discretizer, n_jobs)
        self.beta = beta
        self.gamma = gamma
        self.redundancy = redundancy
        self.first = first
        self.max_candidates = max_candidates

    def _criterion(self) -> GeneralCriterion:
        return GeneralCriterion(
            beta=self.beta,
            gamma=self.gamma,
            marginal=self.redundancy == "marginal",
            first_by_relevance=self.first == "relevance",
            max_candidates=self.max_candidates,
        )
