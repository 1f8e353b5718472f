"""`NominalColumns`: values that are names as evidence for labels, by smoothed frequencies."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from plait.baselines.class_sums import ClassSums
from plait.core.arrays import Floats, Ints
from plait.core.checks import Interval
from plait.core.sentences import ParameterError, complaint
from plait.counts.vocabulary import Vocabulary, distinct_symbols

__all__ = ["NominalColumns", "nominal_mask"]


@dataclass(frozen=True, eq=False)
class NominalColumns:
    """Log-odds of labels by a table of values for each column.

    P(value v | class) = (n_v + s) / (n + s V), where n_v of the n rows of the class have the value and V values occur
    in the column; a value that did not occur in training has n_v = 0.

    Parameters
    ----------
    vocabulary : Vocabulary
        Values other than 0 of each column.
    zero_odds : ndarray of float64, shape (n_labels,)
        Log-odds where all columns are 0.
    changes : ndarray of float64, shape (n_planes + n_columns, n_labels)
        What a value adds in place of 0; the last ones are values not seen in training, by column.
    """

    vocabulary: Vocabulary
    zero_odds: Floats
    changes: Floats

    @staticmethod
    def fitted(X: Any, classes: ClassSums, s: float) -> "NominalColumns":
        """Return frequencies of the values in the columns of X (dense or CSR) given each label."""
        rows = _entries(X)
        vocabulary, planes = distinct_symbols(rows.indices.astype(np.int64), rows.data, X.shape[1])
        marks = sparse.csr_matrix((np.ones(planes.size), planes, rows.indptr), (X.shape[0], vocabulary.n_planes))
        counts = classes.sums(marks)
        # Values other than 0 that occur, and 0 unless every row has another value.
        occurs = np.bincount(planes, minlength=vocabulary.n_planes) > 0
        columns = vocabulary.plane_columns
        n_values = np.bincount(columns[occurs], minlength=X.shape[1])
        n_values += np.bincount(rows.indices, minlength=X.shape[1]) < X.shape[0]
        zeros = np.maximum(classes.mass[:, :, None] - np.add.reduceat(counts, vocabulary.offsets[:-1], axis=2), 0.0)
        size = np.log(classes.mass[:, :, None] + s * n_values)
        known = (classes.mass.min(axis=1) > 0)[:, None]

        def odds(n: Floats, of_columns: Any) -> Floats:
            logs = np.log(n + s) - size[:, :, of_columns]
            return np.where(known, logs[:, 1] - logs[:, 0], 0.0)

        zero, seen = odds(zeros, slice(None)), odds(np.maximum(counts, 0.0), columns)
        unseen = odds(np.zeros_like(zeros), slice(None))
        changes = np.hstack([seen - zero[:, columns], unseen - zero])
        return NominalColumns(vocabulary, zero.sum(axis=1), np.ascontiguousarray(changes.T))

    def log_odds(self, X: Any) -> Floats:
        """Return the sum over columns of log P(x | label) - log P(x | no label), (n_samples, n_labels)."""
        rows = _entries(X)
        planes = self._planes(rows.indices.astype(np.int64), rows.data)
        marks = sparse.csr_matrix((np.ones(planes.size), planes, rows.indptr), (X.shape[0], self.changes.shape[0]))
        return np.asarray(marks @ self.changes) + self.zero_odds

    def _planes(self, columns: Ints, values: Floats) -> Ints:
        """Return the row of `changes` for each entry."""
        known = np.unique(self.vocabulary.values)
        keys = self.vocabulary.plane_columns * known.size + np.searchsorted(known, self.vocabulary.values)
        rank = np.minimum(np.searchsorted(known, values), known.size - 1)
        wanted = columns * known.size + rank
        found = np.minimum(np.searchsorted(keys, wanted), keys.size - 1)
        seen = (keys[found] == wanted) & (known[rank] == values)
        return np.where(seen, found, self.vocabulary.n_planes + columns)


def _entries(X: Any) -> sparse.csr_matrix:
    """Return the values other than 0."""
    rows = sparse.csr_matrix(X, dtype=np.float64, copy=sparse.issparse(X))
    rows.sum_duplicates()
    rows.eliminate_zeros()
    return rows


def nominal_mask(owner: str, nominal: Any, X: Any, names: Any = ()) -> npt.NDArray[np.bool_]:
    """Return which columns of X hold names.

    Parameters
    ----------
    owner : str
        Whose parameter it is, for errors.
    nominal : None, "auto", or sequence of bool, int or str
        No column; those that hold nothing but 0 and 1; or a mask, numbers, or names of columns.
    X : ndarray or CSR matrix
        The training rows.
    names : sequence of str
        Names of the columns of X, where it has them.

    Examples
    --------
    >>> X = np.array([[0.0, 2.0], [1.0, 3.0]])
    >>> nominal_mask("MLNB", "auto", X), nominal_mask("MLNB", [1], X)
    (array([ True, False]), array([False,  True]))
    """
    n_columns = X.shape[1]
    if nominal is None:
        return np.zeros(n_columns, dtype=np.bool_)
    if isinstance(nominal, str):
        return _zero_one_columns(X)
    numbers = {name: column for column, name in enumerate(names)}
    given = [each.item() if isinstance(each, np.generic) else each for each in nominal]
    if len(given) == n_columns and all(isinstance(each, bool) for each in given):
        return np.array(given, dtype=np.bool_)
    given = [numbers.get(each, each) for each in given]
    if not all(Interval(int, 0, n_columns - 1).accepts(each) for each in given):
        must = f"None, 'auto', a mask of {n_columns} columns, their numbers or their names"
        raise ParameterError(complaint(owner, "nominal", must, nominal))
    mask = np.zeros(n_columns, dtype=np.bool_)
    mask[np.array(given, dtype=np.int64)] = True
    return mask


def _zero_one_columns(X: Any) -> npt.NDArray[np.bool_]:
    if not sparse.issparse(X):
        return np.asarray(((X == 0) | (X == 1)).all(axis=0))
    others = (X.data != 0) & (X.data != 1)
    return np.bincount(X.indices[others], minlength=X.shape[1]) == 0
