from .conditionals import Conditionals
from .fitted_classifiers import FittedClassifiers
from .hierarchy_conditionals import HierarchyConditionals
from .learner import Learner
from .linear_conditionals import LinearConditionals
from .linear_svm_learner import LinearSVMLearner
from .logistic_learner import LogisticLearner
from .sklearn_learner import SklearnLearner

__all__ = [
    "HierarchyConditionals",
    "Conditionals",
    "FittedClassifiers",
    "Learner",
    "LinearConditionals",
    "LinearSVMLearner",
    "LogisticLearner",
    "SklearnLearner",
]
