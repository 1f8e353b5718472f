"""`read_mulan` and liac-arff on real Mulan files, and the memory of reading imdb; needs PLAIT_DATA and liac-arff.

CPU time of one thread, best of several runs. liac-arff hands over lists of words and numbers, plait the finished
matrices; both are asserted equal in the same run. "kernels" is how files of 8 MB and more are read, "plain" how
smaller ones are, without Numba. Unpacking alone is the floor of a packed file, so unpacked copies are timed too. Memory
is the peak above what the process held before, with compiled kernels, in a process of its own.
"""

import gc
import os
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from scipy import sparse

from plait.core.extras import installed, optional
from plait.core.kernel_policy import using_kernels
from plait.data import Dataset
from plait.data.conversion.files import blocks_of_lines, open_bytes, read_all
from plait.data.readers.meka import read_meka
from plait.data.readers.mulan import read_label_names, read_mulan

RUNS = 5
NAMES = ("bibtex", "delicious", "scene", "enron", "yeast", "emotions")
DENSE = ("scene", "yeast", "emotions")
HEADS = ("MB", "liac ms", "kernels ms", "ratio", "plain ms", "ratio", "floor ms")
WIDTHS = (6, 9, 10, 6, 9, 6, 9)


def data_folder() -> Path | None:
    folder = os.environ.get("PLAIT_DATA")
    return Path(folder) if folder and Path(folder).is_dir() else None


def best(call: Callable[[], Any], runs: int = RUNS) -> tuple[Any, float]:
    """Return the result and the least CPU milliseconds of several runs."""
    seconds = []
    for _ in range(runs):
        gc.collect()
        start = time.process_time()
        result = call()
        seconds.append(time.process_time() - start)
    return result, 1000 * min(seconds)


def by_liac(path: Path, dense: bool) -> Any:
    arff = optional("arff", extra="bench", purpose="this comparison")
    with open_bytes(path) as stream:
        text = (line.decode() for line in stream)
        return arff.load(text, return_type=arff.DENSE if dense else arff.LOD)


def assert_equal(theirs: Any, ours: Dataset, labels: set[str]) -> None:
    """Compare every number of both."""
    names = [name for name, _ in theirs["attributes"]]
    is_label = np.array([name in labels for name in names])
    if sparse.issparse(ours.X):
        rows = [sorted(row) for row in theirs["data"]]
        ends = np.cumsum([0, *map(len, rows)])
        values = [float(row[j]) for row, order in zip(theirs["data"], rows, strict=True) for j in order]
        both = sparse.csr_matrix((values, np.concatenate(rows), ends), shape=(len(rows), len(names)))
        both.eliminate_zeros()
        assert (both[:, ~is_label] != ours.X).nnz == 0
        assert (both[:, is_label] != ours.Y).nnz == 0
    else:
        table = np.array([[float(value) for value in row] for row in theirs["data"]])
        np.testing.assert_array_equal(table[:, ~is_label], ours.X)
        np.testing.assert_array_equal(table[:, is_label], ours.Y)
    assert [name for name in names if name in labels] == list(ours.label_names or ())


def compare(folder: Path, name: str, scratch: Path) -> None:
    path, xml = folder / name / f"{name}.arff.gz", folder / name / f"{name}.xml"
    plain = scratch / f"{name}.arff"
    plain.write_bytes(read_all(path))
    for file, packing in ((path, "packed"), (plain, "plain")):
        theirs, liac = best(lambda file=file: by_liac(file, name in DENSE), runs=3)
        taken = []
        for policy in ("always", "never"):
            with using_kernels(policy):
                ours, milliseconds = best(lambda file=file: read_mulan(file, xml))
            assert_equal(theirs, ours, set(read_label_names(xml)))
            taken += [milliseconds, liac / milliseconds]
        _, floor = best(lambda file=file: sum(map(len, blocks_of_lines(file))))
        numbers = (plain.stat().st_size / 1e6, liac, *taken, floor)
        words = " ".join(f"{number:{width}.1f}" for number, width in zip(numbers, WIDTHS, strict=True))
        print(f"{name:10} {packing:7} {words}")


def kilobytes(key: str) -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(key))


def matrix_bytes(data: Dataset) -> int:
    arrays = [getattr(matrix, part) for matrix in (data.X, data.Y) for part in ("data", "indices", "indptr")]
    return sum(array.nbytes for array in arrays)


def memory(folder: Path) -> None:
    """Print time and memory of reading imdb, where the system tells."""
    path = folder / "imdb" / "imdb.arff.gz"
    with using_kernels("always"):
        read_mulan(folder / "enron" / "enron.arff.gz")  # loads the kernels
    gc.collect()
    reset = Path("/proc/self/clear_refs")
    if reset.exists():
        reset.write_text("5")  # the peak starts again from here
    before = kilobytes("VmRSS") if reset.exists() else 0
    data = read_meka(path)
    resident = (kilobytes("VmHWM") - before) / 1e3 if reset.exists() else float("nan")
    size = matrix_bytes(data) / 1e6
    _, milliseconds = best(lambda: read_meka(path))
    _, floor = best(lambda: sum(map(len, blocks_of_lines(path))))
    tracemalloc.start()
    read_meka(path)
    traced = tracemalloc.get_traced_memory()[1] / 1e6
    tracemalloc.stop()
    print(f"imdb: {data.n_samples} rows in {milliseconds:.0f} ms, of which unpacking {floor:.0f} ms")
    print(f"X and Y {size:.1f} MB; peak by tracemalloc {traced:.1f} MB ({traced / size:.2f} times)")
    print(f"peak of resident memory {resident:.1f} MB ({resident / size:.2f} times)")
    assert traced < 3 * size
    assert not resident >= 3 * size


def main() -> None:
    folder = data_folder()
    if folder is None or not installed("arff"):
        print("needs the benchmark data (set PLAIT_DATA) and liac-arff")
        return
    print(f"{'data':10} {'file':7} " + " ".join(f"{head:>{width}}" for head, width in zip(HEADS, WIDTHS, strict=True)))
    with TemporaryDirectory() as scratch:
        for name in NAMES:
            compare(folder, name, Path(scratch))
    subprocess.run([sys.executable, "-m", "benchmarks.arff", "memory"], check=True)


if __name__ == "__main__":
    where = data_folder()
    if sys.argv[1:] == ["memory"] and where:
        memory(where)
    else:
        main()
