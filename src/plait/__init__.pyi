from .data import load_dataset
from .estimators import (
    EnsembleClassifier,
    JointClassifier,
    JointPipeline,
    TreeMixtureClassifier,
    make_joint_pipeline,
    recipes,
)
from .trust import audit

__all__ = [
    "EnsembleClassifier",
    "JointClassifier",
    "JointPipeline",
    "TreeMixtureClassifier",
    "audit",
    "load_dataset",
    "make_joint_pipeline",
    "recipes",
]

__version__: str
