"""Gain ratio: information about a label for each bit of the feature's own entropy [Quinlan1986]."""

from typing import Any, ClassVar

import numpy as np

from plait.core.parallel import JOBS_RULES
from plait.counts import MeanStdDiscretizer
from plait.features.engine.columns import varying
from plait.features.engine.known_labels import KnownLabels, coded_labels
from plait.features.engine.ranking import ranked_by_label
from plait.features.engine.sizes import SIZE_RULES, n_wanted
from plait.features.feature_mask import FeatureMask
from plait.features.selector import DISCRETIZER_RULES, InformationSelector
from plait.information import entropies, mutual_information_matrix
from plait.structure import LabelGraph

__all__ = ["GainRatio"]


class GainRatio(InformationSelector):
    """Gain ratio: every label ranks the features by I(Y_j;X_k) / H(X_k).

    The ratio takes from features with many values the advantage they have in information gain. Use it where numbers
    of values differ much; among rare binary features it favours the rarest. PACC compares it with its own selector.

    Parameters
    ----------
    n_features : int, float or "sqrt", default="sqrt"
        How many features every label keeps.
    discretizer : transformer, "passthrough" or None, default=None
        How numbers become symbols; None is `MeanStdDiscretizer()`.
    n_jobs : int, optional
        Threads; the result is the same for any number.

    Attributes
    ----------
    ranking_, scores_ : list of ndarray
        For each label its features, the best first, and their ratios, between 0 and 1.

    References
    ----------
    Quinlan: Induction of decision trees [Quinlan1986].

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0, 0], [0, 1], [1, 2], [1, 3]])
    >>> GainRatio(n_features=2, discretizer="passthrough").fit(X, X[:, [0]]).scores_
    [array([1. , 0.5])]
    """

    label_specific = True
    takes_unknown_labels: ClassVar[bool] = True
    parameter_rules: ClassVar = {
        "n_features": SIZE_RULES,
        "discretizer": DISCRETIZER_RULES,
        "n_jobs": JOBS_RULES,
    }

    def __init__(self, n_features: Any = "sqrt", discretizer: Any = None, n_jobs: int | None = None):
        self.n_features = n_features
        self.discretizer = discretizer
        self.n_jobs = n_jobs

    def _default_discretizer(self) -> Any:
        return MeanStdDiscretizer()

    def _select(self, X: Any, Y: Any, graph: LabelGraph) -> FeatureMask:
        codes, labels = self._codes(X, Y), coded_labels(Y)
        n_columns = codes.vocabulary.n_columns
        wanted = n_wanted(self.n_features, codes.n_rows, n_columns)
        codes, columns = varying(codes)
        self._warn_if_fewer(columns.size, wanted)
        if isinstance(labels, KnownLabels):
            tables = labels.tables(codes)
            most = tables.feature_entropies
            ratios = np.divide(tables.relevance, most, out=np.zeros_like(most), where=most > 0)
        else:  # columns that hold one symbol are gone, so that no entropy is 0
            ratios = mutual_information_matrix(codes, labels, n_jobs=self.n_jobs) / entropies(codes)[:, None]
        return ranked_by_label(ratios, columns, [wanted] * graph.n_labels, n_columns)
