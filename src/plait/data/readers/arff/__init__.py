"""Attribute-relation files, the common ground of Mulan's and MEKA's formats: header, rows, growing tables."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
