"""Cross-validation that keeps label frequencies: iterative stratification as scikit-learn splitters.

Takes X and Y, dense or sparse; hands on row numbers of training and test parts, and `split_errors` of any split.
"""

from plait.data.folds.fold_errors import SplitErrors, split_errors
from plait.data.folds.splitters import MultilabelStratifiedKFold, MultilabelStratifiedShuffleSplit

__all__ = ["MultilabelStratifiedKFold", "MultilabelStratifiedShuffleSplit", "SplitErrors", "split_errors"]
