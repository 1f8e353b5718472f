"""MIM: features by relevance alone [OCC, table 1]."""

from plait.features.criterion_selector import CriterionSelector
from plait.features.general_criterion import GeneralCriterion

__all__ = ["MIM"]


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

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0, 0, 1], [0, 1, 1], [1, 0, 0], [1, 1, 1]])
    >>> MIM(n_features=2, discretizer="passthrough").fit(X, X[:, :1]).ranking_
    array([0, 2])
    """

    def _criterion(self) -> GeneralCriterion:
        return GeneralCriterion(beta=0.0, gamma=0.0)
