"""JMI: what a feature says about a label together with each chosen one [OCC, table 1]."""

from plait.features.criterion_selector import CriterionSelector
from plait.features.general_criterion import GeneralCriterion

__all__ = ["JMI"]


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
