"""mRMR: relevance, less what is shared with chosen features on average [OCC, table 1]."""

from plait.features.criterion_selector import CriterionSelector
from plait.features.general_criterion import GeneralCriterion

__all__ = ["MRMR"]


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
