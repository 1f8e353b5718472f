"""Results printed in the five papers, as data.

Takes the name of a paper; hands on its printed results, rank tests and notes. The CSV files are written by
`tools/published_tables.py`, but for `notes`, which are written by hand.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
