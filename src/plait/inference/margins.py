"""Whether a distribution has probabilities at all: margins of a learner that only decides have none."""

from plait.core.sentences import ParameterError
from plait.joint import LabelDistribution

__all__ = ["refuse_margins"]


def refuse_margins(owner: str, distribution: LabelDistribution) -> None:
    """Raise where scores are margins, which only greedy decisions can use."""
    if not getattr(distribution, "probabilistic", True):
        raise ParameterError(
            f"{owner} needs a learner that gives probabilities, but this one gives decisions only. "
            "Use Greedy(), or a probabilistic learner such as LogisticLearner()."
        )
