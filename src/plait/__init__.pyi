from .data import load_dataset
from .estimators import EnsembleClassifier, JointClassifier, TreeMixtureClassifier, recipes

__all__ = [
    "EnsembleClassifier",
    "JointClassifier",
    "TreeMixtureClassifier",
    "load_dataset",
    "recipes",
]

__version__: str
