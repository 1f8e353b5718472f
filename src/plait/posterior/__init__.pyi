from .answers import LikelySets
from .drawn_sets import SamplingWarning
from .joint_model import JointModel
from .posterior import Posterior

__all__ = [
    "JointModel",
    "LikelySets",
    "Posterior",
    "SamplingWarning",
]
