"""Oracles and generators for tests, ours and those of extensions.

Takes nothing; hands on random models, hypothesis strategies and plain oracles.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
