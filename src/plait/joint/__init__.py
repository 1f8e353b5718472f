"""Put the conditionals together into one distribution over label sets.

Takes fitted `Conditionals`; hands on, by `condition(X)`, a `LabelDistribution`: P(y | x) of several rows as numbers.
X ends here: nothing after this room sees a feature or a learner.

Notation
--------
y         : a label set as a vector of 0 and 1
score     : log P(y_k = 1 | x, parents) - log P(y_k = 0 | x, parents), kept within +-SCORE_LIMIT
evidence  : labels that are known, `int8` (n_rows, n_labels) with -1 where unknown
setting   : values of a label's parents as one number, bit t for the t-th of `graph.parents[label]`
"""

from plait.joint.called_distribution import CalledDistribution
from plait.joint.distribution import LabelDistribution
from plait.joint.feature_joint import FeatureJoint
from plait.joint.graph_distribution import GraphDistribution
from plait.joint.graph_joint import GraphJoint
from plait.joint.linear_distribution import LinearDistribution
from plait.joint.mixture_distribution import MixtureDistribution
from plait.joint.mixture_joint import MixtureJoint
from plait.joint.row_streams import other_stream, row_seeds, row_uniforms

__all__ = [
    "CalledDistribution",
    "FeatureJoint",
    "GraphDistribution",
    "GraphJoint",
    "LabelDistribution",
    "LinearDistribution",
    "MixtureDistribution",
    "MixtureJoint",
    "other_stream",
    "row_seeds",
    "row_uniforms",
]
