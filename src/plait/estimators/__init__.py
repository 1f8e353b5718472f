"""Compose the rooms below into classifiers that follow scikit-learn's contract.

Takes X, Y and the parts (structure, selector, learner, inference, loss); hands on fitted classifiers, whose `joint(X)`
is a `Posterior`: P(y | x) of every row, to ask any question of. `recipes` holds the published methods.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
