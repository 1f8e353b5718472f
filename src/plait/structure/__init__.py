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

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
