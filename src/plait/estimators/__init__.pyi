from . import recipes
from .answers import LikelySets, Posterior
from .ensemble_classifier import EnsembleClassifier
from .joint_classifier import JointClassifier
from .model_types import trusted_types
from .tree_mixture.tree_mixture_classifier import TreeMixtureClassifier

__all__ = [
    "EnsembleClassifier",
    "JointClassifier",
    "LikelySets",
    "Posterior",
    "TreeMixtureClassifier",
    "recipes",
    "trusted_types",
]
