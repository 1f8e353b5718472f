from .called_distribution import CalledDistribution
from .distribution import LabelDistribution
from .feature_joint import FeatureJoint
from .graph_distribution import GraphDistribution
from .graph_joint import GraphJoint
from .hierarchy_distribution import HierarchyDistribution
from .hierarchy_joint import HierarchyJoint
from .linear_distribution import LinearDistribution
from .mixture_distribution import MixtureDistribution
from .mixture_joint import MixtureJoint
from .row_streams import other_stream, row_seeds, row_uniforms
from .tempered_joint import TemperedJoint

__all__ = [
    "HierarchyJoint",
    "HierarchyDistribution",
    "CalledDistribution",
    "FeatureJoint",
    "GraphDistribution",
    "GraphJoint",
    "LabelDistribution",
    "LinearDistribution",
    "MixtureDistribution",
    "MixtureJoint",
    "TemperedJoint",
    "other_stream",
    "row_seeds",
    "row_uniforms",
]
