"""The tree under which labels held out are most likely: conditional tree-structured networks [MC 5.3.1; MC 11]."""

from typing import Any, ClassVar

import numpy as np

from plait.core.arrays import Ints
from plait.core.checks import Constraint, Interval, Nothing, OneOf
from plait.structure.branching import maximum_branching
from plait.structure.label_graph import LabelGraph, by_level
from plait.structure.label_information import information_of
from plait.structure.structure import Structure
from plait.structure.structure_input import StructureInput

__all__ = ["FOLDS_RULES", "ConditionalTree"]

FOLDS_RULES: tuple[Constraint, ...] = (Interval(int, 2, None), Interval(float, 0.0, 1.0, closed="neither"))
"""What the parameter `folds` of a structure may be: a number of folds, or the share of rows held out."""

# Above so many labels "auto" leaves pairs out, and has so many candidates for the parent of each label.
_MOST_LABELS, _CANDIDATES = 200, 20


class ConditionalTree(Structure):
    """At most one parent for every label, so that labels held out are most likely given features and parents.

    The log-likelihoods come from a learner that is trained for every label alone and with each other label. A
    maximum branching over them gives the best tree, or forest, for the learner.

    Parameters
    ----------
    folds : float or int, default=1/3
        How the learner's rows are held out, for whoever trains it: a share of the rows, or a number of folds over
        which log-likelihoods are summed.
    max_candidates : int, "auto" or None, default="auto"
        How many labels may be the parent of a label: those of highest I(Y_j;Y_k) with it, ties by index; None for all.
        "auto" is all up to 200 labels and 20 above, so that a learner trains 20 pairs for each label and not all of
        them. What is left out counts as a parent that does not help.

    Examples
    --------
    >>> from plait.structure import PairDependence
    >>> likelihood = np.array([[-9.0, -4.0], [-5.0, -9.0]])
    >>> pairs = PairDependence(likelihood, np.array([-6.0, -9.0]), np.zeros((2, 2)), n_held_out=10)
    >>> ConditionalTree().build(np.zeros((10, 1)), np.zeros((10, 2)), pairs=pairs).parents
    ((), (0,))
    """

    counts_labels: ClassVar[bool] = True
    parameter_rules: ClassVar[dict[str, tuple[Constraint, ...]]] = {
        "folds": FOLDS_RULES,
        "max_candidates": (Interval(int, 1, None), OneOf(("auto",)), Nothing()),
    }

    def __init__(self, folds: float = 1 / 3, max_candidates: int | str | None = "auto") -> None:
        self.folds = folds
        self.max_candidates = max_candidates

    def needs_pairs(self, n_labels: int) -> bool:
        """Say whether there are pairs at all."""
        return n_labels > 1

    def candidate_parents(self, Y: Any) -> list[Ints] | None:
        """Return the labels that share most with each label; None for all."""
        n_labels, most = Y.shape[1], self.max_candidates
        if isinstance(most, str):
            most = _CANDIDATES if n_labels > _MOST_LABELS else None
        if most is None or most >= n_labels - 1:
            return None
        labels, found = information_of(Y), []
        for label in range(n_labels):
            others = np.delete(np.arange(n_labels), label)
            shared = labels.mutual_row(label)[others]
            found.append(np.sort(others[np.argsort(-shared, kind="stable")[:most]]))
        return found

    def _build(self, given: StructureInput) -> LabelGraph:
        if given.pairs is None:
            return LabelGraph([[]] * given.n_labels)
        parents = maximum_branching(given.pairs.log_likelihood, given.pairs.log_likelihood_alone)
        return by_level([[] if parent < 0 else [parent] for parent in parents])
