"""Single columns of any kind of symbol, numbered, counted and turned into sums of n log2 n."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse

from plait.core.arrays import Array, Ints
from plait.core.sentences import ParameterError
from plait.counts import checked_weights
from plait.information.logs import Logs, logs_of

__all__ = ["column_logs", "joint_content", "numbered"]


_MISSING = object()


def numbered(column: Any) -> Ints:
    """Return the symbols of a variable as integers from 0; rows of a two-dimensional array are its symbols.

    Examples
    --------
    >>> numbered(["b", "a", "b"]), numbered([np.nan, 1.0, np.nan])
    (array([1, 0, 1]), array([1, 0, 1]))
    """
    values = column.toarray() if sparse.issparse(column) else np.asarray(column)
    if values.ndim == 1:
        return _ranks(values)
    if values.ndim != 2:
        raise ParameterError(
            f"plait.information needs a variable to be one column or a matrix of columns, but its shape is "
            f"{values.shape}. Pass an array of shape (n_samples,)."
        )
    return _joined([_ranks(values[:, j]) for j in range(values.shape[1])], values.shape[0])


def _ranks(values: Array) -> Ints:
    if values.dtype.kind != "O":
        return np.unique(values, return_inverse=True)[1].reshape(-1)
    # Objects need not be comparable; anything unequal to itself is a missing value.
    seen: dict[Any, int] = {}
    return np.array([seen.setdefault(v if v == v else _MISSING, len(seen)) for v in values], dtype=np.int64)


def _joined(parts: Sequence[Ints], n_rows: int) -> Ints:
    """Number the combinations of several numbered columns."""
    joined = np.zeros(n_rows, dtype=np.int64)
    for part in parts:
        both = joined * (part.max(initial=0) + 1) + part
        joined = np.unique(both, return_inverse=True)[1].reshape(-1)
    return joined


def column_logs(columns: Sequence[Any], weights: Any) -> tuple[Logs, list[Ints], Array | None]:
    """Return the logarithms for some variables with the same rows, the variables numbered, and checked weights."""
    if not columns:
        raise ParameterError("plait.information needs at least one variable, but none was given. Pass columns.")
    parts = [numbered(column) for column in columns]
    lengths = {part.size for part in parts}
    if len(lengths) != 1:
        raise ParameterError(
            f"plait.information needs variables with the same rows, but they have {sorted(lengths)} rows. "
            "Pass columns of the same length."
        )
    if weights is None:
        return logs_of(parts[0].size), parts, None
    checked = checked_weights(weights, parts[0].size)
    return logs_of(checked.sum().item()), parts, checked


def joint_content(parts: Sequence[Ints], weights: Array | None, logs: Logs) -> Any:
    """Return the sum of n log2 n over the combinations of some numbered variables."""
    symbols = _joined(parts, parts[0].size) if len(parts) > 1 else parts[0]
    counts = np.bincount(symbols, weights=weights)
    if weights is not None and weights.dtype == np.int64:
        counts = counts.astype(np.int64)
    if np.count_nonzero(counts) < 2:
        # Also where the weights, summed in another order, differ from their total by rounding.
        return logs.whole
    return logs.of(counts).sum().item()
