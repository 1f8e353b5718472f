"""Reports of stored results: a page, LaTeX, CSV and text for the terminal.

Takes a store of results; hands on one self-contained page with tables, rank tests and pictures, and every table as a
file. Everything is drawn by functions that write SVG; names of any kind are escaped.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
