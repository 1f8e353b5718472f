"""The general criterion [OCC 42-43]: relevance, label correlation and redundancy, each with its weight.

MIM, JMI, mRMR and MLFS are one formula with four weightings [OCC, table 1]::

    I(X_m;Y_j) + beta_j sum_{k in Pa_j} I(Y_j;Y_k|X_m) + gamma sum_{n in S} I(Y_j;X_n|X_m)
"""

from abc import abstractmethod
from typing import Any, ClassVar

import numpy as np

from plait.core.checks import Constraint, Interval, Nothing, OneOf
from plait.core.parallel import JOBS_RULES
from plait.core.sentences import ParameterError
from plait.counts import Codes, MeanStdDiscretizer
from plait.features.engine.columns import varying
from plait.features.engine.criterion import GeneralCriterion
from plait.features.engine.criterion_search import search
from plait.features.engine.known_labels import KnownLabels, coded_labels, search_known
from plait.features.engine.sizes import SIZE_RULES, n_wanted
from plait.features.feature_mask import FeatureMask
from plait.features.selector import DISCRETIZER_RULES, InformationSelector
from plait.structure import LabelGraph

__all__ = ["CriterionSelector", "JMI", "MIM", "MLFS", "MRMR"]


# Bytes of the pair counts of the feature with most symbols, beyond which symbols are surely numbers.
_MOST_BYTES = 1 << 30


class CriterionSelector(InformationSelector):
    """Base of selectors by the general criterion [OCC 42-43]: a subclass writes `_criterion`."""

    takes_unknown_labels: ClassVar[bool] = True
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
        by_label, y = self.scope == "label", coded_labels(Y)
        if isinstance(y, KnownLabels):
            found = search_known(self._criterion(), x, y, graph.parents, wanted, by_label)
        else:
            found = search(self._criterion(), x, y, graph.parents, wanted, by_label, self.n_jobs)
        rankings, scores = [columns[ranking] for ranking, _ in found], [values for _, values in found]
        if by_label:
            return FeatureMask.by_label(rankings, scores, n_columns)
        return FeatureMask.shared(rankings[0], scores[0], graph.n_labels, n_columns)

    def _refuse_numbers(self, x: Codes) -> None:
        n_symbols = np.diff(x.vocabulary.offsets)
        if 4 * int(n_symbols.max(initial=0)) * x.vocabulary.n_planes > _MOST_BYTES:
            raise ParameterError(
                f"{type(self).__name__} needs features with few symbols, but one has {n_symbols.max()} of them and all "
                f"together have {x.vocabulary.n_planes}. Pass a discretizer."
            )


class MIM(CriterionSelector):
    """Mutual information maximisation; MLMIM for several labels [OCC, table 1].

    Ranks features by I(X_m;Y_j), summed over all labels or for each label by itself: the fastest choice, blind to
    features that say the same.

    Parameters
    ----------
    n_features : int, float or "sqrt", default="sqrt"
        How many features to choose: a number, a share of the features, or the square root of the number of rows.
    scope : {"global", "label"}, default="global"
        Whether all labels share the features, or each label has its own.
    discretizer : transformer, "passthrough" or None, default=None
        How numbers become symbols; None is `MeanStdDiscretizer()`; "passthrough" takes each distinct value as a symbol.
    n_jobs : int, optional
        Threads, -1 for all; the result is the same for any number.

    Attributes
    ----------
    ranking_, scores_ : ndarray, or list of ndarray with one for each label
        Features, the most relevant first, and their relevance in bits.
    mask_ : FeatureMask
        What each label keeps.

    See Also
    --------
    JMI : takes redundancy into account.
    MLIG : for each label, with sizes by imbalance.

    References
    ----------
    [OCC] Sun and Kudo: Optimization of classifier chains via conditional likelihood maximization, 2018.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0, 0, 1], [0, 1, 1], [1, 0, 0], [1, 1, 1]])
    >>> MIM(n_features=2, discretizer="passthrough").fit(X, X[:, :1]).ranking_
    array([0, 2])
    """

    def _criterion(self) -> GeneralCriterion:
        return GeneralCriterion(beta=0.0, gamma=0.0)


class JMI(CriterionSelector):
    """Joint mutual information; MLJMI for several labels [OCC, table 1].

    Chooses, one after another, the feature with the largest

        I(X_m;Y_j) + (1/|S|) sum_{n in S} I(Y_j;X_n|X_m)  =  (1/|S|) sum_{n in S} I({X_m,X_n};Y_j)

    summed over all labels or for each label by itself; the first is the most relevant feature.

    Parameters
    ----------
    n_features : int, float or "sqrt", default="sqrt"
        How many features to choose: a number, a share of the features, or the square root of the number of rows.
    scope : {"global", "label"}, default="global"
        Whether all labels share the features, or each label has its own.
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
    MLFS : with label correlation.

    References
    ----------
    [OCC] Sun and Kudo: Optimization of classifier chains via conditional likelihood maximization, 2018.

    Examples
    --------
    The label is the exclusive or of the last two features, so that either is worth nothing by itself:

    >>> import numpy as np
    >>> X = np.array([[0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 1, 1]])
    >>> selector = JMI(n_features=3, discretizer="passthrough").fit(X, np.array([0, 1, 1, 0]))
    >>> selector.ranking_, selector.scores_.round(3)
    (array([0, 1, 2]), array([0.311, 0.5  , 0.75 ]))
    """

    def _criterion(self) -> GeneralCriterion:
        return GeneralCriterion(beta=0.0)


class MRMR(CriterionSelector):
    """Minimal redundancy, maximal relevance; MLMRMR for several labels [OCC, table 1].

    Chooses, one after another, the feature with the largest

        I(X_m;Y_j) - (1/|S|) sum_{n in S} I(X_m;X_n)

    summed over all labels (so that redundancy counts once for each label) or for each label by itself.

    Parameters
    ----------
    n_features : int, float or "sqrt", default="sqrt"
        How many features to choose: a number, a share of the features, or the square root of the number of rows.
    scope : {"global", "label"}, default="global"
        Whether all labels share the features, or each label has its own.
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
    AMI : without the factors 1/|S| and the number of labels.

    References
    ----------
    [OCC] Sun and Kudo: Optimization of classifier chains via conditional likelihood maximization, 2018.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0, 0, 0], [0, 0, 1], [1, 1, 0], [1, 1, 1]])  # the second column is a copy of the first
    >>> selector = MRMR(n_features=3, discretizer="passthrough").fit(X, np.array([0, 0, 1, 1]))
    >>> selector.ranking_, selector.scores_
    (array([0, 1, 2]), array([1., 0., 0.]))
    """

    def _criterion(self) -> GeneralCriterion:
        return GeneralCriterion(beta=0.0, marginal=True)


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

    References
    ----------
    [OCC] Sun and Kudo: Optimization of classifier chains via conditional likelihood maximization, 2018.

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

    uses_graph = True
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
