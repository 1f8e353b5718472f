"""A directed tree over labels by their marginal dependence: Bayesian chain classifiers [OCC 2; PACC 3]."""

from typing import ClassVar

from plait.core.checks import Constraint, InstanceOf, Interval, Nothing, OneOf
from plait.core.label_numbering import label_number
from plait.structure.label_graph import LabelGraph, by_level
from plait.structure.spanning import components, directed_outward, spanning_forest_of_rows
from plait.structure.structure import Structure
from plait.structure.structure_input import StructureInput

__all__ = ["LabelTree"]


class LabelTree(Structure):
    """The spanning tree of strongest marginal dependence between labels, directed away from a root.

    Pairs that share no information at all are not joined, so that the tree may be a forest, with a root for each part;
    labels without variation stand alone.

    Parameters
    ----------
    weights : {"nmi", "mi"}, default="nmi"
        Normalised mutual information [PACC 25], or plain mutual information, which gives the tree of Chow and Liu.
    root : int or str, optional
        The root by number or name; parts of a forest without it start at their smallest label. By default every part
        has a random root.

    Notes
    -----
    All pairs are compared, those that never meet too: time grows with the square of the number of labels. From 2,048
    labels on memory does not: only pairs that meet in some row are kept.

    References
    ----------
    [PACC] Sun, Kudo and Kimura: Polytree-augmented classifier chains for multi-label classification, with
    label-dependent features, 2016.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> a = rng.random(500) < 0.5
    >>> b, c = a ^ (rng.random((2, 500)) < 0.1)
    >>> Y = np.column_stack([b, a, c]).astype(np.uint8)
    >>> LabelTree(root=0).build(np.zeros((500, 1)), Y).parents
    ((), (0,), (1,))
    """

    takes_sparse_labels: ClassVar[bool] = True
    counts_labels: ClassVar[bool] = True
    counts_pairs: ClassVar[bool] = True
    parameter_rules: ClassVar[dict[str, tuple[Constraint, ...]]] = {
        "weights": (OneOf(("nmi", "mi")),),
        "root": (Interval(int, 0, None), InstanceOf((str,)), Nothing()),
    }

    def __init__(self, weights: str = "nmi", root: int | str | None = None) -> None:
        self.weights = weights
        self.root = root

    def _build(self, given: StructureInput) -> LabelGraph:
        labels = given.information
        weights_of = labels.normalized_row if self.weights == "nmi" else labels.mutual_row
        edges = spanning_forest_of_rows(given.n_labels, weights_of)
        parts = components(given.n_labels, edges)
        parents = directed_outward(given.n_labels, edges, self._roots(parts, given))
        return by_level([[] if parent < 0 else [parent] for parent in parents])

    def _roots(self, parts: list[list[int]], given: StructureInput) -> list[int]:
        if self.root is None:
            return [int(given.random.choice(part)) for part in parts]
        root = label_number("LabelTree", "root", self.root, given.n_labels, given.label_names)
        return [root if root in part else part[0] for part in parts]
