"""One writer a format, each from a `Dataset` to a file that replaces the old one whole or not at all."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
