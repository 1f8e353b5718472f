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

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
