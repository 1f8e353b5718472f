from . import auto_joint, recipes
from .answers import LikelySets, Posterior
from .auto_joint import AutoJoint
from .ensemble_classifier import EnsembleClassifier
from .joint_classifier import JointClassifier
from .joint_pipeline import JointPipeline, make_joint_pipeline
from .label_tree_classifier import LabelTreeClassifier
from .model_file import ModelFile, UntrustedModelError, load_model, read_model_file, save_model
from .tree_mixture.tree_mixture_classifier import TreeMixtureClassifier

__all__ = [
    "AutoJoint",
    "EnsembleClassifier",
    "JointClassifier",
    "JointPipeline",
    "LabelTreeClassifier",
    "LikelySets",
    "ModelFile",
    "Posterior",
    "TreeMixtureClassifier",
    "UntrustedModelError",
    "load_model",
    "make_joint_pipeline",
    "read_model_file",
    "recipes",
    "save_model",
    "auto_joint",
]
