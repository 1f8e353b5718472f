"""The data sets of the comparison, as training and test part."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from plait.data import DataError, load_dataset

MOST_TRAINING, MOST_TEST = 2500, 1200

# Defaults of AutoJoint were looked at on the training parts of these; nothing was tuned to the others.
DEVELOPED_ON = [
    *("emotions", "foodtruck", "birds", "medical", "scene", "yeast", "enron", "yahoo_arts_zhang5000"),
    *("genbase", "corel5k"),
]
# Small ones first.
NAMES = [
    *("emotions", "foodtruck", "birds", "medical", "genbase", "scene", "image", "image135", "yeast", "enron"),
    *("languagelog", "yahoo_arts_zhang5000", "yahoo_business_zhang5000", "ohsumed", "reuters_k500"),
    *("yahoo_arts_1157", "yahoo_business_1096", "rcv1subset1_top944", "imdb", "corel16k001", "bibtex"),
    *("eukaryote_go", "corel5k", "yahoo_arts", "yahoo_business", "rcv1subset1", "delicious"),
]


@dataclass(frozen=True)
class Problem:
    """Training and test part; constant labels of the training part are in both."""

    name: str
    X: Any
    Y: Any
    X_test: Any
    Y_test: Any


def load(name: str) -> Problem:
    """Return the given split, or two thirds to train with seed 0; at most so many rows of each, by seed 1."""
    try:
        parts = [load_dataset(name, split=part) for part in ("train", "test")]
        (X, Y), (X_test, Y_test) = ((part.X, _dense(part.Y)) for part in parts)
    except DataError:
        data = load_dataset(name)
        order = np.random.default_rng(0).permutation(data.n_samples)
        cut = 2 * data.n_samples // 3
        whole = _dense(data.Y)
        X, Y, X_test, Y_test = data.X[order[:cut]], whole[order[:cut]], data.X[order[cut:]], whole[order[cut:]]
    draws = np.random.default_rng(1)
    some, other = (
        np.sort(draws.permutation(len(part))[:most]) for part, most in ((Y, MOST_TRAINING), (Y_test, MOST_TEST))
    )
    return Problem(name, _floats(X[some]), Y[some], _floats(X_test[other]), Y_test[other])


def load_whole(name: str) -> tuple[Any, Any]:
    """Return all rows of a data set, in the order of its files."""
    data = load_dataset(name)
    return _floats(data.X), _dense(data.Y)


def _dense(Y: Any) -> Any:
    return np.asarray(Y.toarray() if sparse.issparse(Y) else Y, dtype=np.int64)


def _floats(X: Any) -> Any:
    return sparse.csr_matrix(X, dtype=np.float64) if sparse.issparse(X) else np.nan_to_num(np.asarray(X, dtype=float))
