"""Sums of n log2 n over the cells of all pairs of columns: what every all-pairs measure is made from."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from plait.core.arrays import Array, Ints
from plait.core.checks import check_value
from plait.core.kernel_policy import kernels_pay
from plait.core.lazy_modules import lazy_module
from plait.core.parallel import JOBS_RULES, Parallel, delayed, effective_n_jobs
from plait.counts import Codes, PairCounts, Vocabulary, count_pairs, encode, is_streamed, joint_counts
from plait.information.columns import joint_content
from plait.information.logs import Logs, WeightLogs, logs_of

__all__ = ["MANY_CELLS", "PairContents", "column_contents", "n_symbols", "pair_contents", "table_contents"]

_kernels = lazy_module("plait.information._kernels")


# Cells of joint counts held at one time (256 MiB).
_MOST_CELLS = 1 << 26
# Cells of joint counts from which on kernels pay: NumPy takes some 20 ns for each, 1 ms in all.
MANY_CELLS = 1 << 16


@dataclass(frozen=True, eq=False)
class PairContents:
    """Sums of n log2 n, in the units of `logs`.

    Parameters
    ----------
    logs : CountLogs or WeightLogs
        What a unit is worth.
    x, y : ndarray of shape (n_columns,)
        Over the symbols of each column.
    joint : ndarray of shape (x columns, y columns)
        Over the cells of each pair.
    x_symbols, y_symbols : ndarray of shape (n_columns,)
        How many symbols occur in each column.
    """

    logs: Logs
    x: Array
    y: Array
    joint: Array
    x_symbols: Ints
    y_symbols: Ints


def pair_contents(X: Any, Y: Any = None, weights: Any = None, n_jobs: int | None = None) -> PairContents:
    """Return the sums for all pairs of a column of X and one of Y (of X, when Y is None)."""
    check_value("A measure of all pairs", "n_jobs", n_jobs, JOBS_RULES)
    if isinstance(X, PairCounts):
        return _of_table(X)
    if weights is not None or is_streamed(X, Y):
        return _of_table(count_pairs(X, Y, weights=weights))
    a = encode(X)
    b = a if Y is None else encode(Y)
    if a.n_rows != b.n_rows:
        return _of_table(count_pairs(a, b))  # which says what is wrong
    return _of_codes(a, b, n_jobs)


def _of_table(table: PairCounts) -> PairContents:
    logs = logs_of(table.total)
    x = column_contents(table.x, table.x_counts, table.total, logs)
    y = column_contents(table.y, table.y_counts, table.total, logs)
    joint = table_contents(table.x, table.x_counts, table.y, table.y_counts, table.joint, table.total, logs)
    symbols = (n_symbols(v, c, table.total) for v, c in ((table.x, table.x_counts), (table.y, table.y_counts)))
    return PairContents(logs, x, y, joint, *symbols)


def _of_codes(a: Codes, b: Codes, n_jobs: int | None) -> PairContents:
    logs = logs_of(a.n_rows)
    x = column_contents(a.vocabulary, a.totals, a.n_rows, logs)
    y = x if b is a else column_contents(b.vocabulary, b.totals, b.n_rows, logs)
    symbols = (n_symbols(codes.vocabulary, codes.totals, codes.n_rows) for codes in (a, b))
    n_parts = min(effective_n_jobs(n_jobs), max(a.vocabulary.n_columns, 1))
    if n_parts == 1:
        return PairContents(logs, x, y, _block(a, b, logs), *symbols)
    ends = np.linspace(0, a.vocabulary.n_columns, n_parts + 1).astype(int)
    parts = Parallel(n_jobs=n_jobs, prefer="threads")(
        delayed(_block)(a.columns(first, last), b, logs) for first, last in pairwise(ends)
    )
    return PairContents(logs, x, y, np.concatenate(parts), *symbols)


def _block(a: Codes, b: Codes, logs: Logs) -> Array:
    """Return the sums of all pairs, cutting the columns in halves until the cells fit the memory."""
    planes, columns = ([getattr(c.vocabulary, name) for c in (a, b)] for name in ("n_planes", "n_columns"))
    if planes[0] * planes[1] <= _MOST_CELLS:
        joint = joint_counts(a, b)
        return table_contents(a.vocabulary, a.totals, b.vocabulary, b.totals, joint, a.n_rows, logs)
    if columns == [1, 1]:
        parts = [_symbol_numbers(codes) for codes in (a, b)]
        return np.array([[joint_content(parts, None, logs)]])
    if columns[1] > 1 and (columns[0] == 1 or planes[1] >= planes[0]):
        return np.concatenate([_block(a, half, logs) for half in _halves(b)], axis=1)
    return np.concatenate([_block(half, b, logs) for half in _halves(a)])


def _halves(codes: Codes) -> tuple[Codes, Codes]:
    n_columns = codes.vocabulary.n_columns
    return codes.columns(0, n_columns // 2), codes.columns(n_columns // 2, n_columns)


def _symbol_numbers(codes: Codes) -> Ints:
    """Return the symbols of a single column as integers, 0 for the value 0."""
    rows = codes.sparse()
    numbers = np.zeros(rows.n_rows, dtype=np.int64)
    numbers[np.diff(rows.indptr) > 0] = rows.indices + np.int64(1)
    return numbers


def column_contents(vocabulary: Vocabulary, counts: Array, total: Any, logs: Logs) -> Array:
    """Return the sums over the symbols of each column, 0 included, shape (n_columns,)."""
    contents = logs.of(counts)
    if vocabulary.one_plane_each:
        contents = contents + logs.of(total - counts)
    elif contents.size:
        starts = vocabulary.offsets[:-1]
        contents = np.add.reduceat(contents, starts) + logs.of(total - np.add.reduceat(counts, starts))
    if isinstance(logs, WeightLogs):
        # Rounding must not leave a constant column a trace of entropy, by which others divide.
        contents = np.where(n_symbols(vocabulary, counts, total) > 1, contents, logs.of(total))
    return contents


def n_symbols(vocabulary: Vocabulary, counts: Array, total: Any) -> Ints:
    """Return how many symbols occur in each column, 0 included, shape (n_columns,)."""
    columns = vocabulary.plane_columns
    seen = np.bincount(columns[counts > 0], minlength=vocabulary.n_columns)
    rest = total - np.bincount(columns, weights=counts, minlength=vocabulary.n_columns)
    return seen + (rest > 1e-12 * total)


def table_contents(
    x: Vocabulary, x_counts: Array, y: Vocabulary, y_counts: Array, joint: Array, total: Any, logs: Logs
) -> Array:
    """Return the sums over the cells of each pair, shape (x columns, y columns)."""
    if not joint.flags.c_contiguous:
        # Work along the memory.
        return table_contents(y, y_counts, x, x_counts, joint.T, total, logs).T
    if isinstance(logs, WeightLogs) or not kernels_pay(joint.size, MANY_CELLS):
        return _plain_contents(x, x_counts, y, y_counts, joint, total, logs)
    contents = np.empty((x.n_columns, y.n_columns), dtype=np.int64)
    if x.one_plane_each and y.one_plane_each and logs.table.size > total:
        _kernels.contents_of_pairs_binary(joint, x_counts, y_counts, total, logs.table, contents)
    else:
        _kernels.contents_of_pairs(
            joint, x.offsets, x_counts, y.offsets, y_counts, total, logs.table, logs.scale, contents
        )
    return contents


def _plain_contents(
    x: Vocabulary, x_counts: Array, y: Vocabulary, y_counts: Array, joint: Array, total: Any, logs: Logs
) -> Array:
    """Sum cells of two non-zero symbols, of one with 0, and of 0 with 0, which are found by subtraction."""
    by_y = _by_column(joint, y, axis=1)
    by_x = _by_column(joint, x, axis=0)
    only_x, only_y = x_counts[:, None] - by_y, y_counts[None, :] - by_x
    neither = total - _by_column(x_counts, x)[:, None] - _by_column(only_y, y, axis=1)
    contents = _by_column(_by_column(logs.of(joint), y, axis=1) + logs.of(only_x), x, axis=0)
    return contents + _by_column(logs.of(only_y), y, axis=1) + logs.of(neither)


def _by_column(values: Array, vocabulary: Vocabulary, axis: int = 0) -> Array:
    """Return sums over the planes of each column."""
    if vocabulary.one_plane_each:
        return values
    return np.add.reduceat(values, vocabulary.offsets[:-1], axis=axis)
