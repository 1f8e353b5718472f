from .tree_mixture_classifier import TreeMixtureClassifier

__all__ = [
    "TreeMixtureClassifier",
]
