"""Put the conditionals together into one distribution over label sets.

Takes fitted `Conditionals`; hands on, by `condition(X)`, a `LabelDistribution`: P(y | x) of several rows as numbers.
X ends here: nothing after this room sees a feature or a learner.

Notation
--------
y         : a label set as a vector of 0 and 1
score     : log P(y_k = 1 | x, parents) - log P(y_k = 0 | x, parents), kept within +-SCORE_LIMIT
evidence  : labels that are known, `int8` (n_rows, n_labels) with -1 where unknown
setting   : values of a label's parents as one number, bit t for the t-th of `graph.parents[label]`
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
