"""Sums of n log2 n over the cells of all pairs of columns: what every all-pairs measure is made from."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from joblib import Parallel, delayed

from plait.counts import Codes, PairCounts, Vocabulary, count_pairs, encode, is_streamed, joint_counts
from plait.information._kernels import contents_of_pairs, contents_of_pairs_binary, contents_of_pairs_weighted
from plait.information.logs import CountLogs, Logs, WeightLogs, logs_of

__all__ = ["PairContents", "column_contents", "pair_contents", "table_contents"]

Amounts = npt.NDArray[Any]

# Cells of joint counts held at one time (256 MiB).
_MOST_CELLS = 1 << 26


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
    """

    logs: Logs
    x: Amounts
    y: Amounts
    joint: Amounts


def pair_contents(X: Any, Y: Any = None, weights: Any = None, n_jobs: int | None = None) -> PairContents:
    """Return the sums for all pairs of a column of X and one of Y (of X, when Y is None)."""
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
    return PairContents(logs, x, y, joint)


def _of_codes(a: Codes, b: Codes, n_jobs: int | None) -> PairContents:
    logs = logs_of(a.n_rows)
    x = column_contents(a.vocabulary, a.totals, a.n_rows, logs)
    y = x if b is a else column_contents(b.vocabulary, b.totals, b.n_rows, logs)
    ranges = list(_ranges(a.vocabulary, b.vocabulary.n_planes, 1 if n_jobs is None else abs(n_jobs)))
    if len(ranges) == 1:
        return PairContents(logs, x, y, _block(a, b, logs))
    parts = Parallel(n_jobs=n_jobs, prefer="threads")(
        delayed(_block)(a.columns(*columns), b, logs) for columns in ranges
    )
    return PairContents(logs, x, y, np.concatenate(parts))


def _ranges(vocabulary: Vocabulary, n_others: int, n_parts: int) -> Iterator[tuple[int, int]]:
    """Cut the columns so that no part has too many cells, and there are as many parts as workers."""
    n_cells = vocabulary.n_planes * n_others
    most = max(min(_MOST_CELLS, -(-n_cells // max(n_parts, 1))) // max(n_others, 1), 1)
    first = 0
    while first < vocabulary.n_columns:
        last = int(np.searchsorted(vocabulary.offsets, vocabulary.offsets[first] + most, side="right")) - 1
        last = max(last, first + 1)
        yield first, last
        first = last
    if not vocabulary.n_columns:
        yield 0, 0


def _block(a: Codes, b: Codes, logs: Logs) -> Amounts:
    joint = joint_counts(a, b)
    return table_contents(a.vocabulary, a.totals, b.vocabulary, b.totals, joint, a.n_rows, logs)


def column_contents(vocabulary: Vocabulary, counts: Amounts, total: Any, logs: Logs) -> Amounts:
    """Return the sums over the symbols of each column, 0 included, shape (n_columns,)."""
    contents = logs.of(counts)
    if vocabulary.one_plane_each:
        return contents + logs.of(total - counts)
    starts = vocabulary.offsets[:-1]
    if not starts.size:
        return contents
    return np.add.reduceat(contents, starts) + logs.of(total - np.add.reduceat(counts, starts))


def table_contents(
    x: Vocabulary, x_counts: Amounts, y: Vocabulary, y_counts: Amounts, joint: Amounts, total: Any, logs: Logs
) -> Amounts:
    """Return the sums over the cells of each pair, shape (x columns, y columns)."""
    if not joint.flags.c_contiguous:
        # Work along the memory.
        return table_contents(y, y_counts, x, x_counts, joint.T, total, logs).T
    if isinstance(logs, WeightLogs):
        sums = np.empty((x.n_columns, y.n_columns))
        contents_of_pairs_weighted(joint, x.offsets, x_counts, y.offsets, y_counts, float(total), sums)
        return sums
    return _counted(x, x_counts, y, y_counts, joint, int(total), logs)


def _counted(
    x: Vocabulary, x_counts: Amounts, y: Vocabulary, y_counts: Amounts, joint: Amounts, total: int, logs: CountLogs
) -> Amounts:
    contents = np.empty((x.n_columns, y.n_columns), dtype=np.int64)
    if x.one_plane_each and y.one_plane_each and logs.table.size > total:
        contents_of_pairs_binary(joint, x_counts, y_counts, total, logs.table, contents)
    else:
        contents_of_pairs(joint, x.offsets, x_counts, y.offsets, y_counts, total, logs.table, logs.scale, contents)
    return contents
