"""Monte Carlo classifier chains (MCC) [Read2014]: a walk over orders of the labels, and answers that are drawn."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
