"""Cross-validation that keeps label frequencies: iterative stratification as scikit-learn splitters.

Takes X and Y, dense or sparse; hands on row numbers of training and test parts, and `split_errors` of any split.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
