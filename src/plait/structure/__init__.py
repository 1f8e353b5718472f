"""Say which labels depend on which.

Takes dependence matrices, or X and Y to count them from; hands on a `LabelGraph`: `parents[k]` are the labels that
label k depends on, `order` is a sequence of all labels in which parents stand before their children, both 0-based in
label order.

A structure is a small object without state: `build(X, Y, pairs=None, random_state=None, label_names=None)` gives the
graph. `needs_pairs(n_labels)` says whether it needs a `PairDependence`, which a learner computes on rows held out.

Notation
--------
j, k, l          : labels
I(Y_j;Y_k)       : mutual information of two labels;  NI: divided by the smaller entropy
I(Y_j;Y_k|X)     : the same when the features are known, as a learner estimates it
W[j -> i]        : log-likelihood of label i held out, given the features and label j;  W[phi -> i]: features alone
"""

from plait.structure.branching import maximum_branching
from plait.structure.conditional_tree import ConditionalTree
from plait.structure.full_chain import FullChain
from plait.structure.independent import Independent
from plait.structure.k_dependence import KDependence
from plait.structure.label_graph import LabelGraph
from plait.structure.label_tree import LabelTree
from plait.structure.orders import FrequencyOrder, GivenOrder, InformationOrder, Order, RandomOrder
from plait.structure.pair_dependence import PairDependence
from plait.structure.polytree import Polytree
from plait.structure.spanning import maximum_spanning_forest
from plait.structure.structure import Structure
from plait.structure.trellis import Trellis
from plait.structure.user_graph import UserGraph

__all__ = [
    "ConditionalTree",
    "FrequencyOrder",
    "FullChain",
    "GivenOrder",
    "Independent",
    "InformationOrder",
    "KDependence",
    "LabelGraph",
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
