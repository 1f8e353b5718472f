from .auto_joint import AutoJoint
from .auto_report import AutoReport, FewRowsWarning
from .base_scores import BaseScores
from .classifier_scores import ClassifierScores
from .forest_scores import ForestScores
from .kernel_scores import KernelScores
from .lasso_scores import LassoScores
from .logistic_scores import LogisticScores
from .neighbour_scores import NeighbourScores
from .text_scores import TextScores

__all__ = [
    "AutoJoint",
    "AutoReport",
    "BaseScores",
    "ClassifierScores",
    "FewRowsWarning",
    "ForestScores",
    "KernelScores",
    "LassoScores",
    "LogisticScores",
    "NeighbourScores",
    "TextScores",
]
