"""Bring multi-label data in, say what is in it, split it and make it up.

Takes files, names and frames; hands on `Dataset(X, Y, feature_names, label_names, name, feature_kinds)` with `X`
(n_samples, n_features) dense float or CSR, `Y` (n_samples, n_labels) `uint8` dense or CSR.
"""

from plait.data import folds, synthetic
from plait.data.dataset import Dataset
from plait.data.description import describe_text
from plait.data.errors import DataError, DataWarning
from plait.data.frames import from_frame
from plait.data.label_statistics import Statistics, statistics
from plait.data.loading import load_dataset, save_dataset
from plait.data.readers.delimited import read_csv
from plait.data.readers.libsvm import read_libsvm
from plait.data.readers.meka import read_meka
from plait.data.readers.mulan import read_mulan
from plait.data.readers.parquet import read_parquet
from plait.data.readers.xc import read_xc
from plait.data.writers.delimited import write_csv
from plait.data.writers.libsvm import write_libsvm
from plait.data.writers.mulan import write_mulan
from plait.data.writers.parquet import write_parquet
from plait.data.writers.xc import write_xc

__all__ = [
    "DataError",
    "DataWarning",
    "Dataset",
    "Statistics",
    "describe_text",
    "folds",
    "from_frame",
    "load_dataset",
    "read_csv",
    "read_libsvm",
    "read_meka",
    "read_mulan",
    "read_parquet",
    "read_xc",
    "save_dataset",
    "statistics",
    "synthetic",
    "write_csv",
    "write_libsvm",
    "write_mulan",
    "write_parquet",
    "write_xc",
]
