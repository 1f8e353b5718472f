from .asking import LabelsToAsk
from .chunked_posterior import ChunkedPosterior
from .credible_families import LabelFamilies
from .drawn_sets import SamplingWarning
from .explaining import FeatureBackground, Reasons
from .further_questions import FurtherQuestions
from .joint_model import FewLabelsWarning, JointModel
from .likely_sets import LikelySets
from .posterior import Posterior
from .predictor import Predictor

__all__ = [
    "ChunkedPosterior",
    "FeatureBackground",
    "FewLabelsWarning",
    "FurtherQuestions",
    "JointModel",
    "LabelFamilies",
    "LabelsToAsk",
    "LikelySets",
    "Posterior",
    "Predictor",
    "Reasons",
    "SamplingWarning",
]
