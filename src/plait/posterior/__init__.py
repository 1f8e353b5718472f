"""Answer any question about P(y | x).

Takes a fitted model (`condition(X)` gives a `LabelDistribution`), rows X, an inference and a loss; hands on a
`Posterior`, whose answers are plain arrays. `JointModel` is the base of classifiers whose `joint(X)` returns one.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
