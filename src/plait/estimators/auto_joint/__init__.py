"""`AutoJoint`, the classifier for everyday use, from X and Y to P(Y | X) without a choice to make.

Base learners (`BaseScores`: logistic regression, forest, neighbours, kernel, text, boosted trees, any classifier) give
every training row log-odds from rows other than itself; one pooled regression makes a calibrated score a label of them;
chains of labels over these scores are the joint distribution. `AutoReport` says what was done.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
