"""`KeptStrengths`: a logistic learner whose strengths of the penalty are known."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from plait.core.arrays import Floats
from plait.core.checks import Constraint, InstanceOf
from plait.learners import Conditionals, Learner, LinearConditionals, LogisticLearner
from plait.learners.training.problem import Problem

__all__ = ["KeptStrengths", "keeping_strengths"]


class KeptStrengths(LogisticLearner):
    """Trains as another learner does, with one `C` for each label that was found before.

    Parameters
    ----------
    learner : LogisticLearner
        Whose parameters to take.
    strengths : ndarray of shape (n_labels,)
        C of every label.
    """

    parameter_rules: ClassVar[Mapping[str, tuple[Constraint, ...]]] = {
        "learner": (InstanceOf((LogisticLearner,)),),
        "strengths": (InstanceOf((np.ndarray,)),),
    }

    def __init__(self, learner: LogisticLearner, strengths: Floats) -> None:
        super().__init__(**learner.get_params())
        self.learner, self.strengths = learner, strengths

    def _strengths(self, problem: Problem, fitted: npt.NDArray[np.int64], begin: Any) -> Floats:
        return self.strengths[fitted]

    def _fit(self, problem: Problem, start: Conditionals | None) -> LinearConditionals:
        return replace(super()._fit(problem, start), made_by=type(self.learner).__name__)


def keeping_strengths(learner: Learner, found: Any) -> Learner:
    """Return a learner that keeps the strengths of conditionals it trained; itself where there is nothing to keep."""
    if not isinstance(learner, LogisticLearner) or learner.C != "cv":
        return learner
    assert isinstance(found, LinearConditionals)
    assert found.C_ is not None
    return KeptStrengths(learner, np.where(np.isfinite(found.C_), found.C_, 1.0))
