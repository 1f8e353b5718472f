from .conditional import conditional_mutual_information, conditional_mutual_information_matrix
from .dependence import mutual_information, mutual_information_matrix
from .interaction import interaction_information, interaction_information_matrix
from .logs import CountLogs, WeightLogs, logs_of
from .ratios import (
    normalized_mutual_information,
    normalized_mutual_information_matrix,
    symmetric_uncertainty,
    symmetric_uncertainty_matrix,
)
from .significance import GTest, g_test, g_test_matrix
from .uncertainty import conditional_entropy, entropies, entropy

__all__ = [
    "CountLogs",
    "GTest",
    "WeightLogs",
    "conditional_entropy",
    "conditional_mutual_information",
    "conditional_mutual_information_matrix",
    "entropies",
    "entropy",
    "g_test",
    "g_test_matrix",
    "interaction_information",
    "interaction_information_matrix",
    "logs_of",
    "mutual_information",
    "mutual_information_matrix",
    "normalized_mutual_information",
    "normalized_mutual_information_matrix",
    "symmetric_uncertainty",
    "symmetric_uncertainty_matrix",
]
