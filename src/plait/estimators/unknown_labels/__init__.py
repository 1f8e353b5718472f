"""Training where labels are unknown: EM on the observed-data likelihood, exact on polytrees, else by completions."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
