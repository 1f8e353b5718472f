from .branching import maximum_branching
from .conditional_tree import ConditionalTree
from .full_chain import FullChain
from .independent import Independent
from .k_dependence import KDependence
from .label_graph import LabelGraph
from .label_graph_display import LabelGraphDisplay
from .label_hierarchy import LabelHierarchy
from .label_tree import LabelTree
from .orders import FrequencyOrder, GivenOrder, InformationOrder, Order, RandomOrder
from .pair_dependence import PairDependence
from .polytree import Polytree
from .spanning import maximum_spanning_forest
from .structure import Structure
from .trellis import Trellis
from .user_graph import UserGraph

__all__ = [
    "LabelHierarchy",
    "ConditionalTree",
    "FrequencyOrder",
    "FullChain",
    "GivenOrder",
    "Independent",
    "InformationOrder",
    "KDependence",
    "LabelGraph",
    "LabelGraphDisplay",
    "LabelTree",
    "Order",
    "PairDependence",
    "Polytree",
    "RandomOrder",
    "Structure",
    "Trellis",
    "UserGraph",
    "maximum_branching",
    "maximum_spanning_forest",
]
