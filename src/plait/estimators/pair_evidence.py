"""What a structure asks a learner about pairs of labels, for every classifier that learns a structure."""

from typing import Any

import numpy as np
import numpy.typing as npt

from plait.core.sentences import ParameterError
from plait.features import FeatureMask
from plait.learners import Learner
from plait.structure import PairDependence, Structure

__all__ = ["pairs_for"]


def pairs_for(
    structure: Structure,
    learner: Learner,
    X: Any,
    Y: npt.NDArray[np.uint8],
    *,
    sample_weight: Any,
    seed: int,
    mask: FeatureMask | None = None,
) -> PairDependence | None:
    """Return the held-out statistics of all pairs of labels, or None where the structure needs none.

    With fewer rows than can be held out, all rows are trained on and scored.
    """
    if not structure.needs_pairs(Y.shape[1]):
        return None
    if not hasattr(learner, "fit_pairs"):
        raise ParameterError(
            f"{type(structure).__name__} needs a learner with fit_pairs, but {type(learner).__name__} has none. "
            "Use LogisticLearner(), or a structure that needs counts only, such as LabelTree()."
        )
    wanted = getattr(structure, "folds", None)
    enough = wanted is not None and Y.shape[0] >= max(2, wanted)
    pairs: PairDependence = learner.fit_pairs(
        X, Y, sample_weight=sample_weight, mask=mask, folds=wanted if enough else None, random_state=seed
    )
    return pairs
