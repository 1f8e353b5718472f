"""Data of the papers that no file holds as they were: Reuters of [PCC], out of the halves of an RCV1 file."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from plait.core.arrays import Labels
from plait.data import DataError, Dataset, load_dataset

__all__ = ["TrainAndTest", "reuters"]

_HALF, _LABELS, _WORDS, _FREQUENT = 3000, 101, 500, 10
# M11, M12, M13 and M14 among the labels of the first half, whose parent MCAT no half has.
_MARKETS = (93, 94, 95, 98)


@dataclass(frozen=True, eq=False)
class TrainAndTest:
    """A training and a test part."""

    train: Dataset
    test: Dataset


def reuters(random_state: Any = None, *, most_frequent: bool = False, binary: bool = False) -> TrainAndTest:
    """Return the two halves of RCV1 subset 1 as far as the public file allows: 101 of the 103 labels of [PCC table 1].

    The file `rcv1subset1` of the Mulan collection is the training half followed by the test half, but **the label
    columns of the second half stand one place further left**: the first label, C11, is missing there, and the last
    column is empty. Neither half has the last two labels, M143 and MCAT. The children of M13 and M14 prove the order:
    each lies within its parent in both halves once the columns are moved. MCAT is on where M11, M12, M13 or M14 is.

    Parameters
    ----------
    random_state : None
        Nothing here is random.
    most_frequent : bool, default=False
        Keep only the ten most frequent labels, all of which are whole [PCC table 3].
    binary : bool, default=False
        Whether words count 0 or 1 instead of their weights.

    References
    ----------
    [PCC] Dembczynski, Waegeman and Huellermeier: An analysis of chaining in multi-label classification, 2012.
    """
    del random_state
    data = load_dataset("rcv1subset1")
    Y = np.asarray(data.Y.toarray() if sparse.issparse(data.Y) else data.Y, dtype=np.uint8)
    if Y.shape != (2 * _HALF, _LABELS):
        raise DataError(f"rcv1subset1 needs 6000 rows and 101 labels, but it has {Y.shape}. Use the file of Mulan.")
    labels = [_with_markets(half) for half in (Y[:_HALF, 1:], Y[_HALF:, :-1])]
    words = _most(np.asarray((data.X[:_HALF] != 0).sum(axis=0)).ravel(), _WORDS)
    kept = _most(labels[0].sum(axis=0), _FREQUENT if most_frequent else _LABELS)
    X = data.X[:, words].tocsr()
    X.data = np.ones_like(X.data) if binary else X.data
    names = [[*list(data.label_names or ())[1:], "MCAT"][label] for label in kept]
    columns = [(data.feature_names or ())[word] for word in words]
    train, test = (
        Dataset(rows, half[:, kept], columns, names, "reuters")
        for rows, half in zip((X[:_HALF], X[_HALF:]), labels, strict=True)
    )
    return TrainAndTest(train, test)


def _with_markets(Y: Labels) -> Labels:
    """Return labels C12 to M142 and MCAT, which is on where one of its children is."""
    return np.column_stack([Y, Y[:, [place - 1 for place in _MARKETS]].any(axis=1)]).astype(np.uint8)


def _most(counts: Any, size: int) -> Any:
    """Return the places of the largest counts, ascending; of equal ones the first."""
    return np.sort(np.argsort(-np.asarray(counts, dtype=np.int64), kind="stable")[:size])
