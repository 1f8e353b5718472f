"""Tests that compare methods over data sets, and the diagrams that show their outcome.

Takes scores of shape (n_datasets, n_methods), or paired lists of scores; hands on frozen results, text and SVG.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
