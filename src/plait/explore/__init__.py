"""Look at a fitted model row by row, on a page of one's own machine.

Takes a fitted model with `joint(X)` and a `Dataset`; hands on a local page (`serve`) or a file (`static_page`) on which
a label is clicked and every other probability moves, and a CSV of the records that a reader accepted or corrected.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
