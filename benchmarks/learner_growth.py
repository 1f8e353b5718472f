"""How the training time of LogisticLearner grows with rows, columns and labels, and a full chain on imdb.

Growth: sparse word-like data made here, doubled in one dimension at a time; CPU time of one thread, best of several.
A factor of 2.0 for a doubling is linear. imdb needs the benchmark data (PLAIT_DATA) and is trained in a process of its
own, whose peak memory is printed: it holds the data, the reader and the whole library.
"""

import math
import os
import resource
import subprocess
import sys
import time
from typing import Any

import numpy as np
from scipy import sparse
from threadpoolctl import threadpool_limits

from plait.data import load_dataset
from plait.learners import LogisticLearner
from plait.structure import LabelGraph

RUNS = 3
DOUBLINGS = 4
FILLED = 40
MOST_GIB = 3.0


def words(n_samples: int, n_features: int, n_labels: int) -> tuple[Any, Any]:
    """Rows with the same number of words whatever the vocabulary; labels that depend on a few words each."""
    rng = np.random.default_rng(0)
    places = (n_features * rng.random((n_samples, FILLED)) ** 2).astype(np.int64)
    rows = np.repeat(np.arange(n_samples), FILLED)
    X = sparse.csr_matrix((np.ones(rows.size), (rows, places.ravel())), shape=(n_samples, n_features))
    X.data[:] = 1.0
    weights = rng.normal(size=(n_features, n_labels)) * (rng.random((n_features, n_labels)) < 0.3)
    scores = np.asarray(X @ weights)
    cuts = np.quantile(scores, 0.9, axis=0)
    return X, (scores + rng.logistic(size=scores.shape) > cuts).astype(np.uint8)


def spent(n_samples: int, n_features: int, n_labels: int) -> float:
    X, Y = words(n_samples, n_features, n_labels)
    best = math.inf
    for _ in range(RUNS):
        start = time.process_time()
        LogisticLearner().fit(X, Y)
        best = min(best, time.process_time() - start)
    return best


def growth(what: str, sizes: list[tuple[int, int, int]]) -> None:
    print(f"\ndoubling {what}: {FILLED} words a row")
    print(f"  {'rows':>7} {'columns':>8} {'labels':>7} {'CPU ms':>9} {'factor':>7}")
    before = math.nan
    for size in sizes:
        now = spent(*size)
        print(f"  {size[0]:7} {size[1]:8} {size[2]:7} {1e3 * now:9.1f} {now / before:7.2f}")
        before = now


def imdb() -> None:
    """Train a full chain on imdb and print time and peak memory of this process."""
    dataset = load_dataset("imdb")
    Y = np.asarray(dataset.Y.toarray() if sparse.issparse(dataset.Y) else dataset.Y)
    graph = LabelGraph([list(range(k)) for k in range(Y.shape[1])])
    start = time.process_time()
    fitted = LogisticLearner().fit(dataset.X, Y, graph)
    seconds = time.process_time() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"\nimdb, full chain: {dataset.X.shape[0]} x {dataset.X.shape[1]}, {Y.shape[1]} labels")
    print(f"  CPU {seconds:.1f} s, all labels solved: {bool(fitted.converged_.all())}")
    verdict = "met" if peak < MOST_GIB else "MISSED"
    print(f"  peak memory of the process under {MOST_GIB:.0f} GiB: {verdict} ({peak:.2f} GiB)")


def main() -> None:
    with threadpool_limits(1):
        growth("rows", [(1000 * 2**i, 1000, 16) for i in range(DOUBLINGS)])
        growth("columns", [(4000, 500 * 2**i, 16) for i in range(DOUBLINGS)])
        growth("labels", [(4000, 1000, 16 * 2**i) for i in range(DOUBLINGS)])
    if not os.environ.get("PLAIT_DATA"):
        print("the chain on imdb needs the benchmark data: set PLAIT_DATA to their folder")
        return
    sys.stdout.flush()
    subprocess.run([sys.executable, "-c", "from benchmarks import learner_growth; learner_growth.imdb()"], check=True)


if __name__ == "__main__":
    main()
