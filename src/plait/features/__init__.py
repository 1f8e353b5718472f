"""Find the few features each label needs.

Takes X, Y and optionally a `LabelGraph`; hands on a `FeatureMask`: boolean `support` (n_labels, n_features), with the
order in which features were chosen and their scores. Every selector is a scikit-learn transformer too.

Notation
--------
X_m, f   : a feature          Y_j, l : a label          Pa_j : parents of label j in the graph
S, S_j   : features chosen so far, for all labels or for label j
ranking  : features in the order chosen; scores[t] is the criterion's value when ranking[t] was chosen
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
