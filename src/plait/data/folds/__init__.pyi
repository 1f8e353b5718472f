from .fold_errors import SplitErrors, split_errors
from .splitters import MultilabelStratifiedKFold, MultilabelStratifiedShuffleSplit

__all__ = [
    "MultilabelStratifiedKFold",
    "MultilabelStratifiedShuffleSplit",
    "SplitErrors",
    "split_errors",
]
