"""The methods that the papers compare with.

Takes X, Y; hands on fitted classifiers: scikit-learn estimators, one file or folder for each method. What several of
them are built on lies in `foundations`.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
