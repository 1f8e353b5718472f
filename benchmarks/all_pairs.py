"""All pairs I(X;Y) of bibtex, delicious and many short reports, from CSR, against a matrix product and a loop.

Needs the benchmark data (PLAIT_DATA); the reports are made up, in the shape of tmc2007-500. CPU time of one thread,
best of several runs taken in turn; the results of all sides are asserted equal in the same run. The matrix product
gets its matrices already dense and in float32, plait gets CSR matrices of floats as a reader hands them on, with all
checks. The loop over `sklearn.metrics.mutual_info_score` is timed on a sample of pairs and scaled up to all of them.
"""

import math
import os
import time
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.metrics import mutual_info_score
from threadpoolctl import threadpool_limits

from plait.counts import MeanStdDiscretizer, encode
from plait.data import load_dataset
from plait.information import mutual_information_matrix

RUNS = 7
SAMPLE = 60
WANTED = {"sgemm": 6, "loop": 10_000}


def sgemm_information(X: Any, Y: Any) -> Any:
    """One float32 matrix product, then n log2 n of the four cells in float64, vectorised."""
    n = X.shape[0]
    x, y = X.sum(axis=0, dtype=np.float64)[:, None], Y.sum(axis=0, dtype=np.float64)[None, :]
    both = (X.T @ Y).astype(np.float64)
    cells = sum(content(cell) for cell in (both, x - both, y - both, n - x - y + both))
    alone = content(x) + content(n - x) + content(y) + content(n - y)
    return (cells - alone + content(np.array(n))) / n


def content(cells: Any) -> Any:
    return cells * np.log2(np.maximum(cells, 1.0))


def loop_seconds(X: Any, Y: Any, pairs: Any) -> tuple[Any, float]:
    """Return scikit-learn's numbers for some pairs, and the CPU seconds of one pair."""
    columns = [(np.ascontiguousarray(X[:, i]), np.ascontiguousarray(Y[:, j])) for i, j in pairs]
    mutual_info_score(*columns[0])
    start = time.process_time()
    found = [mutual_info_score(a, b) for a, b in columns]
    return np.array(found) / math.log(2), (time.process_time() - start) / len(columns)


def best_in_turn(calls: dict[str, Callable[[], Any]]) -> tuple[dict[str, Any], dict[str, float]]:
    """Run all calls once to warm up, then in turn; return results and least CPU seconds."""
    results = {name: call() for name, call in calls.items()}
    seconds = dict.fromkeys(calls, math.inf)
    for _ in range(RUNS):
        for name, call in calls.items():
            start = time.process_time()
            call()
            seconds[name] = min(seconds[name], time.process_time() - start)
    return results, seconds


def peak_mib(call: Callable[[], Any]) -> float:
    """Return the most memory that a call allocates beyond its input, its result included."""
    tracemalloc.start()
    call()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 2**20


def compare(name: str, form: str, X: Any, Y: Any) -> None:
    dense_x, dense_y = (np.asarray(M.toarray(), dtype=np.float32) for M in (X, Y))
    codes_x, codes_y = encode(X), encode(Y)
    bits_x, bits_y = codes_x.packed(), codes_y.packed()
    calls: dict[str, Callable[[], Any]] = {
        "plait, CSR": lambda: mutual_information_matrix(X, Y),
        "plait, CSR encoded before": lambda: mutual_information_matrix(codes_x, codes_y),
        "plait, bits packed before": lambda: mutual_information_matrix(bits_x, bits_y),
        "plait, dense float32": lambda: mutual_information_matrix(dense_x, dense_y),
        "float32 product, NumPy logs": lambda: sgemm_information(dense_x, dense_y),
    }
    if form != "binary":
        del calls["float32 product, NumPy logs"]
    results, seconds = best_in_turn(calls)
    rng = np.random.default_rng(0)
    pairs = np.column_stack((rng.integers(0, X.shape[1], SAMPLE), rng.integers(0, Y.shape[1], SAMPLE)))
    sampled, one = loop_seconds(dense_x, dense_y, pairs)
    loop = one * X.shape[1] * Y.shape[1]
    report(f"{name}, {form}", X, Y, results, seconds, calls, loop)
    ours = results["plait, CSR"]
    for other in ("plait, CSR encoded before", "plait, bits packed before", "plait, dense float32"):
        assert np.array_equal(results[other], ours), other
    difference = float(np.abs(ours[pairs[:, 0], pairs[:, 1]] - sampled).max())
    assert difference < 1e-12
    print(f"all plait results equal to the last bit; most they differ from the sampled loop: {difference:.1e}")
    if form == "binary":
        difference = float(np.abs(ours - results["float32 product, NumPy logs"]).max())
        assert difference < 1e-12
        judge(seconds["float32 product, NumPy logs"], seconds["plait, CSR"], loop, difference)


def report(title: str, X: Any, Y: Any, results: Any, seconds: Any, calls: Any, loop: float) -> None:
    print(f"\n{title}: {X.shape[0]} rows, {X.shape[1]} x {Y.shape[1]} pairs")
    print(f"{'':30} {'CPU ms':>12} {'times plait CSR':>16} {'peak MiB':>9}")
    for name, value in seconds.items():
        ratio = value / seconds["plait, CSR"]
        print(f"{name:30} {1e3 * value:12.2f} {ratio:16.2f} {peak_mib(calls[name]):9.1f}")
    print(f"{'mutual_info_score loop (*)':30} {1e3 * loop:12.0f} {loop / seconds['plait, CSR']:16.0f}")
    print(f"(*) scaled up from {SAMPLE} pairs")


def judge(sgemm: float, ours: float, loop: float, difference: float) -> None:
    print(f"most the matrix product differs: {difference:.1e}")
    for name, ratio in (("sgemm", sgemm / ours), ("loop", loop / ours)):
        verdict = "met" if ratio >= WANTED[name] else "MISSED"
        print(f"at least {WANTED[name]} times the {name}: {verdict} ({ratio:.1f})")


def reports() -> tuple[Any, Any]:
    """Return 28,596 rows with some 50 of 500 words, few of them frequent, and some 2 of 22 labels."""
    rng = np.random.default_rng(0)
    words, labels = (1 / np.arange(1, n + 1) ** power for n, power in ((500, 0.7), (22, 0.8)))
    shares = [np.minimum(part / part.sum() * mean, 0.9) for part, mean in ((words, 50), (labels, 2.2))]
    X, Y = (rng.random((28_596, part.size)) < rng.permutation(part) for part in shares)
    return sparse.csr_matrix(X.astype(np.float64)), sparse.csr_matrix(Y.astype(np.float64))


def main() -> None:
    if not os.environ.get("PLAIT_DATA"):
        print("all_pairs needs the benchmark data: set PLAIT_DATA to their folder")
        return
    with threadpool_limits(1):
        for name in ("bibtex", "delicious"):
            dataset = load_dataset(name)
            X, Y = sparse.csr_matrix(dataset.X), sparse.csr_matrix(dataset.Y)
            compare(name, "binary", X, Y)
        compare("reports", "binary", *reports())
        scene = load_dataset("scene")
        codes = MeanStdDiscretizer().fit_transform(scene.X)
        compare("scene", "three bins", sparse.csr_matrix(codes), sparse.csr_matrix(scene.Y))


if __name__ == "__main__":
    main()
