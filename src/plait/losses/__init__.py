"""Say how wrong an answer is and which answer is least wrong.

Takes a `LabelSupport` (label vectors with weights, from an inference); hands on decisions: for every row the label
vector (for `Rank` the scores) with the least expected loss. `value(Y, Y_pred)` is the loss itself.

Notation
--------
y, h      : the true label set and the predicted one, as vectors of 0 and 1
s(y)      : number of labels in y
risk      : expected loss of one answer under the weights of the support
wanted    : what a loss needs from an inference: "mode", "marginals" or "distribution"
"""

from plait.losses.f1 import F1
from plait.losses.hamming import Hamming
from plait.losses.jaccard import Jaccard
from plait.losses.loss import Loss
from plait.losses.rank import Rank
from plait.losses.subset import Subset

__all__ = ["F1", "Hamming", "Jaccard", "Loss", "Rank", "Subset"]
