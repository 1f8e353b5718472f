"""n log2 n of counts as whole numbers, so that sums of them are exact; and the base of logarithms.

Entropies are differences of sums of n log2 n over cells. In floats such a sum depends on the order of its terms, so
that dense and sparse, one and two threads, a column and its copy can differ in the last bits, and ties between equal
features are decided by rounding. Here n log2 n is rounded once, to a multiple of 2**-shift with the shift as large as
64 bits allow, and everything after is integer arithmetic: exact in any order, under any naming of symbols.
"""

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from plait.core.arrays import Floats, Ints
from plait.core.checks import Interval, OneOf, check_value
from plait.core.kernel_policy import kernels_pay
from plait.core.lazy_modules import lazy_module

__all__ = ["CountLogs", "Logs", "WeightLogs", "bits_to", "logs_of"]

_kernels = lazy_module("plait.information._kernels")


# Counts up to this are looked up (32 MiB); larger ones are computed where they occur, with the same result.
_LONGEST_TABLE = 1 << 22
# From so many logarithms on kernels pay: Python takes 50 ns for each.
_MANY_LOGS = 1 << 18


@dataclass(frozen=True, eq=False)
class CountLogs:
    """n log2 n for counts of up to `total` rows.

    Parameters
    ----------
    total : int
        Number of rows.
    scale : float
        2**shift: an amount of `scale` units is 1.
    table : ndarray of int64
        `table[n]` = n log2 n in units, for n up to the total (or as far as a table is worth its memory).

    Examples
    --------
    >>> from plait.information import logs_of
    >>> logs = logs_of(8)
    >>> (logs.of([1, 2, 8]) / logs.scale).tolist()
    [0.0, 2.0, 24.0]
    """

    total: int
    scale: float
    table: Ints

    def of(self, counts: Any) -> Ints:
        """Return n log2 n of each count, in units.

        Parameters
        ----------
        counts : array of int
            Cells of a table.
        """
        cells = np.asarray(counts, dtype=np.int64)
        inside = cells < self.table.size
        if inside.all():
            return self.table[cells]
        contents = np.asarray(self.table[np.where(inside, cells, 0)])
        contents[~inside] = _contents(cells[~inside], self.scale)
        return contents

    @property
    def whole(self) -> int:
        """Content n log2 n of all rows, in units."""
        return int(self.of([self.total])[0])

    @property
    def bits(self) -> float:
        """What one unit is worth, in bits for each row."""
        return 1.0 / (self.scale * self.total) if self.total else 0.0


@dataclass(frozen=True, eq=False)
class WeightLogs:
    """w log2 w for weights that sum to `total`, in floats (exact up to rounding).

    Parameters
    ----------
    total : float
        What the weights sum to.

    Examples
    --------
    >>> WeightLogs(4.0).of([0.5, 2.0]).tolist()
    [-0.5, 2.0]
    """

    total: float

    def of(self, counts: Any) -> Floats:
        """Return w log2 w of each weight, 0 where rounding has left less than 0.

        Parameters
        ----------
        counts : array of float
            Cells of a table.
        """
        cells = np.maximum(np.asarray(counts, dtype=np.float64), 0.0)
        return cells * np.log2(np.where(cells > 0.0, cells, 1.0))

    @property
    def whole(self) -> float:
        """Content w log2 w of all rows."""
        return float(self.of(self.total))

    @property
    def bits(self) -> float:
        """What one unit is worth, in bits for each unit of weight."""
        return 1.0 / self.total if self.total else 0.0


Logs = CountLogs | WeightLogs


def logs_of(total: Any) -> Logs:
    """Return the logarithms for a table whose cells sum to `total`: an integer number of rows or a float weight.

    Parameters
    ----------
    total : int or float
        A number of rows, or a sum of weights.

    Returns
    -------
    CountLogs or WeightLogs

    Examples
    --------
    >>> type(logs_of(10)).__name__, type(logs_of(2.5)).__name__
    ('CountLogs', 'WeightLogs')
    """
    return WeightLogs(float(total)) if isinstance(total, float | np.floating) else _count_logs(int(total))


@lru_cache(maxsize=8)
def _count_logs(total: int) -> CountLogs:
    largest = total * np.log2(max(total, 2))
    # Four such amounts are added and subtracted; 2**60 leaves room for that.
    scale = float(2.0 ** (60 - int(np.ceil(np.log2(largest + 2)))))
    table = _contents(np.arange(min(total, _LONGEST_TABLE) + 1), scale)
    table.setflags(write=False)
    return CountLogs(total, scale, table)


def _contents(counts: Ints, scale: float) -> Ints:
    """Return n log2 n of each count in units of 1 / scale, by the same logarithm as kernels have."""
    if kernels_pay(counts.size, _MANY_LOGS):
        contents = np.empty(counts.size, dtype=np.int64)
        _kernels.count_contents(counts, scale, contents)
        return contents
    # NumPy's own logarithm may differ in the last bit, and from one processor to the next.
    logs = np.fromiter(map(math.log2, np.maximum(counts, 1).tolist()), dtype=np.float64, count=counts.size)
    return np.rint(counts * logs * scale).astype(np.int64)


class _Base(Interval):
    """A number to whose base every logarithm is finite."""

    def accepts(self, value: Any) -> bool:
        return super().accepts(value) and value != 1 and math.isfinite(value)

    def describe(self) -> str:
        return "a positive number other than 1"


_RULES = (_Base(float, 0.0, None, closed="neither"), OneOf(("e",)))


def bits_to(base: Any, owner: str) -> float:
    """Return what one bit is in the unit of a base: 1 for base 2, log 2 for base e (or the word "e").

    Examples
    --------
    >>> bits_to(2, "entropy"), round(bits_to("e", "entropy"), 6)
    (1.0, 0.693147)
    """
    check_value(owner, "base", base, _RULES, "Pass 2 for bits or 'e' for nats.")
    if isinstance(base, str):
        return math.log(2.0)
    return 1.0 / math.log2(base)
