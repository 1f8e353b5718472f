"""Run the experiments of the five papers again and compare cell by cell.

Takes the name of a paper and a store of results; hands on compared cells, repeated tests and their tables.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
