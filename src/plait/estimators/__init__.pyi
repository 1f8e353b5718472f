from . import recipes
from .answers import LikelySets, Posterior
from .ensemble_classifier import EnsembleClassifier
from .joint_classifier import JointClassifier
from .joint_pipeline import JointPipeline, make_joint_pipeline
from .model_types import trusted_types
from .tree_mixture.tree_mixture_classifier import TreeMixtureClassifier

__all__ = [
    "EnsembleClassifier",
    "JointClassifier",
    "JointPipeline",
    "LikelySets",
    "Posterior",
    "TreeMixtureClassifier",
    "make_joint_pipeline",
    "recipes",
    "trusted_types",
]
