"""Mixtures of conditional trees: the classifier, how a mixture grows tree by tree, and its EM [MC 4-5]."""

from plait.estimators.tree_mixture.tree_mixture_classifier import TreeMixtureClassifier

__all__ = ["TreeMixtureClassifier"]
