"""Data made up by known rules, so that what a method should find is known.

Takes sizes and a `random_state`; hands on a `Dataset`, or a small object with a `Dataset` and the truth behind it.
An integer `random_state` gives the same bits every time; None gives other data on every call.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
