"""`GivenFeatures`: the features that somebody else has chosen, for each label."""

from typing import Any, ClassVar

import numpy as np

from plait.core.checks import InstanceOf, Nothing
from plait.core.sentences import ParameterError
from plait.features.feature_mask import FeatureMask
from plait.features.selector import Selector
from plait.structure import LabelGraph

__all__ = ["GivenFeatures"]


class GivenFeatures(Selector):
    """Keep the features that are given: no choice is made here.

    Parameters
    ----------
    support : array of bool, shape (n_labels, n_features), optional
        Whether a label keeps a feature, as `mask_.support` of another selector has it; None keeps all.

    Attributes
    ----------
    ranking_, scores_ : list of ndarray
        For each label its features in the order of the columns, and ones.

    Examples
    --------
    >>> GivenFeatures([[1, 0], [1, 1]]).fit([[0.0, 1.0], [1.0, 0.0]], [[0, 1], [1, 0]]).ranking_
    [array([0]), array([0, 1])]
    """

    label_specific = True
    takes_unknown_labels: ClassVar[bool] = True
    parameter_rules: ClassVar = {"support": (InstanceOf((list, tuple, np.ndarray)), Nothing())}

    def __init__(self, support: Any = None) -> None:
        self.support = support

    def _select(self, X: Any, Y: Any, graph: LabelGraph) -> FeatureMask:
        shape = Y.shape[1], X.shape[1]
        kept = np.ones(shape, dtype=bool) if self.support is None else np.asarray(self.support, dtype=bool)
        if kept.shape != shape:
            raise ParameterError(
                f"GivenFeatures needs support to have shape {shape}, one row a label and one column a feature, but "
                f"it has {kept.shape}. Choose the features of these data."
            )
        rankings = [np.flatnonzero(row) for row in kept]
        return FeatureMask.by_label(rankings, [np.ones(len(ranking)) for ranking in rankings], shape[1])
