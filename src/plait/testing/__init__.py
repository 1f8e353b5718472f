"""Oracles, generators and conformance classes for tests, ours and those of extensions.

Takes a choice of one's own; hands on random models, plain oracles, and classes of tests that such a choice must pass.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
