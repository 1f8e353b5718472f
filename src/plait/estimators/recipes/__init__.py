"""Published methods, each composed from the rooms in a line or two, with its paper's defaults.

Takes the choices of a method; hands on a classifier that is not fitted. Every recipe takes `learner`, `inference` and
`loss` to replace a part (None keeps the recipe's own), `random_state` and `n_jobs`.

>>> from plait import recipes
>>> recipes.kcc(k=3)
JointClassifier(inference=Greedy(), learner=LogisticLearner(),
                structure=KDependence(k=3))
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
