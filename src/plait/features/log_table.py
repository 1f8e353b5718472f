"""n log2 n of every count, for kernels that only look up."""

import numpy as np
import numpy.typing as npt

from plait.information import CountLogs, logs_of

__all__ = ["every_count"]


def every_count(n_rows: int) -> tuple[npt.NDArray[np.int64], float]:
    """Return n log2 n in whole units for n from 0 to the number of rows, and what a unit is worth in bits a row.

    The same numbers as in `plait.information.logs`, whose table ends earlier where there are millions of rows.

    Examples
    --------
    >>> table, bits = every_count(4)
    >>> (table * bits * 4).tolist()[:3]
    [0.0, 0.0, 2.0]
    """
    logs = logs_of(int(n_rows))
    if isinstance(logs, CountLogs) and logs.table.size > n_rows:
        return logs.table, logs.bits
    return logs.of(np.arange(n_rows + 1)).astype(np.int64), logs.bits
