"""MLIG: each label's features by information gain, fewer for rare labels [PACC 18-19]."""

from typing import Any, ClassVar

import numpy as np

from plait.core.arrays import Floats
from plait.core.checks import Interval, Nothing
from plait.core.parallel import JOBS_RULES
from plait.core.unknown_labels import has_unknown, known_shares
from plait.counts import MeanStdDiscretizer
from plait.features.engine.columns import varying
from plait.features.engine.known_labels import coded_labels
from plait.features.engine.label_triples import label_relevance
from plait.features.engine.ranking import ranked_by_label
from plait.features.engine.sizes import SIZE_RULES, n_wanted
from plait.features.feature_mask import FeatureMask
from plait.features.selector import DISCRETIZER_RULES, InformationSelector
from plait.structure import LabelGraph

__all__ = ["MLIG"]


class MLIG(InformationSelector):
    """Multi-label information gain: every label ranks the features by I(Y_j;X_k) and keeps the best.

    A frequent label keeps up to three times the share of a rare one, whose few positive rows bear fewer weights. Use
    it to throw away what is irrelevant to a label, fast, before something slower; it does not see redundancy.

    Parameters
    ----------
    r : float, default=0.15
        Smallest share of the features a label keeps; PACC has 0.15 for data of a regular scale and 0.05 for large ones.
    n_features : int, float, "sqrt" or None, default=None
        None: sizes by PACC 19. Otherwise the same size for every label, as in the program released with PACC.
    discretizer : transformer, "passthrough" or None, default=None
        How numbers become symbols; None is `MeanStdDiscretizer()`.
    n_jobs : int, optional
        Threads; the result is the same for any number.

    Attributes
    ----------
    ranking_, scores_ : list of ndarray
        For each label its features, the most informative first, and their information in bits.

    References
    ----------
    [PACC] Sun, Kudo and Kimura: Polytree-augmented classifier chains for multi-label classification, with
    label-dependent features, 2016.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0, 0, 1], [0, 1, 1], [1, 0, 0], [1, 1, 1]])
    >>> MLIG(n_features=1).fit(X, X[:, [1, 0]]).ranking_
    [array([1]), array([0])]
    """

    label_specific = True
    takes_unknown_labels: ClassVar[bool] = True
    parameter_rules: ClassVar = {
        "r": (Interval(float, 0, 1, closed="right"),),
        "n_features": (*SIZE_RULES, Nothing()),
        "discretizer": DISCRETIZER_RULES,
        "n_jobs": JOBS_RULES,
    }

    def __init__(self, r: float = 0.15, n_features: Any = None, discretizer: Any = None, n_jobs: int | None = None):
        self.r = r
        self.n_features = n_features
        self.discretizer = discretizer
        self.n_jobs = n_jobs

    def _default_discretizer(self) -> Any:
        return MeanStdDiscretizer()

    def _select(self, X: Any, Y: Any, graph: LabelGraph) -> FeatureMask:
        codes = self._codes(X, Y)
        n_columns = codes.vocabulary.n_columns
        codes, columns = varying(codes)
        if self.n_features is None:
            shares = label_shares(_frequencies(Y), self.r).tolist()
        else:
            shares = [self.n_features] * graph.n_labels
        sizes = [n_wanted(share, codes.n_rows, n_columns) for share in shares]
        if self.n_features is not None:
            self._warn_if_fewer(columns.size, max(sizes, default=0))
        gains = label_relevance(codes, coded_labels(Y), self.n_jobs)
        return ranked_by_label(gains, columns, sizes, n_columns)


def _frequencies(Y: Any) -> Any:
    """Return how many rows have each label; where some are unknown, the share of the known ones."""
    return known_shares(Y) if has_unknown(Y) else np.asarray(Y.sum(axis=0, dtype=np.int64)).ravel()


def label_shares(positives: Any, r: float) -> Floats:
    """Return alpha_j = r + 2 r tanh(beta_j / 2), beta_j = IRbar / (IR_j (CVIR + 1)), between r and 3 r, at most 1.

    IR_j is the number of rows of the most frequent label over that of label j, IRbar the mean and CVIR the coefficient
    of variation of the ratios. A label that is never on has no ratio: it gets r and is left out of both.

    Parameters
    ----------
    positives : array of int, shape (n_labels,)
        Rows with each label.
    r : float
        The smallest share.

    Examples
    --------
    Equal labels get 1.924 r each.

    >>> label_shares([50, 50, 0], 0.1).round(4)
    array([0.1924, 0.1924, 0.1   ])
    """
    counts = np.asarray(positives, dtype=np.float64)
    on = counts > 0
    shares = np.full(counts.size, r)
    if on.any():
        ratios = counts.max() / counts[on]
        mean = ratios.mean()
        variation = ratios.std(ddof=1) / mean if ratios.size > 1 else 0.0
        # (e^b - 1) / (e^b + 1) as printed, without overflow.
        shares[on] += 2.0 * r * np.tanh(mean / (ratios * (variation + 1.0)) / 2.0)
    return np.minimum(shares, 1.0)
