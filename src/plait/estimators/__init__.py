"""Compose the rooms below into classifiers that follow scikit-learn's contract.

Takes X, Y and the parts (structure, selector, learner, inference, loss); hands on fitted classifiers, whose `joint(X)`
is a `Posterior`: P(y | x) of every row, to ask any question of. `recipes` holds the published methods.
"""

from plait.estimators import recipes
from plait.estimators.ensemble_classifier import EnsembleClassifier
from plait.estimators.joint_classifier import JointClassifier
from plait.estimators.model_types import trusted_types
from plait.estimators.tree_mixture.tree_mixture_classifier import TreeMixtureClassifier
from plait.posterior import LikelySets, Posterior

__all__ = [
    "EnsembleClassifier",
    "JointClassifier",
    "LikelySets",
    "Posterior",
    "TreeMixtureClassifier",
    "recipes",
    "trusted_types",
]
