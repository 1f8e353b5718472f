"""A polytree over labels: a tree in which labels may have several parents [PACC 5.1]."""

from typing import ClassVar

import numpy as np
from scipy.stats import chi2

from plait.core.arrays import Floats
from plait.core.checks import Constraint, Interval, OneOf
from plait.structure.conditional_tree import FOLDS_RULES
from plait.structure.label_graph import LabelGraph
from plait.structure.label_information import LabelInformation
from plait.structure.level_order import by_level
from plait.structure.orientation import Test, directed_edges
from plait.structure.spanning import maximum_spanning_forest
from plait.structure.structure import Structure
from plait.structure.structure_input import StructureInput

__all__ = ["Polytree"]


# Above so many labels, "auto" does without a learner for every pair.
_MOST_LABELS = 75


class Polytree(Structure):
    """The spanning tree of strongest dependence between labels, directed so that independent neighbours are co-parents.

    Parameters
    ----------
    weights : {"auto", "conditional", "nmi"}, default="auto"
        What the tree is made from: I(Y_j;Y_k|X) as a learner estimates it [PACC 13], or normalised mutual information
        of the labels alone [PACC 25]. "auto" is "conditional" up to 75 labels.
    zero_mi : {"same", "marginal"}, default="same"
        In which numbers two neighbours are tested for independence: those of the tree, or those of the labels alone.
    test : {"ratio", "gtest"}, default="ratio"
        Two neighbours of a label are independent if their weight is below `ratio` times the smallest weight
        between the label and a neighbour; or if the G-test does not reject it at level `alpha`.
    ratio : float, default=0.2
        See `test`; 0 gives a tree in which no label has two parents.
    alpha : float, default=0.05
        See `test`.
    max_parents : int, default=6
        Most parents of a label: of more, those with the smallest summed weight among them are kept.
    folds : int or float, default=3
        How the learner's rows are held out, for whoever trains it: a number of folds, or a share of the rows.

    Notes
    -----
    Pairs without any shared information are not joined, so that the tree may be a forest; labels without variation
    stand alone. On a chain of weak symmetric links (correlation below about 0.45) the ratio takes ends for
    independent; the G-test does not, once there are enough rows.

    The G-test takes 2 N I, with I in nats and N the number of rows behind it, against the chi-square distribution with
    one degree of freedom: I(Y_a;Y_b|X) and the rows held out where the tree is conditional and `zero_mi="same"`,
    I(Y_a;Y_b) and all rows otherwise.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> a, b, noise = rng.random((3, 5000)) < [[0.5], [0.5], [0.05]]
    >>> Y = np.column_stack([a, b, (a | b) ^ noise]).astype(np.uint8)
    >>> Polytree(weights="nmi").build(np.zeros((5000, 1)), Y).parents
    ((), (), (0, 1))
    """

    parameter_rules: ClassVar[dict[str, tuple[Constraint, ...]]] = {
        "weights": (OneOf(("auto", "conditional", "nmi")),),
        "zero_mi": (OneOf(("same", "marginal")),),
        "test": (OneOf(("ratio", "gtest")),),
        "ratio": (Interval(float, 0.0, None),),
        "alpha": (Interval(float, 0.0, 1.0, closed="neither"),),
        "max_parents": (Interval(int, 1, None),),
        "folds": FOLDS_RULES,
    }

    def __init__(
        self,
        weights: str = "auto",
        zero_mi: str = "same",
        test: str = "ratio",
        ratio: float = 0.2,
        alpha: float = 0.05,
        max_parents: int = 6,
        folds: float = 3,
    ) -> None:
        self.weights = weights
        self.zero_mi = zero_mi
        self.test = test
        self.ratio = ratio
        self.alpha = alpha
        self.max_parents = max_parents
        self.folds = folds

    def needs_pairs(self, n_labels: int) -> bool:
        """Say whether the tree is made from what a learner finds about pairs of so many labels."""
        return n_labels > 1 and (self.weights == "conditional" or (self.weights == "auto" and n_labels <= _MOST_LABELS))

    def _build(self, given: StructureInput) -> LabelGraph:
        labels = LabelInformation(given.Y)
        weights = self._weights(given, labels)
        edges = maximum_spanning_forest(weights)
        compared = weights if self.zero_mi == "same" else labels.normalized
        test = self._ratio_test(compared, edges) if self.test == "ratio" else self._g_test(given, labels)
        return by_level(directed_edges(given.n_labels, edges, test, compared, self.max_parents))

    def _weights(self, given: StructureInput, labels: LabelInformation) -> Floats:
        if given.pairs is None or not self.needs_pairs(given.n_labels):
            return labels.normalized
        weights = given.pairs.conditional_information
        # Nothing depends on a label that never varies, whatever rounding leaves.
        return np.where(np.logical_and.outer(given.varies, given.varies), weights, 0.0)

    def _ratio_test(self, weights: Floats, edges: list[tuple[int, int]]) -> Test:
        weakest = np.full(weights.shape[0], np.inf)
        for a, b in edges:
            for node in (a, b):
                weakest[node] = min(weakest[node], weights[a, b])
        return lambda a, b, j: bool(weights[a, b] < self.ratio * weakest[j])

    def _g_test(self, given: StructureInput, labels: LabelInformation) -> Test:
        conditional = self.zero_mi == "same" and self.needs_pairs(given.n_labels)
        if conditional and given.pairs is not None:
            information, n_rows = given.pairs.conditional_information, given.pairs.n_held_out or given.Y.shape[0]
        else:
            information, n_rows = labels.mutual * np.log(2.0), given.Y.shape[0]
        limit = chi2.isf(self.alpha, 1)
        return lambda a, b, j: bool(2.0 * n_rows * information[a, b] < limit)
