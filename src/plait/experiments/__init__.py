"""Run, store, compare and show experiments.

Takes plans (TOML files); hands on stored results, statistics, pictures and pages.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
