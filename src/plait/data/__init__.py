"""Bring multi-label data in, say what is in it, split it and make it up.

Takes files, names and frames; hands on `Dataset(X, Y, feature_names, label_names, name, feature_kinds)` with `X`
(n_samples, n_features) dense float or CSR, `Y` (n_samples, n_labels) `int64` dense or CSR.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
