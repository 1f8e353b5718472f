from . import baselines, data, features, inference, learners, losses, metrics, structure, trust
from .data import load_dataset
from .estimators import (
    AutoJoint,
    EnsembleClassifier,
    JointClassifier,
    JointPipeline,
    LabelTreeClassifier,
    TreeMixtureClassifier,
    load_model,
    make_joint_pipeline,
    recipes,
    save_model,
)
from .trust import audit

__all__ = [
    "AutoJoint",
    "EnsembleClassifier",
    "JointClassifier",
    "JointPipeline",
    "LabelTreeClassifier",
    "TreeMixtureClassifier",
    "audit",
    "baselines",
    "data",
    "features",
    "inference",
    "learners",
    "losses",
    "metrics",
    "structure",
    "trust",
    "load_dataset",
    "load_model",
    "make_joint_pipeline",
    "recipes",
    "save_model",
]

__version__: str
