"""Published methods, each composed from the rooms in a line or two, with the defaults that predict best.

Takes the choices of a method; hands on a classifier that is not fitted. Every recipe takes `learner`, `inference` and
`loss` to replace a part (None keeps the recipe's own), `random_state` and `n_jobs`. With `learner="published"` it
trains as in its paper; what else papers fix stands in the plans of `plait reproduce`.

>>> from plait import recipes
>>> recipes.kcc(k=3)
JointClassifier(inference=Greedy(),
                learner=LogisticLearner(C='cv', standardize='balanced'),
                structure=KDependence(k=3, order='information'))
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
