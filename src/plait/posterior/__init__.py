"""Answer any question about P(y | x).

Takes a fitted model (`condition(X)` gives a `LabelDistribution`), rows X, an inference and a loss; hands on a
`Posterior`, whose answers are plain arrays. `JointModel` is the base of classifiers whose `joint(X)` returns one.
"""

from plait.posterior.answers import LikelySets
from plait.posterior.joint_model import JointModel
from plait.posterior.posterior import Posterior

__all__ = ["JointModel", "LikelySets", "Posterior"]
