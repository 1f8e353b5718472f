"""`CutTable`: the cut points of all columns, and how a value becomes a code."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from plait.core.arrays import Floats, Ints
from plait.counts.discretizers._kernels import code_dense, code_entries

__all__ = ["CutTable"]


@dataclass(frozen=True, eq=False)
class CutTable:
    """Cut points by column: the code of v is (number of cuts <= v) - shift.

    Parameters
    ----------
    offsets : ndarray of int64, shape (n_columns + 1,)
        Column j has the cuts `cuts[offsets[j] : offsets[j + 1]]`.
    cuts : ndarray of float64
        Ascending in each column.
    shift : ndarray of int64, shape (n_columns,)
        Number of cuts below the bin with the code 0.
    exact : ndarray of bool, shape (n_columns,)
        Columns that keep their own values as symbols: the cuts are these values and 0.
    """

    offsets: Ints
    cuts: Floats
    shift: Ints
    exact: npt.NDArray[np.bool_]

    @staticmethod
    def build(columns: Ints, cuts: Floats, shift: Ints, exact: npt.NDArray[np.bool_]) -> "CutTable":
        """Return the table of (column, cut) pairs in any order; `shift` of exact columns is found from the cuts."""
        order = np.lexsort((cuts, columns))
        columns, cuts = columns[order], cuts[order]
        repeated = np.zeros(cuts.size, dtype=np.bool_)
        repeated[1:] = exact[columns[1:]] & (columns[1:] == columns[:-1]) & (cuts[1:] == cuts[:-1])
        columns, cuts = columns[~repeated], cuts[~repeated]
        offsets = np.concatenate(([0], np.cumsum(np.bincount(columns, minlength=exact.size))))
        up_to_zero = np.bincount(columns[cuts <= 0], minlength=exact.size)
        return CutTable(offsets, cuts, np.where(exact, up_to_zero, shift), exact)

    @cached_property
    def beyond(self) -> Ints:
        """Code of NaN, one above the highest of the values; in exact columns one more is for values never seen."""
        return np.diff(self.offsets) - self.shift + 1

    @cached_property
    def zero_codes(self) -> Ints:
        """Code of the value 0 in each column."""
        codes = np.empty((1, self.exact.size), dtype=np.int64)
        code_dense(np.zeros((1, self.exact.size)), *self._rules, codes)
        return codes[0]

    @cached_property
    def dtype(self) -> Any:
        """The smallest signed integer type that holds all codes, with and without the code of 0 taken off."""
        reach = np.abs(self.shift) + np.abs(self.zero_codes) + self.beyond + 1
        return np.min_scalar_type(-int(reach.max(initial=1)) - 1)

    @property
    def _rules(self) -> tuple[Any, ...]:
        return self.offsets, self.cuts, self.shift, self.exact, self.beyond

    def dense(self, X: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return the codes of a dense matrix."""
        codes = np.empty(X.shape, dtype=self.dtype)
        code_dense(X, *self._rules, codes)
        return codes

    def sparse(self, X: Any) -> Any:
        """Return the codes of a CSR matrix, less the code of 0, so that zeros stay implicit."""
        codes = np.empty(X.nnz, dtype=np.int64)
        code_entries(X.indices, X.data, *self._rules, codes)
        codes -= self.zero_codes[X.indices]
        kept = codes != 0
        indptr = np.concatenate(([0], np.cumsum(kept)))[X.indptr].astype(X.indptr.dtype)
        kind = sparse.csr_array if isinstance(X, sparse.sparray) else sparse.csr_matrix
        return kind((codes[kept].astype(self.dtype), X.indices[kept], indptr), shape=X.shape)
