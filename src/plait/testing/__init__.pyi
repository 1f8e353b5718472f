from .loss_conformance import LossConformance
from .random_models import enumerated, random_evidence, random_graph, random_linear, random_mixture, random_tables
from .random_polytrees import random_forest_graph, random_polytree
from .table_distribution import TableDistribution

__all__ = [
    "LossConformance",
    "TableDistribution",
    "enumerated",
    "random_evidence",
    "random_forest_graph",
    "random_graph",
    "random_linear",
    "random_mixture",
    "random_polytree",
    "random_tables",
]
