from .baseline_conformance import BaselineConformance
from .estimator_conformance import EstimatorConformance
from .inference_conformance import InferenceConformance
from .learner_conformance import LearnerConformance
from .loss_conformance import LossConformance
from .metric_conformance import MetricConformance
from .random_models import enumerated, random_evidence, random_graph, random_linear, random_mixture, random_tables
from .random_polytrees import random_forest_graph, random_polytree
from .reader_conformance import ReaderConformance
from .selector_conformance import SelectorConformance
from .structure_conformance import StructureConformance
from .table_distribution import TableDistribution

__all__ = [
    "BaselineConformance",
    "EstimatorConformance",
    "InferenceConformance",
    "LearnerConformance",
    "LossConformance",
    "MetricConformance",
    "ReaderConformance",
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
