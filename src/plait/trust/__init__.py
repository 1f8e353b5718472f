"""Say how far a model and its labels can be believed.

Takes a classifier with `joint(X)`, rows and records; hands on audits of recorded labels and answers with guarantees.
Notation: r recorded labels, z true ones.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
