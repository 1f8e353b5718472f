from .estimator_conformance import EstimatorConformance
from .loss_conformance import LossConformance
from .random_models import enumerated, random_evidence, random_graph, random_linear, random_mixture, random_tables
from .random_polytrees import random_forest_graph, random_polytree
from .selector_conformance import SelectorConformance
from .structure_conformance import StructureConformance
from .table_distribution import TableDistribution

__all__ = [
    "EstimatorConformance",
    "LossConformance",
    "SelectorConformance",
    "StructureConformance",
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
