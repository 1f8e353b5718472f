from .answers import LikelySets
from .joint_model import JointModel
from .posterior import Posterior

__all__ = [
    "JointModel",
    "LikelySets",
    "Posterior",
]
