"""Maximum margin output coding (MMOC) [Zhang2012]: codes of labels by margins, found by cutting planes."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
