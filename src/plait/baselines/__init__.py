"""The methods that the papers compare with.

Takes X, Y; hands on fitted classifiers: scikit-learn estimators, one file for each method.
"""

from plait.baselines.label_powerset import LabelPowerset
from plait.baselines.pruned_sets import PrunedSets

__all__ = ["LabelPowerset", "PrunedSets"]
