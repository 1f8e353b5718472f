"""Pairwise conditional random field (MLCRF) [Pakdaman2014]: training by pseudo-likelihood, exact or sampled answers."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
