"""Score predictions against the truth.

Takes `Y_true` and predicted labels, scores or log-probabilities; hands on numbers and scikit-learn scorers.

Notation
--------
Y_true, Y_pred : labels, 0 or 1, shape (n_samples, n_labels); dense, sparse, nested lists, frames, rows of names
scores         : one number per label, the larger the more relevant, same shape
s              : number of relevant labels of a row

Names that end in `loss` or `error`, and `normalized_coverage`, are the better the smaller; all others the larger.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
