"""Peak memory of `plait predict` and `plait fit` on LIBSVM files of two sizes: it does not grow with the rows.

    python -m benchmarks.streaming [--rows 500000 2000000]

Each command runs in a process of its own, whose peak resident memory is printed with its CPU time. The rows are made
up: 10 of 200 features and 2 of 6 labels each. Both files are large enough to be
read in chunks. The bar: four times the rows take at most 1.1 times the memory.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

FEATURES, LABELS, PER_ROW = 200, 6, 10
WANTED = 1.1
METHOD = ("--method", "br", "--set", "learner=logistic")


def write(path: Path, n_rows: int) -> None:
    """Write rows whose first features say which labels they have."""
    rng = np.random.default_rng(0)
    with open(path, "w") as file:
        for first in range(0, n_rows, 10_000):
            n = min(10_000, n_rows - first)
            marks = np.sort(rng.integers(0, LABELS, (n, 2)), axis=1)
            words = np.sort(rng.permuted(np.tile(np.arange(LABELS + 1, FEATURES + 1), (n, 1)), axis=1)[:, :PER_ROW])
            lines = []
            for (a, b), row in zip(marks.tolist(), words.tolist(), strict=True):
                own = sorted({a + 1, b + 1})
                features = " ".join(f"{index}:1" for index in (*own, *row))
                lines.append(f"{','.join(str(label - 1) for label in own)} {features}\n")
            file.writelines(lines)


def run(*words: str) -> tuple[float, float, float]:
    """Run a command of plait; return its peak memory in MiB, its CPU time and its wall time."""
    form = {"env": os.environ | {"PLAIT_PROGRESS": "never"}, "stdout": subprocess.DEVNULL}
    start = time.perf_counter()
    process = subprocess.Popen([sys.executable, "-m", "plait", *words], **form)  # type: ignore[call-overload]
    _, status, usage = os.wait4(process.pid, 0)
    assert status == 0, f"plait {' '.join(words)} failed"
    return usage.ru_maxrss / 1024, usage.ru_utime + usage.ru_stime, time.perf_counter() - start


def main(words: list[str] | None = None) -> None:
    """Print a line for each command and size, and the growth."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, nargs=2, default=[500_000, 2_000_000])
    sizes = parser.parse_args([] if words is None else words).rows
    peaks: dict[str, list[float]] = {"predict": [], "fit": []}
    with tempfile.TemporaryDirectory() as folder:
        model, few = str(Path(folder, "model.plait")), Path(folder, "few.svm")
        write(few, 20_000)
        run("fit", str(few), *METHOD, "-o", model)
        files = [Path(folder, f"{n_rows}.svm") for n_rows in sizes]
        for n_rows, file in zip(sizes, files, strict=True):
            write(file, n_rows)
            print(f"{n_rows} rows: {file.stat().st_size / 2**20:.0f} MiB", flush=True)
        for name in peaks:
            for n_rows, file in zip(sizes, files, strict=True):
                out = ("fit", str(file), *METHOD) if name == "fit" else ("predict", model, str(file))
                peak, cpu, wall = run(*out, "-o", f"{folder}/{'again.plait' if name == 'fit' else 'out.csv'}")
                peaks[name].append(peak)
                print(f"{name} {n_rows}: peak {peak:.0f} MiB, CPU {cpu:.1f} s, wall {wall:.1f} s", flush=True)
    for name, (small, large) in peaks.items():
        print(
            f"{name}: {large / small:.2f} times the memory for {sizes[1] / sizes[0]:.0f} times the rows; bar {WANTED}"
        )
    print(f"peak of this process: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB")


if __name__ == "__main__":
    main(sys.argv[1:])
