"""Correlation-based feature subset of each label beside its parents [PACC 20-21]."""

from collections import OrderedDict
from functools import partial
from threading import Lock
from typing import Any, ClassVar, NamedTuple

import numpy as np

from plait.core.arrays import Bools, Floats, Ints
from plait.core.checks import InstanceOf, Interval, Nothing
from plait.core.parallel import JOBS_RULES, Threads
from plait.core.progress_bar import progress
from plait.core.sentences import ParameterError
from plait.counts import Codes, MeanStdDiscretizer
from plait.features.engine.column_pairs import ColumnPairs
from plait.features.engine.columns import varying
from plait.features.engine.known_labels import KnownLabels, LabelCodes, coded_labels
from plait.features.engine.merit_search import MemberSet, best_first, grown_to
from plait.features.engine.ranking import stable_ranking
from plait.features.engine.sizes import SIZE_RULES, n_wanted
from plait.features.feature_mask import FeatureMask
from plait.features.selector import DISCRETIZER_RULES, InformationSelector
from plait.information import symmetric_uncertainty_matrix
from plait.structure import LabelGraph

__all__ = ["CorrelationSubset"]


class CorrelationSubset(InformationSelector):
    """MLCFS of PACC: for each label the set of features that goes with it, not with each other nor with its parents.

    Best-first search on Hall's merit n rcf / sqrt(n + n (n - 1) rff) by symmetric uncertainty. A label's parents in the
    graph are members from the start, so that features that only say what a parent says are left out. Use it for small
    sets without redundancy, when labels have parents (chains, trees); it finds its own sizes.

    Parameters
    ----------
    candidates : FeatureMask or None, default=None
        Features each label may choose from, such as the mask of `MLIG`; None is all of them.
    patience : int, default=5
        Expansions in a row without a better set after which the search stops.
    n_features : int, float, "sqrt" or None, default=None
        None: as many as the best set has. Otherwise its first so many, or as many more as are missing, best first.
    discretizer : transformer, "passthrough" or None, default=None
        How numbers become symbols; None is `MeanStdDiscretizer()`.
    n_jobs : int, optional
        Threads, over labels; the result is the same for any number.

    Attributes
    ----------
    ranking_, scores_ : list of ndarray
        For each label its features in the order added, and the merit of the set after each.

    Notes
    -----
    A label for which nothing beats its parents alone keeps its candidates, by falling symmetric uncertainty, which
    then stands in `scores_`. Of equal merits the feature with the larger uncertainty is added, then the first.

    References
    ----------
    [PACC] Sun, Kudo and Kimura: Polytree-augmented classifier chains for multi-label classification, with
    label-dependent features, 2016.
    [Hall1999] Hall: Correlation-based feature selection for machine learning, 1999.

    Examples
    --------
    The second feature is a copy of the first, the third is noise.

    >>> X = np.array([[0, 0, 1], [0, 0, 0], [1, 1, 1], [1, 1, 0]])
    >>> CorrelationSubset().fit(X, X[:, [0]]).ranking_
    [array([0])]
    """

    label_specific = True
    uses_graph = True
    takes_unknown_labels: ClassVar[bool] = True
    parameter_rules: ClassVar = {
        "candidates": (InstanceOf((FeatureMask,)), Nothing()),
        "patience": (Interval(int, 1, None),),
        "n_features": (*SIZE_RULES, Nothing()),
        "discretizer": DISCRETIZER_RULES,
        "n_jobs": JOBS_RULES,
    }

    def __init__(
        self,
        candidates: FeatureMask | None = None,
        patience: int = 5,
        n_features: Any = None,
        discretizer: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.candidates = candidates
        self.patience = patience
        self.n_features = n_features
        self.discretizer = discretizer
        self.n_jobs = n_jobs

    def _default_discretizer(self) -> Any:
        return MeanStdDiscretizer()

    def _select(self, X: Any, Y: Any, graph: LabelGraph) -> FeatureMask:
        codes, labels = self._codes(X, Y), coded_labels(Y)
        n_columns = codes.vocabulary.n_columns
        allowed = self._allowed(graph.n_labels, n_columns)
        wanted = None if self.n_features is None else n_wanted(self.n_features, codes.n_rows, n_columns)
        codes, columns = varying(codes)
        choices = [np.flatnonzero(row) for row in allowed[:, columns]]
        self._warn_if_fewer(min((each.size for each in choices), default=0), wanted or 0)
        uncertainty = _Uncertainty.of(codes, labels, graph)
        search = partial(_subset, uncertainty, graph, choices, self.patience, wanted)
        with Threads(self.n_jobs) as threads:
            found = threads.map(search, progress(range(graph.n_labels), "CorrelationSubset, labels"))
        return FeatureMask.by_label([columns[order] for order, _ in found], [merits for _, merits in found], n_columns)

    def _allowed(self, n_labels: int, n_columns: int) -> Bools:
        if self.candidates is None:
            return np.ones((n_labels, n_columns), dtype=np.bool_)
        if self.candidates.support.shape != (n_labels, n_columns):
            raise ParameterError(
                f"CorrelationSubset needs candidates for {n_labels} labels and {n_columns} features, but they are for "
                f"{self.candidates.n_labels} and {self.candidates.n_features}. Pass a mask made from the same data."
            )
        return self.candidates.support


class _Uncertainty(NamedTuple):
    """Symmetric uncertainties: of features with labels, between labels, and between features on demand."""

    with_labels: Floats
    of_labels: Floats
    rows: "UncertaintyRows"

    @classmethod
    def of(cls, codes: Codes, labels: LabelCodes, graph: LabelGraph) -> "_Uncertainty":
        if isinstance(labels, KnownLabels):
            return cls(labels.tables(codes).uncertainty, labels.uncertainty, UncertaintyRows(codes))
        of_labels = symmetric_uncertainty_matrix(labels) if graph.edges else np.zeros((0, 0))
        return cls(symmetric_uncertainty_matrix(codes, labels), of_labels, UncertaintyRows(codes))

    def start(self, label: int, parents: Ints, choice: Ints) -> MemberSet:
        """Return the set of a label's parents."""
        if not parents.size:
            return MemberSet.start(0.0, 0.0, np.zeros(choice.size), 0)
        among = np.triu(self.of_labels[np.ix_(parents, parents)], k=1).sum()
        links = self.with_labels[np.ix_(choice, parents)].sum(axis=1)
        return MemberSet.start(float(self.of_labels[parents, label].sum()), float(among), links, parents.size)


# Bytes of rows kept.
_MOST_BYTES = 1 << 28


class UncertaintyRows:
    """SU(f,s) = 2 I(f;s) / (H(f) + H(s)) of all columns f with a column s, equal to the last bit for equal columns.

    Parameters
    ----------
    codes : SparseCodes or PackedCodes
        Columns that each hold more than one symbol.

    Examples
    --------
    >>> from plait.counts import encode
    >>> UncertaintyRows(encode([[0, 0, 1], [0, 1, 1], [1, 0, 0], [1, 1, 0]])).of(0)
    array([1., 0., 1.])
    """

    def __init__(self, codes: Codes) -> None:
        self._pairs = ColumnPairs(codes)
        self._most = max(_MOST_BYTES // (8 * max(codes.vocabulary.n_columns, 1)), 1)
        self._rows: OrderedDict[int, Floats] = OrderedDict()
        self._lock = Lock()

    def of(self, column: int) -> Floats:
        """Return SU of every column with this one; not to be written to."""
        with self._lock:
            if column in self._rows:
                self._rows.move_to_end(column)
                return self._rows[column]
        entropies = self._pairs.entropies
        row = 2.0 * self._pairs.shared_with(column) / (entropies + entropies[column])
        with self._lock:
            self._rows[column] = row
            if len(self._rows) > self._most:
                self._rows.popitem(last=False)
        return row


def _subset(
    uncertainty: _Uncertainty,
    graph: LabelGraph,
    choices: list[Ints],
    patience: int,
    wanted: int | None,
    label: int,
) -> tuple[Ints, Floats]:
    """Return the features of one label, as numbers of varying columns, and their merits."""
    choice = choices[label]
    relevance = uncertainty.with_labels[choice, label]
    start = uncertainty.start(label, np.array(graph.parents[label], dtype=np.int64), choice)

    def links_of(candidate: int) -> Floats:
        return uncertainty.rows.of(int(choice[candidate]))[choice]

    best = best_first(start, relevance, links_of, patience)
    if not best.members and wanted is None:
        order = stable_ranking(relevance)
        return choice[order], relevance[order]
    if wanted is not None:
        best = grown_to(best, wanted, relevance, links_of)
    return choice[list(best.members)], np.array(best.merits[1:])
