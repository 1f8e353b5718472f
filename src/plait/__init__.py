"""plait: probabilistic multi-label classification, one joint model for any question.

The rooms, in the order in which data flows through them: `core`, `data` and `counts`, `information`,
`structure`, `features`, `learners`, `joint`, `inference`, `losses`, `posterior`, then `estimators`, `baselines`
and `metrics`, and above them `experiments`, `testing` and `cli`. A room imports only rooms before it.
"""

from plait.data import load_dataset
from plait.estimators import EnsembleClassifier, JointClassifier, TreeMixtureClassifier, recipes

__all__ = ["EnsembleClassifier", "JointClassifier", "TreeMixtureClassifier", "load_dataset", "recipes"]

__version__ = "0.1.0"
