from .answers import LikelySets
from .asking import LabelsToAsk
from .credible_families import LabelFamilies
from .drawn_sets import SamplingWarning
from .joint_model import JointModel
from .posterior import Posterior

__all__ = [
    "JointModel",
    "LabelFamilies",
    "LabelsToAsk",
    "LikelySets",
    "Posterior",
    "SamplingWarning",
]
