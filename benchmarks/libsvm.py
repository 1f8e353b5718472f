"""`read_libsvm` and scikit-learn's `load_svmlight_file` on made-up multi-label files; needs no data.

CPU time of one thread, best of several runs, and the peak of what Python and NumPy allocate; both sides' matrices are
asserted equal in the same run.
"""

import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.datasets import dump_svmlight_file, load_svmlight_file

from plait.data.readers.libsvm import read_libsvm

RUNS = 3
WIDTHS = (6, 11, 13, 6, 9, 11)
KINDS = {"whole": 0, "6 digits": 6, "16 digits": None}


def write(path: Path, digits: int | None) -> None:
    """Write a file like a bag of words: 20,000 rows, 47,000 features, 75 of them in a row, 3 of 100 labels."""
    rng = np.random.default_rng(0)
    columns = rng.integers(0, 47_000, (20_000, 75))
    X = sparse.csr_matrix((rng.random(columns.size), columns.ravel(), np.arange(20_001) * 75), shape=(20_000, 47_000))
    X.sum_duplicates()
    if digits == 0:
        X.data = np.ceil(9 * X.data)
    elif digits:
        X.data = X.data.round(digits) + 10.0**-digits
    Y = (rng.random((20_000, 100)) < 0.03).astype(int)
    Y[:, 0] = 1  # a row without anything would be no line
    dump_svmlight_file(X, Y, str(path), multilabel=True, zero_based=False)


def best(call: Callable[[], Any]) -> tuple[Any, float, float]:
    """Return the result, the least CPU seconds of several runs, and the peak of one more in MB."""
    seconds = []
    for _ in range(RUNS):
        start = time.process_time()
        result = call()
        seconds.append(time.process_time() - start)
    tracemalloc.start()
    call()
    peak = tracemalloc.get_traced_memory()[1] / 1e6
    tracemalloc.stop()
    return result, min(seconds), peak


def compare(name: str, path: Path) -> None:
    size = path.stat().st_size / 1e6
    ours, seconds, peak = best(lambda: read_libsvm(path))
    theirs, other_seconds, other_peak = best(lambda: load_svmlight_file(str(path), multilabel=True))
    assert (theirs[0] != ours.X).nnz == 0
    assert [tuple(map(float, row)) for row in np.split(ours.Y.indices, ours.Y.indptr[1:-1])] == theirs[1]
    numbers = (size, size / seconds, size / other_seconds, other_seconds / seconds, peak, other_peak)
    print(f"{name:10} " + " ".join(f"{number:{width}.1f}" for number, width in zip(numbers, WIDTHS, strict=True)))


def main() -> None:
    heads = ("MB", "plait MB/s", "sklearn MB/s", "ratio", "peak MB", "sklearn MB")
    print(f"{'values':10} " + " ".join(f"{head:>{width}}" for head, width in zip(heads, WIDTHS, strict=True)))
    with TemporaryDirectory() as folder:
        for name, digits in KINDS.items():
            path = Path(folder, "data.svm")
            write(path, digits)
            read_libsvm(path)  # compiles
            compare(name, path)


if __name__ == "__main__":
    main()
