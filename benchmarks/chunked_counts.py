"""Count a sparse binary matrix of 2,000,000 x 1,000 against 100 labels in chunks of rows; needs no data.

The chunks are made up one after the other, as a reader would hand them on, in a process of its own whose peak memory
is printed. The CPU time of making them is measured alone and taken off. The sums are checked against the entries that
were made, and a first part of the rows against counting them in one piece.
"""

import multiprocessing
import resource
import sys
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import sparse

from plait.counts import count_pairs

ROWS, FEATURES, LABELS = 2_000_000, 1_000, 100
PER_ROW, LABELS_PER_ROW = 20, 3
CHUNK = 20_000
WANTED_GIB = 1.0


def block(seed: int, width: int, per_row: int) -> Any:
    """Return CHUNK rows with `per_row` entries each, one in each of as many strips of columns."""
    rng = np.random.default_rng(seed)
    strips = np.arange(per_row) * (width // per_row)
    indices = (rng.integers(0, width // per_row, (CHUNK, per_row)) + strips).astype(np.int32).ravel()
    indptr = np.arange(CHUNK + 1, dtype=np.int32) * per_row
    return sparse.csr_matrix((np.ones(indices.size, dtype=np.uint8), indices, indptr), shape=(CHUNK, width))


def chunks(n_rows: int) -> Iterator[tuple[Any, Any]]:
    for k in range(n_rows // CHUNK):
        yield block(2 * k, FEATURES, PER_ROW), block(2 * k + 1, LABELS, LABELS_PER_ROW)


def measure(results: Any) -> None:
    count_pairs(chunks(CHUNK))
    start = time.process_time()
    table = count_pairs(chunks(ROWS))
    counting = time.process_time() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    start = time.process_time()
    for _ in chunks(ROWS):
        pass
    making = time.process_time() - start
    results.put((table, counting - making, making, peak))


def check(table: Any) -> None:
    """Every row has the same number of entries, so sums are known; a first part is counted in one piece, too."""
    assert table.total == ROWS
    assert table.x_counts.sum() == ROWS * PER_ROW
    assert table.y_counts.sum() == ROWS * LABELS_PER_ROW
    assert table.joint.sum() == ROWS * PER_ROW * LABELS_PER_ROW
    parts = list(chunks(5 * CHUNK))
    whole = count_pairs(*(sparse.vstack([part[k] for part in parts]).tocsr() for k in (0, 1)))
    assert count_pairs(iter(parts)) == whole


def main() -> None:
    context = multiprocessing.get_context("spawn")
    results = context.Queue()
    process = context.Process(target=measure, args=(results,))
    process.start()
    table, counting, making, peak = results.get()
    process.join()
    check(table)
    print(f"{ROWS:,} rows x {FEATURES:,} features, {PER_ROW} a row, against {LABELS} labels, {LABELS_PER_ROW} a row")
    print(f"chunks of {CHUNK:,} rows; counting {counting:.2f} s CPU, making the rows {making:.2f} s CPU")
    print(f"{ROWS / counting:,.0f} rows a second, one thread")
    print(f"peak memory of the whole process: {peak / 2**20:.0f} MiB")
    verdict = "met" if peak < WANTED_GIB * 2**30 else "MISSED"
    print(f"under {WANTED_GIB:g} GiB: {verdict}; sums right, and chunks equal to one piece on {5 * CHUNK:,} rows")


if __name__ == "__main__":
    main()
