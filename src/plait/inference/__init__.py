"""Search, sum or sample a distribution over label sets.

Takes a `LabelDistribution`; hands on a `LabelSupport`: label vectors with weights, marginals where they are known,
whether the answer is exact, and what it cost.

Notation
--------
prefix    : values of the first t labels of the chain's order; a node of the probability tree [PCC 13]
mode      : the most probable label vector
wanted    : what is asked for: "mode", "marginals", or "distribution" (label vectors that stand for all of P)
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
