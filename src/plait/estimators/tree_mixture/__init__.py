"""Mixtures of conditional trees: the classifier, how a mixture grows tree by tree, and its EM [MC 4-5]."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
