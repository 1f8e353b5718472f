"""Bring multi-label data in, say what is in it, split it and make it up.

Takes files, names and frames; hands on `Dataset(X, Y, feature_names, label_names, name, feature_kinds)` with `X`
(n_samples, n_features) dense float or CSR, `Y` (n_samples, n_labels) `uint8` dense or CSR.
"""

from plait.data import folds
from plait.data.dataset import Dataset
from plait.data.errors import DataError, DataWarning
from plait.data.label_statistics import Statistics, statistics

__all__ = ["DataError", "DataWarning", "Dataset", "Statistics", "folds", "statistics"]
