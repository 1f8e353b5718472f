"""Train the conditionals of all labels in one batch.

Takes X, Y, a `LabelGraph`, optionally a `FeatureMask` and weights of rows; hands on fitted `Conditionals`, which give
log P(y_k = 1 | x, y_parents(k)) for given values of the parents. Training uses the recorded values of the parents.

Notation
--------
k, j      : a label and one of its parents
w_k, b_k  : coefficients and intercept of label k; v_kj the coefficient of parent j
score     : x.w_k + b_k + sum_j v_kj y_j, the log-odds of label k for logistic regression, a margin for an SVM
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
